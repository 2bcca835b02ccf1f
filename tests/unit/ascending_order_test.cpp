#include "kernels/backend/ascending_order.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace cardiowarp {
namespace {

std::vector<Index> order_by_comparisons(const std::vector<std::uint64_t>& key) {
  std::vector<Index> order(key.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return key[a] < key[b]; });
  return order;
}

class AscendingOrder : public testing::Test {
 protected:
  void TearDown() override { omp_set_num_threads(threads_before_); }

  static void expect_order(const std::vector<std::uint64_t>& key) {
    const std::vector<Index> expected = order_by_comparisons(key);
    for (const int threads : {1, 2, 3, 7, 16}) {
      omp_set_num_threads(threads);
      ASSERT_EQ(ascending_order(key), expected) << key.size() << " keys on " << threads << " threads";
    }
  }

 private:
  int threads_before_ = omp_get_max_threads();
};

TEST_F(AscendingOrder, IsThatOfAStableSortForAnyNumberOfThreads) {
  std::mt19937_64 generator(1);
  for (const std::size_t keys : {1, 2, 3, 1000, 16'384, 16'385, 300'001})
    for (const std::uint64_t most :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{40}, std::uint64_t{1} << 33, ~std::uint64_t{0}}) {
      std::vector<std::uint64_t> key(keys);
      for (std::uint64_t& value : key) value = most == 0 ? 7 : generator() % most;
      expect_order(key);
    }
}

TEST_F(AscendingOrder, LooksAtTheHighestAndTheLowestBit) {
  const std::uint64_t highest = std::uint64_t{1} << 63;
  expect_order({highest, 0, highest + 1, 1, highest, 0});
}

TEST_F(AscendingOrder, OfNothingIsNothing) { expect_order({}); }

}  // namespace
}  // namespace cardiowarp
