#include "app/process/freed_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstddef>
#include <vector>

#include "kernels/backend/sanitizers.hpp"

namespace cardiowarp {
namespace {

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/// Page faults of an array that is made, filled and freed.
long faults_of_an_array(std::size_t bytes) {
  const long before = page_faults();
  const std::vector<char> array(bytes, 1);
  EXPECT_EQ(array.back(), 1);
  return page_faults() - before;
}

TEST(FreedMemory, ServesTheNextArraysWithoutTheSystem) {
  if (has_address_sanitizer) GTEST_SKIP() << "the address sanitizer has an allocator of its own";
  constexpr std::size_t bytes = 256 << 20, pages = bytes / 4096;
  keep_freed_memory();
  faults_of_an_array(bytes);
  EXPECT_LT(faults_of_an_array(bytes), static_cast<long>(pages / 100));
  EXPECT_LT(faults_of_an_array(bytes / 2), static_cast<long>(pages / 100));
}

}  // namespace
}  // namespace cardiowarp
