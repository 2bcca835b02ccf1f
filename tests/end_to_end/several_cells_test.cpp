// Tissue whose cells are of several models, or have parameters from arrays of the mesh. All of it is stimulated at once
// and next to nothing is conducted, so that each node is the single cell that `cardiowarp cell` computes.

#include <gtest/gtest.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkPointData.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/run_results.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

using Words = std::vector<std::string>;

constexpr const char* rest_of_yaml = R"(
diffusivity: {isotropic: 1.0e-7}
stimuli: [{where: {box: {min: [-1, -1, -1], max: [9, 9, 9]}}, duration: 2 ms, amplitude: 40}]
time: {end: 390, step: 0.01, adaptive: {enabled: true, tolerance: 1.0e-5, min_step: 1.0e-4, max_step: 1}}
probes: [{name: left, point: [0, 0, 0]}, {name: right, point: [5, 0, 0]}]
backend: cpu
)";

class SeveralCells : public testing::Test {
 protected:
  void SetUp() override { make_bar("bar.vtu"); }

  ProgramResult program(Words words) const { return run_program(std::move(words), folder.path()); }
  void make_bar(const std::string& name) const {
    ASSERT_EQ(program({"mesh", "slab", "--size", "5,1,1", "--edge", "1mm", "--output", folder / name}).exit_code, 0);
  }
  /// The bar with arrays: of points the step from 1 to 0.5 at x = 2.5, of cells the value 0.2 left of it and 0.1.
  void make_bar_with_arrays() const {
    const auto grid = read_vtu(folder / "bar.vtu");
    const vtkNew<vtkDoubleArray> points, cells;
    points->SetName("scale_gKr");
    cells->SetName("gKr");
    for (vtkIdType i = 0; i < grid->GetNumberOfPoints(); ++i)
      points->InsertNextValue(grid->GetPoint(i)[0] < 2.5 ? 1 : 0.5);
    for (vtkIdType i = 0; i < grid->GetNumberOfCells(); ++i) {
      double bounds[6];
      grid->GetCellBounds(i, bounds);
      cells->InsertNextValue(bounds[0] + bounds[1] < 5 ? 0.2 : 0.1);
    }
    grid->GetPointData()->AddArray(points);
    grid->GetCellData()->AddArray(cells);
    const vtkNew<vtkXMLUnstructuredGridWriter> writer;
    writer->SetFileName((folder / "arrays.vtu").c_str());
    writer->SetInputData(grid);
    ASSERT_EQ(writer->Write(), 1);
  }
  ProgramResult run(const std::string& yaml, const std::string& output, Words more = {}) const {
    write_text(folder / "bar.yaml", yaml + rest_of_yaml);
    Words words{"run", folder / "bar.yaml", "--output", folder / output};
    words.insert(words.end(), more.begin(), more.end());
    return program(std::move(words));
  }
  void expect_refusal(const std::string& yaml, const std::string& message, Words more = {}) const {
    const ProgramResult result = run(yaml, "refused", std::move(more));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.errors.find(message), std::string::npos) << result.errors;
    EXPECT_FALSE(std::filesystem::exists(folder / "refused"));
  }
  std::string probes(const std::string& of) const { return read_text(folder / (of + "/probes.csv")); }

  /// The largest difference of a probe from a single cell, from 5 ms on.
  double difference_from(const std::string& output, std::size_t probe, Words cell) const {
    cell.insert(cell.begin(), "cell");
    cell.insert(cell.end(), {"--period", "390", "--duration", "2", "--output", folder / "cell"});
    EXPECT_EQ(program(std::move(cell)).exit_code, 0);
    const ProbeTable trace = read_probes(folder / "cell/cell_trace.csv");
    double largest = 0;
    std::size_t k = 1;
    for (const auto& row : read_probes(folder / (output + "/probes.csv")).rows) {
      if (row[0] < 5) continue;
      while (trace.rows[k][0] < row[0]) ++k;
      const auto &before = trace.rows[k - 1], &after = trace.rows[k];
      const double share = (row[0] - before[0]) / (after[0] - before[0]);
      largest = std::max(largest, std::abs(row[1 + probe] - before[1] - share * (after[1] - before[1])));
    }
    return largest;
  }

  const TemporaryDirectory folder;
};

const std::string two_models = R"(mesh: {file: bar.vtu}
cell_model: {name: ten_tusscher_2006, set: endocardial}
regions:
  - {where: {box: {min: [2.1, -1, -1], max: [9, 9, 9]}}, cell_model: {name: courtemanche_1998, parameters: {g_to: 0.1}}}
)";

TEST_F(SeveralCells, EachRegionHasTheCellsOfItsModel) {
  const ProgramResult result = run(two_models, "out");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_LT(difference_from("out", 0, {"ten_tusscher_2006", "--set", "endocardial"}), 0.25);
  EXPECT_LT(difference_from("out", 1, {"courtemanche_1998", "--parameters", "g_to=0.1"}), 0.25);
  EXPECT_GT(difference_from("out", 1, {"courtemanche_1998"}), 1);
  const ProgramResult again = program({"run", folder / "out/resolved.yaml", "--output", folder / "again"});
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(probes("again"), probes("out"));
  const ProgramResult check = program({"check", folder / "bar.yaml"});
  EXPECT_NE(check.output.find("cell model: ten_tusscher_2006, courtemanche_1998 with 2 parameter sets"),
            std::string::npos)
      << check.output;
}

TEST_F(SeveralCells, OfSeveralModelsGoOnFromTheirCheckpoint) {
  ASSERT_EQ(run(two_models, "whole", {"--threads", "1", "--set", "time.end=30"}).exit_code, 0);
  ASSERT_EQ(run(two_models, "cut", {"--threads", "3", "--stop-after", "1 ms", "--set", "time.end=30"}).exit_code, 5);
  const ProgramResult resumed = run(two_models, "cut", {"--resume", "--set", "time.end=30"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.errors;
  EXPECT_EQ(probes("cut"), probes("whole"));

  ASSERT_EQ(run(two_models, "base", {"--set", "time.end=30", "--set", "checkpoint={interval: 30}"}).exit_code, 0);
  const ProgramResult from = run(two_models, "from", {"--from", folder / "base", "--set", "time.end=5"});
  ASSERT_EQ(from.exit_code, 0) << from.errors;
  expect_refusal(two_models, "--from: expected the regions of '",
                 {"--from", folder / "base", "--set", "regions.0.where={box: {min: [3.1, -1, -1], max: [9, 9, 9]}}"});
  expect_refusal(two_models,
                 "--from: expected the cell models of the checkpoint, ten_tusscher_2006, courtemanche_1998, "
                 "got ten_tusscher_2006, luo_rudy_1991",
                 {"--from", folder / "base", "--set", "regions.0.cell_model={name: luo_rudy_1991}"});
}

TEST_F(SeveralCells, OfSeveralModelsBeginInTheirSteadyStates) {
  const ProgramResult result =
      run(two_models + "initial: {steady: {beats: 2, period: 600, cache: cache}}", "out", {"--set", "time.end=5"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  for (const auto& [probe, words] : {std::pair(1U, Words{"ten_tusscher_2006", "--set", "endocardial"}),
                                     std::pair(2U, Words{"courtemanche_1998", "--parameters", "g_to=0.1"})}) {
    Words cell{"cell"};
    cell.insert(cell.end(), words.begin(), words.end());
    cell.insert(cell.end(), {"--beats", "2", "--period", "600", "--output", folder / "cell"});
    ASSERT_EQ(program(cell).exit_code, 0);
    EXPECT_NEAR(read_probes(folder / "out/probes.csv").rows.front()[probe],
                read_probes(folder / "cell/cell_trace.csv").rows.back()[1], 1e-5);
  }
}

TEST_F(SeveralCells, WhatDoesNotFitSeveralModelsIsRefused) {
  expect_refusal(two_models,
                 "regions[0].cell_model.parameters.g_pK: expected one of the keys g_Na, g_CaL, g_to, g_Kur_factor",
                 {"--set", "regions.0.cell_model={name: courtemanche_1998, parameters: {g_pK: 1}}"});
  expect_refusal(two_models, "regions[0].cell_model.name: expected one of ten_tusscher_2006",
                 {"--set", "regions.0.cell_model={name: mitchell_schaeffer}"});
  expect_refusal(
      two_models,
      "regions[0].cell_model.name: expected none with cell_model.name: bueno_orovio, as only ionic models can "
      "be mixed",
      {"--set", "cell_model={name: bueno_orovio}"});
  const std::string with = " where the cells are of ten_tusscher_2006 and courtemanche_1998";
  expect_refusal(two_models, "output.fields: expected [potential]" + with,
                 {"--set", "output.fields=[potential, Ca_i]"});
  expect_refusal(two_models, "initial: expected a potential and no states" + with, {"--set", "initial.Ca_i=1.0e-4"});
  expect_refusal(
      two_models + "  - {where: {box: {min: [4.1, -1, -1], max: [9, 9, 9]}}, cell_model: {set: epicardial}}",
      "expected cell_model.name beside what the region changes of cells, as some of its elements have cells of "
      "courtemanche_1998, to which an earlier region has changed them");
}

TEST_F(SeveralCells, ParametersComeFromArraysOfPointsAndCells) {
  make_bar_with_arrays();
  const std::string values = "mesh: {file: arrays.vtu}\ncell_model: {name: ten_tusscher_2006, parameters: ";
  ASSERT_EQ(run(values + "{g_Kr: {array: gKr}}}", "cells").exit_code, 0);
  EXPECT_LT(difference_from("cells", 0, {"ten_tusscher_2006", "--parameters", "g_Kr=0.2"}), 0.25);
  EXPECT_LT(difference_from("cells", 1, {"ten_tusscher_2006", "--parameters", "g_Kr=0.1"}), 0.25);
  const ProgramResult scaled = run(values + "{g_Kr: {array: scale_gKr, scale: true}, g_Ks: 0.3}}", "points");
  ASSERT_EQ(scaled.exit_code, 0) << scaled.errors;
  EXPECT_LT(difference_from("points", 0, {"ten_tusscher_2006", "--parameters", "g_Kr=0.153,g_Ks=0.3"}), 0.25);
  EXPECT_LT(difference_from("points", 1, {"ten_tusscher_2006", "--parameters", "g_Kr=0.0765,g_Ks=0.3"}), 0.25);
  EXPECT_GT(difference_from("points", 1, {"ten_tusscher_2006", "--parameters", "g_Kr=0.153,g_Ks=0.3"}), 1);
  const ProgramResult check = program({"check", folder / "bar.yaml"});
  EXPECT_NE(check.output.find("parameters by arrays: 2 different cells at the nodes\n"), std::string::npos)
      << check.output << check.errors;
  const ProgramResult again = program({"run", folder / "points/resolved.yaml", "--output", folder / "again"});
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(probes("again"), probes("points"));
}

TEST_F(SeveralCells, OfArraysGoOnFromTheirCheckpointWithAFoundTolerance) {
  make_bar_with_arrays();
  const std::string yaml =
      "mesh: {file: arrays.vtu}\ncell_model: {name: luo_rudy_1991, parameters: {g_Na: {array: scale_gKr, scale: "
      "true}}}\n";
  const Words more{"--set", "time={end: 20, step: 0.01}", "--set", "accuracy={activation: 2 %}"};
  ASSERT_EQ(run(yaml, "whole", more).exit_code, 0);
  Words stopped = more, resumed = more;
  stopped.insert(stopped.end(), {"--stop-after", "1 ms", "--threads", "3"});
  resumed.emplace_back("--resume");
  ASSERT_EQ(run(yaml, "cut", stopped).exit_code, 5);
  const ProgramResult result = run(yaml, "cut", resumed);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(probes("cut"), probes("whole"));
  const ProgramResult estimated = run(yaml, "whole", {"--estimate-mesh-error", "--set", "time.end=4"});
  EXPECT_EQ(estimated.exit_code, 0) << estimated.errors;
}

TEST_F(SeveralCells, ARegionReplacesAnArrayAndMayHaveOne) {
  make_bar_with_arrays();
  ASSERT_EQ(
      run("mesh: {file: arrays.vtu}\ncell_model: {name: ten_tusscher_2006, parameters: {g_Kr: {array: gKr}}}\n"
          "regions:\n  - {where: {box: {min: [2.1, -1, -1], max: [9, 9, 9]}}, cell_model: {parameters: {g_Kr: 0.3, "
          "g_Ks: {array: scale_gKr, scale: true}}}}\n",
          "out")
          .exit_code,
      0);
  EXPECT_LT(difference_from("out", 0, {"ten_tusscher_2006", "--parameters", "g_Kr=0.2"}), 0.25);
  EXPECT_LT(difference_from("out", 1, {"ten_tusscher_2006", "--parameters", "g_Kr=0.3,g_Ks=0.196"}), 0.25);
}

TEST_F(SeveralCells, ArraysThatAreNotThereOrDoNotFitAreRefused) {
  make_bar_with_arrays();
  const std::string values = "mesh: {file: arrays.vtu}\ncell_model: {name: ten_tusscher_2006, parameters: ";
  expect_refusal(values + "{g_Kr: {array: gKs}}}",
                 "cell_model.parameters.g_Kr.array: expected a cell or point array of 1 component of '");
  expect_refusal(values + "{g_Kr: {array: gKs}}}", "got 'gKs'; did you mean 'gKr'?");
  expect_refusal(values + "{g_Kr: {array: gKr, scales: true}}}",
                 "cell_model.parameters.g_Kr.scales: expected one of the "
                 "keys array, through_wall, scale");
  expect_refusal(values + "{g_Kr: {scale: true}}}", "cell_model.parameters.g_Kr.array: expected the name of an array");
  expect_refusal("mesh: {file: arrays.vtu}\ncell_model: {name: mitchell_schaeffer, parameters: {tau_in: {array: gKr}}}",
                 "expected a number with mitchell_schaeffer, as arrays are for ionic models");
  make_bar("bar.msh");
  expect_refusal("mesh: {file: bar.msh}\ncell_model: {name: ten_tusscher_2006, parameters: {g_Kr: {array: gKr}}}",
                 "cell_model.parameters.g_Kr.array: expected a mesh file .vtu or .vtk, whose arrays have names");
}

}  // namespace
}  // namespace cardiowarp::test
