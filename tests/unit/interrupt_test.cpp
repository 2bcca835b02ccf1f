#include "app/process/interrupt.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "app/measure/setup_log.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/stop_request.hpp"

namespace cardiowarp {
namespace {

/// Each test is a process of its own: a request to stop stays.
class Interrupt : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  /// Ends the process: with 0 where `as_expected`.
  static void end(bool as_expected) { std::_Exit(as_expected ? 0 : 1); }
  static constexpr auto holds = [](int status) { return testing::ExitedWithCode(0)(status); };

  int signal = GetParam();
};

TEST_P(Interrupt, IsRequestedByTheFirstSignal) {
  EXPECT_EXIT(
      {
        ::signal(signal, SIG_DFL);
        const InterruptGuard interrupts;
        const bool before = interrupts.stop_requested();
        ::raise(signal);
        end(!before && interrupts.stop_requested());
      },
      holds, "");
}

TEST_P(Interrupt, EndsASetUpAfterThePhaseThatOutlastsThePatience) {
  EXPECT_EXIT(
      {
        ::signal(signal, SIG_DFL);
        const InterruptGuard interrupts;
        SetupLog log;
        log.ended("a phase before the signal");
        ::raise(signal);
        log.ended("a phase within the patience");
        std::this_thread::sleep_for(std::chrono::duration<double>(1.1 * stop_patience_seconds));
        std::string reason;
        try {
          log.ended("a phase that lasts");
        } catch (const StopRequest& request) {
          reason = request.what();
        }
        end(reason == "interrupted: the set-up took too long and was given up");
      },
      holds, "");
}

TEST_P(Interrupt, EndsALoopThatLastsLongerThanThePatience) {
  EXPECT_EXIT(
      {
        ::signal(signal, SIG_DFL);
        const InterruptGuard interrupts;
        CpuBackend backend;
        CpuBackend::Repetition repetition;
        const int for_ever = 1;
        const auto start = std::chrono::steady_clock::now();
        int rounds = 0;
        bool is_given_up = false;
        try {
          backend.repeat_while(repetition, &for_ever, [&] {
            if (++rounds == 3) ::raise(signal);
          });
        } catch (const StopRequest&) {
          is_given_up = true;
        }
        const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
        end(is_given_up && rounds > 3 && waited.count() >= stop_patience_seconds);
      },
      holds, "");
}

TEST_P(Interrupt, EndsTheProgramAtTheSecondSignalUnlessATerminalHangsUp) {
  const auto send_two = [this] {
    ::signal(signal, SIG_DFL);
    const InterruptGuard interrupts;
    ::raise(signal);
    ::raise(signal);
    end(interrupts.stop_requested());
  };
  if (signal == SIGHUP)
    EXPECT_EXIT(send_two(), holds, "");
  else
    EXPECT_EXIT(send_two(), testing::KilledBySignal(signal), "");
}

TEST_P(Interrupt, LeavesASignalThatWasIgnoredIgnored) {
  EXPECT_EXIT(
      {
        ::signal(signal, SIG_IGN);
        {
          const InterruptGuard interrupts;
          ::raise(signal);
          if (interrupts.stop_requested()) end(false);
        }
        end(::signal(signal, SIG_DFL) == SIG_IGN);
      },
      holds, "");
}

TEST_P(Interrupt, IsAsBeforeOnceTheGuardIsGone) {
  EXPECT_EXIT(
      {
        ::signal(signal, SIG_DFL);
        { const InterruptGuard interrupts; }
        ::raise(signal);
        end(true);
      },
      testing::KilledBySignal(signal), "");
}

TEST_P(Interrupt, EndsTheProgramAtOnceInAPauseOfTheGuard) {
  EXPECT_EXIT(
      {
        ::signal(signal, SIG_DFL);
        const InterruptGuard interrupts;
        const InterruptPause pause(interrupts, "ended in a pause\n");
        ::raise(signal);
        end(true);
      },
      testing::ExitedWithCode(130), "^ended in a pause\n$");
}

TEST_P(Interrupt, IsRequestedAgainAfterAPauseOfTheGuard) {
  EXPECT_EXIT(
      {
        ::signal(signal, SIG_DFL);
        const InterruptGuard interrupts;
        { const InterruptPause pause(interrupts, "ended in a pause\n"); }
        ::raise(signal);
        end(interrupts.stop_requested());
      },
      holds, "");
}

INSTANTIATE_TEST_SUITE_P(Of, Interrupt, testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const auto& of) { return std::string(sigabbrev_np(of.param)); });

}  // namespace
}  // namespace cardiowarp
