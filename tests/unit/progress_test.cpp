// What a run says of how far it is, on a stream that is no terminal.

#include "app/output/progress.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "app/simulation/simulation.hpp"

namespace cardiowarp {
namespace {

TEST(Progress, IsTimeRateAndWhatIsLeftAtThatRate) {
  EXPECT_EQ(progress_in_words(0, 120.5, 600, 24.1), "120.5 of 600 ms, 1/200 of real time, 1:35 left");
  EXPECT_EQ(progress_in_words(100, 200, 10100, 70), "200 of 10100 ms, 1/700 of real time, 1:55:30 left");
  EXPECT_EQ(progress_in_words(0, 600, 600, 60), "600 of 600 ms, 1/100 of real time, 0:00 left");
}

/// What is said of three steps. Where no program has begun to log, messages go to standard output.
std::string said(bool enabled, ProgressLine::Clock::duration between) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  {
    ProgressLine progress(0, 10, enabled, between);
    for (int step = 1; step <= 3; ++step) progress.update(step, StepReport{.newton_iterations = 2});
  }
  const std::string messages = testing::internal::GetCapturedStdout();
  return messages + testing::internal::GetCapturedStderr();
}

TEST(Progress, InAFileIsALineEachTimeAndNoneEarlierOrWhereItIsNotWanted) {
  const std::string each = said(true, std::chrono::seconds(0));
  EXPECT_NE(each.find("1 of 10 ms"), std::string::npos) << each;
  EXPECT_NE(each.find("3 of 10 ms"), std::string::npos) << each;
  EXPECT_EQ(each.find('\r'), std::string::npos) << "it is no terminal";
  EXPECT_EQ(said(true, std::chrono::hours(1)), "");
  EXPECT_EQ(said(false, std::chrono::seconds(0)), "");
}

}  // namespace
}  // namespace cardiowarp
