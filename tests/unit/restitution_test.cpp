#include "app/study/restitution.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <vector>

#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

using Times = std::vector<Real>;

TEST(Bracket, PartsIntoWholeMilliseconds) {
  EXPECT_EQ(inside(100, 200, 1), Times{150});
  EXPECT_EQ(inside(100, 200, 3), (Times{125, 150, 175}));
  EXPECT_EQ(inside(100, 102, 7), Times{101});
  EXPECT_EQ(inside(100, 101, 7), Times{});
  EXPECT_EQ(inside(100, 104, 2), (Times{101, 102}));
  EXPECT_EQ(inside(99.5, 101.25, 5), (Times{100, 101}));
  EXPECT_EQ(inside(0, 1, 1), Times{});
}

TEST(Bracket, EndsWhateverIsRunAtATime) {
  for (int at_a_time = 1; at_a_time < 9; ++at_a_time)
    for (const Real erp : {1.0, 17.0, 299.0, 398.0}) {
      Real missed = 0, captured = 400;
      int rounds = 0;
      for (Times next = inside(missed, captured, at_a_time); !next.empty();
           next = inside(missed, captured, at_a_time)) {
        for (const Real time_ms : next) {
          ASSERT_TRUE(missed < time_ms && time_ms < 400) << time_ms;
          if (time_ms <= erp) missed = std::max(missed, time_ms);
          if (time_ms > erp) captured = std::min(captured, time_ms);
        }
        ASSERT_LT(++rounds, 12);
      }
      EXPECT_EQ(missed, erp);
      EXPECT_EQ(captured, erp + 1);
    }
}

RefractoryPeriod bracket_of_captures(const std::map<Real, std::optional<bool>>& captures) {
  std::map<Real, WaveAfterPulse> waves;
  for (const auto& [time_ms, captured] : captures) waves[time_ms] = {.interval_ms = time_ms, .captured = captured};
  return bracket_of(waves);
}

TEST(Bracket, IsBelowAllThatCaptured) {
  const RefractoryPeriod found =
      bracket_of_captures({{10, true}, {200, false}, {290, false}, {300, true}, {350, true}});
  EXPECT_EQ(found.missed_ms, 290);
  EXPECT_EQ(found.captured_ms, 300);
}

TEST(Bracket, TakesAPulseThatCannotBeJudgedForAMiss) {
  const RefractoryPeriod found = bracket_of_captures({{290, std::nullopt}, {300, true}});
  EXPECT_EQ(found.missed_ms, 290);
}

TEST(Bracket, HasNothingWhereNothingCapturedOrMissed) {
  EXPECT_EQ(bracket_of_captures({{200, false}, {300, false}}).captured_ms, std::nullopt);
  EXPECT_EQ(bracket_of_captures({{200, false}, {300, false}}).missed_ms, 300);
  EXPECT_EQ(bracket_of_captures({{200, true}, {300, true}}).missed_ms, std::nullopt);
  EXPECT_EQ(bracket_of_captures({{200, true}, {300, true}}).captured_ms, 200);
  EXPECT_EQ(bracket_of_captures({}).captured_ms, std::nullopt);
}

class ProtocolOfAFile : public testing::Test {
 protected:
  RestitutionProtocol protocol(const std::string& stimuli, PacedBy paced_by, const std::string& name = "") const {
    test::write_text(folder / "f.yaml", "mesh: {file: bar.msh}\nstimuli:\n" + stimuli +
                                            "time: {end: 700 ms, step: 0.1 ms}\noutput: {directory: out}\n");
    return {{.file = folder / "f.yaml", .folder = folder / "study"}, paced_by, name};
  }
  std::string refusal(const std::string& stimuli, PacedBy paced_by, const std::string& name = "") const {
    return test::input_error_of([&] { protocol(stimuli, paced_by, name); });
  }
  static std::string stimulus(const std::string& keys) {
    return "  - {where: {box: {min: [0,0,0], max: [1,1,1]}}, duration: 2 ms, amplitude: 50 mV/ms, " + keys + "}\n";
  }

  test::TemporaryDirectory folder;
};

TEST_F(ProtocolOfAFile, HasTheIntervalFromTheLastPulseOfTheOthers) {
  const std::string s1 = stimulus("name: S1, start: 10 ms, period: 100 ms, count: 3"),
                    s2 = stimulus("name: S2, start: 500 ms");
  EXPECT_DOUBLE_EQ(protocol(s1 + s2, PacedBy::interval).given_ms(), 290);
  EXPECT_EQ(protocol(s1 + s2, PacedBy::interval).stimulus(), "S2");
  EXPECT_DOUBLE_EQ(protocol(s2 + s1, PacedBy::interval, "S2").given_ms(), 290);
  EXPECT_DOUBLE_EQ(protocol(s1 + s2, PacedBy::period, "S1").given_ms(), 100);
}

TEST_F(ProtocolOfAFile, VariesTheLastOfSeveralExtraPulses) {
  const std::string other = stimulus("name: other, start: 1 ms"),
                    s123 = stimulus("name: S1, start: 10 ms, period: 100 ms, count: 2, intervals: [90 ms, 80 ms]");
  const RestitutionProtocol s3 = protocol(other + s123, PacedBy::interval);
  EXPECT_EQ(s3.stimulus(), "S3");
  EXPECT_DOUBLE_EQ(s3.given_ms(), 80);
  const StudyRun run = s3.run_of(60);
  EXPECT_EQ(run.settings[0].key_path, "stimuli.1.intervals.1");
  EXPECT_EQ(run.settings[0].value, "60 ms");
  EXPECT_EQ(run.settings[1].value, "680 ms");
  const RestitutionProtocol s2 = protocol(
      stimulus("intervals: [5 ms], period: 9, count: 2") + stimulus("name: early, start: 300 ms"), PacedBy::interval);
  EXPECT_EQ(s2.run_of(60).settings[0].key_path, "stimuli.1.start");
}

TEST_F(ProtocolOfAFile, RefusesStimuliThatShareAnEntryWithLaterPulses) {
  const std::string s123 = stimulus("name: S1, start: 10 ms, period: 100 ms, count: 2, intervals: [90 ms, 80 ms]"),
                    bursts = stimulus("name: S1, intervals: [90 ms], repeats: 2, pause: 100 ms");
  EXPECT_EQ(refusal(s123, PacedBy::interval, "S2"),
            "--stimulus S2: expected one pulse that begins after those of the other stimuli, got one from 200 ms on "
            "after one at 280 ms (a `count` ends S1)");
  EXPECT_EQ(refusal(s123, PacedBy::period, "S1"),
            "--stimulus S1: expected one with a period and without periods, intervals or repeats, got one of "
            "stimuli[0], which has some");
  EXPECT_EQ(refusal(bursts, PacedBy::interval, "S1_2_S2"),
            "--stimulus S1_2_S2: expected a stimulus of one pulse, or an extra pulse of intervals without repeats, got "
            "another one of stimuli[0]");
}

TEST_F(ProtocolOfAFile, IsRefusedWhereThereIsNone) {
  const std::string endless = stimulus("name: S1, period: 100 ms"), s2 = stimulus("name: S2, start: 400 ms");
  EXPECT_EQ(
      refusal(endless + s2, PacedBy::interval),
      "--stimulus S2: expected one pulse that begins after those of the other stimuli, got one from 400 ms on after "
      "one at 600 ms (a `count` ends S1)");
  EXPECT_EQ(refusal(s2, PacedBy::interval), "--stimulus S2: expected another stimulus before it, got none");
  EXPECT_EQ(refusal(s2, PacedBy::period), "--stimulus S2: expected one with a period, got one without");
  EXPECT_EQ(refusal(endless + s2, PacedBy::interval, "S3"),
            "--stimulus: expected the name of a stimulus, got 'S3'; did you mean 'S1'?");
}

}  // namespace
}  // namespace cardiowarp
