#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "fem/cells/aliev_panfilov.hpp"
#include "fem/cells/recovery.hpp"

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
  const auto expect_derivative = [](const auto& step_at) {
    Real largest_slope = 0;
    for_random_states([&](const AlievPanfilov& cell, Real phi, Real r) {
      constexpr Real d = 1e-6, h = 0.05;
      const Real slope = step_at(cell, phi, r, h).slope;
      const Real up = step_at(cell, phi + d, r, h).recovery, down = step_at(cell, phi - d, r, h).recovery;
      EXPECT_NEAR(slope, (up - down) / (2 * d), 1e-6 * (1 + std::fabs(slope)));
      largest_slope = std::max(largest_slope, std::fabs(slope));
    });
    EXPECT_GT(largest_slope, 0.1);
  };
  expect_derivative([](auto... arguments) { return advance_recovery(arguments...); });
  expect_derivative([](auto... arguments) { return step_recovery(arguments...); });
}

TEST(CellModel, ClosedFormOfTheRecoveryStepIsNewtonsIteration) {
  std::mt19937 generator(seed + 1);
  std::uniform_real_distribution<Real> exponent(-5, 0);
  int compared = 0;
  Real largest_change = 0;
  for_random_states([&](const AlievPanfilov& cell, Real phi, Real r_old) {
    const Real h = std::pow(10, exponent(generator));
    const RecoveryStep iterated = advance_recovery(cell, phi, r_old, h), step = step_recovery(cell, phi, r_old, h);
    if (std::isnan(iterated.recovery)) return;
    const auto rates = cell.rates(phi, iterated.recovery);
    // rounding of the terms of the equation, over its slope; that of the slope, over the curvature
    const Real s = 1 - h * rates.dg_dr, terms = 1 + std::fabs(r_old) + std::fabs(iterated.recovery) + h * cell.c;
    const Real bound = 64 * std::numeric_limits<Real>::epsilon() * terms / std::min(s, Real(1));
    EXPECT_NEAR(step.recovery, iterated.recovery, bound) << "h " << h;
    EXPECT_NEAR(step.slope, iterated.slope, bound / std::min(s, Real(1)) * (1 + std::fabs(iterated.slope)))
        << "h " << h;
    largest_change = std::max(largest_change, std::fabs(step.recovery - r_old));
    ++compared;
  });
  EXPECT_GT(compared, 900);
  EXPECT_GT(largest_change, 0.5);
}

TEST(CellModel, ARecoveryStepOfAnyLengthHasASolutionThatRises) {
  for_random_states([&](const AlievPanfilov& cell, Real phi, Real r) {
    if (r < 0) return;
    for (const Real h : {1e-3, 0.1, 1.0, 10.0, 1000.0}) {
      const RecoveryStep step = step_recovery(cell, phi, r, h);
      EXPECT_GT(1 - h * cell.rates(phi, step.recovery).dg_dr, 0) << "h " << h;
      EXPECT_NEAR(step.recovery - r, h * cell.rates(phi, step.recovery).g, 1e-12 * (1 + h)) << "h " << h;
    }
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
