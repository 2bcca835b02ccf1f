// cardiowarp_petsc beside the program: the same fields from any number of processes, the same exit codes, one message.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/config/config_names.hpp"
#include "kernels/backend/types.hpp"
#include "tests/support/program.hpp"
#include "tests/support/result_files.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Fibres, two cell models, overlapping stimuli, and a last step that is shorter.
constexpr const char* slab_yaml = R"(mesh: {file: slab.msh}
diffusivity: {isotropic: 0.2, anisotropic: 0.1}
fibers: {source: constant, direction: [1, 1, 0]}
regions:
  - where: {box: {min: [2, 0, 0], max: [9, 1, 9]}}
    diffusivity: {isotropic: 0.4}
    cell_model: {parameters: {mu1: 0.15, mu2: 0.25}}
stimuli:
  - name: left
    where: {box: {min: [0, 0, 0], max: [1, 9, 9]}}
    duration: 2 ms
    amplitude: 40 mV/ms
  - name: corner
    where: {box: {min: [0, 0, 0], max: [2, 1, 1]}}
    start: 1 ms
    duration: 2 ms
    amplitude: 30 mV/ms
quadrature: centroid
time: {end: 6.15 ms, step: 0.2 ms, scheme: backward_euler}
output: {directory: result, interval: 100 ms}
)";

std::vector<Real> reals(const fs::path& file) {
  const std::string bytes = read_text(file);
  std::vector<Real> values(bytes.size() / sizeof(Real));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Real));
  return values;
}

Real largest_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::fmax(largest, std::fabs(a[i] - b[i]));
  return largest;
}

/// "--set" before each.
Words set(const Words& settings) {
  Words words;
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  return words;
}

class Petsc : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    // More processes than cores, and by root where the tests run as root; other MPI libraries do not look.
    ::setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
    ::setenv("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", 1);
    if (::geteuid() != 0) return;
    for (const char* prefix : {"OMPI", "PRTE"})
      for (const char* name : {"_ALLOW_RUN_AS_ROOT", "_ALLOW_RUN_AS_ROOT_CONFIRM"})
        ::setenv((std::string(prefix) + name).c_str(), "1", 1);
  }

  void SetUp() override {
    const ProgramResult made = run_program(
        {"mesh", "slab", "--size", "6,2,1", "--edge", "0.5mm", "--output", folder / "slab.msh"}, folder.path());
    ASSERT_EQ(made.exit_code, 0) << made.errors;
    write_text(folder / "slab.yaml", slab_yaml);
  }

  ProgramResult petsc(int processes, Words arguments) {
    arguments.insert(arguments.begin(), {CARDIOWARP_MPIEXEC, CARDIOWARP_MPIEXEC_NUMPROC_FLAG, std::to_string(processes),
                                         CARDIOWARP_PETSC_PROGRAM, folder / "slab.yaml"});
    return run_words(arguments, folder.path());
  }

  /// Potential and activation times that `cardiowarp run` finds on the CPU; its summary goes to `summary`.
  std::vector<Real> expected_fields(const Words& settings, nlohmann::json& summary) {
    Words words{"run", folder / "slab.yaml", "--backend", "cpu"};
    words.insert(words.end(), settings.begin(), settings.end());
    const ProgramResult run = run_program(words, folder.path());
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    if (run.exit_code != 0) return {};
    summary = nlohmann::json::parse(read_text(folder / "result/summary.json"));
    std::vector<Real> fields = point_values(read_pvd(folder / "result/potential.pvd").back().file, "potential");
    const auto [lowest, highest] = std::minmax_element(fields.begin(), fields.end());
    EXPECT_GT(*highest - *lowest, 50);  // there is a front
    const std::vector<Real> activation = point_values(folder / "result/maps.vtu", "activation_time");
    fields.insert(fields.end(), activation.begin(), activation.end());
    return fields;
  }

  /// cardiowarp_petsc finds these fields in the same steps and Newton iterations.
  void expect_found(int processes, const Words& settings, const std::vector<Real>& expected,
                    const nlohmann::json& summary, const Words& methods) {
    Words words{"--json", folder / "out.json", "--fields", folder / "out.bin"};
    words.insert(words.end(), settings.begin(), settings.end());
    words.insert(words.end(), methods.begin(), methods.end());
    const ProgramResult result = petsc(processes, words);
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_LT(largest_difference(reals(folder / "out.bin"), expected), 1e-6);  // mV, ms
    const auto report = nlohmann::json::parse(read_text(folder / "out.json"));
    for (const char* count : {"steps", "newton_iterations"}) EXPECT_EQ(report[count], summary[count]) << count;
  }

  TemporaryDirectory folder;
};

int errors_in(const std::string& text) {
  int count = 0;
  for (auto at = text.find("error: "); at != std::string::npos; at = text.find("error: ", at + 1)) ++count;
  return count;
}

TEST_F(Petsc, FindsTheFieldsOfTheProgramWithAnyNumberOfProcessesInEveryWay) {
  const ProgramResult run = run_program({"run", folder / "slab.yaml", "--backend", "cpu"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const auto summary = nlohmann::json::parse(read_text(folder / "result/summary.json"));
  std::vector<Real> expected = point_values(read_pvd(folder / "result/potential.pvd").back().file, "potential");
  const std::size_t nodes = expected.size();
  const std::vector<Real> activation = point_values(folder / "result/maps.vtu", "activation_time");
  const auto [lowest, highest] = std::minmax_element(expected.begin(), expected.end());
  ASSERT_GT(*highest - *lowest, 50);  // there is a front
  ASSERT_GT(*std::max_element(activation.begin(), activation.end()), 1);
  ASSERT_LT(*std::min_element(activation.begin(), activation.end()), 0);
  expected.insert(expected.end(), activation.begin(), activation.end());

  const std::string ways[][3] = {{"jacobi", "set_values", "locality"},
                                 {"block_jacobi", "set_values", "row_lengths"},
                                 {"jacobi", "coo", "row_lengths"}};
  for (const int processes : {1, 2, 3})
    for (const auto& [preconditioner, insertion, numbering] : ways) {
      SCOPED_TRACE(testing::Message() << processes << " " << preconditioner << " " << insertion << " " << numbering);
      const ProgramResult result = petsc(processes, {"--preconditioner", preconditioner, "--insertion", insertion,
                                                     "--numbering", numbering, "--repeats", "2", "--warm-up", "1",
                                                     "--json", folder / "out.json", "--fields", folder / "out.bin"});
      ASSERT_EQ(result.exit_code, 0) << result.errors;
      EXPECT_LT(largest_difference(reals(folder / "out.bin"), expected), 1e-6);  // mV, ms
      const auto report = nlohmann::json::parse(read_text(folder / "out.json"));
      EXPECT_EQ(report["ranks"], processes);
      EXPECT_EQ(report["preconditioner"], preconditioner);
      EXPECT_EQ(report["insertion"], insertion);
      EXPECT_EQ(report["numbering"], numbering);
      EXPECT_EQ(report["nodes"], nodes);
      EXPECT_EQ(report["steps"], 31);
      EXPECT_EQ(report["newton_iterations"], summary["newton_iterations"]);
      EXPECT_GT(report["linear_iterations"], report["newton_iterations"]);
      const int newton = summary["newton_iterations"], linear = summary["linear_iterations"];
      if (preconditioner == "jacobi")  // rounding may move the end of a solve by an iteration
        EXPECT_NEAR(report["linear_iterations"].get<int>(), linear, newton);
      else
        EXPECT_LT(report["linear_iterations"], linear - newton);
      ASSERT_EQ(report["seconds"].size(), 2u);
      for (const auto& seconds : report["seconds"])
        for (const char* phase : {"setup", "element", "assembly", "linear_solve", "update", "total"})
          EXPECT_GT(seconds[phase], 0) << phase;
    }
}

/// The edges of this stimulus are inside the steps of the grid, and that in space inside elements.
constexpr const char* weighted_stimuli =
    "stimuli=[{where: {sphere: {center: [0, 0, 0], radius: 1.3}}, edge: weighted, "
    "start: 0.13 ms, duration: 2 ms, amplitude: 70 mV/ms}]";

TEST_F(Petsc, FindsTheFieldsOfTheProgramWithEverySchemeAndQuadrature) {
  const Words ways[] = {{"--insertion", "set_values", "--numbering", "row_lengths"},
                        {"--insertion", "coo"},
                        {"--insertion", "set_values"}};
  for (const auto& [scheme, of_scheme] : time_scheme_names)
    for (const auto& [quadrature, of_quadrature] : quadrature_names) {
      if (of_quadrature == Quadrature::fourteen_points)
        continue;                                   // that of quadratic meshes, which PETSc does not have
      if (of_scheme == TimeScheme::rkc2) continue;  // solves no linear systems
      const Words settings = set({weighted_stimuli, "time.scheme=" + scheme, "quadrature=" + quadrature});
      nlohmann::json summary;
      const std::vector<Real> expected = expected_fields(settings, summary);
      ASSERT_FALSE(expected.empty());
      for (const int processes : {1, 2, 3}) {
        SCOPED_TRACE(testing::Message() << scheme << " " << quadrature << " " << processes);
        expect_found(processes, settings, expected, summary, ways[processes - 1]);
      }
    }
}

TEST_F(Petsc, HoldsPrescribedPotentialsAsTheProgramDoes) {
  const std::string boundary =
      "boundary=[{where: {surface: x0}, potential: 20 mV}, "
      "{where: {box: {min: [5, 0, 0], max: [6, 1, 1]}}, potential: -60 mV}]";
  const Words ways[] = {{"--insertion", "set_values", "--preconditioner", "block_jacobi"},
                        {"--insertion", "coo"},
                        {"--insertion", "set_values", "--numbering", "row_lengths"}};
  for (const auto& [scheme, quadrature] : std::vector<std::pair<std::string, std::string>>{
           {"sdirk2", "vertices"}, {"backward_euler", "centroid"}, {"trbdf2", "vertices_and_centroid"}}) {
    const Words settings = set({boundary, "stimuli=[]", "time.scheme=" + scheme, "quadrature=" + quadrature,
                                "newton.tolerance=1e-10", "linear_solver.tolerance=1e-12"});
    nlohmann::json summary;
    const std::vector<Real> expected = expected_fields(settings, summary);
    ASSERT_FALSE(expected.empty());
    EXPECT_EQ(summary["prescribed_nodes"], 15 + 27);
    for (const int processes : {1, 2, 3}) {
      SCOPED_TRACE(testing::Message() << scheme << " " << quadrature << " " << processes);
      expect_found(processes, settings, expected, summary, ways[processes - 1]);
    }
  }
}

TEST_F(Petsc, RefusesASchemeWithoutLinearSystems) {
  const auto result = petsc(1, set({"time.scheme=rkc2", "quadrature=vertices"}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("time.scheme: expected a scheme with linear systems for PETSc, got 'rkc2'"),
            std::string::npos)
      << result.errors;
}

TEST_F(Petsc, FindsTheFieldsOfTheProgramWithEveryCellModel) {
  const std::pair<std::string, std::string> models[] = {
      {"{name: aliev_panfilov}", "{parameters: {mu1: 0.15, mu2: 0.25}}"},
      {"{name: mitchell_schaeffer}", "{parameters: {tau_in: 0.25}}"},
      {"{name: bueno_orovio, set: epicardial}", "{set: midmyocardial}"}};
  for (const auto& [model, of_region] : models)
    for (const auto& [quadrature, of_quadrature] : quadrature_names) {
      if (of_quadrature == Quadrature::fourteen_points)
        continue;  // that of quadratic meshes, which PETSc does not have
      SCOPED_TRACE(testing::Message() << model << " " << quadrature);
      const Words settings =
          set({weighted_stimuli, "stimuli.0.amplitude=150", "time.step=0.05", "time.end=2", "time.scheme=sdirk2",
               "quadrature=" + quadrature, "cell_model=" + model, "regions.0.cell_model=" + of_region});
      nlohmann::json summary;
      const std::vector<Real> expected = expected_fields(settings, summary);
      ASSERT_FALSE(expected.empty());
      expect_found(3, settings, expected, summary, {});
    }
}

TEST_F(Petsc, FindsTheAdaptiveStepsOfTheProgram) {
  for (const std::string scheme : {"backward_euler", "sdirk2"}) {
    SCOPED_TRACE(scheme);
    const Words settings = set({weighted_stimuli, "time.adaptive={enabled: true, tolerance: 1e-4}", "time.step=1",
                                "output.interval=1", "time.scheme=" + scheme, "quadrature=vertices"});
    nlohmann::json summary;
    const std::vector<Real> expected = expected_fields(settings, summary);
    ASSERT_FALSE(expected.empty());
    ASSERT_GT(summary["rejected_steps"], 0);
    for (const int processes : {1, 3}) expect_found(processes, settings, expected, summary, {});
  }
}

TEST_F(Petsc, TakesTheAttemptsOfAList) {
  const Words settings = set({weighted_stimuli, "stimuli.0.start=0", "time.scheme=sdirk2", "time.end=1"});
  nlohmann::json summary;
  const std::vector<Real> expected = expected_fields(settings, summary);
  ASSERT_EQ(summary["steps"], 5);
  write_text(folder / "all.json", "[[0.2, true], [5, false], [0.4, true], [0.6, true], [0.8, true], [1.0, true]]");
  Words words = set({weighted_stimuli, "stimuli.0.start=0", "time.scheme=sdirk2", "time.end=9", "time.step=0.7"});
  words.insert(words.end(), {"--attempts", folder / "all.json", "--fields", folder / "out.bin"});
  const ProgramResult result = petsc(2, words);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_LT(largest_difference(reals(folder / "out.bin"), expected), 1e-6);
  const auto report = nlohmann::json::parse(result.output);
  EXPECT_EQ(report["steps"], 5);
  EXPECT_GT(report["newton_iterations"], summary["newton_iterations"]);  // those of the step that was not accepted
}

TEST_F(Petsc, FindsTheFieldsOfTheProgramWithBlockJacobiWhereTheTolerancesAreNumbers) {
  for (const std::string quadrature : {"vertices", "vertices_and_centroid"}) {
    SCOPED_TRACE(quadrature);
    const Words settings = set({weighted_stimuli, "time.scheme=sdirk2", "quadrature=" + quadrature,
                                "newton.tolerance=1e-8", "linear_solver.tolerance=1e-10"});
    nlohmann::json summary;
    const std::vector<Real> expected = expected_fields(settings, summary);
    ASSERT_FALSE(expected.empty());
    expect_found(2, settings, expected, summary, {"--preconditioner", "block_jacobi"});
  }
}

TEST_F(Petsc, TakesOnlyTheFirstStepsAndTheSettingsOfTheCommandLine) {
  const ProgramResult run =
      run_program({"run", folder / "slab.yaml", "--backend", "cpu", "--set", "time.end=1", "--set", "time.step=0.1"},
                  folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const std::vector<Real> expected = point_values(read_pvd(folder / "result/potential.pvd").back().file, "potential");
  const ProgramResult result = petsc(2, {"--set", "time.step=0.1", "--steps", "10", "--fields", folder / "out.bin"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  std::vector<Real> potential = reals(folder / "out.bin");
  ASSERT_EQ(potential.size(), 2 * expected.size());
  potential.resize(expected.size());
  EXPECT_LT(largest_difference(potential, expected), 1e-6);
  EXPECT_EQ(nlohmann::json::parse(result.output)["steps"], 10);
}

TEST_F(Petsc, AStepThatDoesNotConvergeEndsWithExitCode3AsInTheProgram) {
  const Words settings{"--set", "newton.max_iterations=1"};
  Words run_words{"run", folder / "slab.yaml", "--backend", "cpu"};
  run_words.insert(run_words.end(), settings.begin(), settings.end());
  ASSERT_EQ(run_program(run_words, folder.path()).exit_code, 3);
  for (const int processes : {1, 2}) {
    Words words{"--json", folder / "out.json"};
    words.insert(words.end(), settings.begin(), settings.end());
    const ProgramResult result = petsc(processes, words);
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(errors_in(result.errors), 1) << result.errors;
    EXPECT_NE(result.errors.find("step 1 (t = 0.2 ms): Newton did not converge: max|Δφ| = "), std::string::npos)
        << result.errors;
    EXPECT_NE(result.errors.find("iterations in the step: 1 "), std::string::npos) << result.errors;
    EXPECT_FALSE(fs::exists(folder / "out.json"));
  }
}

TEST_F(Petsc, ANodeThatLeavesItsRangeOnOneProcessEndsAll) {
  // At one end of the slab and at the other: one of them is not on the process that says so.
  for (const std::string box : {"{min: [0, 0, 0], max: [0.6, 9, 9]}", "{min: [5.4, 0, 0], max: [9, 9, 9]}"}) {
    SCOPED_TRACE(box);
    const ProgramResult result =
        petsc(2, set({"stimuli=[{where: {box: " + box + "}, duration: 4 ms, amplitude: -160}]"}));
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(errors_in(result.errors), 1) << result.errors;
    EXPECT_NE(result.errors.find("left the range of the cell model"), std::string::npos) << result.errors;
  }
}

TEST_F(Petsc, MoreProcessesThanNodesAreRefused) {
  write_text(folder / "one.pts", "4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n");
  write_text(folder / "one.elem", "1\nTt 0 1 2 3 1\n");
  const Words settings{"--set", "mesh={file: one.pts, length_unit: mm}", "--set", "regions=[]", "--steps", "1"};
  EXPECT_EQ(petsc(4, settings).exit_code, 0);
  const ProgramResult refused = petsc(5, settings);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(errors_in(refused.errors), 1) << refused.errors;
  EXPECT_NE(refused.errors.find("4 nodes are too few for 5 processes"), std::string::npos) << refused.errors;
}

struct BadArguments {
  std::string name;
  int processes;
  Words arguments;
  std::string expected;  ///< part of the message
};

void PrintTo(const BadArguments& bad, std::ostream* stream) { *stream << bad.name; }

class BadPetsc : public Petsc, public testing::WithParamInterface<BadArguments> {};

TEST_P(BadPetsc, EndsWithExitCode2AndOneMessageAndNoFile) {
  Words words{"--json", folder / "out.json"};
  words.insert(words.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  const ProgramResult result = petsc(GetParam().processes, words);
  EXPECT_EQ(result.exit_code, 2) << result.errors;
  EXPECT_EQ(errors_in(result.errors), 1) << result.errors;
  EXPECT_NE(result.errors.find(GetParam().expected), std::string::npos) << result.errors;
  EXPECT_FALSE(fs::exists(folder / "out.json"));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadPetsc,
    testing::Values(
        BadArguments{"Preconditioner", 2, {"--preconditioner", "blockjacobi"}, "did you mean 'block_jacobi'?"},
        BadArguments{"Insertion", 2, {"--insertion", "co"}, "did you mean 'coo'?"},
        BadArguments{"Numbering", 2, {"--numbering", "local"}, "--numbering: expected locality or row_lengths"},
        BadArguments{"Option", 2, {"--stepz", "3"}, "--stepz"},
        BadArguments{"NoSteps", 2, {"--steps", "0"}, "--steps: expected a number of at least 1, got 0"},
        BadArguments{"NoRepeats", 1, {"--repeats", "0"}, "--repeats"},
        BadArguments{"WarmUp", 1, {"--warm-up", "-1"}, "--warm-up"},
        BadArguments{"Setting", 2, {"--set", "time.step"}, "--set: expected key.path=value, got 'time.step'"},
        BadArguments{"Key", 2, {"--set", "time.stepp=1"}, "time.stepp"},
        BadArguments{"Scheme", 2, {"--set", "time.scheme=sdirk"}, "did you mean 'sdirk2'?"},
        BadArguments{"NoAttempts", 2, {"--attempts", "none.json"}, "--attempts: 'none.json': expected a list"},
        BadArguments{"Attempts", 2, {"--attempts", "slab.yaml"}, "--attempts: 'slab.yaml': expected a list"},
        BadArguments{"Mesh", 2, {"--set", "mesh.file=none.msh"}, "none.msh"},
        BadArguments{"Stimulus", 2, {"--set", "stimuli.0.where={sphere: {center: [99, 0, 0], radius: 1}}"}, "stimuli"},
        BadArguments{"Folder", 2, {"--fields", "none/out.bin"}, "--fields: no folder"}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace cardiowarp::test
