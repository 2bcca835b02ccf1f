#include "app/process/memory_reserve.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <new>
#include <vector>

namespace cardiowarp {
namespace {

class MemoryReserve : public testing::Test {
 protected:
  void TearDown() override { std::set_new_handler(before_); }

 private:
  std::new_handler before_ = std::get_new_handler();
};

TEST_F(MemoryReserve, LetsAnAllocationTryAgainOnceAndOnceMoreWhereItIsRenewed) {
  hold_memory_reserve();
  const std::new_handler make_room = std::get_new_handler();
  ASSERT_NE(make_room, nullptr);
  EXPECT_NO_THROW(make_room());
  EXPECT_THROW(make_room(), std::bad_alloc);
  renew_memory_reserve();
  renew_memory_reserve();  // of which the second does nothing
  EXPECT_NO_THROW(make_room());
  EXPECT_THROW(make_room(), std::bad_alloc);
}

TEST_F(MemoryReserve, EndsAnAllocationThatIsTooLargeWithAnException) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer ends a program that asks for so much";
#endif
  hold_memory_reserve();
  std::vector<char> memory;
  EXPECT_THROW(memory.resize(std::numeric_limits<std::ptrdiff_t>::max() - 1000), std::bad_alloc);
  EXPECT_NO_THROW(memory.resize(1000));
}

}  // namespace
}  // namespace cardiowarp
