// The error of a front's velocity that is expected of a mesh (app/advice/resolution.hpp), against the velocity of
// fronts in bars of such elements beside that in a fine one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "app/advice/resolution.hpp"
#include "app/config/config.hpp"
#include "app/simulation/error_estimate.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/time_stepper.hpp"
#include "app/start/cable.hpp"
#include "fem/cells/front.hpp"
#include "fem/cells/models.hpp"
#include "fem/mesh.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {
namespace {

/// Lengths in thicknesses δ of the front that travels along the bar.
struct Bar {
  std::string cell;
  Real edge;
  bool is_regular = true;
  Real along_over_across = 1;  ///< of the diffusivities
  Vector3 fiber = {1, 0, 0};   ///< the front travels along x
  Real length = 50;
};

struct Found {
  Real velocity;  ///< in a unit that all bars of a cell have
  FrontResolution expected;
};

/// The slope of places over activation times at all nodes between 40 and 80 % of the bar.
Real velocity_in(const Mesh& mesh, const std::vector<Real>& activation_ms, Real length_mm) {
  Real count = 0, x = 0, t = 0, xt = 0, xx = 0;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    const Real place = mesh.nodes[i].x;
    if (place < 0.4 * length_mm || place > 0.8 * length_mm) continue;
    EXPECT_GT(activation_ms[i], 0) << place;
    count += 1, x += place, t += activation_ms[i], xt += place * activation_ms[i], xx += place * place;
  }
  return (count * xx - x * x) / (count * xt - x * t);
}

Found front_in(const Bar& bar) {
  const AnyCell cell = cell_model_named(bar.cell);
  const Front front = front_of(cell);
  const Real ms_per_tau = scaling_of(cell).ms_per_tau;
  const Real D = 1 / (front.thickness_square * ms_per_tau);  // δ is 1 mm
  const Real expected_ms = bar.length / (front.speed * std::sqrt(D / ms_per_tau));
  const Real width = bar.is_regular ? bar.edge : 5 * bar.edge;
  Mesh mesh = slab_mesh({std::round(bar.length / bar.edge) * bar.edge, width, width}, bar.edge, bar.is_regular);
  Config config = config_of_cable({}, cell, D);
  config.quadrature = Quadrature::vertices;
  config.time.end_ms = 4 * expected_ms;
  config.time.step_ms = expected_ms / 2000;
  config.time.adaptive.enabled = true;
  config.time.adaptive.tolerance = 1e-3;
  Problem problem = cable_problem(config, mesh, std::max<Real>(4, 3 * bar.edge), 1);
  const bool is_across = bar.fiber.x == 0;
  const Real scaled = D * ms_per_tau, along = is_across ? scaled * bar.along_over_across : scaled,
             across = along / bar.along_over_across;
  for (Diffusivity& of : problem.diffusivity) of = {across, along - across, bar.fiber};
  const FrontResolution expected = front_resolution(problem);
  const auto simulation = make_cpu_simulation(problem);
  TimeStepper stepper(config.time, config.time.end_ms, {});
  std::vector<Real> activation_ms;
  while (!stepper.finished()) {
    if (stepper.advance(*simulation).failure) {
      ADD_FAILURE() << bar.cell;
      break;
    }
    activation_ms = beat_times(*simulation, mesh.nodes.size()).activation_ms;
    bool is_there = true;
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
      is_there = is_there && (activation_ms[i] >= 0 || mesh.nodes[i].x > 0.8 * bar.length);
    if (is_there) break;
  }
  return {velocity_in(mesh, activation_ms, bar.length), expected};
}

/// Of a fine bar, with the square of its edge taken off.
Real limit_of(const std::string& cell) {
  const Real fine = front_in({cell, 0.5}).velocity, coarser = front_in({cell, 1}).velocity;
  return fine + (fine - coarser) / 3;
}

void expect_error(const Bar& bar, Real limit, Real expected, Real bound) {
  const Real observed = front_in(bar).velocity / limit - 1;
  std::printf("%s, edges of %g δ%s: expected %.2f %%, observed %.2f %%\n", bar.cell.c_str(), bar.edge,
              bar.is_regular ? "" : " on average, irregular", 100 * expected, 100 * observed);
  EXPECT_NEAR(observed, expected, 0.003 + bound * std::abs(expected)) << bar.cell << ", " << bar.edge;
}

class MeshVelocity : public testing::TestWithParam<const char*> {};

TEST_P(MeshVelocity, OfRegularBarsIsTheExpectedOneAlongAndAcrossFibers) {
  const std::string cell = GetParam();
  const Real limit = limit_of(cell);
  for (const Real edge : {1.7, 3.1, 5.3}) {
    const Bar along{.cell = cell, .edge = edge, .along_over_across = 3, .fiber = {1, 0, 0}, .length = 60};
    expect_error(along, limit, front_in(along).expected.mean_along, 0.05);
    const Bar across{.cell = cell, .edge = edge, .along_over_across = 3, .fiber = {0, 1, 0}, .length = 60};
    expect_error(across, limit, front_in(across).expected.mean_across, 0.05);
  }
}

TEST_P(MeshVelocity, OfIrregularBarsIsTheExpectedOneWithoutFibersAndAlongThemAndNoSlowerAcross) {
  const std::string cell = GetParam();
  const Real limit = limit_of(cell);
  const Bar plain{.cell = cell, .edge = 3.7, .is_regular = false};
  expect_error(plain, limit, front_in(plain).expected.mean_error, 0.15);
  const Bar along{.cell = cell, .edge = 3.7, .is_regular = false, .along_over_across = 7};
  const FrontResolution expected = front_in(along).expected;
  EXPECT_FALSE(expected.knows_across);
  expect_error(along, limit, expected.mean_along, 0.15);
  const Found across = front_in(
      {.cell = cell, .edge = 9.8, .is_regular = false, .along_over_across = 7, .fiber = {0, 1, 0}, .length = 160});
  const Real observed = across.velocity / limit - 1;
  std::printf("across the fibers: observed %.2f %%, expected along %.2f %%\n", 100 * observed,
              100 * across.expected.mean_along);
  EXPECT_GT(observed, across.expected.mean_along);
}

INSTANTIATE_TEST_SUITE_P(Cells, MeshVelocity, testing::Values("aliev_panfilov", "bueno_orovio", "ten_tusscher_2006"));

}  // namespace
}  // namespace cardiowarp
