// A stage of backward Euler at a cell of each ionic model, and the loops over the cells of several models.

#include "fem/cells/ionic/ionic_stage.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "assembly/ionic/ionic_assembly.hpp"
#include "fem/cells/ionic_model.hpp"
#include "kernels/backend/cpu_backend.hpp"

namespace cardiowarp {
namespace {

/// All kinds of cells of all ionic models.
std::vector<IonicCell> all_ionic_cells() {
  std::vector<IonicCell> cells;
  for (const IonicModel* model : ionic_models())
    for (std::size_t set = 0; set < model->sets().size(); ++set) cells.push_back(ionic_cell(*model, set));
  return cells;
}

/// A stage of `cell` from where it begins.
struct Stage {
  Stage(const IonicCell& cell, Real V, Real h) : Stage(cell, V, h, cell.start().states) {}
  Stage(const IonicCell& cell, Real V, Real h, const std::vector<Real>& old)
      : states(old.size()), ionic(cell.model->stage(cell, V, old.data(), h, states.data())) {}

  std::vector<Real> states;
  IonicCurrent ionic;
};

constexpr Real potentials_mv[] = {-90, -61.7, -40.3, -12.3, 0, 15, 33.3};

TEST(IonicStage, SolvesTheEquationsOfBackwardEulerForEveryState) {
  for (const IonicCell& cell : all_ionic_cells())
    for (const Real V : potentials_mv)
      for (const Real h : {0.003, 0.17}) {
        const std::vector<Real>& old = cell.start().states;
        const Stage stage(cell, V, h);
        std::vector<Real> rates(old.size());
        const Real current = cell.model->rates(cell, V, stage.states.data(), rates.data());
        EXPECT_NEAR(stage.ionic.current, current, 5e-5 * (1 + std::fabs(current))) << cell.model->name() << " at " << V;
        for (std::size_t i = 0; i < old.size(); ++i)
          EXPECT_NEAR(stage.states[i], old[i] + h * rates[i], 2e-6 * (1e-3 + std::fabs(stage.states[i])))
              << cell.model->name() << " " << cell.model->states()[i].name << " at " << V << " mV after " << h << " ms";
      }
}

TEST(IonicStage, GivesTheDerivativeOfTheCurrentAlongTheStatesThatFollowThePotential) {
  for (const IonicCell& cell : all_ionic_cells())
    for (const Real V : potentials_mv) {
      constexpr Real h = 0.11, by = 1e-4;
      const Real before = Stage(cell, V - by, h).ionic.current, after = Stage(cell, V + by, h).ionic.current;
      const Real slope = Stage(cell, V, h).ionic.slope;
      EXPECT_NEAR(slope, (after - before) / (2 * by), 2e-4 * (1 + std::fabs(slope))) << cell.model->name() << " " << V;
    }
}

TEST(IonicStage, IsNotANumberWhereAConcentrationWouldBeNegative) {
  const IonicCell cell = ionic_cell(*ionic_models().front());
  std::vector<Real> states = cell.start().states;
  const auto calcium = std::ranges::find(cell.model->states(), "Ca_ss", &CellState::name);
  ASSERT_NE(calcium, cell.model->states().end());
  Real& of_subspace = states[static_cast<std::size_t>(calcium - cell.model->states().begin())];
  EXPECT_TRUE(std::isfinite(Stage(cell, -80, 0.01, states).ionic.current));
  of_subspace = -2e-3;
  const Stage stage(cell, -80, 1e-5, states);
  EXPECT_TRUE(std::isnan(stage.ionic.current));
  EXPECT_TRUE(std::isnan(stage.ionic.slope));
}

TEST(IonicCell, KnowsTheSteepestRateOfItsUpstroke) {
  for (const IonicCell& cell : all_ionic_cells()) {
    EXPECT_GT(cell.steepest_reaction(), 0.3) << cell.model->name();
    EXPECT_LT(cell.steepest_reaction(), 6) << cell.model->name();
    IonicCell slower = cell;
    const auto parameters = cell.model->parameters();
    const auto sodium = std::ranges::find(parameters, "g_Na", &ParameterDescription::name);
    if (sodium == parameters.end()) continue;
    slower.parameters[static_cast<std::size_t>(sodium - parameters.begin())] /= 3;
    EXPECT_LT(slower.steepest_reaction(), cell.steepest_reaction()) << cell.model->name();
  }
}

TEST(IonicCell, HasTheFrontOfTheCableOfItsLimit) {
  // 0.6140 mm/ms in a cable of D = 0.0953 mm²/ms as its spacing tends to 0, by finite differences of another hand.
  const Front front = ionic_cell(*ionic_models().front()).front();
  EXPECT_NEAR(front.speed * std::sqrt(0.0953), 0.6140, 0.04);
  EXPECT_GT(front.thickness_square, 0);
}

/// Three nodes, of which the second has a cell of each of two models.
struct TwoModels {
  CpuBackend backend;
  std::vector<IonicCell> cells{ionic_cell(*ionic_models()[1]), ionic_cell(*ionic_models()[0], 2)};
  VertexPoints points{{0, 1, 3, 4}, {0, 0, 1, 1}, {0.5, 0.25, 0.75, 2}};
};

TEST(IonicCells, OfSeveralModelsAreEachComputedByTheirOwn) {
  TwoModels two;
  const Scaling scaling = two.cells[0].model->scaling();
  const std::size_t most = std::max(two.cells[0].model->states().size(), two.cells[1].model->states().size());
  const std::vector<Real> phi{0.01, 0.3, 0.7}, load{0.2, 3, 5};
  constexpr Real step = 0.07;
  std::vector<Real> old(4 * most), states(4 * most);
  for (std::size_t point = 0; point < 4; ++point) {
    const std::vector<Real>& start = two.cells[two.points.cell_model[point]].start().states;
    for (std::size_t i = 0; i < start.size(); ++i) old[i * 4 + point] = start[i];
  }
  const ElementState state{phi.data(), load.data(), old.data(), states.data(), &step, 4};
  const IonicCells<CpuBackend> cells(two.backend, two.points, two.cells, scaling);
  cells.evaluate(two.backend, state);

  const auto expected = [&](std::size_t point, std::size_t node) {
    const IonicCell& cell = two.cells[two.points.cell_model[point]];
    const Stage stage(cell, scaling.mv_from_phi(phi[node]), step);
    for (std::size_t i = 0; i < stage.states.size(); ++i)
      EXPECT_EQ(states[i * 4 + point], stage.states[i]) << point << " " << i;
    const Real volume = two.points.volume[point];
    return TangentResidual{volume * (1 / step + stage.ionic.slope),
                           volume * (phi[node] / step + stage.ionic.current / 100 - load[node])};
  };
  const TangentResidual at_the_second = cells.sums().evaluate(1);
  TangentResidual both = expected(1, 1);
  both += expected(2, 1);
  EXPECT_DOUBLE_EQ(at_the_second.tangent, both.tangent);
  EXPECT_DOUBLE_EQ(at_the_second.residual, both.residual);
  EXPECT_DOUBLE_EQ(cells.sums().evaluate(0).residual, expected(0, 0).residual);
  EXPECT_DOUBLE_EQ(cells.sums().evaluate(2).tangent, expected(3, 2).tangent);
}

}  // namespace
}  // namespace cardiowarp
