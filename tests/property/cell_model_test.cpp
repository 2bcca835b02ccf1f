#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "fem/aliev_panfilov.hpp"
#include "fem/recovery.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 20151;

/// Random states over more than the range a beat visits.
template <class Check>
void for_random_states(Check check) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 generator(seed);
  std::uniform_real_distribution<Real> phi(-0.25, 1.3), r(-0.1, 3), factor(0.5, 2);
  for (int sample = 0; sample < 1000; ++sample) {
    AlievPanfilov cell;
    cell.alpha *= factor(generator);
    cell.gamma *= factor(generator);
    cell.c *= factor(generator);
    cell.mu1 *= factor(generator);
    check(cell, phi(generator), r(generator));
  }
}

TEST(CellModel, TangentsAreTheDerivativesOfTheRates) {
  Real largest_tangent = 0;
  for_random_states([&](const AlievPanfilov& cell, Real phi, Real r) {
    constexpr Real d = 1e-6;
    const auto rates = cell.rates(phi, r);
    const auto phi_up = cell.rates(phi + d, r), phi_down = cell.rates(phi - d, r);
    const auto r_up = cell.rates(phi, r + d), r_down = cell.rates(phi, r - d);
    const auto near = [](Real tangent, Real up, Real down) {
      const Real difference = (up - down) / (2 * d);
      EXPECT_NEAR(tangent, difference, 1e-7 * (1 + std::fabs(difference)));
    };
    near(rates.df_dphi, phi_up.f, phi_down.f);
    near(rates.df_dr, r_up.f, r_down.f);
    // g varies on the scale μ2 + φ, as small as 0.05 here: its difference quotient is less exact
    EXPECT_NEAR(rates.dg_dphi, (phi_up.g - phi_down.g) / (2 * d), 1e-5 * (1 + std::fabs(rates.dg_dphi)));
    near(rates.dg_dr, r_up.g, r_down.g);
    largest_tangent = std::max({largest_tangent, std::fabs(rates.df_dphi), std::fabs(rates.dg_dphi)});
  });
  EXPECT_GT(largest_tangent, 1.0);  // otherwise the comparison proves nothing
}

TEST(CellModel, ConsistentSlopeIsTheDerivativeOfTheRecoveryStep) {
  Real largest_slope = 0;
  for_random_states([&](const AlievPanfilov& cell, Real phi, Real r) {
    constexpr Real d = 1e-6, h = 0.05;
    const RecoveryStep step = advance_recovery(cell, phi, r, r, h);
    const Real up = advance_recovery(cell, phi + d, r, r, h).recovery;
    const Real down = advance_recovery(cell, phi - d, r, r, h).recovery;
    EXPECT_NEAR(step.slope, (up - down) / (2 * d), 1e-6 * (1 + std::fabs(step.slope)));
    largest_slope = std::max(largest_slope, std::fabs(step.slope));
  });
  EXPECT_GT(largest_slope, 0.1);
}

TEST(CellModel, RecoveryStepDoesNotDependOnTheGuess) {
  for_random_states([&](const AlievPanfilov& cell, Real phi, Real r) {
    const Real from_old = advance_recovery(cell, phi, r, r, 0.01).recovery;
    const Real from_elsewhere = advance_recovery(cell, phi, r, r + 0.01, 0.01).recovery;
    EXPECT_NEAR(from_old, from_elsewhere, 1e-13);
  });
}

TEST(CellModel, NoSlopeOfTheReactionExceedsTheSteepest) {
  Real steepest_seen = 0;
  for_random_states([&](const AlievPanfilov& cell, Real phi, Real r) {
    if (r < 0) return;
    const Real ratio = cell.rates(phi, r).df_dphi / cell.steepest_reaction();
    EXPECT_LE(ratio, 1 + 1e-12);
    steepest_seen = std::max(steepest_seen, ratio);
  });
  EXPECT_GT(steepest_seen, 0.8);
}

}  // namespace
}  // namespace cardiowarp
