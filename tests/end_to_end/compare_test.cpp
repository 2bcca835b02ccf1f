// `cardiowarp compare`: a table, its files, and one line for bad input.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "app/process/child_process.hpp"
#include "tests/support/csv_head.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/wave_yaml.hpp"

namespace cardiowarp::test {
namespace {

using Words = std::vector<std::string>;

class Compare : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(program({"mesh", "slab", "--size", "8,1,1", "--edge", "0.5mm", "--output", folder / "bar.msh"}).exit_code,
              0);
    write_text(folder / "bar.yaml",
               wave_yaml_with({{"end: 20 ms", "end: 8 ms"}, {"interval: 5 ms", "interval: 1 ms"}}));
    std::filesystem::create_directory(folder / "tmp");
    ::setenv("TMPDIR", (folder / "tmp").c_str(), 1);
  }
  void TearDown() override { ::unsetenv("TMPDIR"); }

  ProgramResult program(const Words& words, const std::function<void(pid_t)>& meanwhile = {}) {
    return run_program(words, folder.path(), meanwhile);
  }
  ProgramResult compare(Words words, const std::function<void(pid_t)>& meanwhile = {}) {
    words.insert(words.begin(), {"compare", folder / "bar.yaml"});
    return program(words, meanwhile);
  }
  nlohmann::json rows() const { return nlohmann::json::parse(read_text(folder / "all.json")); }

  TemporaryDirectory folder;
};

TEST_F(Compare, HoldsTheCpuAgainstItselfWithOneThread) {
  ::setenv("OMP_NUM_THREADS", "3", 1);
  const ProgramResult result =
      compare({"--backend", "cpu", "--steps", "57", "--repeats", "2", "--warm-up", "3", "--csv", folder / "all.csv",
               "--json", folder / "all.json", "--figure", folder / "all.svg"});
  ::unsetenv("OMP_NUM_THREADS");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("cpu (3 threads)"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("cpu_1 against cpu"), std::string::npos) << result.output;

  ASSERT_EQ(
      program({"run", folder / "bar.yaml", "--backend", "cpu", "--set", "time.end=5.7", "--output", folder / "run"})
          .exit_code,
      0);
  const auto summary = nlohmann::json::parse(read_text(folder / "run/summary.json"));
  std::multiset<std::string> sides;
  for (const auto& row : rows()) {
    sides.insert(row["side"]);
    EXPECT_EQ(row["steps"], 57);
    EXPECT_EQ(row["frames"], summary["frames"]);
    EXPECT_EQ(row["newton_iterations"], summary["newton_iterations"]);
    EXPECT_EQ(row["cg_iterations"], summary["linear_iterations"]);
    EXPECT_EQ(row["potential_max_mv"], 0);  // the answer does not depend on the number of threads
    EXPECT_EQ(row["activation_max_ms"], 0);
    EXPECT_LE(row["min_s"], row["median_s"]);
    EXPECT_LE(row["median_s"], row["max_s"]);
    if (row["phase"] != "total") continue;
    double parts = 0;
    for (const auto& part : rows())
      if (part["side"] == row["side"] && part["phase"] != "total") parts += part["min_s"].get<double>();
    EXPECT_LE(parts, row["max_s"]);
    EXPECT_GT(parts, 0);
  }
  EXPECT_EQ(sides.count("cpu"), 7u);
  EXPECT_EQ(sides.count("cpu_1"), 7u);
  EXPECT_EQ(sides.size(), 14u);
  const std::string csv = read_text(folder / "all.csv");
  EXPECT_EQ(csv_head_of(csv).keys, csv_head_keys) << csv;
  EXPECT_EQ(csv_head_of(csv).columns.find("configuration,nodes,"), 0u) << csv;
  EXPECT_NE(csv.find("\nbar.yaml,"), std::string::npos);
  EXPECT_NE(read_text(folder / "all.svg").find("</svg>"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "result"));  // a run's results are its own
  EXPECT_TRUE(std::filesystem::is_empty(folder / "tmp"));
}

TEST_F(Compare, RepeatsTheAdaptiveStepsOfTheFirstSideOnTheOthers) {
  ::setenv("OMP_NUM_THREADS", "2", 1);
  const ProgramResult result = compare({"--backend", "cpu", "--repeats", "2", "--json", folder / "all.json", "--set",
                                        "time.adaptive={enabled: true, tolerance: 1e-5}"});
  ::unsetenv("OMP_NUM_THREADS");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::set<std::string> sides;
  std::set<int> newton_iterations;
  for (const auto& row : nlohmann::json::parse(read_text(folder / "all.json"))) {
    sides.insert(row["side"]);
    newton_iterations.insert(row["newton_iterations"].get<int>());
    EXPECT_EQ(row["potential_max_mv"], 0) << row;  // the same steps on the same machine
  }
  EXPECT_EQ(sides, (std::set<std::string>{"cpu", "cpu_1"}));
  EXPECT_EQ(newton_iterations.size(), 1u);
}

TEST_F(Compare, SaysSoWhereThereIsNoGpuAndRefusesWhereOneIsAskedFor) {
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const ProgramResult without = compare({"--steps", "2", "--repeats", "1", "--gpu-solver-only"});
  const ProgramResult refused = compare({"--steps", "2", "--backend", "gpu"});
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(without.exit_code, 0) << without.errors;
  EXPECT_NE(without.output.find("\nno GPU: "), std::string::npos) << without.output;
  EXPECT_EQ(without.output.find("gpu_solver_only"), std::string::npos) << without.output;
  EXPECT_EQ(refused.exit_code, 4) << refused.errors;
}

TEST_F(Compare, SaysWhichSideAndStepDidNotConvergeAndLeavesNothing) {
  const ProgramResult result = compare({"--backend", "cpu", "--set", "linear_solver.max_iterations=1"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.errors.find("cpu, step 1 (t = 0.1 ms): "), std::string::npos) << result.errors;
  EXPECT_TRUE(std::filesystem::is_empty(folder / "tmp"));
}

TEST_F(Compare, EndsAfterItsStepAndCleansUpWhenInterrupted) {
  const ProgramResult result = compare({"--backend", "cpu", "--repeats", "1000"}, [&](pid_t process) {
    ASSERT_TRUE(wait_until([&] { return !std::filesystem::is_empty(folder / "tmp"); }));
    ::kill(process, SIGINT);
  });
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "tmp"));
}

TEST_F(Compare, WritesIntoNothingButRegularFiles) {
  write_text(folder / "outside", "precious");
  std::filesystem::create_symlink("outside", folder / "link.svg");
  ASSERT_EQ(::mkfifo((folder / "fifo.svg.part").c_str(), 0666), 0);
  for (const char* option : {"--csv", "--json", "--figure"})
    for (const auto& [name, kind] :
         {std::pair("link.svg", "link.svg': expected a regular file or nothing, got a symbolic link"),
          std::pair("fifo.svg", "fifo.svg.part': expected a regular file or nothing, got a FIFO")}) {
      const ProgramResult result = compare({"--steps", "1", option, folder / name});
      EXPECT_EQ(result.exit_code, 2) << option;
      EXPECT_EQ(result.errors.find(std::string("error: ") + option + ": cannot write '"), 0u) << result.errors;
      EXPECT_NE(result.errors.find(kind), std::string::npos) << result.errors;
      EXPECT_EQ(result.output, "");
    }
  EXPECT_EQ(read_text(folder / "outside"), "precious");
}

TEST_F(Compare, WithoutAFolderForTemporaryFilesSaysSo) {
  ::setenv("TMPDIR", (folder / "bar.msh").c_str(), 1);
  const ProgramResult result = compare({"--backend", "cpu", "--steps", "1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("error: cannot make a temporary folder: TMPDIR: "), std::string::npos) << result.errors;
}

TEST_F(Compare, LetsNoResultReplaceAnother) {
  const ProgramResult result = compare({"--steps", "1", "--csv", folder / "all", "--json", folder / "./all"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("error: --json: expected another file than --csv has, got '"), std::string::npos)
      << result.errors;
  EXPECT_FALSE(std::filesystem::exists(folder / "all"));
}

TEST_F(Compare, BadArgumentsEndWithOneLine) {
  for (const Words& bad :
       {Words{"--steps", "0"}, Words{"--repeats", "0"}, Words{"--warm-up", "-1"}, Words{"--max-difference", "-1"},
        Words{"--petsc", "0"}, Words{"--csv", "none/all.csv"}, Words{"--figure", folder / "bar.msh"},
        Words{"--json", folder / "bar.msh"}, Words{"--csv", folder.path()}}) {
    const ProgramResult result = compare(bad);
    EXPECT_EQ(result.exit_code, 2) << bad[0];
    EXPECT_NE(result.errors.find("error: " + bad[0] + ": "), std::string::npos) << result.errors;
  }
  EXPECT_NE(read_text(folder / "bar.msh").find("$MeshFormat"), std::string::npos);
}

using CompareOnAGpu = OnAGpu<Compare>;

TEST_F(CompareOnAGpu, FindsTheFieldsOfTheCpuAndStatesASpeedUp) {
  const ProgramResult result = compare({"--repeats", "2", "--json", folder / "all.json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("gpu against cpu"), std::string::npos) << result.output;
  for (const auto& row : rows())
    if (row["side"] == "gpu") {
      EXPECT_LE(row["potential_max_mv"], 1e-6);
      EXPECT_LE(row["activation_max_ms"], 1e-6);
      EXPECT_EQ(row["agrees"], true);
    }
}

TEST_F(CompareOnAGpu, LetsTheGpuSolveWhatOneCoreAssembles) {
  for (const std::string quadrature : {"centroid", "vertices", "vertices_and_centroid"}) {
    const ProgramResult result = compare(
        {"--repeats", "1", "--gpu-solver-only", "--json", folder / "all.json", "--set", "quadrature=" + quadrature});
    ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
    int lines = 0;
    for (const auto& row : rows()) {
      EXPECT_EQ(row["bus_mib"].is_null(), row["side"] != "gpu_solver_only") << row;
      if (row["side"] != "gpu_solver_only") continue;
      ++lines;
      EXPECT_EQ(row["agrees"], true);
      EXPECT_EQ(row["newton_iterations"], rows().front()["newton_iterations"]);
      const double values_and_vectors = row["newton_iterations"].get<double>() * 8 * row["nodes"].get<double>();
      EXPECT_GT(row["bus_mib"].get<double>() * (1 << 20), 10 * values_and_vectors);
    }
    EXPECT_EQ(lines, 7);
  }
}

TEST_F(CompareOnAGpu, RefusesASpeedUpBeyondTheBound) {
  const ProgramResult result = compare({"--repeats", "1", "--max-difference", "0"});
  EXPECT_EQ(result.exit_code, 3) << result.errors;
  EXPECT_NE(result.output.find("gpu: no speed-up is stated"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("gpu against cpu"), std::string::npos) << result.output;
}

/// `compare` with cardiowarp_petsc beside the program and an mpiexec.
class CompareWithPetsc : public Compare {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(petsc_program())) GTEST_SKIP() << "no " << petsc_program();
    if (program_in_path("mpiexec").empty()) GTEST_SKIP() << "no mpiexec in PATH";
    Compare::SetUp();
  }

  static std::filesystem::path petsc_program() {
    return std::filesystem::path(CARDIOWARP_PROGRAM).parent_path() / "cardiowarp_petsc";
  }
};

TEST_F(CompareWithPetsc, FindsTheFieldsOfTheCpuWithBothPreconditioners) {
  const ProgramResult result = compare({"--backend", "cpu",
                                        "--petsc",   "2",
                                        "--steps",   "23",
                                        "--repeats", "2",
                                        "--warm-up", "3",
                                        "--set",     "time.step=0.2",
                                        "--set",     "time.scheme=backward_euler",
                                        "--set",     "quadrature=centroid",
                                        "--json",    folder / "all.json",
                                        "--csv",     folder / "all.csv",
                                        "--figure",  folder / "all.svg"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("petsc_jacobi against cpu"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("petsc_block_jacobi (2 processes, PETSc "), std::string::npos) << result.output;
  EXPECT_NE(read_text(folder / "all.svg").find(">petsc_block_jacobi<"), std::string::npos);
  EXPECT_NE(read_text(folder / "all.csv").find(",petsc_jacobi,"), std::string::npos);

  const nlohmann::json all = rows(), &cpu = all.front();
  ASSERT_EQ(cpu["side"], "cpu");
  ASSERT_NEAR(cpu["simulated_ms"].get<double>(), 4.6, 1e-9);
  std::multiset<std::string> sides;
  for (const auto& row : all) {
    sides.insert(row["side"]);
    if (row["side"].get<std::string>().rfind("petsc_", 0) != 0) continue;
    EXPECT_EQ(row["agrees"], true);
    EXPECT_EQ(row["frames"], 1);
    EXPECT_EQ(row["assembly"], "set_values");
    EXPECT_TRUE(row["memory_mib"].is_null());
    EXPECT_GT(row["resident_mib"], 1);
    EXPECT_EQ(row["repeats"], 2);
    const bool output = row["phase"] == "output";
    EXPECT_EQ(row["median_s"].is_null(), output);
    EXPECT_EQ(row["speed_up"].is_null(), output);
    if (row["side"] == "petsc_jacobi") {
      EXPECT_EQ(row["newton_iterations"], cpu["newton_iterations"]);
    } else {
      EXPECT_LT(row["cg_iterations"], cpu["cg_iterations"]);
      EXPECT_GT(row["potential_max_mv"], 0);  // otherwise nothing was compared
    }
  }
  EXPECT_EQ(sides.count("petsc_jacobi"), 7u);
  EXPECT_EQ(sides.count("petsc_block_jacobi"), 7u);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "tmp"));
}

TEST_F(CompareWithPetsc, FindsTheFieldsOfTheCpuWithAdaptiveStepsOfSecondOrderAndVertices) {
  const ProgramResult result = compare({"--backend", "cpu", "--petsc", "2", "--repeats", "1", "--json",
                                        folder / "all.json", "--set", "quadrature=vertices", "--set",
                                        "time={end: 8 ms, step: 1 ms, scheme: sdirk2, adaptive: {enabled: true}}"});
  ASSERT_EQ(result.exit_code, 0) << result.errors << result.output;
  const nlohmann::json all = rows(), &cpu = all.front();
  std::multiset<std::string> sides;
  for (const auto& row : all) {
    sides.insert(row["side"]);
    EXPECT_EQ(row["agrees"], true) << row;
    EXPECT_EQ(row["newton_iterations"], cpu["newton_iterations"]);  // in the same steps, the rejected ones, too
    if (row["side"] == "petsc_jacobi") {
      EXPECT_EQ(row["assembly"], "diagonal");
    }
    if (row["side"] != "petsc_block_jacobi") continue;
    EXPECT_GT(row["potential_max_mv"], 1e-6);  // as far as the systems are solved
    EXPECT_LT(row["cg_iterations"], cpu["cg_iterations"]);
  }
  EXPECT_EQ(sides.count("petsc_block_jacobi"), 7u);
}

TEST_F(CompareWithPetsc, SaysWhichSideAndStepDidNotConvergeAndLeavesNothing) {
  ::setenv("PETSC_OPTIONS", "-ksp_type richardson -ksp_richardson_scale -1", 1);
  const ProgramResult result = compare({"--backend", "cpu", "--petsc", "2", "--steps", "2"});
  ::unsetenv("PETSC_OPTIONS");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.errors.find("error: petsc_jacobi, step 1 (t = 0.1 ms): "), std::string::npos) << result.errors;
  EXPECT_TRUE(std::filesystem::is_empty(folder / "tmp"));
}

/// `compare` with a shell script in the place of mpiexec.
class CompareWithAnotherMpiexec : public CompareWithPetsc {
 protected:
  void SetUp() override {
    CompareWithPetsc::SetUp();
    path = std::getenv("PATH");
    mpiexec = program_in_path("mpiexec");
    std::filesystem::create_directory(folder / "bin");
    ::setenv("PATH", ((folder / "bin").string() + ":" + path).c_str(), 1);
  }
  void TearDown() override {
    if (!path.empty()) ::setenv("PATH", path.c_str(), 1);
    Compare::TearDown();
  }

  ProgramResult compare_with(const std::string& script, const std::function<void(pid_t)>& meanwhile = {},
                             const Words& settings = {}) {
    write_text(folder / "bin/mpiexec", "#!/bin/sh\n" + script);
    std::filesystem::permissions(folder / "bin/mpiexec", std::filesystem::perms::owner_all);
    Words words{"--backend", "cpu", "--petsc", "3", "--steps", "2", "--repeats", "1"};
    words.insert(words.end(), settings.begin(), settings.end());
    return compare(words, meanwhile);
  }

  std::string path, mpiexec;  ///< those of the machine
};

TEST_F(CompareWithAnotherMpiexec, TellsItsFailuresApart) {
  const struct {
    std::string script, message;
    int exit_code;
  } failures[] = {
      {"echo error: step 1: why >&2; echo ----- >&2; exit 3", "error: petsc_jacobi, step 1: why\n", 3},
      {"echo error: too few >&2; exit 2", "error: --petsc: too few\n", 2},
      {"echo ------- >&2; echo no slots >&2; exit 1", "/bin/mpiexec ended with exit code 1: no slots\n", 4},
      {"kill -9 $$", "/bin/mpiexec ended with exit code 137: no message\n", 4},
      {"shift 2; exec \"$@\"", "/bin/mpiexec started 3 processes that do not find each other", 2},
  };
  for (const auto& [script, message, exit_code] : failures) {
    const ProgramResult result = compare_with(script);
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    EXPECT_NE(result.errors.find(message), std::string::npos) << result.errors;
    EXPECT_EQ(result.errors.find("-----"), std::string::npos) << result.errors;
    EXPECT_TRUE(std::filesystem::is_empty(folder / "tmp"));
  }
}

TEST_F(CompareWithAnotherMpiexec, HasTheAdaptiveStepsOfTheFirstSideRepeated) {
  const std::string script =
      "while [ $# -gt 0 ]; do\n"
      "  if [ $1 = --attempts ]; then echo error: $(cat $2) >&2; exit 2; fi\n"
      "  words=\"$words $1\"; shift\n"
      "done\n" +
      mpiexec + " $words\n";
  const ProgramResult result = compare_with(
      script, {},
      {"--set", "time.adaptive.enabled=true", "--set", "time.scheme=backward_euler", "--set", "quadrature=centroid"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("error: --petsc: [[0.1,true],[0.2,false],"), std::string::npos) << result.errors;
}

TEST_F(CompareWithAnotherMpiexec, GivesItTheProcessorsOfAllThreads) {
  ::setenv("OMP_PROC_BIND", "true", 1);
  ::setenv("OMP_NUM_THREADS", "2", 1);
  const std::string list = "grep Cpus_allowed_list /proc/self/status >&2; exit 1";
  const ProgramResult result = compare_with(list);
  for (const char* name : {"OMP_PROC_BIND", "OMP_NUM_THREADS"}) ::unsetenv(name);
  std::istringstream own(read_text("/proc/self/status"));
  std::string line;
  while (std::getline(own, line) && line.rfind("Cpus_allowed_list", 0) != 0) continue;
  EXPECT_NE(result.errors.find(line + "\n"), std::string::npos) << result.errors << line;
}

TEST_F(CompareWithAnotherMpiexec, IsEndedWithTheProgramWhenInterrupted) {
  const std::string started = folder / "started";
  const ProgramResult result = compare_with("echo $$ >" + started + "; exec sleep 1000", [&](pid_t process) {
    ASSERT_TRUE(wait_until([&] { return !read_text(started).empty(); }));
    ::kill(process, SIGINT);
  });
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_NE(::kill(std::stoi(read_text(started)), 0), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "tmp"));
}

TEST_F(Compare, SaysWhichOfThePetscProgramsIsMissing) {
  std::filesystem::copy_file(CARDIOWARP_PROGRAM, folder / "cardiowarp");
  const Words words{folder / "cardiowarp", "compare", folder / "bar.yaml", "--petsc", "2"};
  const ProgramResult without_petsc = run_words(words, folder.path());
  EXPECT_EQ(without_petsc.exit_code, 2);
  EXPECT_NE(without_petsc.errors.find("error: --petsc: no cardiowarp_petsc in '" + folder.path().string() + "'"),
            std::string::npos)
      << without_petsc.errors;

  write_text(folder / "cardiowarp_petsc", "");
  std::filesystem::permissions(folder / "cardiowarp_petsc", std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", folder.path().c_str(), 1);
  const ProgramResult without_mpiexec = run_words(words, folder.path());
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(without_mpiexec.exit_code, 2);
  EXPECT_NE(without_mpiexec.errors.find("error: --petsc: no mpiexec in PATH\n"), std::string::npos)
      << without_mpiexec.errors;
}

}  // namespace
}  // namespace cardiowarp::test
