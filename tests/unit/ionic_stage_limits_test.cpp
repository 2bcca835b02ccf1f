// Stages of ionic cells where Newton's method needs help: stores that run empty, and how near the states are that are
// not solved together.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "fem/cells/ionic/ionic_stage.hpp"
#include "fem/cells/ionic/models/torord_dyncl_2020.hpp"

namespace cardiowarp {
namespace {

using Cell = TorordDyncl2020;
constexpr int first_pool = Cell::gates + Cell::followers;

/// A midmyocardial cell some milliseconds after the upstroke, with strong release and little left in its store.
struct CellThatRunsEmpty {
  IonicSet<Cell> set = Cell::parameter_sets()[2];
  Real& of_store = set.states[first_pool + Cell::Ca_jsr_pool];

  CellThatRunsEmpty() {
    set.states[Cell::gates + Cell::J_relnp_follower] = 0.7;
    set.states[Cell::gates + Cell::J_relp_follower] = 0.8;
  }
  IonicStage<Cell> stage(Real h) const { return ionic_stage(set.parameters, 16, set.states.data(), h); }
};

TEST(AStoreThatRunsEmpty, StaysPositiveInShortAndLongSteps) {
  for (const Real calcium : {0.3, 0.01, 2e-4, 1e-7})
    for (const Real h : {0.002, 0.05, 0.4, 0.9}) {
      CellThatRunsEmpty cell;
      cell.of_store = calcium;
      const IonicStage<Cell> stage = cell.stage(h);
      ASSERT_TRUE(std::isfinite(stage.current)) << calcium << " mM, " << h << " ms";
      const Real end = stage.state[first_pool + Cell::Ca_jsr_pool];
      EXPECT_GT(end, 0) << calcium << " mM, " << h << " ms";
      Real rate[states_of_ionic<Cell>];
      ionic_rates(cell.set.parameters, 16, stage.state, rate);
      EXPECT_NEAR(end, calcium + h * rate[first_pool + Cell::Ca_jsr_pool], 1e-6 * (1 + h)) << calcium << " mM, " << h;
    }
}

TEST(AStoreThatRunsEmpty, MayBeBelow0WhereASecondStageBegins) {
  CellThatRunsEmpty cell;
  cell.of_store = -0.02;
  const IonicStage<Cell> stage = cell.stage(0.05);
  ASSERT_TRUE(std::isfinite(stage.current));
  EXPECT_GT(stage.state[first_pool + Cell::Ca_jsr_pool], 0);
  EXPECT_LT(stage.state[first_pool + Cell::Ca_jsr_pool], 1e-3);
  cell.of_store = 0.3;
  cell.set.states[first_pool + Cell::Ca_ss_pool] = -0.02;  // another pool may not
  EXPECT_TRUE(std::isnan(cell.stage(1e-4).current));
}

TEST(AStoreThatRunsEmpty, IsNotFilledByAReleaseThatASecondStageBeginsBelow0) {
  CellThatRunsEmpty cell;
  cell.of_store = 3e-4;
  cell.set.states[Cell::gates + Cell::J_relnp_follower] = cell.set.states[Cell::gates + Cell::J_relp_follower] = -0.9;
  const IonicStage<Cell> stage = cell.stage(0.06);
  ASSERT_TRUE(std::isfinite(stage.current));
  EXPECT_LT(stage.state[first_pool + Cell::Ca_jsr_pool], 1e-3);
}

TEST(AChain, IsSolvedExactlyAndKeepsItsSum) {
  constexpr int first = first_pool + Cell::pools;
  for (const Real V : {-90, -31, 0, 25})
    for (const Real h : {0.01, 0.3, 5.}) {
      const IonicSet<Cell> set = Cell::parameter_sets()[0];
      const IonicStage<Cell> stage = ionic_stage(set.parameters, V, set.states.data(), h);
      Real rate[Cell::chain], sum = 0, old_sum = 0;
      set.parameters.chain_rate(V, stage.state + first, rate);
      for (int i = 0; i < Cell::chain; ++i) {
        EXPECT_NEAR(stage.state[first + i], set.states[first + i] + h * rate[i], 1e-12) << i << " at " << V;
        sum += stage.state[first + i];
        old_sum += set.states[first + i];
      }
      EXPECT_NEAR(sum, old_sum, 1e-13);
    }
}

TEST(AChain, AddsToTheDerivativeOfTheCurrent) {
  IonicSet<Cell> set = Cell::parameter_sets()[0];
  set.parameters.g_Kr *= 100;
  for (int i = 0; i < Cell::chain; ++i) set.states[first_pool + Cell::pools + i] = 0.2;
  constexpr Real h = 0.4, by = 1e-3, V = -20;
  const auto current = [&](Real at) { return ionic_stage(set.parameters, at, set.states.data(), h).current; };
  const Real slope = ionic_stage(set.parameters, V, set.states.data(), h).slope;
  EXPECT_NEAR(slope, (current(V + by) - current(V - by)) / (2 * by), 1e-3 * std::abs(slope));
}

}  // namespace
}  // namespace cardiowarp
