// A run with prescribed potentials and `cardiowarp laplace`, from files to files.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/bar_runs.hpp"
#include "tests/support/program.hpp"
#include "tests/support/result_files.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

constexpr const char* yaml = R"(mesh: {file: slab.msh}
diffusivity: {isotropic: 0.2}
boundary:
  - {where: {surface: x0}, potential: 20 mV}
  - {where: {surface: x1}, potential: -80 mV}
time: {end: 6 ms, step: 0.2 ms}
output: {directory: result, interval: 1 ms}
)";

class BoundaryOfARun : public testing::Test {
 protected:
  void SetUp() override {
    const ProgramResult made = run_program(
        {"mesh", "slab", "--size", "6,2,1", "--edge", "0.5mm", "--output", folder / "slab.msh"}, folder.path());
    ASSERT_EQ(made.exit_code, 0) << made.errors;
    write_text(folder / "slab.yaml", yaml);
  }
  ProgramResult program(std::vector<std::string> words) const { return run_program(std::move(words), folder.path()); }

  /// The two sides of the slab have what the boundary of `yaml` says.
  static void expect_held(const std::filesystem::path& frame) {
    const auto grid = read_vtu(frame);
    const std::vector<Real> potential_mv = point_values(frame, "potential");
    for (vtkIdType node = 0; node < grid->GetNumberOfPoints(); ++node) {
      const double x = grid->GetPoint(node)[0];
      if (x < 1e-9 || x > 6 - 1e-9) {
        ASSERT_NEAR(potential_mv[node], x < 3 ? 20 : -80, 1e-12);
      }
    }
  }

  const TemporaryDirectory folder;
};

TEST_F(BoundaryOfARun, IsHeldInEveryFrameAndSaidByCheckAndSummary) {
  const ProgramResult check = program({"check", folder / "slab.yaml"});
  ASSERT_EQ(check.exit_code, 0) << check.errors;
  EXPECT_NE(check.output.find("boundary: 30 nodes prescribed\n"), std::string::npos) << check.output;
  const ProgramResult run = program({"run", folder / "slab.yaml", "--backend", "cpu"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const auto summary = nlohmann::json::parse(read_text(folder / "result/summary.json"));
  EXPECT_EQ(summary["prescribed_nodes"], 30);
  EXPECT_GT(summary["activation"]["activated"], 15);  // a front has left the side
  const auto frames = read_pvd(folder / "result/potential.pvd");
  ASSERT_EQ(frames.size(), 7u);
  for (const auto& frame : frames) expect_held(frame.file);
}

TEST_F(BoundaryOfARun, GoesOnFromItsCheckpointAndNotFromAnother) {
  write_text(folder / "slab.yaml", std::string(yaml) + "checkpoint: {interval: 3 ms}\n");
  ASSERT_EQ(program({"run", folder / "slab.yaml", "--backend", "cpu"}).exit_code, 0);
  const std::vector<Real> at_once = point_values(read_pvd(folder / "result/potential.pvd").back().file, "potential");
  std::filesystem::remove_all(folder / "result");
  ASSERT_EQ(program({"run", folder / "slab.yaml", "--backend", "cpu", "--set", "time.end=3"}).exit_code, 0);
  const ProgramResult other =
      program({"run", folder / "slab.yaml", "--backend", "cpu", "--resume", "--set", "boundary[0].potential=10"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.errors.find("boundary[0].potential: 20 in the checkpoint, 10 now"), std::string::npos)
      << other.errors;
  ASSERT_EQ(program({"run", folder / "slab.yaml", "--backend", "cpu", "--resume"}).exit_code, 0);
  EXPECT_EQ(point_values(read_pvd(folder / "result/potential.pvd").back().file, "potential"), at_once);
}

TEST_F(BoundaryOfARun, ReplacesWhatTheStateOfACheckpointHasThere) {
  write_text(folder / "slab.yaml", std::string(yaml) + "checkpoint: {interval: 3 ms}\n");
  const Words run{"run", folder / "slab.yaml", "--backend", "cpu"};
  ASSERT_EQ(program(joined(run, {"--set", "boundary=[]"})).exit_code, 0);
  const ProgramResult rest = program(joined(run, {"--from", folder / "result", "--output", folder / "rest"}));
  ASSERT_EQ(rest.exit_code, 0) << rest.errors;
  const auto frames = read_pvd(folder / "rest/potential.pvd");
  ASSERT_EQ(frames.size(), 7u);
  for (const auto& frame : frames) expect_held(frame.file);
}

TEST_F(BoundaryOfARun, IsHeldByEveryOperator) {
  for (const char* kind : {"auto", "assembled", "local", "local_full", "matrix_free", "split"}) {
    SCOPED_TRACE(kind);
    const ProgramResult run = program({"run", folder / "slab.yaml", "--backend", "cpu", "--output", folder / kind,
                                       "--set", std::string("linear_solver.operator=") + kind});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    const auto frames = read_pvd(folder / kind / "potential.pvd");
    ASSERT_FALSE(frames.empty());
    for (const auto& frame : frames) expect_held(frame.file);
  }
}

TEST_F(BoundaryOfARun, WithTwoValuesAtANodeOrNothingSelectedIsRefused) {
  const auto message = [&](const std::string& setting) {
    const ProgramResult run = program({"run", folder / "slab.yaml", "--backend", "cpu", "--set", setting});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(folder / "result"));
    return run.errors;
  };
  const std::string two = message("boundary[1].where={surface: y0}");
  EXPECT_NE(two.find("boundary[1].where: expected one value at each node, got -80 mV and 20 mV ("), std::string::npos)
      << two;
  EXPECT_NE(two.find("slab.yaml:4:13: boundary[0].where) at node "), std::string::npos) << two;
  EXPECT_NE(message("boundary[1].where={surface: base}").find("unknown surface 'base': the mesh has the surfaces x0"),
            std::string::npos);
  EXPECT_NE(message("boundary[1].where={box: {min: [9, 9, 9], max: [10, 10, 10]}}").find("selects no node"),
            std::string::npos);
  EXPECT_NE(message("boundary=[{where: {tag: slab}, potential: 1}]").find("expected to leave a node"),
            std::string::npos);
}

TEST_F(BoundaryOfARun, OfLaplaceIsALinearFieldWithItsGradient) {
  const ProgramResult solved = program({"laplace", folder / "slab.msh", "--at", "x0=2", "--at", "x1=-10", "--backend",
                                        "cpu", "--output", folder / "field.vtu"});
  ASSERT_EQ(solved.exit_code, 0) << solved.errors;
  EXPECT_NE(solved.output.find("195 nodes, 30 prescribed from -10 to 2\n"), std::string::npos) << solved.output;
  EXPECT_NE(solved.output.find("field: from -10 to 2\n"), std::string::npos) << solved.output;
  const auto grid = read_vtu(folder / "field.vtu");
  const std::vector<Real> u = point_values(folder / "field.vtu", "u");
  ASSERT_EQ(u.size(), 195u);
  for (std::size_t node = 0; node < u.size(); ++node)
    ASSERT_NEAR(u[node], 2 - 2 * grid->GetPoint(static_cast<vtkIdType>(node))[0], 1e-11);
  vtkDataArray* const slope = grid->GetCellData()->GetArray("gradient");
  ASSERT_NE(slope, nullptr);
  ASSERT_EQ(slope->GetNumberOfTuples(), grid->GetNumberOfCells());
  for (vtkIdType element = 0; element < slope->GetNumberOfTuples(); ++element)
    for (int k = 0; k < 3; ++k) ASSERT_NEAR(slope->GetComponent(element, k), k == 0 ? -2 : 0, 1e-9);
}

TEST_F(BoundaryOfARun, OfLaplaceOnQuadraticTetrahedraHasQuadraticCells) {
  ASSERT_EQ(program({"mesh", "slab", "--size", "6,2,1", "--edge", "1", "--order", "2", "--output", folder / "p2.msh"})
                .exit_code,
            0);
  const ProgramResult solved = program({"laplace", folder / "p2.msh", "--at", "x0=2", "--at", "x1=-10", "--backend",
                                        "cpu", "--output", folder / "field.vtu"});
  ASSERT_EQ(solved.exit_code, 0) << solved.errors;
  const auto grid = read_vtu(folder / "field.vtu");
  for (vtkIdType cell = 0; cell < grid->GetNumberOfCells(); ++cell) ASSERT_EQ(grid->GetCellType(cell), 24);
  const std::vector<Real> u = point_values(folder / "field.vtu", "u");
  ASSERT_EQ(u.size(), 195u);
  for (std::size_t node = 0; node < u.size(); ++node)
    ASSERT_NEAR(u[node], 2 - 2 * grid->GetPoint(static_cast<vtkIdType>(node))[0], 1e-10);
}

TEST_F(BoundaryOfARun, OfLaplaceIsCheckedBeforeAnythingIsWritten) {
  const auto message = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"laplace", folder / "slab.msh", "--output", folder / "field.vtu"});
    const ProgramResult solved = program(words);
    EXPECT_EQ(solved.exit_code, 2) << solved.output;
    EXPECT_FALSE(std::filesystem::exists(folder / "field.vtu"));
    return solved.errors;
  };
  EXPECT_NE(message({}).find("--at"), std::string::npos);
  EXPECT_NE(message({"--at", "x2=1"}).find("unknown surface 'x2'"), std::string::npos);
  EXPECT_NE(message({"--at", "x0=1", "--at", "y0=2"}).find("expected one value at each node, got 2 and 1"),
            std::string::npos);
  EXPECT_NE(message({"--at", "x0=1", "--backend", "cup"}).find("did you mean 'cpu'"), std::string::npos);
  EXPECT_EQ(program({"laplace", folder / "slab.msh", "--at", "x0=1", "--output", folder / "field.txt"}).exit_code, 2);
  EXPECT_NE(message({"--at", "x0=1.7e308", "--at", "x1=-1.7e308"}).find("whose gradient is a number"),
            std::string::npos);
}

TEST_F(BoundaryOfARun, OfLaplaceMayHaveValuesWhoseSquaresAreNoNumbers) {
  for (const std::string size : {"e155", "e-160", "e-200", "e300"}) {
    const ProgramResult solved = program({"laplace", folder / "slab.msh", "--at", "x0=1" + size, "--at", "x1=0",
                                          "--backend", "cpu", "--output", folder / "field.vtu"});
    ASSERT_EQ(solved.exit_code, 0) << solved.errors;
    const Real one = std::stod("1" + size);
    const std::vector<Real> u = point_values(folder / "field.vtu", "u");
    const auto grid = read_vtu(folder / "field.vtu");
    double bounds[6];
    grid->GetBounds(bounds);
    for (std::size_t node = 0; node < u.size(); ++node)
      ASSERT_NEAR(u[node] / one, 1 - grid->GetPoint(static_cast<vtkIdType>(node))[0] / bounds[1], 1e-9) << size;
  }
}

}  // namespace
}  // namespace cardiowarp::test
