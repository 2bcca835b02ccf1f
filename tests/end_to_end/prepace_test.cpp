// Runs that begin with the state of the heart after beats that the cache keeps: prepace.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "tests/support/bar_runs.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;

const Words every_checkpoint = set("checkpoint={interval: 0.57 ms, keep: 1000}");

/// Beats of 40 ms that whole steps of 0.25 ms meet.
class Prepace : public BarRuns {
 protected:
  void SetUp() override {
    BarRuns::SetUp();
    std::string yaml = bar_yaml;
    yaml += "prepace: {beats: 3, period: 40 ms, cache: cache}\n";
    write_text(folder / "bar.yaml", yaml);
  }

  static Words steps() { return {"--set", "time.step=0.25", "--set", "time.scheme=trbdf2"}; }
  std::size_t kept() const {
    std::size_t number = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder / "cache", ignored))
      if (fs::exists(entry.path() / "state.checkpoint")) ++number;
    return number;
  }
  fs::path state() const { return fs::directory_iterator(folder / "cache")->path() / "state.checkpoint"; }
};

TEST_F(Prepace, ARunBeginsWithTheStateAfterTheBeats) {
  // The same beats as a run of their own.
  const Words beats{"--set", "stimuli.0.period=40", "--set", "stimuli.0.count=3",
                    "--set", "time.end=120",        "--set", "checkpoint={interval: 120}"};
  std::string plain = read_text(folder / "bar.yaml");
  plain.resize(plain.find("prepace"));
  write_text(folder / "plain.yaml", plain);
  const auto run_plain = [&](const std::string& output, const Words& words) {
    return run_program(joined({"run", folder / "plain.yaml", "--backend", "cpu", "--output", folder / output}, words),
                       folder.path());
  };
  ASSERT_EQ(run_plain("beats", joined(steps(), beats)).exit_code, 0);
  const ProgramResult expected = run_plain("expected", joined(steps(), {"--from", folder / "beats"}));
  ASSERT_EQ(expected.exit_code, 0) << expected.errors;
  const ProgramResult paced = run("paced", steps());
  ASSERT_EQ(paced.exit_code, 0) << paced.errors;
  EXPECT_NE(paced.errors.find("pacing the heart with 3 beats of 40 ms by S1"), std::string::npos) << paced.errors;
  EXPECT_NE(paced.errors.find("the last beat ends within "), std::string::npos) << paced.errors;
  expect_same("paced", "expected");
  EXPECT_EQ(summary("paced")["from"]["time_ms"], 120);
  EXPECT_EQ(summary("paced")["from"]["file"], state().string());
  EXPECT_FALSE(fs::exists(state().parent_path() / "progress.checkpoint"));
}

TEST_F(Prepace, AnotherRunOfTheSameHeartFindsTheStateInTheCache) {
  ASSERT_EQ(run("first", steps()).exit_code, 0);
  const std::string stimuli =
      "stimuli=[{name: S1, where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, duration: 2, amplitude: 60}, {name: S2, "
      "where: {box: {min: [7, 0, 0], max: [8, 1, 1]}}, start: 4, duration: 2, amplitude: 60}]";
  const Words other{"--set", "output.interval=2",    "--set", "time.end=9", "--set", "checkpoint={interval: 3}",
                    "--set", "prepace.stimuli=[S1]", "--set", stimuli};
  const ProgramResult found = run("second", joined(steps(), other));
  ASSERT_EQ(found.exit_code, 0) << found.errors;
  EXPECT_NE(found.errors.find("3 beats of 40 ms by S1 found in '"), std::string::npos) << found.errors;
  EXPECT_EQ(found.errors.find("pacing the heart"), std::string::npos) << found.errors;
  EXPECT_EQ(kept(), 1);
  EXPECT_EQ(summary("second")["from"], summary("first")["from"]);
  for (const Words& changed :
       {Words{"--set", "prepace.beats=2"}, Words{"--set", "regions.0.cell_model.parameters.b=0.13"},
        Words{"--set", "stimuli.0.amplitude=61"}, Words{"--set", "initial.potential=-70"},
        Words{"--set", "quadrature=centroid"}}) {
    const std::size_t before = kept();
    const ProgramResult paced = run("other", joined(steps(), changed));
    ASSERT_EQ(paced.exit_code, 0) << paced.errors;
    EXPECT_EQ(kept(), before + 1) << changed.back();
  }
  make_mesh("8,1,1.01");
  ASSERT_EQ(run("other", steps()).exit_code, 0);
  EXPECT_EQ(kept(), 7);
}

TEST_F(Prepace, ADamagedStateIsMadeAnew) {
  ASSERT_EQ(run("first", steps()).exit_code, 0);
  std::string bytes = read_text(state());
  const std::string whole = bytes;
  bytes[bytes.size() / 2] ^= 1;
  for (const std::string& bad : {bytes, whole.substr(0, 1000), std::string()}) {
    write_text(state(), bad);
    const ProgramResult again = run("again", steps());
    ASSERT_EQ(again.exit_code, 0) << again.errors;
    EXPECT_NE(again.errors.find("it is made anew"), std::string::npos) << again.errors;
    expect_same("again", "first");
    EXPECT_TRUE(read_text(state()) == whole);
  }
}

TEST_F(Prepace, APacingThatIsEndedGoesOnBitForBit) {
  const Words many = joined(steps(), set("prepace.beats=60"));  // more than are paced while this looks away
  ASSERT_EQ(run("whole", many).exit_code, 0);
  fs::remove_all(folder / "cache");
  const ProgramResult stopped = run("again", joined(many, {"--stop-after", "1 ms"}));
  EXPECT_EQ(stopped.exit_code, 5) << stopped.errors;
  EXPECT_FALSE(fs::exists(folder / "again/resolved.yaml"));
  EXPECT_EQ(kept(), 0);
  const ProgramResult interrupted =
      run("again", joined(many, {"--set", "checkpoint={interval: 1}"}), [&](pid_t process) {
        const fs::path progress = fs::directory_iterator(folder / "cache")->path() / "progress.checkpoint";
        const auto before = fs::last_write_time(progress);
        EXPECT_TRUE(wait_until([&] { return fs::last_write_time(progress) != before; }));
        kill(process, SIGTERM);
      });
  EXPECT_EQ(interrupted.exit_code, 130) << interrupted.errors;
  EXPECT_NE(interrupted.errors.find("the pacing was stopped at t = "), std::string::npos) << interrupted.errors;
  const ProgramResult again = run("again", joined(many, {"--resume"}));
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_NE(again.errors.find("the pacing goes on from t = "), std::string::npos) << again.errors;
  expect_same("again", "whole");
}

TEST_F(Prepace, ARunThatBeganWithAPacedHeartGoesOnBitForBitWithoutTheCache) {
  ASSERT_EQ(run("whole", steps()).exit_code, 0);
  ASSERT_EQ(run("again", joined(steps(), every_checkpoint)).exit_code, 0);
  const auto all = checkpoints("again");
  for (std::size_t k = 3; k < all.size(); ++k) fs::remove(all[k]);
  fs::remove_all(folder / "cache");
  const ProgramResult result = run("again", joined(joined(steps(), every_checkpoint), {"--resume"}));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_FALSE(fs::exists(folder / "cache"));
  expect_same("again", "whole");
}

TEST_F(Prepace, TwoRunsAtOnceShareAPacing) {
  ASSERT_EQ(run("alone", steps()).exit_code, 0);
  const std::string expected = read_text(state());
  fs::remove_all(folder / "cache");
  const TemporaryDirectory first_output, second_output;  // of the program's messages
  const auto begin = [&](const std::string& output, const fs::path& messages) {
    return std::async(std::launch::async, [this, output, messages] {
      return run_program(joined({"run", folder / "bar.yaml", "--backend", "cpu", "--output", folder / output}, steps()),
                         messages);
    });
  };
  auto one = begin("one", first_output.path()), two = begin("two", second_output.path());
  const ProgramResult first = one.get(), second = two.get();
  ASSERT_EQ(first.exit_code, 0) << first.errors;
  ASSERT_EQ(second.exit_code, 0) << second.errors;
  const auto has_paced = [](const ProgramResult& result) {
    return result.errors.find("pacing the heart") != std::string::npos;
  };
  EXPECT_NE(has_paced(first), has_paced(second)) << first.errors << second.errors;
  EXPECT_TRUE(read_text(state()) == expected);
  expect_same("one", "alone");
  expect_same("two", "alone");
}

TEST_F(Prepace, ASignalEndsTheSetUpOfThePacingAtOnce) {
  const ProgramResult made = run_program(
      {"mesh", "slab", "--size", "8,8,8", "--edge", "0.25mm", "--output", folder / "bar.msh"}, folder.path());
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  const ProgramResult told = check(steps());
  const std::size_t place = told.output.find("not yet in the cache: '");
  ASSERT_NE(place, std::string::npos) << told.output;
  const std::string file = told.output.substr(place + 23, told.output.find('\'', place + 23) - place - 23);
  const fs::path kept = fs::path(file).parent_path();
  fs::create_directories(kept);
  const int other_run = ::open(kept.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(other_run, LOCK_EX), 0);
  const ProgramResult ended = run("ended", steps(), [&](pid_t process) {
    EXPECT_TRUE(wait_until([&] {  // it waits for the other run
      return read_text(folder / "stderr.txt").find("another run computes") != std::string::npos;
    }));
    ::flock(other_run, LOCK_UN);
    EXPECT_TRUE(wait_until([&] {  // it holds the folder: the set-up begins
      if (::flock(other_run, LOCK_EX | LOCK_NB) != 0) return true;
      ::flock(other_run, LOCK_UN);
      return false;
    }));
    ::kill(process, SIGTERM);
  });
  ::close(other_run);
  EXPECT_TRUE(ended.exit_code == -SIGTERM || ended.exit_code == 130) << ended.exit_code << ended.errors;
  EXPECT_EQ(ended.errors.find("pacing the heart"), std::string::npos) << ended.errors;
}

TEST_F(Prepace, AStateThatCannotBeKeptIsUsedAllTheSame) {
  ASSERT_EQ(run("kept", steps()).exit_code, 0);
  write_text(folder / "file", "");
  const ProgramResult result = run("unkept", joined(steps(), {"--set", "prepace.cache=file/cache"}));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.errors.find("the state will not be kept: cannot create folder"), std::string::npos) << result.errors;
  expect_same("unkept", "kept");
}

TEST_F(Prepace, CheckSaysWhetherTheStateIsInTheCacheAndWritesNothing) {
  const ProgramResult before = check(steps());
  ASSERT_EQ(before.exit_code, 0) << before.errors;
  EXPECT_NE(before.output.find("prepace: 3 beats of 40 ms by S1, not yet in the cache: '"), std::string::npos)
      << before.output;
  EXPECT_FALSE(fs::exists(folder / "cache"));
  ASSERT_EQ(run("first", steps()).exit_code, 0);
  const ProgramResult after = check(steps());
  EXPECT_NE(after.output.find("by S1, in the cache: '" + state().string()), std::string::npos) << after.output;
}

TEST_F(Prepace, TheUsualCacheIsTheOneOfTheUser) {
  setenv("XDG_CACHE_HOME", (folder / "user").c_str(), 1);
  std::string yaml = read_text(folder / "bar.yaml");
  yaml.replace(yaml.find(", cache: cache"), 14, "");
  write_text(folder / "bar.yaml", yaml);
  const ProgramResult result = run("first", steps());
  unsetenv("XDG_CACHE_HOME");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_FALSE(fs::is_empty(folder / "user/cardiowarp/prepace"));
}

TEST_F(Prepace, APacingThatDoesNotConvergeEndsTheRunWithoutResults) {
  const ProgramResult result =
      run("out", joined(steps(), {"--set", "newton.max_iterations=1", "--set", "newton.tolerance=1e-14"}));
  EXPECT_EQ(result.exit_code, 3) << result.errors;
  EXPECT_NE(result.errors.find("prepace: step "), std::string::npos) << result.errors;
  EXPECT_EQ(kept(), 0);
  EXPECT_FALSE(fs::exists(folder / "out/summary.json"));
}

}  // namespace
}  // namespace cardiowarp::test
