// configs/slab.yaml on finer and finer meshes: activation times approach those extrapolated to h, dt → 0 (regular
// meshes; listed in docs/method/verification.md, whose collect.py reads the RESULT lines).

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "app/config/config.hpp"
#include "app/run.hpp"
#include "fem/mesh.hpp"
#include "meshes/generate.hpp"
#include "tests/support/result_files.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

struct Place {
  Vector3 point;
  Real extrapolated_ms;
};

const std::vector<Place> places{
    {{20, 7, 3}, 159.36}, {{20, 0, 0}, 119.04}, {{0, 7, 0}, 104.18}, {{0, 0, 3}, 32.66}, {{10, 3.5, 1.5}, 84.95}};

/// Activation times of `places` by the configuration with these settings, −1 where there is no node.
std::vector<Real> activation_times(Real edge_mm, std::vector<Override> settings) {
  const TemporaryDirectory folder;
  const Mesh mesh = slab_mesh({20, 7, 3}, edge_mm, true);
  write_mesh(mesh, folder / "slab.vtu");
  settings.insert(settings.end(), {{"mesh.file", (folder / "slab.vtu").string()},
                                   {"time.end", "170"},
                                   {"output", "{directory: " + (folder / "result").string() + ", interval: 85}"}});
  const Config config = load_config(CARDIOWARP_CONFIGS "/slab.yaml", settings);
  EXPECT_EQ(run(config), ExitCode::done);
  const std::vector<Real> activation = point_values(folder / "result/maps.vtu", "activation_time");
  std::vector<Real> times(places.size(), -1);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    for (std::size_t k = 0; k < places.size(); ++k)
      if (norm(mesh.nodes[i] - places[k].point) < 1e-9) times[k] = activation[i];
  return times;
}

/// As above, by backward Euler with equal steps, one point in an element, and a stimulus of whole nodes.
std::vector<Real> activation_times(Real edge_mm, Real step_ms) {
  const std::vector<Real> times = activation_times(edge_mm, {{"time.step", std::to_string(step_ms)},
                                                             {"time.adaptive.enabled", "false"},
                                                             {"time.scheme", "backward_euler"},
                                                             {"quadrature", "centroid"},
                                                             {"stimuli.0.edge", "nodes"}});
  for (std::size_t k = 0; k < places.size(); ++k)
    std::printf("RESULT slab edge_mm=%g step_ms=%g x_mm=%g y_mm=%g z_mm=%g activation_ms=%.3f listed_ms=%.2f\n",
                edge_mm, step_ms, places[k].point.x, places[k].point.y, places[k].point.z, times[k],
                places[k].extrapolated_ms);
  return times;
}

/// Each error at `fine` at most `factor` times the one at `coarse`.
void expect_smaller_errors(const std::vector<Real>& coarse, const std::vector<Real>& fine, Real factor) {
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Real before = std::fabs(coarse[k] - places[k].extrapolated_ms);
    const Real now = std::fabs(fine[k] - places[k].extrapolated_ms);
    EXPECT_GT(before, 1) << "nothing to compare at place " << k;
    EXPECT_LT(now, factor * before) << "place " << k;
  }
}

TEST(Slab, OfTheConfigurationAsItIsHasTheExtrapolatedTimesForItsLimitOfOrderTwo) {
  const std::vector<Override> tighter{{"time.adaptive.tolerance", "2e-4"}};
  const std::vector<Real> coarse = activation_times(0.5, tighter), fine = activation_times(0.25, tighter);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Real exact = places[k].extrapolated_ms;
    EXPECT_NEAR(coarse[k], exact, 0.032 * exact) << k;
    EXPECT_NEAR(fine[k], exact, 0.01 * exact) << k;
    EXPECT_NEAR(fine[k] + (fine[k] - coarse[k]) / 3, exact, 0.003 * exact) << k;
  }
}

TEST(Slab, ActivationTimesApproachTheExtrapolatedOnes) {
  const std::vector<Real> coarse = activation_times(0.5, 0.1), fine = activation_times(0.25, 0.1);
  expect_smaller_errors(coarse, fine, 0.52);
}

/// Limit of three values whose differences shrink by a constant factor (Aitken).
Real geometric_limit(Real first, Real second, Real third) {
  const Real step = third - second;
  return third + step * step / ((second - first) - step);
}

TEST(SlabLong, ActivationTimesOfThreeMeshesAndTwoStepsExtrapolateToTheListedOnes) {
  std::vector<Real> coarse = activation_times(0.5, 0.2), middle = activation_times(0.25, 0.2);
  std::vector<Real> fine = activation_times(0.125, 0.2);
  const std::vector<Real> half_step = activation_times(0.25, 0.1);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Real of_the_step = 2 * (half_step[k] - middle[k]);  // order 1: what dt → 0 adds
    for (std::vector<Real>* times : {&coarse, &middle, &fine}) (*times)[k] += of_the_step;
    const Real extrapolated = geometric_limit(coarse[k], middle[k], fine[k]);  // the observed order in h
    std::printf("RESULT slab_extrapolated x_mm=%g y_mm=%g z_mm=%g activation_ms=%.3f listed_ms=%.2f\n",
                places[k].point.x, places[k].point.y, places[k].point.z, extrapolated, places[k].extrapolated_ms);
    EXPECT_NEAR(extrapolated, places[k].extrapolated_ms, 0.01 * places[k].extrapolated_ms) << "place " << k;
  }
  expect_smaller_errors(middle, fine, 0.5);
}

}  // namespace
}  // namespace cardiowarp::test
