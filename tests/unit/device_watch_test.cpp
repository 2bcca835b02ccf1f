#include "app/process/device_watch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "app/device_failure.hpp"
#include "kernels/backend/device_wait.hpp"

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
        const DeviceWatch watch(0.02, [] { std::_Exit(4); });
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
        const DeviceWatch watch(0.02, [&] {
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

TEST(DeviceWaitDeathTest, OfNobodyDoesNotEndTheProgramHoweverLongThatIs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        {
          const DeviceWatch watch(0.02, [] { std::_Exit(4); });
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
