// What a run says of itself, in summary.json and in words, against the same steps made here.

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/files/folder_lock.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/time_stepper.hpp"
#include "app/start/load.hpp"
#include "fem/input_error.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_results.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// The steps of a configuration, made without the program.
struct Steps {
  Steps(const fs::path& file, const Words& settings) {
    std::vector<Override> overrides;
    for (const std::string& setting : settings) overrides.push_back(parse_override(setting));
    const Config config = load_config(file, overrides);
    const CheckedMesh checked = load_mesh(config.mesh);
    const Problem problem = build_problem(config, checked.mesh);
    const auto simulation = make_cpu_simulation(problem);
    TimeStepper stepper(config.time, config.output.interval_ms, problem.stimuli);
    while (!stepper.finished() && !failure) {
      const StepReport report = stepper.advance(*simulation);
      newton_iterations += report.newton_iterations;
      linear_iterations += report.linear_iterations;
      failure = report.failure;
    }
    counts = stepper.counts();
    attempts = stepper.attempts();
    simulated_ms = simulation->time_ms();
    methods = simulation->methods();
    mesh = checked.report;
    nodes = checked.mesh.nodes;
    elements = checked.mesh.tetrahedra.size();
  }

  std::int64_t newton_iterations = 0, linear_iterations = 0;
  StepCounts counts;
  std::vector<StepAttempt> attempts;
  std::optional<StepFailure> failure;
  Real simulated_ms = 0;
  SimulationMethods methods;
  MeshReport mesh;
  std::vector<Vector3> nodes;
  std::size_t elements = 0;
};

/// Runs of 10 ms on the mesh and the configuration of tests/data/two_regions.
class RunSummary : public testing::Test {
 protected:
  RunSummary() {
    for (const char* suffix : {".pts", ".elem", ".lon", ".yaml"})
      fs::copy_file(fs::path(CARDIOWARP_TWO_REGIONS) / (std::string("two_regions") + suffix), mesh(suffix));
  }

  fs::path mesh(const std::string& suffix) const { return folder / ("two_regions" + suffix); }
  fs::path result(const std::string& name) const { return folder / "result" / name; }

  Words with_defaults(const Words& settings) const {
    Words all{"time.end=10", "output.interval=2.5", "backend=cpu"};
    all.insert(all.end(), settings.begin(), settings.end());
    return all;
  }
  ProgramResult run(const Words& settings, const std::function<void(pid_t)>& meanwhile = {}) const {
    Words arguments{"run", mesh(".yaml")};
    for (const std::string& setting : with_defaults(settings)) arguments.insert(arguments.end(), {"--set", setting});
    return run_program(arguments, folder.path(), meanwhile);
  }
  nlohmann::json summary() const { return nlohmann::json::parse(read_text(result("summary.json"))); }

  /// The numbers that do not depend on how the run ended, and that its files are as many as it says.
  void expect_summary_of(const Steps& steps) const {
    const nlohmann::json said = summary();
    EXPECT_EQ(said["steps"], steps.counts.accepted);
    EXPECT_EQ(said["rejected_steps"], steps.counts.rejected);
    EXPECT_EQ(said["steps_above_tolerance"], steps.counts.above_tolerance);
    EXPECT_EQ(said["shortest_step_ms"], steps.counts.shortest_ms);
    EXPECT_EQ(said["longest_step_ms"], steps.counts.longest_ms);
    EXPECT_EQ(said["newton_iterations"], steps.newton_iterations);
    EXPECT_EQ(said["linear_iterations"], steps.linear_iterations);
    EXPECT_GT(steps.linear_iterations, steps.newton_iterations);
    EXPECT_EQ(said["simulated_ms"], steps.simulated_ms);
    EXPECT_EQ(said["mesh"]["nodes"], steps.nodes.size());
    EXPECT_EQ(said["mesh"]["elements"], steps.elements);
    EXPECT_EQ(said["mesh"]["nonzeros"], steps.methods.matrix_entries);
    EXPECT_EQ(said["mesh"]["inverted_elements"], steps.mesh.inverted_elements);
    EXPECT_EQ(said["mesh"]["unreferenced_nodes"], steps.mesh.unreferenced_nodes);
    EXPECT_EQ(said["mesh"]["volume_mm3"], steps.mesh.volume_mm3);
    EXPECT_EQ(said["backend"], "cpu");
    EXPECT_EQ(said["spmv"], steps.methods.format);
    EXPECT_EQ(said["precision"], "double");
    EXPECT_EQ(said["precision"], steps.methods.precision);
    EXPECT_EQ(said["solver"], steps.methods.solver);
    EXPECT_EQ(said["solver_reason"], steps.methods.solver_reason);
    EXPECT_NE(said["solver_reason"], "");
    EXPECT_EQ(said["assembly"], steps.methods.assembly);
    EXPECT_EQ(said["assembly_order"], steps.methods.assembly_order);
    EXPECT_EQ(said["repeatable"], true);
    EXPECT_EQ(said["threads"], omp_get_max_threads());

    const auto frames = read_pvd(result("potential.pvd"));
    EXPECT_EQ(said["frames"], frames.size());
    EXPECT_NEAR(frames.back().time_ms, steps.simulated_ms, 1e-9);
    EXPECT_EQ(read_probes(result("probes.csv")).rows.size(), static_cast<std::size_t>(steps.counts.accepted) + 1);
    Real sum = 0;
    for (const char* phase : {"setup", "element", "assembly", "linear_solve", "update", "output"}) {
      EXPECT_GT(said["seconds"][phase], 0) << phase;
      sum += said["seconds"][phase].get<Real>();
    }
    EXPECT_GE(said["seconds"]["total"], sum);
  }

  const TemporaryDirectory folder;
};

TEST_F(RunSummary, CountsTheStepsIterationsAndFramesOfEqualSteps) {
  const ProgramResult program = run({});
  ASSERT_EQ(program.exit_code, 0) << program.errors;
  EXPECT_EQ(summary()["status"], "completed");
  EXPECT_EQ(summary()["steps"], 40);
  EXPECT_EQ(summary()["frames"], 5);
  EXPECT_EQ(summary()["mesh"]["nodes"], 30);
  EXPECT_EQ(summary()["mesh"]["elements"], 48);
  expect_summary_of({mesh(".yaml"), with_defaults({})});
}

TEST_F(RunSummary, NamesMethodsThatTypedInGiveTheSameFilesToTheLastBit) {
  const auto files = [&] {
    std::map<std::string, std::string> contents;
    for (const char* name : {"frames/potential_000000.vtu", "frames/potential_000004.vtu", "maps.vtu", "probes.csv"})
      contents[name] = read_text(result(name));
    return contents;
  };
  for (const std::string wish : {"assembly={}", "linear_solver.spmv=k2rs", "assembly.strategy=scalar_gather"}) {
    ASSERT_EQ(run({wish}).exit_code, 0);
    const nlohmann::json said = summary();
    const auto first = files();
    Words typed{"linear_solver.spmv=" + said["spmv"].get<std::string>(),
                "linear_solver.path=" + said["solver"].get<std::string>(),
                "assembly.strategy=" + said["assembly"].get<std::string>(),
                "assembly.order=" + said["assembly_order"].get<std::string>()};
    for (const char* key : {"threshold", "sorting_window", "block_size"})
      if (said.contains(key)) typed.push_back("linear_solver." + std::string(key) + "=" + said[key].dump());
    const ProgramResult again = run(typed);
    ASSERT_EQ(again.exit_code, 0) << again.errors;
    EXPECT_EQ(files(), first) << wish;
    for (const char* key : {"spmv", "solver", "assembly", "assembly_order"})
      EXPECT_EQ(summary()[key], said[key]) << key;
  }
  EXPECT_EQ(summary()["assembly"], "row_gather");
}

TEST_F(RunSummary, AndTheLogSayThatAtomicAdditionsDoNotRepeatEveryBit) {
  const std::string warning = "adds in another order in every run: the last bits of the results differ";
  for (const std::string strategy : {"atomics", "elem_color"}) {
    const ProgramResult program =
        run({"quadrature=centroid", "assembly={strategy: " + strategy + ", repeatable: false}"});
    ASSERT_EQ(program.exit_code, 0) << program.errors;
    EXPECT_EQ(summary()["repeatable"], strategy != "atomics") << strategy;
    EXPECT_EQ((program.output + program.errors).find("assembly atomics " + warning) != std::string::npos,
              strategy == "atomics")
        << strategy;
  }
}

TEST_F(RunSummary, AStrategyThatTheMatrixDoesNotAllowLeavesTheResultsOfTheRunBefore) {
  ASSERT_EQ(run({}).exit_code, 0);
  const std::string before = read_text(result("summary.json"));
  const ProgramResult refused = run({"assembly.strategy=slice_gather"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("assembly.strategy: slice_gather needs linear_solver.spmv to be one of"),
            std::string::npos)
      << refused.errors;
  EXPECT_EQ(read_text(result("summary.json")), before);
}

TEST_F(RunSummary, CountsTheAdaptiveStepsThatWereRejectedAndTellsOfThoseAboveTheTolerance) {
  const Words settings{"time.scheme=backward_euler",
                       "time.adaptive={enabled: true, tolerance: 3e-4, min_step: 0.1, max_step: 1}"};
  const ProgramResult program = run(settings);
  ASSERT_EQ(program.exit_code, 0) << program.errors;
  const Steps steps(mesh(".yaml"), with_defaults(settings));
  ASSERT_GT(steps.counts.rejected, 0);
  ASSERT_GT(steps.counts.above_tolerance, 0);
  expect_summary_of(steps);
  const std::string warning =
      std::to_string(steps.counts.above_tolerance) + " steps of time.adaptive.min_step have a larger error";
  EXPECT_NE(program.errors.find(warning), std::string::npos) << program.errors;

  const ProgramResult coarse =
      run({"time.scheme=backward_euler", "time.adaptive={enabled: true, tolerance: 0.5, min_step: 0.1, max_step: 1}"});
  EXPECT_EQ(coarse.exit_code, 0) << coarse.errors;
  EXPECT_EQ(summary()["steps_above_tolerance"], 0);
  EXPECT_EQ(coarse.errors.find("time.adaptive.min_step"), std::string::npos) << coarse.errors;
}

TEST_F(RunSummary, SaysWhichStepFailedWhereAndWhatWasDoneBeforeIt) {
  const Words settings{"stimuli.0.amplitude=-60", "stimuli.0.where={box: {min: [3.5, 1, -1], max: [9, 9, 9]}}"};
  const ProgramResult program = run(settings);
  EXPECT_EQ(program.exit_code, 3);
  const Steps steps(mesh(".yaml"), with_defaults(settings));
  ASSERT_TRUE(steps.failure);
  ASSERT_GT(steps.counts.accepted, 8);  // the stimulus begins after 2 ms
  expect_summary_of(steps);
  EXPECT_EQ(summary()["status"], "failed");
  EXPECT_LT(steps.simulated_ms, 10);

  const std::string reason = summary()["reason"];
  EXPECT_NE(program.errors.find(reason), std::string::npos) << program.errors;
  const FailedStep said = failed_step(reason);
  EXPECT_EQ(said.step, steps.counts.accepted + 1) << reason;
  EXPECT_NEAR(said.time_ms, steps.simulated_ms + 0.25, 1e-6);
  EXPECT_EQ(said.node, steps.failure->node);
  EXPECT_NE(said.node, 0);
  EXPECT_NEAR(said.at[0], steps.nodes[said.node].x, 1e-6);
  EXPECT_NEAR(said.at[1], steps.nodes[said.node].y, 1e-6);
  EXPECT_NEAR(said.at[2], steps.nodes[said.node].z, 1e-6);
  EXPECT_NEAR(said.potential_mv, steps.failure->potential_mv, 1e-3);
  EXPECT_NE(reason.find(steps.failure->reason), std::string::npos) << reason;
}

TEST_F(RunSummary, NamesTheTimeOfTheShortestStepThatFailed) {
  const Words settings{"stimuli.0.amplitude=-200",
                       "time.adaptive={enabled: true, tolerance: 1e-2, min_step: 0.05, max_step: 1}"};
  const ProgramResult program = run(settings);
  EXPECT_EQ(program.exit_code, 3);
  const Steps steps(mesh(".yaml"), with_defaults(settings));
  ASSERT_TRUE(steps.failure);
  ASSERT_GT(steps.counts.rejected, 0);
  expect_summary_of(steps);
  const FailedStep said = failed_step(summary()["reason"]);
  EXPECT_EQ(said.step, steps.counts.accepted + 1);
  EXPECT_NEAR(said.time_ms, steps.attempts.back().end_ms, 1e-4);
  EXPECT_GT(said.time_ms, steps.simulated_ms + 0.04);
}

TEST_F(RunSummary, OfAnInterruptedRunCountsTheStepsThatItsFilesHold) {
  const ProgramResult program = run({"time.end=100000", "output.interval=1"}, [&](pid_t process) {
    EXPECT_TRUE(wait_until([&] { return fs::exists(result("frames/potential_000003.vtu")); }));
    kill(process, SIGINT);
  });
  EXPECT_EQ(program.exit_code, 130) << program.errors;
  const nlohmann::json said = summary();
  EXPECT_EQ(said["status"], "interrupted");
  const auto steps = said["steps"].get<std::int64_t>();
  EXPECT_GE(steps, 12);
  EXPECT_NE(said["reason"].get<std::string>().find("after step " + std::to_string(steps)), std::string::npos) << said;
  EXPECT_NE(program.errors.find(said["reason"].get<std::string>()), std::string::npos) << program.errors;
  EXPECT_DOUBLE_EQ(said["simulated_ms"], 0.25 * static_cast<Real>(steps));
  EXPECT_EQ(read_probes(result("probes.csv")).rows.size(), static_cast<std::size_t>(steps) + 1);
  const auto frames = read_pvd(result("potential.pvd"));
  EXPECT_EQ(said["frames"], frames.size());
  EXPECT_DOUBLE_EQ(frames.back().time_ms, said["simulated_ms"]);
}

TEST_F(RunSummary, LocksItsFolderWhileItRunsWhetherThatIsNewOrNot) {
  const auto is_locked = [&] {
    try {
      const FolderLock lock(folder / "result");
    } catch (const InputError&) {
      return true;
    }
    return false;
  };
  for (const char* state : {"new", "of an earlier run"}) {
    SCOPED_TRACE(state);
    const ProgramResult program = run({"time.end=100000", "output.interval=1"}, [&](pid_t process) {
      EXPECT_TRUE(wait_until([&] { return fs::exists(result("frames/potential_000003.vtu")); }));
      EXPECT_TRUE(is_locked());
      kill(process, SIGINT);
    });
    EXPECT_EQ(program.exit_code, 130) << program.errors;
    EXPECT_FALSE(is_locked());
    fs::remove_all(folder / "result/frames");  // so that the next run's can be waited for
  }
}

TEST_F(RunSummary, IsNotMadeOfAFolderThatAnotherRunWritesIntoWhichIsSaidBeforeTheMeshIsRead) {
  const FolderLock other(folder / "result");
  const ProgramResult refused = run({"mesh.file=nowhere.pts"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("output.directory: another run is writing"), std::string::npos) << refused.errors;
  EXPECT_TRUE(fs::is_empty(folder / "result"));
}

TEST_F(RunSummary, CountsInvertedTetrahedraAndNodesThatWereDroppedAndWarnsOfThem) {
  const std::string points = read_text(mesh(".pts")), elements = read_text(mesh(".elem"));
  // Two nodes more, of no element, and the first element's two last nodes in the other order.
  write_text(mesh(".pts"), "32" + points.substr(points.find('\n')) + "9 9 9\n8 8 8\n");
  const std::string first = "Tt 0 1 6 21 1\n", turned = "Tt 0 1 21 6 1\n";
  ASSERT_NE(elements.find(first), std::string::npos);
  std::string inverted = elements;
  write_text(mesh(".elem"), inverted.replace(inverted.find(first), first.size(), turned));
  const ProgramResult program = run({});
  ASSERT_EQ(program.exit_code, 0) << program.errors;
  EXPECT_EQ(summary()["mesh"]["inverted_elements"], 1);
  EXPECT_EQ(summary()["mesh"]["unreferenced_nodes"], 2);
  EXPECT_EQ(summary()["mesh"]["nodes"], 30);
  expect_summary_of({mesh(".yaml"), with_defaults({})});
  EXPECT_NE(program.errors.find("1 inverted "), std::string::npos) << program.errors;
  EXPECT_NE(program.errors.find("2 nodes of no tetrahedron"), std::string::npos) << program.errors;

  write_text(mesh(".pts"), points);
  write_text(mesh(".elem"), elements);
  const ProgramResult good = run({});
  EXPECT_EQ(good.errors.find("inverted"), std::string::npos) << good.errors;
  EXPECT_EQ(good.errors.find("of no tetrahedron"), std::string::npos) << good.errors;
}

TEST_F(RunSummary, AsksWhetherTheUnitIsTheFilesWhereTheMeshIsNoHeart) {
  // A tetrahedron 5 mm thick, just inside and outside what may be a heart: 20 to 300 mm.
  write_text(mesh(".elem"), "1\nTt 0 1 2 3 1\n");
  write_text(mesh(".lon"), "1\n1 0 0\n");
  for (const auto& [side_mm, unlikely] :
       {std::pair{300 * 1.001, true}, {300 * 0.999, false}, {20 * 1.001, false}, {20 * 0.999, true}}) {
    const std::string side = std::to_string(1e3 * side_mm);
    std::string points = "4\n0 0 0\n";
    points.append(side).append(" 0 0\n0 ").append(side).append(" 0\n0 0 5000\n");
    write_text(mesh(".pts"), points);
    const ProgramResult checked = run_program(
        {"check", mesh(".yaml"), "--set", "mesh.length_unit=um", "--set", "probes=[]", "--set", "regions=[]", "--set",
         "initial={}", "--set", "stimuli=[{where: {tag: 1}, duration: 1, amplitude: 1}]"},
        folder.path());
    ASSERT_EQ(checked.exit_code, 0) << checked.errors;
    EXPECT_EQ(checked.errors.find("read in um, the mesh is") != std::string::npos, unlikely)
        << side_mm << " mm: " << checked.errors;
  }
}

}  // namespace
}  // namespace cardiowarp::test
