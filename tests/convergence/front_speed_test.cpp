// Speed of a travelling front with recovery off, against the exact (1 − 2α) sqrt(c D / (2·12.9)) mm/ms. In a thin bar
// along x with no-flux sides the front tilts until D̃∇φ is parallel to the bar: it travels as with
// D = 1 / (x·D⁻¹x), which is D_l along and D_t across the fibers. The tensor (D_l = 2 D_t) is scaled at each angle so
// that this D is 0.5 mm²/ms. Fibre and front are far from both ends, which a front feels over a few of its thicknesses.
// docs/verification/collect.py reads the RESULT lines.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "app/advice/resolution.hpp"
#include "app/advice/step_resolution.hpp"
#include "meshes/generate.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

constexpr Real D = 0.5;  // mm²/ms, along the bar

struct Speed {
  Real measured, exact;
  Real error() const { return measured / exact - 1; }
};

/// The speed of the front in a bar of 40 × 1 × 1 mm. Its fibers are in the x-y plane and make `angle_degrees` with it.
Speed measured_speed(Real angle_degrees, Real edge_mm, Real step_ms) {
  const Real angle = angle_degrees * std::numbers::pi / 180;
  Mesh mesh = slab_mesh({40, 1, 1}, edge_mm, true);
  mesh.fibers.assign(mesh.tetrahedra.size(), {std::cos(angle), std::sin(angle), 0});
  const AlievPanfilov cell{.gamma = 0, .mu1 = 0};
  const Real transverse = D * (std::pow(std::cos(angle), 2) / 2 + std::pow(std::sin(angle), 2));
  const Real exact = (1 - 2 * cell.alpha) * std::sqrt(cell.c * D / (2 * AlievPanfilov::scaling.ms_per_tau));

  Problem problem = resting_problem(mesh, transverse, transverse, cell);
  problem.newton.tolerance = 1e-8;
  problem.linear_solver.relative_tolerance = 1e-10;
  const Real thickness = std::sqrt(2 * AlievPanfilov::scaling.ms_per_tau * D / cell.c);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    problem.phi[i] = 0.5 * (1 - std::tanh((mesh.nodes[i].x - 7) / (2 * thickness)));
  const auto simulation = make_cpu_simulation(problem);
  const Real end_ms = 25 / exact;
  for (int step = 1; step * step_ms <= end_ms; ++step)
    if (simulation->step_to(step * step_ms).failure) ADD_FAILURE() << "step " << step;

  std::vector<Real> activation(mesh.nodes.size());
  simulation->activation_time_ms(activation);
  const auto arrival = [&](Real x) {
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
      if (norm(mesh.nodes[i] - Vector3{x, 0.5, 0.5}) < 1e-9) return activation[i];
    throw std::logic_error("no node there");
  };
  return {13 / (arrival(29) - arrival(16)), exact};
}

Speed front_speed(Real angle_degrees, Real edge_mm, Real step_ms) {
  const Speed speed = measured_speed(angle_degrees, edge_mm, step_ms);
  std::printf(
      "RESULT front_speed fiber_angle_degrees=%g edge_mm=%g step_ms=%g speed_mm_per_ms=%.6f exact_mm_per_ms=%.6f "
      "error_percent=%.4f\n",
      angle_degrees, edge_mm, step_ms, speed.measured, speed.exact, 100 * speed.error());
  return speed;
}

class FrontSpeed : public testing::TestWithParam<Real> {};

TEST_P(FrontSpeed, IsWithinHalfAPercentOfTheExactOne) {
  EXPECT_LT(std::fabs(front_speed(GetParam(), 0.25, 0.02).error()), 0.005);
}

INSTANTIATE_TEST_SUITE_P(AlongAcrossAndOblique, FrontSpeed, testing::Values(0.0, 90.0, 30.0, 60.0));

TEST(FrontSpeedError, FallsWithTheStep) {
  const Real coarse = front_speed(0, 0.5, 0.4).error(), fine = front_speed(0, 0.5, 0.2).error();
  EXPECT_GT(coarse, 0.01);
  EXPECT_GT(coarse, 1.5 * fine);
}

TEST(FrontSpeedError, OfLongStepsIsTheOneWarnedOf) {
  // 1 ms: 8.4 %, 2 ms: 19.3 % by the formula
  for (const Real step_ms : {1.0, 2.0}) {
    const Real expected =
        speed_error_of_step(AlievPanfilov{.gamma = 0, .mu1 = 0}.front(), step_ms / AlievPanfilov::scaling.ms_per_tau);
    EXPECT_NEAR(measured_speed(0, 0.5, step_ms).error() / expected, 1, 0.1) << step_ms;
  }
}

/// The error of the speed in a bar that Gmsh fills, from the times at all nodes between 16 and 29 mm.
Real error_of_unstructured_bar(Real edge_mm, Real step_ms, FrontResolution& judged) {
  const Mesh mesh = slab_mesh({40, 8, 8}, edge_mm, false);
  const AlievPanfilov cell{.gamma = 0, .mu1 = 0};
  Problem problem = resting_problem(mesh, D, 0, cell);
  problem.newton.tolerance = 1e-8;
  problem.linear_solver.relative_tolerance = 1e-10;
  judged = front_resolution(problem);
  const Real thickness = std::sqrt(2 * AlievPanfilov::scaling.ms_per_tau * D / cell.c);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    problem.phi[i] = 0.5 * (1 - std::tanh((mesh.nodes[i].x - 7) / (2 * thickness)));
  const auto simulation = make_cpu_simulation(problem);
  for (int step = 1; step * step_ms <= 80; ++step)
    if (simulation->step_to(step * step_ms).failure) ADD_FAILURE() << "step " << step;
  std::vector<Real> activation(mesh.nodes.size());
  simulation->activation_time_ms(activation);
  Real count = 0, x = 0, t = 0, xt = 0, xx = 0;  // of the regression line of times over places
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    const Real place = mesh.nodes[i].x;
    if (place < 16 || place > 29) continue;
    EXPECT_GT(activation[i], 0);
    count += 1, x += place, t += activation[i], xt += place * activation[i], xx += place * place;
  }
  const Real speed = (count * xx - x * x) / (count * xt - x * t);
  return speed / ((1 - 2 * cell.alpha) * std::sqrt(cell.c * D / (2 * AlievPanfilov::scaling.ms_per_tau))) - 1;
}

TEST(FrontSpeedError, OfCoarseElementsIsTheOneWarnedOf) {
  constexpr Real step_ms = 0.1;
  for (const Real edge_mm : {1.5, 2.5}) {
    FrontResolution judged;
    const Real error =
        error_of_unstructured_bar(edge_mm, step_ms, judged) -
        speed_error_of_step(AlievPanfilov{.gamma = 0, .mu1 = 0}.front(), step_ms / AlievPanfilov::scaling.ms_per_tau);
    EXPECT_NEAR(error / judged.mean_error, 1, 0.25) << edge_mm << ": " << error << ", " << judged.mean_error;
  }
}

}  // namespace
}  // namespace cardiowarp
