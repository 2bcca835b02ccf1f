#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "app/compare/comparison.hpp"
#include "app/compare/comparison_report.hpp"
#include "app/compare/field_difference.hpp"
#include "app/compare/petsc_launcher.hpp"
#include "app/compare/phase_figure.hpp"
#include "app/process/child_process.hpp"
#include "app/simulation/problem.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

using Values = std::vector<Real>;
constexpr Real infinite = std::numeric_limits<Real>::infinity();

FieldDifference difference(const Values& a, const Values& b) {
  FieldDifference d;
  d.add(a, b);
  return d;
}

TEST(FieldDifference, IsTheLargestAndTheRootMeanSquareOverAllThatWasAdded) {
  FieldDifference d = difference({1, 2}, {1, 5});
  EXPECT_EQ(d.largest(), 3);
  EXPECT_DOUBLE_EQ(d.rms(), std::sqrt(9.0 / 2));
  d.add(Values{0, -1}, Values{4, -1});
  EXPECT_EQ(d.largest(), 4);
  EXPECT_DOUBLE_EQ(d.rms(), std::sqrt(25.0 / 4));
  EXPECT_EQ(FieldDifference().rms(), 0);
}

TEST(FieldDifference, IsInfiniteWhereAValueIsNotANumber) {
  EXPECT_EQ(difference({NAN, 1}, {1, 1}).largest(), infinite);
  EXPECT_EQ(difference({1, 1}, {NAN, 1}).rms(), infinite);
}

TEST(FieldDifference, OfTimesIsInfiniteWhereOnlyOneSideHasNone) {
  FieldDifference never, one;
  never.add_times(Values{-1, 3}, Values{-1, 3.5});
  EXPECT_EQ(never.largest(), 0.5);
  one.add_times(Values{-1, 3}, Values{0, 3});
  EXPECT_EQ(one.largest(), infinite);
}

TEST(FrameStore, GivesBackItsFramesInAnyOrder) {
  FrameStore store;
  for (int k = 0; k < 3; ++k) store.append(Values{k + 0.25, -k - 0.5, 1e300});
  EXPECT_EQ(store.frames(), 3);
  EXPECT_EQ(store.read(2, 3), (Values{2.25, -2.5, 1e300}));
  EXPECT_EQ(store.read(0, 3), (Values{0.25, -0.5, 1e300}));
  store.append(Values{7, 8, 9});  // after reading
  EXPECT_EQ(store.read(3, 3), (Values{7, 8, 9}));
  EXPECT_EQ(store.read(1, 3), (Values{1.25, -1.5, 1e300}));
}

PhaseSeconds seconds(double scale) {
  return {.setup = 4 * scale, .element = 1 * scale, .assembly = 0, .linear_solve = 2 * scale, .total = 10 * scale};
}

/// A CPU, and a GPU that is 5 times as fast and whose potential differs by `potential_mv`.
Comparison two_sides(Real potential_mv) {
  Comparison comparison{.name = "heart.yaml", .nodes = 97, .elements = 31, .steps = 3, .simulated_ms = 0.3};
  comparison.max_difference = 1e-6;
  comparison.sides = {{.name = "cpu", .device = "2 threads", .newton_iterations = 7, .linear_iterations = 33},
                      {.name = "gpu", .device = "a <GPU>", .memory_bytes = 3 << 20}};
  comparison.sides[0].seconds = {seconds(1), seconds(3), seconds(2)};
  comparison.sides[1].seconds = {seconds(0.4), seconds(0.4), seconds(0.5)};
  comparison.sides[1].potential = difference({0, 1}, {0, 1 + potential_mv});
  return comparison;
}

TEST(Comparison, StatesASpeedUpByTheMediansOfEachPhaseWhereTheSidesAgree) {
  const Comparison comparison = two_sides(1e-7);
  EXPECT_TRUE(comparison.agrees());
  const Table table = with_columns(comparison_table(comparison),
                                   {"side", "phase", "repeats", "median_s", "min_s", "max_s", "speed_up", "agrees"});
  ASSERT_EQ(table.rows.size(), 14u);
  EXPECT_EQ(csv_text({table.columns, {table.rows[6], table.rows[7], table.rows[9], table.rows[13]}}),
            "side,phase,repeats,median_s,min_s,max_s,speed_up,agrees\n"
            "cpu,total,3,20,10,30,1,yes\n"
            "gpu,setup,3,1.6,1.6,2,5,yes\n"
            "gpu,assembly,3,0,0,0,,yes\n"  // nothing is no multiple of nothing
            "gpu,total,3,4,4,5,5,yes\n");
  const std::string text = comparison_text(comparison);
  EXPECT_NE(text.find("gpu against cpu"), std::string::npos) << text;
  EXPECT_NE(text.find("4 (4 to 5)"), std::string::npos) << text;
  EXPECT_NE(text.find("5 ×"), std::string::npos) << text;
  EXPECT_NE(text.find("3 MiB"), std::string::npos) << text;
  EXPECT_EQ(text.find("no speed-up"), std::string::npos) << text;
}

TEST(Comparison, StatesNoSpeedUpAnywhereWhereTheFieldsDiffer) {
  const Comparison comparison = two_sides(2e-6);
  EXPECT_FALSE(comparison.agrees());
  const Table table = with_columns(comparison_table(comparison), {"side", "speed_up", "agrees"});
  EXPECT_EQ(csv_text({table.columns, {table.rows[6], table.rows[13]}}), "side,speed_up,agrees\ncpu,1,yes\ngpu,,no\n");
  const std::string text = comparison_text(comparison);
  EXPECT_NE(text.find("gpu: no speed-up is stated"), std::string::npos) << text;
  EXPECT_EQ(text.find("×"), std::string::npos) << text;
  EXPECT_EQ(phase_figure(comparison).find("×"), std::string::npos);
}

TEST(Comparison, DisagreesWhereOneSideAloneActivates) {
  Comparison comparison = two_sides(0);
  comparison.sides[1].activation.add_times(Values{-1}, Values{2});
  EXPECT_FALSE(comparison.agrees());
}

/// The CPU with 5 of its 20 seconds for output, and 2 processes that have none and take 30.
Comparison with_petsc() {
  Comparison comparison = two_sides(0);
  for (PhaseSeconds& repeat : comparison.sides[0].seconds) repeat.output = repeat.total / 4;
  comparison.sides.back() = {.name = "petsc_jacobi", .device = "2 processes", .resident_bytes = 7 << 20};
  comparison.sides.back().has_output = false;
  comparison.sides.back().frames = 1;
  comparison.sides.back().seconds = {seconds(3)};
  return comparison;
}

TEST(Comparison, HoldsATotalWithoutOutputAgainstTheSameOfTheFirstSide) {
  const Comparison comparison = with_petsc();
  const Table table = with_columns(comparison_table(comparison), {"side", "phase", "median_s", "min_s", "max_s",
                                                                  "speed_up", "memory_mib", "resident_mib", "frames"});
  EXPECT_EQ(csv_text({table.columns, {table.rows[5], table.rows[6], table.rows[7], table.rows[12], table.rows[13]}}),
            "side,phase,median_s,min_s,max_s,speed_up,memory_mib,resident_mib,frames\n"
            "cpu,output,5,2.5,7.5,1,,,0\n"
            "cpu,total,20,10,30,1,,,0\n"
            "petsc_jacobi,setup,12,12,12,0.666667,,7,1\n"
            "petsc_jacobi,output,,,,,,7,1\n"
            "petsc_jacobi,total,30,30,30,0.5,,7,1\n");
  const std::string text = comparison_text(comparison);
  EXPECT_NE(text.find("0.5 ×"), std::string::npos) << text;
  EXPECT_NE(text.find("7 MiB resident"), std::string::npos) << text;
  EXPECT_NE(text.find("over the last frame"), std::string::npos) << text;
  EXPECT_NE(text.find("petsc_jacobi writes no output: its total is held against that of cpu without output\n"),
            std::string::npos)
      << text;
  EXPECT_NE(phase_figure(comparison).find("30 s (0.5 ×)"), std::string::npos);
}

TEST(Comparison, SaysWhatCrossesTheBusAndTheSecondsOfAllStepsAlone) {
  Comparison comparison = two_sides(0);
  comparison.sides[1].bus_bytes = 3 << 19;
  comparison.sides[1].stepping = {5, 1, 2};
  const Table table = with_columns(comparison_table(comparison), {"side", "phase", "bus_mib", "stepping_s"});
  EXPECT_EQ(csv_text({table.columns, {table.rows[0], table.rows[7]}}),
            "side,phase,bus_mib,stepping_s\n"
            "cpu,setup,,\n"
            "gpu,setup,1.5,2\n");
  EXPECT_NE(comparison_text(comparison).find("1.5 MiB over the bus"), std::string::npos);
}

TEST(PhaseFigure, DrawsTheSidesOnOneScaleAndEscapesTheirNames) {
  const std::string svg = phase_figure(two_sides(0));
  EXPECT_EQ(svg.find("<svg "), 0u);
  EXPECT_EQ(svg.rfind("</svg>\n"), svg.size() - 7);
  EXPECT_NE(svg.find("a &lt;GPU&gt;"), std::string::npos);
  EXPECT_NE(svg.find("4 s (5 ×)"), std::string::npos);
  // The longest bar, 20 s, is 440 wide: set-up of the CPU is 8 s of it, the GPU's 1.6 s.
  EXPECT_NE(svg.find("width=\"176.00\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("width=\"35.20\""), std::string::npos) << svg;
}

TEST(ComparisonOptions, OutOfRangeAreRefusedByName) {
  const auto refusal = [](const ComparisonOptions& options) {
    return test::input_error_of([&] { require_valid(options); });
  };
  EXPECT_NE(refusal({.steps = 0}).find("--steps: "), std::string::npos);
  EXPECT_NE(refusal({.steps = {}, .repeats = 0}).find("--repeats: "), std::string::npos);
  EXPECT_NE(refusal({.steps = {}, .warm_up_steps = -1}).find("--warm-up: "), std::string::npos);
  EXPECT_NE(refusal({.steps = {}, .max_difference = -1}).find("--max-difference: "), std::string::npos);
  EXPECT_NE(refusal({.steps = {}, .max_difference = NAN}).find("--max-difference: "), std::string::npos);
  EXPECT_NE(refusal({.steps = {}, .petsc_processes = 0}).find("--petsc: "), std::string::npos);
  EXPECT_NE(refusal({.steps = {}, .petsc_processes = 1025}).find("--petsc: "), std::string::npos);
  EXPECT_NO_THROW(require_valid(ComparisonOptions{.steps = {}}));
  EXPECT_NO_THROW(require_valid(ComparisonOptions{.steps = 1, .repeats = 1, .warm_up_steps = 0, .max_difference = 0}));
}

TEST(ComparedAnswers, MayDifferByTheToleranceOfAStepWhereThatIsHowTheSolversEnd) {
  Problem problem;  // with φ = 1 at 20 mV, 100 mV above rest
  problem.time.tolerance = 2e-3;
  EXPECT_EQ(as_close_as_solved(problem), 1e-6);
  problem.time.linear_follows = true;
  EXPECT_NEAR(as_close_as_solved(problem), 0.2, 1e-12);
  problem.time = {.tolerance = 1e-10, .newton_follows = true};
  EXPECT_EQ(as_close_as_solved(problem), 1e-6);
}

class ChildProcess : public testing::Test {
 protected:
  std::optional<int> shell(const std::string& command, const std::function<bool()>& stop_requested,
                           std::chrono::milliseconds grace = std::chrono::seconds(5)) const {
    return run_child({"/bin/sh", "-c", command, "sh", "a  b"}, {"WORD=of the environment"}, folder / "errors",
                     stop_requested, grace);
  }
  std::optional<int> shell(const std::string& command) const {
    return shell(command, [] { return false; });
  }
  std::string errors() const { return test::read_text(folder / "errors"); }
  /// Whether a process is gone within seconds: what its parent left behind, another has to collect.
  static bool ends(int process) {
    for (int looks = 0; looks < 500 && ::kill(process, 0) == 0; ++looks)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return ::kill(process, 0) != 0;
  }

  test::TemporaryDirectory folder;
};

TEST_F(ChildProcess, GetsItsWordsAndItsEnvironmentAndGivesBackItsExitCodeAndItsErrors) {
  EXPECT_EQ(shell("echo \"$1, $WORD, $HOME\" >&2; exit 3"), 3);
  EXPECT_EQ(errors(), "a  b, of the environment, \n");
  EXPECT_EQ(shell("exit 0"), 0);
  EXPECT_EQ(errors(), "");
  EXPECT_EQ(shell("kill -9 $$"), 128 + SIGKILL);
}

TEST_F(ChildProcess, IsEndedWithItsOwnChildrenWhereAStopIsRequested) {
  // The child begins before the trap, which it would have, too, until it is `sleep`; the second `wait` is for its end
  const std::string command = "sleep 1000 & trap : TERM; echo $$ $! >&2; wait; wait";
  EXPECT_EQ(shell(command, [&] { return errors().ends_with('\n'); }), std::nullopt);
  std::istringstream processes(errors());
  int shell_id = 0, sleep_id = 0;
  ASSERT_TRUE(processes >> shell_id >> sleep_id);
  EXPECT_TRUE(ends(shell_id));
  EXPECT_TRUE(ends(sleep_id));
}

TEST_F(ChildProcess, ThatIgnoresItIsEndedAllTheSame) {
  const std::string command = "trap '' TERM; echo $$ >&2; sleep 1000";
  const auto started = [&] { return errors().ends_with('\n'); };
  EXPECT_EQ(shell(command, started, std::chrono::milliseconds(50)), std::nullopt);
  EXPECT_TRUE(ends(std::stoi(errors())));
}

TEST_F(ChildProcess, IsEndedBySignalsThatThisProgramIgnores) {
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGTERM}) {
    const auto before = std::signal(signal, SIG_IGN);
    EXPECT_EQ(shell("kill -" + std::to_string(signal) + " $$; exit 0"), 128 + signal);
    std::signal(signal, before);
  }
}

TEST_F(ChildProcess, ThatCannotBeStartedIsAnInputError) {
  EXPECT_EQ(test::input_error_of([&] { run_child({"/no/program"}, {}, folder / "errors", [] { return false; }); }),
            "cannot start '/no/program': No such file or directory");
}

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(ProgramInPath, IsTheFirstFileThatMayBeExecuted) {
  const test::TemporaryDirectory folder;
  for (const char* name : {"a", "b", "c", "a/tool"}) std::filesystem::create_directory(folder / name);
  for (const char* name : {"b/tool", "c/tool"}) test::write_text(folder / name, "#!/bin/sh\n");
  ::chmod((folder / "c/tool").c_str(), 0755);
  const std::string root = folder.path();
  const Variable path("PATH", (root + "/none::" + root + "/a:" + root + "/b:" + root + "/c").c_str());
  EXPECT_EQ(program_in_path("tool"), folder / "c/tool");
  EXPECT_EQ(program_in_path("no_tool"), "");
}

TEST(PetscEnvironment, IsThatOfTheProgramWithOneThreadAProcessAndOpenMpisVariablesWhereTheyAreNotSet) {
  const Variable threads("OMP_NUM_THREADS", "7"), kept("PETSC_OPTIONS", "-log_view"),
      own("OMPI_MCA_hwloc_base_binding_policy", "core");
  const std::vector<std::string> environment = petsc_environment("/scratch");
  for (const char* variable : {"OMP_NUM_THREADS=1", "OMP_PROC_BIND=false", "TMPDIR=/scratch", "PETSC_OPTIONS=-log_view",
                               "OMPI_MCA_hwloc_base_binding_policy=core", "PRTE_MCA_hwloc_default_binding_policy=none"})
    EXPECT_EQ(std::count(environment.begin(), environment.end(), variable), 1) << variable;
}

TEST(ReasonInErrors, IsTheLineOfTheProgramOrElseTheFirstThatIsNoRule) {
  const std::string rule = "-----------\n";
  EXPECT_EQ(reason_in("warning: slow\nerror: step 3: why\n" + rule + "mpiexec detected that\n" + rule), "step 3: why");
  EXPECT_EQ(reason_in(rule + "\nThere are not enough slots\nin the system\n" + rule), "There are not enough slots");
  EXPECT_EQ(reason_in(rule), "no message");
}

}  // namespace
}  // namespace cardiowarp
