// The number of threads: what the user may ask for, what the program says it uses, and that the answer is the same.

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/wave_yaml.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;

/// Processors that this process may use.
int processors() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  return CPU_COUNT(&set);
}

class Threads : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"OMP_NUM_THREADS", "OMP_WAIT_POLICY"}) ::unsetenv(name);
    // 4,225 nodes: several chunks for every loop of a step.
    const ProgramResult made = run_program(
        {"mesh", "slab", "--size", "8,4,4", "--edge", "0.33mm", "--output", folder / "bar.msh"}, folder.path());
    ASSERT_EQ(made.exit_code, 0) << made.errors;
    write_text(folder / "bar.yaml", wave_yaml_with({{"max: [1, 1, 1]", "max: [1, 4, 4]"},
                                                    {"end: 20 ms", "end: 2 ms"},
                                                    {"interval: 5 ms", "interval: 1 ms"}}) +
                                        "backend: cpu\n");
  }
  void TearDown() override { ::unsetenv("OMP_NUM_THREADS"); }

  ProgramResult run(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"run", folder / "bar.yaml"});
    return run_program(arguments, folder.path());
  }
  nlohmann::json summary() const { return nlohmann::json::parse(read_text(folder / "result/summary.json")); }

  TemporaryDirectory folder;
};

TEST_F(Threads, GiveTheSameBytesInAnyNumber) {
  std::vector<std::string> of_one;
  for (const std::string threads : {"1", "2", "3", "7"}) {
    const ProgramResult result = run({"--threads", threads});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(summary()["threads"], std::stoi(threads));
    EXPECT_EQ(summary()["threads_from"], "--threads");
    std::vector<std::string> files;
    for (const char* file : {"frames/potential_000001.vtu", "frames/potential_000002.vtu", "maps.vtu"})
      files.push_back(read_text(folder / "result" / file));
    if (of_one.empty()) of_one = files;
    EXPECT_TRUE(files == of_one) << threads;  // not printed: megabytes
  }
}

TEST_F(Threads, AreAllProcessorsWhereNothingIsSaid) {
  ASSERT_EQ(run().exit_code, 0);
  const std::string from = summary()["threads_from"];
  const bool has_quota = from.rfind("CPU quota of ", 0) == 0;
  EXPECT_TRUE(has_quota || from == "all processors" || from.rfind("CPU affinity of ", 0) == 0) << from;
  EXPECT_EQ(summary()["threads"] == processors(), !has_quota) << summary()["threads"];
}

TEST_F(Threads, AreThoseOfTheAffinityMask) {
  cpu_set_t before, one;
  sched_getaffinity(0, sizeof before, &before);
  CPU_ZERO(&one);
  for (int k = 0; k < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++k)
    if (CPU_ISSET(k, &before)) CPU_SET(k, &one);
  sched_setaffinity(0, sizeof one, &one);
  const ProgramResult result = run_program({"info"}, folder.path());
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_NE(result.output.find("  cpu      1 CPU thread"), std::string::npos) << result.output;
}

TEST_F(Threads, AreThoseOfTheEnvironmentAndOfTheOptionBeforeThem) {
  ::setenv("OMP_NUM_THREADS", " 3,2 ", 1);
  ASSERT_EQ(run().exit_code, 0);
  EXPECT_EQ(summary()["threads"], 3);
  EXPECT_EQ(summary()["threads_from"], "OMP_NUM_THREADS");
  const ProgramResult info = run_program({"info", "--threads", "1"}, folder.path());
  EXPECT_NE(info.output.find("  cpu      1 CPU thread (--threads)\n"), std::string::npos) << info.output;
  const ProgramResult check = run_program({"--threads", "5", "check", folder / "bar.yaml"}, folder.path());
  EXPECT_NE(check.output.find("threads: 5 CPU threads (--threads)\n"), std::string::npos) << check.output;
}

TEST_F(Threads, BeyondTheProcessorsAreSaidToShareThem) {
  const std::string more = std::to_string(processors() + 1);
  const ProgramResult result = run_program({"info", "--threads", more}, folder.path());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.errors.find("warning: --threads: " + more + " threads share "), std::string::npos) << result.errors;
  EXPECT_EQ(run_program({"info", "--threads", "1"}, folder.path()).errors, "");
}

TEST_F(Threads, ThatAreNoNumberAreRefusedWithTheNearest) {
  const std::string expected = "expected a whole number of threads from 1 to 1024, got ";
  const std::vector<std::pair<std::string, std::string>> wrong{{"0", "'0'; the nearest is 1"},
                                                               {"-1", "'-1'; the nearest is 1"},
                                                               {"1025", "'1025'; the nearest is 1024"},
                                                               {"1e9", "'1e9'; the nearest is 1024"},
                                                               {"two", "'two'"}};
  for (const auto& [number, message] : wrong) {
    std::string expected_error = expected;
    expected_error.append(message).append("\n");
    const ProgramResult option = run({"--threads", number});
    EXPECT_EQ(option.exit_code, 2) << number;
    EXPECT_EQ(option.errors, "error: --threads: " + expected_error);
    ::setenv("OMP_NUM_THREADS", number.c_str(), 1);
    const ProgramResult variable = run();
    EXPECT_EQ(variable.exit_code, 2) << number;
    EXPECT_NE(variable.errors.find("error: OMP_NUM_THREADS: " + expected_error), std::string::npos) << variable.errors;
    EXPECT_EQ(run_program({"info", "--threads", "1"}, folder.path()).exit_code, 0);
    ::unsetenv("OMP_NUM_THREADS");
  }
  EXPECT_FALSE(fs::exists(folder / "result"));
}

TEST_F(Threads, OfEachPlaceOfOpenMpAreBoundToIt) {
  if (processors() < 2) GTEST_SKIP() << "one processor";
  // The first thread is bound to the first place; those that it starts must not all stay there.
  ::setenv("OMP_PROC_BIND", "true", 1);
  ::setenv("OMP_PLACES", "threads", 1);
  std::set<std::string> masks;
  run_program({"run", folder / "bar.yaml", "--threads", "2", "--set", "time.end=100 s"}, folder.path(),
              [&](pid_t process) {
                const fs::path tasks = "/proc/" + std::to_string(process) + "/task";
                EXPECT_TRUE(wait_until([&] {
                  masks.clear();
                  for (const fs::directory_entry& task : fs::directory_iterator(tasks)) {
                    const std::string status = read_text(task.path() / "status");
                    const std::size_t mask = status.find("Cpus_allowed_list:");
                    if (mask == std::string::npos) continue;  // the thread has ended
                    masks.insert(status.substr(mask, status.find('\n', mask) - mask));
                  }
                  return masks.size() == 2;
                }));
                kill(process, SIGINT);
              });
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES"}) ::unsetenv(name);
  EXPECT_EQ(masks.size(), 2u);
}

}  // namespace
}  // namespace cardiowarp::test
