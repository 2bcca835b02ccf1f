#include "app/process/device_watch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "app/device_failure.hpp"
#include "kernels/backend/device_wait.hpp"
#include "kernels/backend/stop_request.hpp"

namespace cardiowarp {
namespace {

int look(SilentLooks& silent) { return silent.add(DeviceWait::look()); }

TEST(SilentLooks, CountHowOftenTheSameWaitWasSeen) {
  SilentLooks silent;
  EXPECT_EQ(look(silent), 0);
  EXPECT_EQ(look(silent), 0) << "nobody waits";
  {
    const DeviceWait wait;
    EXPECT_EQ(look(silent), 0);
    EXPECT_EQ(look(silent), 1);
    EXPECT_EQ(look(silent), 2);
  }
  EXPECT_EQ(look(silent), 0);
}

TEST(SilentLooks, BeginAnewWithEachWait) {
  SilentLooks silent;
  for (int number = 0; number < 100; ++number) {
    const DeviceWait wait;
    EXPECT_EQ(look(silent), 0);
  }
}

TEST(SilentLooks, SeeTheThreadThatGetsNoAnswerBesideOneThatDoes) {
  SilentLooks silent;
  const DeviceWait unanswered;
  { const DeviceWait answered; }
  EXPECT_EQ(look(silent), 0);
  EXPECT_EQ(look(silent), 1);
  {
    const DeviceWait unanswered_too;
    EXPECT_EQ(look(silent), 0);
    EXPECT_EQ(look(silent), 1) << "both wait in vain";
  }
}

TEST(DeviceWaitDeathTest, ThatTakesTooLongEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const DeviceWatch watch(0.02, [](GivenUp why) { std::_Exit(why == GivenUp::no_answer ? 4 : 1); });
        const DeviceWait wait;
        while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
      },
      testing::ExitedWithCode(4), "");
}

TEST(DeviceWaitDeathTest, ThatIsAnsweredTooLateDoesNotGoOn) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        std::atomic<bool> is_given_up = false;
        std::atomic<bool> went_on = false;
        const DeviceWatch watch(0.02, [&](GivenUp) {
          is_given_up = true;
          is_given_up.notify_all();
          std::this_thread::sleep_for(std::chrono::milliseconds(200));
          std::_Exit(went_on ? 1 : 4);
        });
        {
          const DeviceWait wait;
          is_given_up.wait(false);
        }
        went_on = true;
        while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
      },
      testing::ExitedWithCode(4), "");
}

TEST(DeviceWaitDeathTest, ThatLastsAfterASignalEndsTheProgramWithoutAnyOtherPatience) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const DeviceWatch watch(INFINITY, [](GivenUp why) { std::_Exit(why == GivenUp::asked_to_stop ? 130 : 1); });
        const DeviceWait wait;
        ask_to_stop();
        while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
      },
      testing::ExitedWithCode(130), "");
}

TEST(DeviceWaitDeathTest, OfMomentsGoOnAfterASignal) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const DeviceWatch watch(INFINITY, [](GivenUp) { std::_Exit(1); });
        ask_to_stop();
        const auto begin = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(1.5 * stop_patience_seconds)) {
          const DeviceWait wait;
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        std::_Exit(7);
      },
      testing::ExitedWithCode(7), "^$");
}

TEST(DeviceFailureDeathTest, EndsARunThatWasAskedToWithTheCodeOfAnInterruption) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const RunInProgress run;
  EXPECT_EXIT(end_without_device(GivenUp::asked_to_stop, 600, run), testing::ExitedWithCode(130),
              "while the run was prepared: interrupted: the step under way took too long on the GPU and was given up");
  EXPECT_EXIT(end_without_device(GivenUp::no_answer, 7, run), testing::ExitedWithCode(4),
              "while the run was prepared: the GPU has not answered for 7 s \\(--gpu-timeout\\)");
}

TEST(DeviceWaitDeathTest, OfNobodyDoesNotEndTheProgramHoweverLongThatIs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        {
          const DeviceWatch watch(0.02, [](GivenUp why) { std::_Exit(why == GivenUp::no_answer ? 4 : 1); });
          std::this_thread::sleep_for(std::chrono::milliseconds(300));
        }
        std::_Exit(7);
      },
      testing::ExitedWithCode(7), "^$");
}

TEST(DeviceFailure, SaysWhereARunWasThatHasNoPartsYetOrAnyMore) {
  RunInProgress run;
  EXPECT_EQ(keep_what_is_there("lost", run), "while the run was prepared: lost");
  { const ShownRun shown(run, {}); }
  EXPECT_EQ(keep_what_is_there("lost", run), "while the run was ended: lost");
}

}  // namespace
}  // namespace cardiowarp
