// One cell's action potential against numbers from a fourth-order Runge-Kutta integration at 1 µs: φ0 = 0.2, r0 = 0,
// default parameters. Peak 19.88 mV; φ = 0.5 crossed upwards at 7.327 ms; from there to 50 % and 90 % of the way from
// the peak to rest APD50 356.21 ms and APD90 386.19 ms. docs/verification/collect.py reads the RESULT lines.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "meshes/generate.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

struct ActionPotential {
  Real peak_mv = -100, upstroke_ms = 0, apd50_ms = 0, apd90_ms = 0;
};

/// A uniform potential has no gradients: every node is one cell.
ActionPotential one_cell(Real step_ms) {
  const Mesh mesh = slab_mesh({1, 1, 1}, 1, true);
  Problem problem = resting_problem(mesh, 1, 0);
  std::fill(problem.phi.begin(), problem.phi.end(), 0.2);
  problem.newton.tolerance = 1e-10;
  const auto simulation = make_cpu_simulation(problem);
  std::vector<Real> potential(mesh.nodes.size());
  ActionPotential result;
  Real before = AlievPanfilov::scaling.mv_from_phi(0.2);
  for (int step = 1; step * step_ms < 450; ++step) {
    if (simulation->step_to(step * step_ms).failure) ADD_FAILURE() << "step " << step;
    simulation->potential_mv(potential);
    const Real now = potential[0];
    const auto crossing = [&](Real mv) { return (step - 1 + (mv - before) / (now - before)) * step_ms; };
    if (before < -30 && now >= -30) result.upstroke_ms = crossing(-30);
    result.peak_mv = std::max(result.peak_mv, now);
    const auto level = [&](Real repolarized) {
      return AlievPanfilov::scaling.rest_mv + (1 - repolarized) * (result.peak_mv - AlievPanfilov::scaling.rest_mv);
    };
    if (before > level(0.5) && now <= level(0.5)) result.apd50_ms = crossing(level(0.5)) - result.upstroke_ms;
    if (before > level(0.9) && now <= level(0.9)) result.apd90_ms = crossing(level(0.9)) - result.upstroke_ms;
    before = now;
  }
  return result;
}

void print(const char* source, Real step_ms, const ActionPotential& beat) {
  std::printf("RESULT one_cell source=%s step_ms=%g peak_mv=%.4f upstroke_ms=%.4f apd50_ms=%.4f apd90_ms=%.4f\n",
              source, step_ms, beat.peak_mv, beat.upstroke_ms, beat.apd50_ms, beat.apd90_ms);
}

TEST(OneCell, ApproachesTheReferenceTrajectoryWithOrderOne) {
  const ActionPotential reference{19.88, 7.327, 356.21, 386.19};
  const ActionPotential coarse = one_cell(0.04), fine = one_cell(0.02);
  ActionPotential extrapolated;
  const auto check = [&](const char* what, Real ActionPotential::*value, Real last_digit) {
    extrapolated.*value = 2 * fine.*value - coarse.*value;
    EXPECT_NEAR(extrapolated.*value, reference.*value, last_digit) << what;
    EXPECT_NEAR(fine.*value, reference.*value, 0.1) << what;
  };
  check("peak [mV]", &ActionPotential::peak_mv, 0.006);
  check("upstroke", &ActionPotential::upstroke_ms, 0.0006);
  check("APD50", &ActionPotential::apd50_ms, 0.006);
  check("APD90", &ActionPotential::apd90_ms, 0.006);
  print("computed", 0.04, coarse);
  print("computed", 0.02, fine);
  print("extrapolated", 0, extrapolated);
  print("runge_kutta", 0.001, reference);
}

}  // namespace
}  // namespace cardiowarp
