#include "app/output/work_over_time.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace cardiowarp::test {
namespace {

TEST(WorkOverTime, CountsAStepForThePartInWhichItEnds) {
  WorkOverTime work(0, 100, {});  // parts of 2 ms
  work.add(0.5, {1, 2, 10});
  work.add(2, {2, 5, 30});
  work.add(2.1, {3, 6, 31});
  work.add(100, {4, 8, 40});
  ASSERT_EQ(work.parts().size(), 50u);
  EXPECT_EQ(work.until_ms(0), 2);
  EXPECT_EQ(work.until_ms(49), 100);
  EXPECT_EQ(work.parts()[0].steps, 2);
  EXPECT_EQ(work.parts()[0].newton_iterations, 5);
  EXPECT_EQ(work.parts()[0].linear_iterations, 30);
  EXPECT_EQ(work.parts()[1].steps, 1);
  EXPECT_EQ(work.parts()[1].linear_iterations, 1);
  EXPECT_EQ(work.parts()[49].newton_iterations, 2);
  for (std::size_t part = 2; part < 49; ++part) EXPECT_EQ(work.parts()[part].steps, 0) << part;
}

TEST(WorkOverTime, OfARunThatGoesOnIsThatSinceItsCheckpoint) {
  WorkOverTime work(50, 53, {70, 140, 900});
  work.add(50.06, {71, 142, 909});
  work.add(53, {73, 146, 933});
  EXPECT_NEAR(work.until_ms(0), 50.06, 1e-12);
  EXPECT_EQ(work.parts()[0].steps, 1);
  EXPECT_EQ(work.parts()[0].linear_iterations, 9);
  EXPECT_EQ(work.parts()[49].steps, 2);
  EXPECT_EQ(work.parts()[49].linear_iterations, 24);
}

}  // namespace
}  // namespace cardiowarp::test
