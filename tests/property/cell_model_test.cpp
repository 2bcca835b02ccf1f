// Every cell model of the list, at random parameters and states, whose seed is printed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "fem/cells/state_step.hpp"
#include "tests/support/all_cell_models.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 20151;

/// Where a beat goes and beyond, with parameters up to twice or half their values. A switch turns within a width that
/// random potentials seldom hit, so that it is as wide as it may be and half of the potentials lie where one turns.
template <CellModel Cell>
struct Sample {
  explicit Sample(std::mt19937& generator) {
    std::uniform_real_distribution<Real> potential(-0.25, 1.3), factor(0.5, 2), uniform(0, 1);
    const auto sets = test::all_parameter_sets<Cell>();
    cell = sets[generator() % sets.size()];
    for (const auto& parameter : Cell::parameter_table()) {
      const Real value = cell.*parameter.value * factor(generator);
      if (parameter.range.contains(value)) cell.*parameter.value = value;
    }
    phi = std::max(potential(generator), cell.lowest_phi() + 0.05);
    const auto table = Cell::parameter_table();
    const auto width = std::find_if(table.begin(), table.end(),
                                    [](const auto& parameter) { return parameter.name == "switch_width"; });
    if (width != table.end()) {
      cell.*width->value = width->range.high;
      std::vector<Real> switches;
      for (const auto& parameter : table)
        if (parameter.name.starts_with("theta_") || parameter.name == "v_gate")
          switches.push_back(cell.*parameter.value);
      if (uniform(generator) < 0.5)
        phi = switches[generator() % switches.size()] + (2 * uniform(generator) - 1) * width->range.high;
    }
    for (int i = 0; i < Cell::states; ++i) {
      const Range range = Cell::state_table()[i].range;
      const Real high = std::isfinite(range.high) ? range.high : 3, low = std::isfinite(range.high) ? range.low : -0.1;
      state[i] = low + (high - low) * uniform(generator);
    }
  }
  Cell cell;
  Real phi, state[Cell::states];
};

template <CellModel Cell, class Check>
void for_random_states(const Check& check) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 generator(seed);
  for (int sample = 0; sample < 1000; ++sample) check(Sample<Cell>(generator));
}

template <class Cell>
class EveryCellModel : public testing::Test {};
TYPED_TEST_SUITE(EveryCellModel, test::AllCellModels, test::NameOfCellModel);

template <CellModel Cell>
constexpr bool has_switches = !std::same_as<Cell, AlievPanfilov>;

/// The step of difference quotients. It is shorter for models with switches, which turn on a scale of 0.01.
template <CellModel Cell>
constexpr Real difference = has_switches<Cell> ? 1e-7 : 1e-6;

TYPED_TEST(EveryCellModel, HasTangentsThatAreTheDerivativesOfItsRates) {
  using Cell = TypeParam;
  Real largest_tangent = 0, largest_by_state = 0;
  for_random_states<Cell>([&](const Sample<Cell>& at) {
    constexpr Real d = difference<Cell>;
    const auto rates = at.cell.rates(at.phi, at.state);
    const auto up = at.cell.rates(at.phi + d, at.state), down = at.cell.rates(at.phi - d, at.state);
    const auto near = [](Real tangent, Real above, Real below, Real bound) {
      EXPECT_NEAR(tangent, (above - below) / (2 * d), bound * (1 + std::fabs(tangent)));
    };
    near(rates.df_dphi, up.f, down.f, 1e-7);
    largest_tangent = std::max(largest_tangent, std::fabs(rates.df_dphi));
    // g of Aliev–Panfilov varies on the scale μ2 + φ, as small as 0.05 here: its difference quotient is less exact
    for (int i = 0; i < Cell::states; ++i) near(rates.dg_dphi[i], up.g[i], down.g[i], 1e-5);
    for (int j = 0; j < Cell::states; ++j) {
      Sample<Cell> more = at, less = at;
      more.state[j] += d;
      less.state[j] -= d;
      const auto above = at.cell.rates(at.phi, more.state), below = at.cell.rates(at.phi, less.state);
      near(rates.df_dstate[j], above.f, below.f, 1e-7);
      largest_by_state = std::max(largest_by_state, std::fabs(rates.df_dstate[j]));
      for (int i = 0; i < Cell::states; ++i) near(rates.dg_dstate[i][j], above.g[i], below.g[i], 1e-7);
    }
  });
  EXPECT_GT(largest_tangent, 1.0);  // otherwise the comparison proves nothing
  EXPECT_GT(largest_by_state, 0.1);
}

TYPED_TEST(EveryCellModel, HasStatesWhoseSlopeIsTheDerivativeOfTheirStep) {
  using Cell = TypeParam;
  const auto expect_derivative = [](const auto& step_at) {
    Real largest_slope = 0;
    for_random_states<Cell>([&](const Sample<Cell>& at) {
      constexpr Real d = difference<Cell>, h = 0.05;
      const auto step = step_at(at.cell, at.phi, at.state, h), up = step_at(at.cell, at.phi + d, at.state, h),
                 down = step_at(at.cell, at.phi - d, at.state, h);
      for (int i = 0; i < Cell::states; ++i) {
        EXPECT_NEAR(step.slope[i], (up.state[i] - down.state[i]) / (2 * d), 1e-6 * (1 + std::fabs(step.slope[i])));
        largest_slope = std::max(largest_slope, std::fabs(step.slope[i]));
      }
    });
    EXPECT_GT(largest_slope, has_switches<Cell> ? 0.05 : 0.1);
  };
  expect_derivative([](auto... arguments) { return newton_states(arguments...); });
  expect_derivative([](auto... arguments) { return step_states(arguments...); });
}

TYPED_TEST(EveryCellModel, HasAClosedFormThatIsNewtonsIteration) {
  using Cell = TypeParam;
  std::mt19937 generator(seed + 1);
  std::uniform_real_distribution<Real> exponent(-5, 0);
  int compared = 0;
  Real largest_change = 0;
  for_random_states<Cell>([&](const Sample<Cell>& at) {
    const Real h = std::pow(10, exponent(generator)) * 12.9 / Cell::scaling.ms_per_tau;  // up to 12.9 ms
    const auto iterated = newton_states(at.cell, at.phi, at.state, h), step = step_states(at.cell, at.phi, at.state, h);
    if (std::isnan(iterated.state[0])) return;
    const auto rates = at.cell.rates(at.phi, iterated.state);
    for (int i = 0; i < Cell::states; ++i) {
      // rounding of the terms of the equation, over its slope; that of the slope, over the curvature
      const Real s = std::min<Real>(1 - h * rates.dg_dstate[i][i], 1),
                 terms = 1 + std::fabs(at.state[i]) + std::fabs(iterated.state[i]) + 16 * h,
                 bound = 64 * std::numeric_limits<Real>::epsilon() * terms / s;
      EXPECT_NEAR(step.state[i], iterated.state[i], bound) << "h " << h;
      EXPECT_NEAR(step.slope[i], iterated.slope[i], bound / s * (1 + std::fabs(iterated.slope[i]))) << "h " << h;
      largest_change = std::max(largest_change, std::fabs(step.state[i] - at.state[i]));
    }
    ++compared;
  });
  EXPECT_GT(compared, 900);
  EXPECT_GT(largest_change, (std::same_as<Cell, AlievPanfilov> ? 0.5 : 0.05));
}

TYPED_TEST(EveryCellModel, HasAStepOfItsStatesAtAnyLength) {
  using Cell = TypeParam;
  for_random_states<Cell>([&](const Sample<Cell>& at) {
    for (int i = 0; i < Cell::states; ++i)
      if (at.state[i] < 0) return;
    for (const Real h : {1e-3, 0.1, 1.0, 10.0, 1000.0}) {
      const auto step = step_states(at.cell, at.phi, at.state, h);
      const auto rates = at.cell.rates(at.phi, step.state);
      for (int i = 0; i < Cell::states; ++i) {
        EXPECT_GT(1 - h * rates.dg_dstate[i][i], 0) << "h " << h;
        EXPECT_NEAR(step.state[i] - at.state[i], h * rates.g[i], 1e-12 * (1 + h)) << "h " << h;
      }
    }
  });
}

TYPED_TEST(EveryCellModel, StaysAtRestWhereNothingStimulatesIt) {
  using Cell = TypeParam;
  for (const Cell& cell : test::all_parameter_sets<Cell>()) {
    Real state[Cell::states];
    for (int i = 0; i < Cell::states; ++i) state[i] = Cell::state_table()[i].rest;
    for (int n = 0; n < 1000; ++n) {
      ASSERT_EQ(cell.rates(0, state).f, 0) << n;
      const auto step = step_states(cell, 0, state, 1);
      std::copy_n(step.state, Cell::states, state);
    }
    EXPECT_LT(cell.rates(0.001, state).f, 0);  // and returns to it
    EXPECT_GT(cell.rates(-0.001, state).f, 0);
  }
}

TYPED_TEST(EveryCellModel, HasNoSlopeOfTheReactionOnABeatAboveTheSteepest) {
  using Cell = TypeParam;
  Real steepest_seen = 0;
  for (const Cell& cell : test::all_parameter_sets<Cell>())
    test::follow_beat(cell, 0.4, 700, 0.01, [&](Real phi, const Real* state) {
      const Real ratio = cell.rates(phi, state).df_dphi / cell.steepest_reaction();
      ASSERT_LE(ratio, 1 + 1e-12) << "at " << phi;
      steepest_seen = std::max(steepest_seen, ratio);
    });
  EXPECT_GT(steepest_seen, 0.5);
}

}  // namespace
}  // namespace cardiowarp
