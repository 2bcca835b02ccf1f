// The program from the outside: a YAML file and a mesh in, files and an exit code out.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <vtkCell.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/run_of_a_bar.hpp"
#include "tests/support/run_results.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;

TEST_F(Run, WritesFramesFromTheStartAtTheIntervalWithTheirTimes) {
  const ProgramResult result = run();
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto frames = read_pvd(folder / "result/potential.pvd");
  ASSERT_EQ(frames.size(), 5u);
  for (int k = 0; k < 5; ++k) EXPECT_DOUBLE_EQ(frames[k].time_ms, 5 * k);
  const std::vector<Real> start = point_values(frames.front().file, "potential");
  EXPECT_EQ(start, std::vector<Real>(start.size(), -80));
  const std::vector<Real> end = point_values(frames.back().file, "potential");
  EXPECT_GT(*std::max_element(end.begin(), end.end()), 0);
  EXPECT_LT(*std::min_element(end.begin(), end.end()), -70);
  EXPECT_EQ(cell_values(frames.back().file, "recovery").size(), 16u * 2 * 2 * 6);
  for (const char* file : {"maps.vtu", "probes.csv", "resolved.yaml", "summary.json"})
    EXPECT_TRUE(fs::exists(folder / "result" / file)) << file;
}

TEST_F(Run, SaysLastWhereTheFilesAre) {
  const ProgramResult result = run();
  const std::string text = result.errors.substr(0, result.errors.find_last_not_of('\n') + 1);
  const std::string last_line = text.substr(text.find_last_of('\n') + 1);
  EXPECT_NE(last_line.find(fs::canonical(folder / "result").string()), std::string::npos) << last_line;
  EXPECT_EQ(result.errors.find('\r'), std::string::npos);  // no progress line when piped
}

TEST_F(Run, IsQuietAtLogLevelError) {
  const ProgramResult result = run({"--log-level", "error"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output + result.errors, "");
}

TEST_F(Run, RecordsTheProbeAtEveryStep) {
  ASSERT_EQ(run().exit_code, 0);
  const ProbeTable probes = read_probes(folder / "result/probes.csv");
  EXPECT_EQ(probes.header, "time_ms,middle");
  ASSERT_EQ(probes.rows.size(), 201u);
  for (int step = 0; step <= 200; ++step) EXPECT_DOUBLE_EQ(probes.rows[step][0], 0.1 * step);

  // The probe is on the edge from (4, 0.5, 0.5) to (4.5, 0.5, 0.5), a fifth of the way.
  const auto frames = read_pvd(folder / "result/potential.pvd");
  const vtkIdType near = node_at(frames[0].file, {4, 0.5, 0.5}), next = node_at(frames[0].file, {4.5, 0.5, 0.5});
  ASSERT_GE(near, 0);
  ASSERT_GE(next, 0);
  for (std::size_t k = 0; k <= 4; ++k) {
    const std::vector<Real> potential = point_values(frames[k].file, "potential");
    EXPECT_NEAR(probes.rows[50 * k][1], 0.8 * potential[near] + 0.2 * potential[next], 1e-9) << k;
  }
  EXPECT_GT(probes.rows[200][1] - probes.rows[0][1], 50);  // the wave has come by
}

TEST_F(Run, WithAdaptiveStepsWritesFramesExactlyAtTheIntervalAndCountsItsSteps) {
  const ProgramResult result =
      run({"--set", "time.adaptive={enabled: true, tolerance: 1e-3}", "--set", "stimuli.0.start=1.23", "--set",
           "time.scheme=backward_euler", "--set", "output.interval=0.7"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto frames = read_pvd(folder / "result/potential.pvd");
  ASSERT_EQ(frames.size(), 30u);
  for (int k = 0; k < 29; ++k) EXPECT_DOUBLE_EQ(frames[k].time_ms, 0.7 * k);
  EXPECT_EQ(frames.back().time_ms, 20);
  const std::string text = read_text(folder / "result/probes.csv");
  EXPECT_NE(text.find("\n1.23,"), std::string::npos) << text;
  EXPECT_NE(text.find("\n3.23,"), std::string::npos) << text;
  const auto summary = nlohmann::json::parse(read_text(folder / "result/summary.json"));
  const ProbeTable probes = read_probes(folder / "result/probes.csv");
  Real shortest = 20, longest = 0;
  for (std::size_t row = 1; row < probes.rows.size(); ++row) {
    const Real step = probes.rows[row][0] - probes.rows[row - 1][0];
    shortest = std::min(shortest, step);
    longest = std::max(longest, step);
  }
  EXPECT_LT(probes.rows.size(), 201u);
  EXPECT_EQ(summary["steps"], probes.rows.size() - 1);
  EXPECT_NEAR(summary["shortest_step_ms"].get<Real>(), shortest, 1e-9);
  EXPECT_NEAR(summary["longest_step_ms"].get<Real>(), longest, 1e-9);
  EXPECT_GT(longest, 5 * shortest);
  EXPECT_EQ(summary["steps_above_tolerance"], 0);
  const ProgramResult checked = program(
      {"check", folder / "bar.yaml", "--set", "time.adaptive.enabled=true", "--set", "time.scheme=backward_euler"});
  EXPECT_NE(checked.output.find("time: backward_euler, adaptive steps of 0.01 to 2 ms"), std::string::npos)
      << checked.output;
}

TEST_F(Run, TwiceGivesTheSameFilesByteForByte) {
  ASSERT_EQ(run().exit_code, 0);
  ASSERT_EQ(run({"--output", folder / "again"}).exit_code, 0);
  int compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "result")) {
    if (entry.is_directory() || entry.path().filename() == "summary.json" || entry.path().filename() == "resolved.yaml")
      continue;
    EXPECT_EQ(read_text(entry.path()), read_text(folder / "again" / fs::relative(entry.path(), folder / "result")));
    ++compared;
  }
  EXPECT_EQ(compared, 5 + 3);
}

TEST_F(Run, OfItsResolvedConfigurationGivesTheSameAnswer) {
  ASSERT_EQ(run().exit_code, 0);
  const ProgramResult again = program({"run", folder / "result/resolved.yaml", "--output", folder / "again"});
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(read_text(folder / "result/maps.vtu"), read_text(folder / "again/maps.vtu"));
}

TEST_F(Run, OfItsResolvedConfigurationInPlaceReplacesThatByNoOtherOne) {
  ASSERT_EQ(run().exit_code, 0);
  const std::string resolved = read_text(folder / "result/resolved.yaml"), maps = read_text(folder / "result/maps.vtu");
  const ProgramResult changed =
      program({"run", folder / "result/resolved.yaml", "--set", "time.end=2", "--output", folder / "result"});
  EXPECT_EQ(changed.exit_code, 2) << changed.errors;
  EXPECT_NE(changed.errors.find("output.directory: the run would replace its own configuration file '"),
            std::string::npos)
      << changed.errors;
  EXPECT_EQ(read_text(folder / "result/resolved.yaml"), resolved);
  EXPECT_EQ(read_text(folder / "result/maps.vtu"), maps);
  const ProgramResult same = program({"run", folder / "result/resolved.yaml"});
  EXPECT_EQ(same.exit_code, 0) << same.errors;
  EXPECT_EQ(read_text(folder / "result/resolved.yaml"), resolved);
  EXPECT_EQ(read_text(folder / "result/maps.vtu"), maps);
}

TEST_F(Run, KeepsTheOrderOfTheInputMesh) {
  ASSERT_EQ(program({"mesh", "refine", folder / "bar.msh", "--levels", "1", "--output", folder / "fine.vtu"}).exit_code,
            0);
  ASSERT_EQ(run({"--set", "mesh.file=fine.vtu", "--set", "time.end=1"}).exit_code, 0);
  const auto input = read_vtu(folder / "fine.vtu"), frame = read_vtu(folder / "result/frames/potential_000000.vtu");
  ASSERT_EQ(frame->GetNumberOfPoints(), input->GetNumberOfPoints());
  for (vtkIdType i = 0; i < input->GetNumberOfPoints(); ++i) {
    const double* expected = input->GetPoint(i);
    const std::array<double, 3> point{expected[0], expected[1], expected[2]};
    ASSERT_TRUE(std::equal(point.begin(), point.end(), frame->GetPoint(i))) << i;
  }
  vtkIdType tetrahedron = 0;
  for (vtkIdType cell = 0; cell < input->GetNumberOfCells(); ++cell) {
    if (input->GetCellType(cell) != VTK_TETRA) continue;
    for (int k = 0; k < 4; ++k)
      ASSERT_EQ(frame->GetCell(tetrahedron)->GetPointId(k), input->GetCell(cell)->GetPointId(k));
    ++tetrahedron;
  }
  EXPECT_EQ(frame->GetNumberOfCells(), tetrahedron);
}

TEST_F(Run, InterruptedEndsItsStepClosesItsFilesAndExitsWith130) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const fs::path result_folder = folder / std::to_string(signal);
    const ProgramResult result =
        program({"run", folder / "bar.yaml", "--set", "time.end=100000", "--set", "output.interval=1", "--output",
                 result_folder},
                [&](pid_t process) {
                  EXPECT_TRUE(wait_until([&] { return fs::exists(result_folder / "frames/potential_000003.vtu"); }));
                  kill(process, signal);
                });
    EXPECT_EQ(result.exit_code, 130) << signal << result.errors;
    const auto frames = read_pvd(result_folder / "potential.pvd");
    ASSERT_GE(frames.size(), 4u);
    for (const PvdFrame& frame : frames) EXPECT_EQ(point_values(frame.file, "potential").size(), 17u * 3 * 3);
    EXPECT_EQ(point_values(result_folder / "maps.vtu", "activation_time").size(), 17u * 3 * 3);
    EXPECT_NE(read_text(result_folder / "summary.json").find("\"interrupted\""), std::string::npos);
  }
}

/// The numbers that a .csv file has in its first column.
std::vector<Real> first_column(const fs::path& csv) {
  std::vector<Real> numbers;
  std::istringstream lines(read_text(csv));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) numbers.push_back(std::stod(line));
  return numbers;
}

TEST_F(Run, KilledAtAnyMomentLeavesFilesThatFitTogether) {
  // Again and again into one folder: while the earlier run is removed, and where a frame has just appeared.
  const fs::path result = folder / "result";
  const std::vector<std::string> arguments{"run",   folder / "bar.yaml",   "--log-level", "error",
                                           "--set", "output.interval=0.1", "--set",       "time.end=6"};
  const auto expect_what_fits = [&] {
    const auto frames = read_pvd(result / "potential.pvd");
    const std::vector<Real> rows = first_column(result / "probes.csv");
    if (fs::exists(result / "summary.json")) {
      EXPECT_EQ(frames.size(), 61u);
      EXPECT_EQ(rows.size(), 61u);
      EXPECT_TRUE(fs::exists(result / "maps.vtu"));
    }
    for (const PvdFrame& frame : frames) {
      EXPECT_EQ(point_values(frame.file, "potential").size(), 17u * 3 * 3);
      EXPECT_TRUE(std::ranges::any_of(rows, [&](Real time) { return std::abs(time - frame.time_ms) < 1e-9; }))
          << frame.time_ms;
    }
  };
  const auto has_ended = [](pid_t process) {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
  };
  const auto at_once = [&](pid_t process, const auto& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!condition() && !has_ended(process) && std::chrono::steady_clock::now() < end) {
    }
  };
  int kills = 0;
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(program(arguments).exit_code, 0);
    expect_what_fits();
    for (const int number : {-1, 4 * round + 1, 3 * round + 4}) {  // long before the end, on a busy machine too
      SCOPED_TRACE(number);
      char name[32];
      std::snprintf(name, sizeof name, "frames/potential_%06d.vtu", number);
      const ProgramResult killed = program(arguments, [&](pid_t process) {
        at_once(process, [&] { return !fs::exists(result / (number < 0 ? "potential.pvd" : name)); });
        if (number >= 0) at_once(process, [&] { return fs::exists(result / name); });
        kill(process, SIGKILL);
      });
      if (killed.exit_code != 0) {  // else it was faster
        EXPECT_EQ(killed.exit_code, -SIGKILL);
        ++kills;
      }
      expect_what_fits();
    }
  }
  EXPECT_GT(kills, 7);  // most of them
}

TEST_F(Run, ReadsAConfigurationFromAPipe) {
  const std::string yaml = "mesh: {file: " + (folder / "bar.msh").string() +
                           "}\ntime: {end: 1 ms, step: 0.1 ms}\noutput: {directory: " + (folder / "result").string() +
                           "}\n";
  write_text(folder / "text", yaml);
  const ProgramResult result = run_words(
      {"/bin/sh", "-c", "cat \"$1\" | \"$0\" run /dev/stdin", CARDIOWARP_PROGRAM, folder / "text"}, folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(fs::exists(folder / "result/summary.json"));
}

TEST_F(Run, ReadsItsOwnMapsAsAMeshButDoesNotReplaceThem) {
  ASSERT_EQ(run({"--set", "time.end=1"}).exit_code, 0);
  const std::string maps = read_text(folder / "result/maps.vtu");
  EXPECT_EQ(run({"--set", "mesh.file=result/maps.vtu", "--set", "time.end=1", "--output", folder / "next"}).exit_code,
            0);
  const ProgramResult refused = run({"--set", "mesh.file=result/maps.vtu"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("choose another output.directory"), std::string::npos) << refused.errors;
  EXPECT_EQ(read_text(folder / "result/maps.vtu"), maps);
}

TEST_F(Run, CheckWritesNothing) {
  const ProgramResult result = program({"check", folder / "bar.yaml"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("200 steps of 0.1 ms"), std::string::npos) << result.output;
  EXPECT_FALSE(fs::exists(folder / "result"));
}

TEST_F(Run, OfAMeshWithAScriptBesideItReadsTheMeshAndExecutesNothing) {
  const fs::path trace = folder / "executed";
  write_text(folder / "bar.msh.opt", "SystemCall 'touch " + trace.string() + "';\nExit;\n");
  const fs::path finer = folder / "finer.msh", report = folder / "result/summary.json";
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"check", folder / "bar.yaml"},
                                             {"run", folder / "bar.yaml", "--set", "time.end=5"},
                                             {"mesh", "refine", folder / "bar.msh", "--output", finer}}) {
    const ProgramResult result = program(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_FALSE(fs::exists(trace)) << arguments[0];
  }
  EXPECT_TRUE(fs::exists(report));
  EXPECT_TRUE(fs::exists(finer));
}

TEST_F(Run, LikeEveryCommandLeavesTheHomeFolderEmpty) {
  const TemporaryDirectory home;
  const char* const before = std::getenv("HOME");
  const std::string kept = before ? before : "";
  ::setenv("HOME", home.path().c_str(), 1);
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"info"},
           {"check", folder / "bar.yaml"},
           {"run", folder / "bar.yaml", "--set", "time.end=5"},
           {"mesh", "slab", "--unstructured", "--size", "2,2,2", "--edge", "1", "--output", folder / "box.msh"},
           {"mesh", "refine", folder / "bar.msh", "--output", folder / "finer.msh"}}) {
    const ProgramResult result = program(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    if (arguments[0] == "run") fs::remove_all(home / ".nv");  // CUDA's cache, where there is a GPU
    EXPECT_TRUE(fs::is_empty(home.path())) << arguments[0];
  }
  before ? ::setenv("HOME", kept.c_str(), 1) : ::unsetenv("HOME");
}

TEST_F(Run, OnAGpuItDoesNotHaveIsADeviceFailure) {
  const ProgramResult result = run({"--backend", "gpu"});
  if (result.exit_code == 0) {
    EXPECT_NE(read_text(folder / "result/summary.json").find("\"backend\": \"gpu\""), std::string::npos);
    GTEST_SKIP() << "this build and machine have a GPU";
  }
  EXPECT_EQ(result.exit_code, 4) << result.errors;
  EXPECT_FALSE(fs::exists(folder / "result"));
  const ProgramResult checked = program({"check", folder / "bar.yaml", "--backend", "gpu"});
  EXPECT_EQ(checked.exit_code, 0) << checked.errors;  // a configuration for another machine can be checked here
}

TEST_F(Run, WithBlockJacobiAndBackendAutoIsOnTheCpuAndSaysSo) {
  const std::vector<std::string> settings{"--set", "linear_solver.preconditioner=block_jacobi", "--set", "time.end=2"};
  const ProgramResult result = run(settings);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.errors.find("running on the CPU: linear_solver.preconditioner: block_jacobi is not for a GPU"),
            std::string::npos)
      << result.errors;
  const std::string summary = read_text(folder / "result/summary.json");
  EXPECT_NE(summary.find("\"backend\": \"cpu\""), std::string::npos) << summary;
  EXPECT_NE(summary.find("\"preconditioner\": \"block_jacobi\""), std::string::npos) << summary;
  std::vector<std::string> arguments{"check", folder / "bar.yaml"};
  arguments.insert(arguments.end(), settings.begin(), settings.end());
  const ProgramResult checked = program(arguments);
  EXPECT_NE(checked.output.find("preconditioner: block_jacobi"), std::string::npos) << checked.output;
}

TEST_F(Run, InfoAndVersionAndHelpEndWithZero) {
  EXPECT_NE(program({"info"}).output.find("VTK"), std::string::npos);
  EXPECT_EQ(program({"info"}).exit_code, 0);
  EXPECT_EQ(program({"--version"}).exit_code, 0);
  EXPECT_EQ(program({"run", "--help"}).exit_code, 0);
}

}  // namespace
}  // namespace cardiowarp::test
