#include "app/process/memory_reserve.hpp"

#include <gtest/gtest.h>
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
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

/// Takes every piece of memory that malloc can give, so that the next call of it gets none, and changes OpenMP's number
/// of threads.
[[noreturn]] void set_threads_without_memory() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_AS, &none);
  for (std::size_t bytes = std::size_t{1} << 20; bytes >= 8; bytes = bytes > 1024 ? bytes / 2 : bytes - 8)
    for (void* volatile memory = std::malloc(bytes); memory != nullptr;) memory = std::malloc(bytes);
  omp_set_num_threads(2);
  _exit(omp_get_max_threads() == 2 ? 0 : 9);
}

TEST_F(MemoryReserve, IsNotAskedByTheSettingsOfOpenmp) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer ends a program that asks for what there is not";
#endif
  hold_memory_reserve();
  EXPECT_EXIT(set_threads_without_memory(), testing::ExitedWithCode(0), "");
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
