// Speed of a travelling front with recovery off, against the exact (1 − 2α) sqrt(c D / (2·12.9)) mm/ms. In a thin bar
// along x with no-flux sides the front tilts until D̃∇φ is parallel to the bar: it travels as with
// D = 1 / (x·D⁻¹x), which is D_l along and D_t across the fibres. The tensor (D_l = 2 D_t) is scaled at each angle so
// that this D is 0.5 mm²/ms. Fibre and front are far from both ends, which a front feels over a few of its thicknesses.
// docs/verification/collect.py reads the RESULT lines.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

constexpr Real D = 0.5;  // mm²/ms, along the bar

struct Speed {
  Real measured, exact;
  Real error() const { return measured / exact - 1; }
};

/// Of the front in a bar of 40 × 1 × 1 mm whose fibres make `angle` with it, in the x-y plane.
Speed front_speed(Real angle_degrees, Real edge_mm, Real step_ms) {
  const Real angle = angle_degrees * std::numbers::pi / 180;
  Mesh mesh = slab_mesh({40, 1, 1}, edge_mm, true);
  mesh.fibers.assign(mesh.tetrahedra.size(), {std::cos(angle), std::sin(angle), 0});
  const AlievPanfilov cell{.gamma = 0, .mu1 = 0};
  const Real transverse = D * (std::pow(std::cos(angle), 2) / 2 + std::pow(std::sin(angle), 2));
  const Real exact = (1 - 2 * cell.alpha) * std::sqrt(cell.c * D / (2 * ms_per_tau));

  Problem problem = resting_problem(mesh, transverse, transverse, cell);
  problem.newton.tolerance = 1e-8;
  problem.linear_solver.relative_tolerance = 1e-10;
  const Real thickness = std::sqrt(2 * ms_per_tau * D / cell.c);
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
  const Speed speed{13 / (arrival(29) - arrival(16)), exact};
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

}  // namespace
}  // namespace cardiowarp
