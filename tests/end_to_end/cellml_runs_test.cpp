// The program with the cells of a CellML file, from a YAML file to the files of a run.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/cellml_collection.hpp"
#include "tests/support/cellml_text.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/excitable_cellml.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_results.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

class CellMlRuns : public testing::Test {
 protected:
  CellMlRuns() {
    std::filesystem::create_directory(folder / "cells");
    write_text(folder / "cells/cell.cellml", excitable_cell());
    EXPECT_EQ(run({"mesh", "slab", "--size", "11,1.5,0.5", "--edge", "0.5mm", "--output", folder / "slab.msh"}), "");
  }
  /// The errors of the program; empty where it ended well.
  std::string run(std::vector<std::string> arguments) const {
    const ProgramResult result = run_program(std::move(arguments), folder.path());
    return result.exit_code == 0 ? "" : result.errors;
  }
  void write_case(const std::string& name, const std::string& more, const std::string& file = "slab.yaml") const {
    write_text(folder / file,
               "mesh: {file: slab.msh}\ncell_model: {name: " + name +
                   "}\ndiffusivity: {isotropic: 0.2}\n"
                   "stimuli:\n  - {where: {box: {min: [0, 0, 0], max: [2.1, 3, 3]}}, duration: 2 ms, amplitude: 50}\n"
                   "time: {end: 30, step: 0.05, adaptive: {enabled: true}}\n"
                   "probes:\n  - {name: near, point: [3.5, 0, 0]}\n  - {name: far, point: [10.5, 0, 0]}\n" +
                   more);
  }
  std::string probes(const std::string& of) const { return read_text(folder / (of + "/probes.csv")); }

  const TemporaryDirectory folder;
  const EnvironmentVariable caches{"XDG_CACHE_HOME", (folder / "caches").string()};
};

TEST_F(CellMlRuns, ActivateASlabAndWriteTheStatesThatAreAskedFor) {
  write_case("cells/cell.cellml", "output: {directory: out, interval: 10, fields: [potential, u, c]}\n");
  ASSERT_EQ(run({"check", folder / "slab.yaml"}), "");
  const ProgramResult result = run_program({"run", folder / "slab.yaml"}, folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_GE(std::ranges::min(point_values(folder / "out/maps.vtu", "activation_time")), 0);
  const std::string last = read_pvd(folder / "out/potential.pvd").back().file;
  const std::vector<Real> u = cell_values(last, "u");
  EXPECT_LT(std::ranges::min(u), 0);
  EXPECT_GT(std::ranges::max(u), -0.4);
  ASSERT_EQ(run({"run", folder / "out/resolved.yaml", "--output", folder / "again"}), "");
  EXPECT_EQ(probes("again"), probes("out"));
}

TEST_F(CellMlRuns, GoOnFromACheckpointBitForBitForAnyNumberOfThreadsAndWhereverTheFileIs) {
  const std::string more =
      "regions: [{where: {box: {min: [5, -1, -1], max: [12, 9, 9]}}, cell_model: {parameters: "
      "{g_w: 0.5}}}]\noutput: {interval: 20, directory: ";
  write_case("cells/cell.cellml", more + "whole}\n");
  ASSERT_EQ(run({"run", folder / "slab.yaml", "--threads", "1"}), "");
  const ProgramResult stopped =
      run_program({"run", folder / "slab.yaml", "--threads", "3", "--output", folder / "cut", "--stop-after", "12 ms"},
                  folder.path());
  ASSERT_EQ(stopped.exit_code, 5) << stopped.errors;
  write_text(folder / "moved.cellml", excitable_cell());
  write_case("moved.cellml", more + "whole}\n");
  ASSERT_EQ(run({"run", folder / "slab.yaml", "--threads", "3", "--output", folder / "cut", "--resume"}), "");
  EXPECT_EQ(probes("cut"), probes("whole"));
  EXPECT_EQ(read_text(folder / "cut/maps.vtu"), read_text(folder / "whole/maps.vtu"));
  // The parameters of the region are those of its cells alone.
  write_case("moved.cellml", "output: {interval: 20, directory: without}\n");
  ASSERT_EQ(run({"run", folder / "slab.yaml", "--set", "time.adaptive.enabled=false"}), "");
  write_case("moved.cellml", more + "with}\n");
  ASSERT_EQ(run({"run", folder / "slab.yaml", "--set", "time.adaptive.enabled=false"}), "");
  const std::vector<Real> without = read_probes(folder / "without/probes.csv").rows.back(),
                          with_region = read_probes(folder / "with/probes.csv").rows.back();
  EXPECT_LT(std::abs(with_region[1] - without[1]), 0.1);
  EXPECT_GT(std::abs(with_region[2] - without[2]), 1);
}

TEST_F(CellMlRuns, TakeNoStateOfOtherEquations) {
  write_case("cells/cell.cellml", "output: {interval: 20, directory: out}\n");
  ASSERT_EQ(run_program({"run", folder / "slab.yaml", "--stop-after", "6 ms"}, folder.path()).exit_code, 5);
  write_case("cells/cell.cellml", "output: {interval: 20, directory: next}\n");
  ASSERT_EQ(run({"run", folder / "slab.yaml", "--from", folder / "out"}), "");
  write_text(folder / "cells/cell.cellml", with(excitable_cell(), ">0.03<", ">0.031<"));
  const std::string from = run({"run", folder / "slab.yaml", "--from", folder / "out"});
  EXPECT_NE(from.find("--from: expected the cell model of the checkpoint"), from.npos) << from;
  EXPECT_NE(from.find("whose equations are others"), from.npos) << from;
  const std::string resume = run({"run", folder / "slab.yaml", "--output", folder / "out", "--resume"});
  EXPECT_NE(resume.find("cell_model.checksum: "), resume.npos) << resume;
}

TEST_F(CellMlRuns, ArePacedAndHaveAccuracyAskedForAsThoseOfOtherCells) {
  write_case("cells/cell.cellml",
             "prepace: {beats: 2, period: 250, cache: kept, stimuli: [stimulus_1]}\n"
             "accuracy: {activation: 2 %}\noutput: {interval: 20, directory: out}\n");
  ASSERT_EQ(run({"run", folder / "slab.yaml"}), "");
  EXPECT_TRUE(std::filesystem::exists(folder / "kept"));
  EXPECT_GE(std::ranges::min(point_values(folder / "out/maps.vtu", "activation_time")), 0);
}

/// The largest difference of two tables of potentials at the same times.
Real difference_mv(const ProbeTable& a, const ProbeTable& b) {
  Real largest = 0;
  for (std::size_t row = 0; row < a.rows.size(); ++row)
    for (std::size_t k = 0; k < a.rows[row].size(); ++k)
      largest = std::max(largest, std::abs(a.rows[row][k] - b.rows[row][k]));
  return largest;
}

using CellMlRunsOnAGpu = OnAGpu<CellMlRuns>;

TEST_F(CellMlRunsOnAGpu, AreCompiledOnceKeptAndMadeAnewWhereWhatIsKeptIsDamaged) {
  write_case("cells/cell.cellml", "backend: gpu\noutput: {interval: 20, directory: out}\n");
  const auto said = [&](const std::string& output) {
    const ProgramResult result = run_program({"run", folder / "slab.yaml", "--output", folder / output}, folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.errors;
  };
  const std::string compiled = "the cells of the CellML file cell.cellml are compiled for the GPU, which took ";
  const std::string first = said("out"), second = said("again");
  EXPECT_NE(first.find(compiled), first.npos) << first;
  EXPECT_EQ(second.find(compiled), second.npos) << second;
  EXPECT_EQ(probes("again"), probes("out"));
  for (const auto& file : std::filesystem::directory_iterator(folder / "caches/cardiowarp/code"))
    write_text(file.path(), read_text(file.path()) + "x");
  const std::string third = said("anew");
  EXPECT_NE(third.find("made anew: it is damaged"), third.npos) << third;
  EXPECT_NE(third.find(compiled), third.npos) << third;
  EXPECT_EQ(probes("anew"), probes("out"));
}

TEST_F(CellMlRunsOnAGpu, GoOnFromACheckpointAndAreThoseOfTheCpu) {
  const std::string more =
      "regions: [{where: {box: {min: [5, -1, -1], max: [12, 9, 9]}}, cell_model: {parameters: "
      "{g_w: 0.5}}}]\noutput: {interval: 20, directory: out}\n";
  write_case("cells/cell.cellml", more);
  const auto run_into = [&](const char* backend, const char* output, std::vector<std::string> options) {
    std::vector<std::string> words{"run", folder / "slab.yaml", "--backend", backend, "--output", folder / output};
    words.insert(words.end(), options.begin(), options.end());
    return run_program(words, folder.path()).exit_code;
  };
  ASSERT_EQ(run_into("gpu", "out", {}), 0);
  ASSERT_EQ(run_into("gpu", "cut", {"--stop-after", "12 ms"}), 5);
  ASSERT_EQ(run_into("gpu", "cut", {"--resume"}), 0);
  EXPECT_EQ(probes("cut"), probes("out"));
  const std::vector<std::string> equal_steps{"--set", "time.adaptive.enabled=false"};
  ASSERT_EQ(run_into("gpu", "gpu", equal_steps), 0);
  ASSERT_EQ(run_into("cpu", "cpu", equal_steps), 0);
  EXPECT_LT(difference_mv(read_probes(folder / "gpu/probes.csv"), read_probes(folder / "cpu/probes.csv")), 1e-5);
}

TEST_F(CellMlRuns, OfThePublishedFileAreThoseOfTheModelThatIsBuiltIn) {
  const CellMlCollection collection(CARDIOWARP_SHARED_DATA "/cellml.tar.xz");
  const std::filesystem::path file = collection.file("ten_tusscher_model_2006_epi");
  if (file.empty()) GTEST_SKIP() << "no collection of CellML files in " << CARDIOWARP_SHARED_DATA;
  // Both begin in the same state, but for what decimals of it are printed.
  const std::string settings = "output: {interval: 20, directory: ";
  write_case("'" + file.string() + "'", settings + "file}\n");
  ASSERT_EQ(run({"run", folder / "slab.yaml", "--set", "time.adaptive.enabled=false"}), "");
  write_case("ten_tusscher_2006", settings + "built_in}\n");
  ASSERT_EQ(run({"run", folder / "slab.yaml", "--set", "time.adaptive.enabled=false", "--backend", "cpu"}), "");
  const ProbeTable of_file = read_probes(folder / "file/probes.csv"),
                   built_in = read_probes(folder / "built_in/probes.csv");
  ASSERT_EQ(of_file.rows.size(), built_in.rows.size());
  EXPECT_GT(built_in.rows.back()[2], 0);
  EXPECT_LT(difference_mv(of_file, built_in), 1e-3);
}

}  // namespace
}  // namespace cardiowarp::test
