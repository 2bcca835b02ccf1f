#include "kernels/backend/thread_team.hpp"

#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <numeric>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {
namespace {

/// The number of chunks then is the same on a busy machine.
[[maybe_unused]] const int policy = ::setenv("OMP_WAIT_POLICY", "active", 1);

class ThreadTeam : public testing::Test {
 protected:
  void TearDown() override { omp_set_num_threads(threads_before_); }

 private:
  int threads_before_ = omp_get_max_threads();
};

using Range = std::pair<std::int64_t, std::int64_t>;

/// The ranges of parallel_ranges(), ascending.
std::set<Range> ranges(std::int64_t n, std::int64_t least) {
  std::vector<Range> of_slot(2000);
  std::atomic<int> slots = 0;
  parallel_ranges(n, least, [&](std::int64_t begin, std::int64_t end) { of_slot[slots++] = {begin, end}; });
  return {of_slot.begin(), of_slot.begin() + slots};
}

TEST_F(ThreadTeam, CoversEveryIndexOnceInAsManyChunksAsThereAreThreads) {
  for (const int threads : {1, 2, 3, 7, 64}) {
    omp_set_num_threads(threads);
    for (const std::int64_t n : {1, 2, 6, 7, 63, 64, 65, 100'003}) {
      const std::set<Range> of_loop = ranges(n, 1);
      EXPECT_EQ(of_loop.size(), std::min<std::size_t>(threads, n)) << n;
      std::int64_t next = 0;
      for (const auto& [begin, end] : of_loop) {
        EXPECT_EQ(begin, next) << n << " on " << threads;
        EXPECT_GE(end - begin, n / threads);
        EXPECT_LE(end - begin, n / threads + 1);
        next = end;
      }
      EXPECT_EQ(next, n) << threads;
    }
  }
}

TEST_F(ThreadTeam, DoesNothingForNoIndices) {
  omp_set_num_threads(3);
  for (const std::int64_t n : {0, -1}) EXPECT_TRUE(ranges(n, 1).empty()) << n;
}

TEST_F(ThreadTeam, CountsBeyond32Bits) {
  omp_set_num_threads(4);
  const std::int64_t n = (std::int64_t{1} << 62) + 3;
  const std::set<Range> of_loop = ranges(n, 1024);
  ASSERT_EQ(of_loop.size(), 4u);
  EXPECT_EQ(of_loop.begin()->first, 0);
  EXPECT_EQ(of_loop.rbegin()->second, n);
}

TEST_F(ThreadTeam, HasAtMostOneChunkForEachBegunLeast) {
  omp_set_num_threads(7);
  EXPECT_EQ(ranges(1024, 1024).size(), 1u);
  EXPECT_EQ(ranges(1025, 1024).size(), 2u);
  EXPECT_EQ(ranges(5120, 1024).size(), 5u);
  EXPECT_EQ(ranges(102'400, 1024).size(), 7u);
}

TEST_F(ThreadTeam, SeesInEachLoopWhatTheOnesBeforeWroteWhateverTheNumberOfThreads) {
  constexpr std::int64_t n = 257;
  std::vector<std::int64_t> value(n, 0), next(n);
  for (int loop = 0; loop < 3000; ++loop) {
    omp_set_num_threads(1 + loop % 5);
    // Each reads what another thread wrote in the loop before.
    parallel_ranges(n, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) next[i] = value[(i + 100) % n] + 1;
    });
    std::swap(value, next);
  }
  EXPECT_EQ(value, std::vector<std::int64_t>(n, 3000));
}

TEST_F(ThreadTeam, RunsALoopInsideALoopInTheThreadThatHasIt) {
  omp_set_num_threads(3);
  std::atomic<int> inner = 0;
  parallel_ranges(3, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      parallel_ranges(5, 1, [&](std::int64_t from, std::int64_t to) { inner += static_cast<int>(to - from); });
  });
  EXPECT_EQ(inner, 15);
}

TEST_F(ThreadTeam, ThrowsWhatAChunkHasThrownOnceAllHaveEnded) {
  omp_set_num_threads(3);
  for (const std::int64_t thrower : {0, 1, 2})
    for (int loop = 0; loop < 100; ++loop) {
      std::atomic<int> ended = 0;
      const auto body = [&](std::int64_t begin, std::int64_t) {
        if (begin == thrower) throw std::bad_alloc();
        ++ended;
      };
      ASSERT_THROW(parallel_ranges(3, 1, body), std::bad_alloc);
      const int after = ended;
      usleep(10);
      ASSERT_EQ(ended, after);  // none is at work with what was on this stack
      ASSERT_EQ(ranges(3, 1).size(), 3u);
    }
}

TEST_F(ThreadTeam, ServesTwoThreadsAtOnce) {
  std::atomic<std::int64_t> sum = 0;
  const auto many_loops = [&] {
    omp_set_num_threads(3);  // counts for the thread that says so
    for (int loop = 0; loop < 500; ++loop)
      parallel_ranges(90, 1, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
  };
  std::thread other(many_loops);
  many_loops();
  other.join();
  EXPECT_EQ(sum, 2 * 500 * 90);
}

/// Waits for what a thread does; a minute is for ever.
bool wait_for(const std::atomic<bool>& flag) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!flag && std::chrono::steady_clock::now() < end) usleep(100);
  return flag;
}

TEST_F(ThreadTeam, WakesAThreadThatHasGoneToSleep) {
  omp_set_num_threads(2);
  for (int loop = 0; loop < 5; ++loop) {
    std::atomic<bool> other_begun = false, came = false;
    parallel_ranges(2, 1, [&](std::int64_t begin, std::int64_t) {
      if (begin == 0)
        came = wait_for(other_begun);
      else
        other_begun = true;
    });
    EXPECT_TRUE(came) << loop;
    usleep(5000);  // longer than it looks for the next loop
  }
}

TEST_F(ThreadTeam, WaitsAsleepForAChunkThatTakesLong) {
  omp_set_num_threads(2);
  for (int loop = 0; loop < 5; ++loop) {
    std::atomic<bool> other_begun = false, other_done = false;
    parallel_ranges(2, 1, [&](std::int64_t begin, std::int64_t) {
      if (begin == 0) {
        wait_for(other_begun);
      } else {
        other_begun = true;
        usleep(5000);  // longer than the caller looks whether it is done
        other_done = true;
      }
    });
    EXPECT_TRUE(other_done) << loop;
  }
}

TEST_F(ThreadTeam, FindsTheLowestIndexOfThoseThatAreWanted) {
  constexpr std::int64_t n = 100'003;
  for (const int threads : {1, 2, 3, 7, 64}) {
    omp_set_num_threads(threads);
    for (const std::int64_t lowest : {std::int64_t{0}, std::int64_t{1}, std::int64_t{49'999}, n - 1}) {
      const auto is_wanted = [&](std::int64_t i) { return i >= lowest && (i - lowest) % 1000 == 0; };
      EXPECT_EQ(first_index(n, is_wanted), lowest) << threads;
    }
    EXPECT_EQ(first_index(n, [](std::int64_t) { return false; }), n) << threads;
    EXPECT_EQ(first_index(0, [](std::int64_t) { return true; }), 0) << threads;
  }
}

TEST_F(ThreadTeam, JoinsWhatEachBlockOfIndicesHasInAscendingOrder) {
  using Indices = std::vector<std::int64_t>;
  for (const int threads : {1, 2, 7}) {
    omp_set_num_threads(threads);
    for (const std::int64_t n : {0, 1, 4096, 4097, 50'000}) {
      Indices expected(n);
      std::iota(expected.begin(), expected.end(), 0);
      const auto joined = joined_blocks<Indices>(
          n, [](Indices& part, std::int64_t i) { part.push_back(i); },
          [](Indices& whole, const Indices& part) { whole.insert(whole.end(), part.begin(), part.end()); });
      EXPECT_EQ(joined, expected) << threads;
    }
  }
}

TEST_F(ThreadTeam, AddsToTheSameSumForAnyNumberOfThreads) {
  const auto sum = [](int threads) {
    omp_set_num_threads(threads);
    const auto add = [](Real& part, auto i) { part += 1 / (static_cast<Real>(i) + 1); };
    return joined_blocks<Real>(1'000'000, add, [](Real& whole, Real part) { whole += part; });
  };
  const Real expected = sum(1);
  EXPECT_NEAR(expected, 14.392726722865724, 1e-12);  // ln n + γ + 1 / (2 n) − 1 / (12 n²)
  for (const int threads : {2, 3, 7}) EXPECT_EQ(sum(threads), expected) << threads;
}

TEST_F(ThreadTeam, TakesTheValuesOfAllIndicesInAscendingOrder) {
  for (const int threads : {1, 2, 7}) {
    omp_set_num_threads(threads);
    for (const std::int64_t n : {0, 1, 16'384, 16'385, 50'000}) {
      std::vector<std::pair<std::int64_t, std::int64_t>> taken, expected;
      take_in_order<std::int64_t>(
          n, [](std::int64_t i) { return 3 * i; },
          [&](std::int64_t i, std::int64_t value) { taken.emplace_back(i, value); });
      for (std::int64_t i = 0; i < n; ++i) expected.emplace_back(i, 3 * i);
      EXPECT_EQ(taken, expected) << threads;
    }
  }
}

}  // namespace
}  // namespace cardiowarp
