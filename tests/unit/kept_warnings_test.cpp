#include "app/process/kept_warnings.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "app/process/log.hpp"

namespace cardiowarp::test {
namespace {

TEST(KeptWarnings, AreThoseOfTheTimeBetweenItsBeginningAndItsEnd) {
  log_warn("before");
  {
    const KeptWarnings kept;
    EXPECT_TRUE(kept.texts().empty());
    log_warn("{} of {} nodes", 3, 7);
    log_info("no warning");
    log_error("no warning either");
    std::thread([] { log_warn("of another thread"); }).join();
    EXPECT_EQ(kept.texts(), (std::vector<std::string>{"3 of 7 nodes", "of another thread"}));
  }
  log_warn("after");
  const KeptWarnings later;
  EXPECT_TRUE(later.texts().empty());
}

TEST(KeptWarnings, AreAThousandAtMost) {
  const KeptWarnings kept;
  for (int frame = 0; frame < 1003; ++frame) KeptWarnings::keep("frame");
  EXPECT_EQ(kept.texts().size(), 1000u);
}

TEST(KeptWarnings, AreKeptByTheFirstOfTwo) {
  const KeptWarnings first;
  {
    const KeptWarnings second;
    log_warn("once");
    EXPECT_TRUE(second.texts().empty());
  }
  log_warn("twice");
  EXPECT_EQ(first.texts(), (std::vector<std::string>{"once", "twice"}));
}

}  // namespace
}  // namespace cardiowarp::test
