// The program with every cell model of the list, from a YAML file to the files of a run.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fem/cells/front.hpp"
#include "tests/support/all_cell_models.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_results.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

/// A wave from one corner of a slab in which the front of the model is 1 mm thick, in steps short enough for it.
template <CellModel Cell>
std::string slab_yaml() {
  const Real step_ms = std::ceil(50 * usual_step_ms<Cell>()) / 100, end_ms = 1000 * step_ms;
  const Real diffusivity = 1 / (front_of(Cell{}).thickness_square * Cell::scaling.ms_per_tau);
  return "mesh: {file: slab.msh}\ncell_model: {name: " + std::string(Cell::name) +
         "}\ndiffusivity: {isotropic: " + std::to_string(diffusivity) +
         "}\nstimuli:\n  - {where: {box: {min: [0, 0, 0], max: [3, 3, 3]}}, duration: 1 ms, amplitude: 150}\n"
         "time: {end: " +
         std::to_string(end_ms) + ", step: " + std::to_string(step_ms) +
         "}\noutput: {directory: result, interval: " + std::to_string(end_ms / 4) +
         "}\nprobes:\n  - {name: far, point: [9, 3, 3]}\n";
}

template <class Cell>
class SlabOfEveryCellModel : public testing::Test {};
TYPED_TEST_SUITE(SlabOfEveryCellModel, AllCellModels, NameOfCellModel);

TYPED_TEST(SlabOfEveryCellModel, IsActivatedAndItsFramesHaveTheStates) {
  using Cell = TypeParam;
  const TemporaryDirectory folder;
  const ProgramResult made = run_program(
      {"mesh", "slab", "--size", "9,3,3", "--edge", "0.75mm", "--output", folder / "slab.msh"}, folder.path());
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  write_text(folder / "slab.yaml", slab_yaml<Cell>());
  const ProgramResult run = run_program({"run", folder / "slab.yaml", "--backend", "cpu"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.errors.find("warning"), std::string::npos) << run.errors;

  const std::vector<Real> activation = point_values(folder / "result/maps.vtu", "activation_time");
  EXPECT_GE(*std::min_element(activation.begin(), activation.end()), 0);
  const std::vector<PvdFrame> frames = read_pvd(folder / "result/potential.pvd");
  ASSERT_GE(frames.size(), 3u);
  for (const CellState& state : Cell::state_table()) {
    const std::string name(state.name);
    const std::vector<Real> first = cell_values(frames.front().file, name.c_str()),
                            last = cell_values(frames.back().file, name.c_str());
    EXPECT_EQ(first, std::vector<Real>(first.size(), state.rest)) << name;
    EXPECT_GT(std::fabs(last.front() - state.rest), 0.01) << name;
  }
  const std::vector<Real> potential = point_values(frames.front().file, "potential");
  EXPECT_EQ(potential, std::vector<Real>(potential.size(), Cell::scaling.rest_mv));
  Real highest = -100;
  for (const auto& row : read_probes(folder / "result/probes.csv").rows) highest = std::max(highest, row[1]);
  EXPECT_GT(highest, 0);
  EXPECT_LT(highest, 60);

  // What the run says of itself is a configuration of the same run.
  const ProgramResult again =
      run_program({"run", folder / "result/resolved.yaml", "--output", folder / "again"}, folder.path());
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(read_text(folder / "again/probes.csv"), read_text(folder / "result/probes.csv"));
}

TEST(Info, PrintsTheTablesOfTheCellModels) {
  const TemporaryDirectory folder;
  const ProgramResult info = run_program({"info", "--cell-models"}, folder.path());
  EXPECT_EQ(info.exit_code, 0);
  EXPECT_EQ(info.output, cell_model_tables());
}

/// What it says of potentials for a stimulus of `mv_per_ms` for 2 ms at x < 1 mm.
std::string said_of_extremes(const std::string& model, const std::string& mv_per_ms, const std::string& interval_ms) {
  const TemporaryDirectory folder;
  const ProgramResult made = run_program(
      {"mesh", "slab", "--size", "4.5,0.5,0.5", "--edge", "0.5mm", "--output", folder / "bar.msh"}, folder.path());
  EXPECT_EQ(made.exit_code, 0) << made.errors;
  write_text(
      folder / "bar.yaml",
      "mesh: {file: bar.msh}\ncell_model: {name: " + model +
          "}\ndiffusivity: {isotropic: 0.3}\nstimuli:\n  - {where: {box: {min: [-1, -1, -1], max: [1.1, 9, 9]}}, "
          "duration: 2 ms, amplitude: " +
          mv_per_ms + "}\ntime: {end: 30, step: 0.02}\noutput: {directory: result, interval: " + interval_ms + "}\n");
  const ProgramResult run = run_program({"run", folder / "bar.yaml", "--backend", "cpu"}, folder.path());
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  const std::size_t at = run.errors.find("the potential reached");
  return at == std::string::npos ? "" : run.errors.substr(at, run.errors.find('\n', at) - at);
}

TEST(ExtremePotentials, AreWarnedOfWithPlaceAndTime) {
  const std::string low = said_of_extremes("bueno_orovio", "-1e5", "2");
  EXPECT_TRUE(low.starts_with("the potential reached -1.")) << low;
  EXPECT_NE(low.find("e+05 mV at node "), std::string::npos) << low;
  EXPECT_NE(low.find(") mm by t = 2 ms: beyond ±500 mV no cell model describes tissue"), std::string::npos) << low;
  EXPECT_NE(said_of_extremes("bueno_orovio", "1e5", "1").find(") mm by t = "), std::string::npos);
  const std::string between_frames = said_of_extremes("bueno_orovio", "-1e5", "30");
  EXPECT_NE(between_frames.find(") mm by t = 2 ms:"), std::string::npos) << between_frames;
  EXPECT_EQ(said_of_extremes("bueno_orovio", "60", "2"), "");
  EXPECT_EQ(said_of_extremes("mitchell_schaeffer", "60", "2"), "");
}

TEST(ExtremePotentials, ThatAreOverBeforeTheNextFrameAreWarnedOf) {
  for (const char* model : {"bueno_orovio", "mitchell_schaeffer"}) {
    const std::string high = said_of_extremes(model, "1e5", "30");
    EXPECT_TRUE(high.starts_with("the potential reached ")) << model << high;
    EXPECT_EQ(high.find("by t = 30 ms"), std::string::npos) << model << high;
  }
}

}  // namespace
}  // namespace cardiowarp::test
