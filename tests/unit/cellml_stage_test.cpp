// Stages of backward Euler of cells of a CellML model, 32 side by side.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "cellml/tissue/cellml_lanes.hpp"
#include "cellml/tissue/lane_solver.hpp"
#include "cellml/tissue/stage_terms.hpp"
#include "tests/support/cellml_stages.hpp"
#include "tests/support/cellml_text.hpp"
#include "tests/support/excitable_cellml.hpp"

namespace cardiowarp {
namespace {

constexpr std::size_t lanes = LaneStage::lanes;

std::unique_ptr<LaneStage> stage_of(const CellMlModel& model) {
  const std::vector<std::vector<double>> cells{model.parameter_values()};
  return cellml_lane_stage(model, cells);
}

std::size_t number_of(const CellMlModel& model, const std::string& name) {
  for (std::size_t k = 0; k < model.states.size(); ++k)
    if (model.states[k].name == name) return k;
  ADD_FAILURE() << "no state " << name;
  return 0;
}

TEST(CellMlStage, TakesGatesAndFollowersInClosedFormAndChainsAsPools) {
  const CellMlModel model = parse_cellml(test::excitable_cell());
  const StageTerms terms = stage_terms(model);
  std::vector<std::string> closed, pools;
  for (const int state : terms.closed) closed.push_back(model.states[static_cast<std::size_t>(state)].name);
  for (const int state : terms.pools) pools.push_back(model.states[static_cast<std::size_t>(state)].name);
  EXPECT_EQ(closed, (std::vector<std::string>{"cell.w", "cell.f"}));
  EXPECT_EQ(pools, (std::vector<std::string>{"cell.o", "cell.s", "cell.u", "cell.c"}));
}

TEST(CellMlStage, SolvesTheEquationsOfBackwardEulerForEveryState) {
  const CellMlModel model = parse_cellml(test::excitable_cell());
  const auto stage = stage_of(model);
  for (const double h : {0.003, 0.17, 2.3}) {
    test::set_lanes(*stage, model, -91.3, 4.1);
    stage->run(h);
    test::expect_backward_euler(model, *stage, h);
  }
}

TEST(CellMlStage, GivesTheDerivativeOfTheCurrentAlongTheStatesThatFollowThePotential) {
  const CellMlModel model = parse_cellml(test::excitable_cell());
  const auto stage = stage_of(model), before = stage_of(model), after = stage_of(model);
  constexpr double h = 0.9, by = 1e-4;
  for (LaneStage* const each : {stage.get(), before.get(), after.get()}) test::set_lanes(*each, model, -85.7, 3.9);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    before->potential_mv[lane] -= by;
    after->potential_mv[lane] += by;
  }
  for (LaneStage* const each : {stage.get(), before.get(), after.get()}) each->run(h);
  for (std::size_t lane = 0; lane < lanes; ++lane)
    EXPECT_NEAR(stage->slope[lane], (after->current[lane] - before->current[lane]) / (2 * by),
                1e-5 * (1 + std::abs(stage->slope[lane])))
        << "at " << stage->potential_mv[lane];
}

TEST(CellMlStage, GivesACellTheSameBitsWhicheverCellsAreBesideIt) {
  const CellMlModel model = parse_cellml(test::excitable_cell());
  const auto together = stage_of(model), alone = together->another();
  test::set_lanes(*together, model, -88.1, 3.7);
  together->run(0.7);
  for (const std::size_t lane : {std::size_t{0}, std::size_t{11}, lanes - 1}) {
    test::set_lanes(*alone, model, together->potential_mv[lane], 0);
    alone->run(0.7);
    EXPECT_EQ(alone->current[0], together->current[lane]);
    EXPECT_EQ(alone->slope[0], together->slope[lane]);
    for (std::size_t k = 0; k < model.states.size(); ++k)
      EXPECT_EQ(alone->states[k * lanes], together->states[k * lanes + lane]) << model.states[k].name;
  }
}

TEST(CellMlStage, HasTheParametersOfEachCell) {
  const CellMlModel model = parse_cellml(test::excitable_cell());
  std::vector<std::vector<double>> cells(3, model.parameter_values());
  for (std::size_t k = 0; k < model.parameters.size(); ++k)
    if (model.parameters[k].name == "cell.g_w") {
      cells[1][k] *= 0.5;
      cells[2][k] *= 1.25;
    }
  const auto mixed = cellml_lane_stage(model, cells);
  test::set_lanes(*mixed, model, -47.3, 2.3);
  for (std::size_t lane = 0; lane < lanes; ++lane) mixed->cell[lane] = static_cast<std::uint16_t>(lane % 3);
  mixed->run(0.4);
  for (std::size_t cell = 0; cell < 3; ++cell) {
    const auto alone = cellml_lane_stage(model, std::vector<std::vector<double>>{cells[cell]});
    test::set_lanes(*alone, model, -47.3, 2.3);
    alone->run(0.4);
    for (std::size_t lane = cell; lane < lanes; lane += 3)
      EXPECT_NEAR(mixed->current[lane], alone->current[lane], 1e-12 * (1 + std::abs(alone->current[lane])));
  }
  EXPECT_NE(mixed->current[9], mixed->current[10]);
}

TEST(CellMlStage, LetsAStateThatIsNoConcentrationPassThroughZero) {
  const CellMlModel model = parse_cellml(test::excitable_cell());
  const std::size_t u = number_of(model, "cell.u"), c = number_of(model, "cell.c");
  EXPECT_FALSE(model.states[u].is_amount);
  EXPECT_TRUE(model.states[c].is_amount);
  const auto stage = stage_of(model);
  test::set_lanes(*stage, model, 20, 0.1);
  for (std::size_t lane = 0; lane < lanes; ++lane)
    stage->old[u * lanes + lane] = -0.02 + 0.001 * static_cast<double>(lane);
  stage->run(1.1);
  test::expect_backward_euler(model, *stage, 1.1);
  EXPECT_LT(stage->states[u * lanes], 0);
  EXPECT_GT(stage->states[u * lanes + lanes - 1], 0);
}

TEST(CellMlStage, IsNotANumberWhereAConcentrationWouldBeNegativeAndBeginsAtZeroWhereItIsJustBelow) {
  const CellMlModel model = parse_cellml(test::excitable_cell());
  const std::size_t c = number_of(model, "cell.c");
  const auto stage = stage_of(model);
  test::set_lanes(*stage, model, -80, 0);
  stage->old[c * lanes + 1] = -0.06 * model.states[c].initial;
  stage->old[c * lanes + 2] = -0.04 * model.states[c].initial;
  stage->run(0.03);
  EXPECT_TRUE(std::isfinite(stage->current[0]));
  EXPECT_TRUE(std::isnan(stage->current[1]));
  EXPECT_TRUE(std::isnan(stage->slope[1]));
  EXPECT_TRUE(std::isfinite(stage->current[2]));
  EXPECT_GE(stage->states[c * lanes + 2], 0);
  EXPECT_LT(stage->states[c * lanes + 2], 1e-6);
}

TEST(CellMlStage, TakesAConcentrationBelowZeroInAShortStageThatHasNoOtherSolution) {
  const CellMlModel model = parse_cellml(test::excitable_cell());
  const std::size_t c = number_of(model, "cell.c");
  const auto stage = stage_of(model), alone = stage_of(model);
  test::set_lanes(*stage, model, -80, 0.3);
  test::set_lanes(*alone, model, -80, 0.3);
  for (const std::size_t lane : {std::size_t{1}, std::size_t{30}})
    stage->old[c * lanes + lane] = -0.06 * model.states[c].initial;
  stage->run(0.01);
  alone->run(0.01);
  test::expect_backward_euler(model, *stage, 0.01);
  EXPECT_LT(stage->states[c * lanes + 1], 0);
  EXPECT_LT(stage->states[c * lanes + 30], 0);
  EXPECT_EQ(stage->current[2], alone->current[2]);
  EXPECT_EQ(stage->states[c * lanes + 2], alone->states[c * lanes + 2]);
}

TEST(LaneSolver, SolvesSparseSystemsOfEachLane) {
  constexpr std::size_t rows = 7;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<char> is_there(rows * rows, 0);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < rows; ++j)  // an arrow, whose middle fills, and a row and a column beside it
      is_there[i * rows + j] = (i == 0 || j == 0) && i + 1 < rows && j + 1 < rows ? 1 : 0;
  const LaneSolver solver(static_cast<int>(rows), is_there);
  const auto place_of = [&](std::size_t i, std::size_t j) {
    return solver.place(static_cast<int>(i), static_cast<int>(j));
  };
  EXPECT_LT(solver.entries(), rows * rows);
  std::vector<double> A(solver.entries() * lanes, 0), b(rows * lanes), c(rows * lanes);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < rows; ++j)
      for (std::size_t lane = 0; lane < lanes; ++lane)
        if (i == j || is_there[i * rows + j] != 0)
          A[static_cast<std::size_t>(place_of(i, j)) * lanes + lane] = (i == j ? 4 : 0) + number(random);
  for (double& value : b) value = number(random);
  for (double& value : c) value = number(random);
  std::vector<double> x = b, y = c, factors = A;
  std::vector<char> failed(lanes, 0);
  factors[static_cast<std::size_t>(place_of(0, 0)) * lanes + 5] = -1;
  solver.solve(factors.data(), x.data(), y.data(), failed.data());
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    EXPECT_EQ(failed[lane] != 0, lane == 5);
    for (std::size_t i = 0; i < rows && lane != 5; ++i) {
      double of_x = 0, of_y = 0;
      for (std::size_t j = 0; j < rows; ++j) {
        const int place = place_of(i, j);
        if (place < 0) continue;
        of_x += A[static_cast<std::size_t>(place) * lanes + lane] * x[j * lanes + lane];
        of_y += A[static_cast<std::size_t>(place) * lanes + lane] * y[j * lanes + lane];
      }
      EXPECT_NEAR(of_x, b[i * lanes + lane], 1e-13);
      EXPECT_NEAR(of_y, c[i * lanes + lane], 1e-13);
    }
  }
}

}  // namespace
}  // namespace cardiowarp
