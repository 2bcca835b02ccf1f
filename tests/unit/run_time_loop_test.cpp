// The loop over the cells of a model that is made at run time, beside cells of a model of the program.

#include "assembly/ionic/run_time_loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "assembly/ionic/ionic_assembly.hpp"
#include "cellml/tissue/tissue_model.hpp"
#include "tests/support/excitable_cellml.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

constexpr Index nodes = 101;
constexpr Real step = 0.07;

/// 101 nodes with a cell each, of a model of the program and, with one value of a parameter and another, of a file.
struct MixedCells {
  explicit MixedCells(const RunTimeModel& model) : cells{ionic_cell(*ionic_models()[0]), ionic_cell(model)} {
    cells.push_back(cells[1]);
    for (std::size_t k = 0; k < model.parameters().size(); ++k)
      if (model.parameters()[k].name == "cell.g_w") cells[2].parameters[k] *= 0.5;
    for (const IonicCell& cell : cells) most_states = std::max(most_states, cell.start().states.size());
    for (Index node = 0; node <= nodes; ++node) points.begin.push_back(node);
    for (Index node = 0; node < nodes; ++node) {
      points.cell_model.push_back(static_cast<std::uint16_t>(node % 7 % 3));
      points.volume.push_back(0.25 + 0.01 * node);
      phi.push_back(0.012 * node);
      load.push_back(0.3 * node);
    }
    old.resize(nodes * most_states);
    for (std::size_t point = 0; point < nodes; ++point) {
      const std::vector<Real>& start = cells[points.cell_model[point]].start().states;
      for (std::size_t i = 0; i < start.size(); ++i) old[i * nodes + point] = start[i];
    }
    states.resize(old.size());
  }

  std::vector<IonicCell> cells;
  std::size_t most_states = 0;
  VertexPoints points;
  std::vector<Real> phi, load, old, states;
};

TEST(RunTimeLoop, ComputesEachCellOfItsModelWithItsParametersAndLeavesTheOthersAlone) {
  const test::TemporaryDirectory folder;
  test::write_text(folder / "cell.cellml", test::excitable_cell());
  std::vector<std::string> warnings;
  MixedCells all(cellml_tissue_model(folder / "cell.cellml", {}, warnings));
  const Scaling scaling = all.cells[0].model->scaling();
  CpuBackend backend;
  const IonicCells<CpuBackend> loops(backend, all.points, all.cells, scaling);
  loops.evaluate(backend, {all.phi.data(), all.load.data(), all.old.data(), all.states.data(), &step, nodes});
  for (Index node = 0; node < nodes; ++node) {
    const auto of = static_cast<std::size_t>(node);
    const IonicCell& cell = all.cells[all.points.cell_model[of]];
    std::vector<Real> start = cell.start().states, end(start.size());
    const IonicCurrent ionic =
        cell.model->stage(cell, scaling.mv_from_phi(all.phi[of]), start.data(), step, end.data());
    const Real volume = all.points.volume[of];
    EXPECT_NEAR(loops.sums().evaluate(node).tangent, volume * (1 / step + ionic.slope), 1e-11) << node;
    EXPECT_NEAR(loops.sums().evaluate(node).residual,
                volume * (all.phi[of] / step + ionic.current / scaling.mv_per_phi - all.load[of]), 1e-11)
        << node;
    for (std::size_t i = 0; i < end.size(); ++i)
      EXPECT_NEAR(all.states[i * nodes + of], end[i], 1e-12 * (1 + std::abs(end[i]))) << node << " " << i;
  }
}

}  // namespace
}  // namespace cardiowarp
