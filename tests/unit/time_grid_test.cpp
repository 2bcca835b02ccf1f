#include "app/config/time_grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace cardiowarp {
namespace {

TEST(TimeGrid, HasAsManyStepsAsFitWhateverTheQuotientIsRoundedTo) {
  struct Case {
    Real end_ms, step_ms;
    std::int64_t steps;
  };
  for (const Case& expected : {Case{1, 0.1, 10}, Case{0.3, 0.1, 3},                       // 0.3 / 0.1 < 3
                               Case{0.7, 0.1, 7}, Case{2.1, 0.3, 7}, Case{1.1, 0.1, 11},  // 1.1 / 0.1 > 11
                               Case{400, 0.1, 4000}, Case{0.1, 0.1, 1}, Case{1e5, 0.001, 100'000'000}}) {
    const TimeGrid grid{expected.end_ms, expected.step_ms};
    EXPECT_EQ(grid.steps(), expected.steps) << expected.end_ms << " / " << expected.step_ms;
    EXPECT_EQ(grid.time_ms(0), 0);
    EXPECT_EQ(grid.time_ms(expected.steps), expected.end_ms);
  }
}

TEST(TimeGrid, EndsWithAShorterStepWhereTheEndIsNoMultiple) {
  const TimeGrid grid{1, 0.3};
  ASSERT_EQ(grid.steps(), 4);
  EXPECT_DOUBLE_EQ(grid.time_ms(1), 0.3);
  EXPECT_DOUBLE_EQ(grid.time_ms(3), 0.9);
  EXPECT_EQ(grid.time_ms(4), 1);
  EXPECT_EQ((TimeGrid{1.0001, 0.1}.steps()), 11);
  EXPECT_EQ((TimeGrid{0.05, 0.1}.steps()), 1);
  EXPECT_EQ((TimeGrid{0.05, 0.1}.time_ms(1)), 0.05);
}

TEST(TimeGrid, MultipliesTimesInsteadOfAddingThemUp) {
  const TimeGrid grid{200, 0.1};
  EXPECT_EQ(grid.time_ms(1000), 100);  // 1000 times 0.1 added up is 99.9999999999986
  EXPECT_EQ(grid.time_ms(3), 3 * 0.1);
}

/// Which of the steps 0, 1, .. of `step_ms` have a frame.
std::vector<int> steps_with_frames(Real interval_ms, Real step_ms, int steps) {
  FrameClock clock(interval_ms);
  std::vector<int> due;
  for (int step = 0; step <= steps; ++step)
    if (clock.due(step * step_ms)) due.push_back(step);
  return due;
}

TEST(FrameClock, IsDueAtTheFirstStepThatReachesEachMultiple) {
  using Steps = std::vector<int>;
  EXPECT_EQ(steps_with_frames(0.3, 0.1, 10), (Steps{0, 3, 6, 9}));
  EXPECT_EQ(steps_with_frames(0.25, 0.1, 10), (Steps{0, 3, 5, 8, 10}));
  EXPECT_EQ(steps_with_frames(0.04, 0.1, 3), (Steps{0, 1, 2, 3}));  // more than one multiple a step: one frame
  EXPECT_EQ(steps_with_frames(7, 0.1, 60), (Steps{0}));
  EXPECT_EQ(steps_with_frames(0.1, 0.1, 200).size(), 201u);
}

TEST(FrameClock, IsDueOnceForAllMultiplesThatOneLongStepReaches) {
  FrameClock clock(0.3);
  EXPECT_TRUE(clock.due(0));
  EXPECT_TRUE(clock.due(1));  // 0.3, 0.6 and 0.9
  EXPECT_FALSE(clock.due(1.05));
  EXPECT_FALSE(clock.due(1.15));
  EXPECT_TRUE(clock.due(1.2));
  EXPECT_FALSE(clock.due(1.2));
}

TEST(FrameClock, TellsEveryMultipleBeforeATimeOnce) {
  FrameClock clock(0.3);
  EXPECT_TRUE(clock.due(0));
  EXPECT_FALSE(clock.due_before(0.3));  // that is reached by the step's end
  EXPECT_NEAR(clock.due_before(1).value(), 0.3, 1e-15);
  EXPECT_NEAR(clock.due_before(1).value(), 0.6, 1e-15);
  EXPECT_NEAR(clock.due_before(1).value(), 0.9, 1e-15);
  EXPECT_FALSE(clock.due_before(1));
  EXPECT_FALSE(clock.due(1));
  EXPECT_FALSE(clock.due_before(0.3 * 4));
  EXPECT_TRUE(clock.due(0.3 * 4));
}

TEST(FrameClock, KnowsATimeBeforeWhichNothingIsDue) {
  for (const Real interval : {0.1, 0.3, 7.0, 1e-3}) {
    FrameClock clock(interval);
    EXPECT_TRUE(clock.due(0));
    for (int k = 1; k < 2000; ++k) {
      const Real before = clock.not_before_ms(), at = k * interval;
      EXPECT_FALSE(clock.due(std::nextafter(before, 0.0))) << k;
      EXPECT_LT(before, at);
      EXPECT_NEAR(before, at, 1e-7 * at);
      ASSERT_TRUE(k % 2 == 0 ? clock.due(at) : clock.due_before(at + interval / 2).has_value()) << k;
    }
  }
  FrameClock never(std::numeric_limits<Real>::infinity());
  never.due(0);
  EXPECT_EQ(never.not_before_ms(), std::numeric_limits<Real>::infinity());
}

}  // namespace
}  // namespace cardiowarp
