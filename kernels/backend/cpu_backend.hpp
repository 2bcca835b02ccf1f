#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <new>
#include <span>
#include <vector>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/huge_pages.hpp"
#include "kernels/backend/stop_request.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

/// The backend of the host (backend.hpp): main memory, and a team of as many threads as OpenMP has (thread_team.hpp).
/// Its results are the reference for every other backend. Sums are added in stretches of 1024 indices, whichever
/// thread has them, and these in ascending order, so results do not depend on the number of threads.
class CpuBackend {
 public:
  template <class T>
  Buffer<T> allocate(std::size_t size) {
    T* data = static_cast<T*>(::operator new(std::max<std::size_t>(1, size) * sizeof(T), alignment));
    prefer_huge_pages(data, size * sizeof(T));
    // First touch by the thread that will use the values in for_each places their pages beside it.
    parallel_ranges(static_cast<std::int64_t>(size), block_size, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) new (data + i) T{};
    });
    return Buffer<T>(data, size, [](T* pointer) noexcept { ::operator delete(pointer, alignment); });
  }

  template <class T>
  void upload(std::span<const T> host, T* memory) {
    std::copy(host.begin(), host.end(), memory);
  }

  template <class T>
  void download(const T* memory, std::span<T> host) {
    std::copy_n(memory, host.size(), host.begin());
  }

  template <class Body>
  void for_each(Index n, const Body& body) {
    const auto& mine = ready(body);
    parallel_ranges(n, block_size, [&](std::int64_t begin, std::int64_t end) {
      for (Index i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) mine(i);
    });
  }

  template <int N, class Body, class Then = Nothing>
  void sum(Index n, Real* result, const Body& body, const Then& then = {}) {
    if (is_idle(body)) return;
    const auto& mine = ready(body);
    const Index blocks = (n + block_size - 1) / block_size;
    block_sums_.resize(std::max<std::size_t>(block_sums_.size(), static_cast<std::size_t>(blocks) * N));
    Real* block_sums = block_sums_.data();
    parallel_ranges(blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (Index block = static_cast<Index>(begin); block < static_cast<Index>(end); ++block) {
        const Terms<N> block_sum = sum_range<N>(block * block_size, std::min(n, (block + 1) * block_size), mine);
        for (int k = 0; k < N; ++k) block_sums[block * N + k] = block_sum.value[k];
      }
    });
    for (int k = 0; k < N; ++k) result[k] = 0;
    for (Index block = 0; block < blocks; ++block)
      for (int k = 0; k < N; ++k) result[k] += block_sums[block * N + k];
    then();
  }

  template <class Body, class Then = Nothing>
  void maximum(Index n, Real* result, const Body& body, const Then& then = {}) {
    const Index blocks = (n + block_size - 1) / block_size;
    block_sums_.resize(std::max<std::size_t>(block_sums_.size(), static_cast<std::size_t>(blocks)));
    Real* block_maxima = block_sums_.data();
    parallel_ranges(blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (Index block = static_cast<Index>(begin); block < static_cast<Index>(end); ++block)
        block_maxima[block] = maximum_range(block * block_size, std::min(n, (block + 1) * block_size), body);
    });
    *result = maximum_range(0, blocks, [&](Index block) { return block_maxima[block]; });
    then();
  }

  struct Repetition {};
  template <class Body>
  void repeat_while(Repetition&, const int* go_on, const Body& body, int /*calls*/ = 1) {
    for (; *go_on; heed_stop_request()) body();
  }

  template <class T>
  T read(const T* memory) {
    return *memory;
  }

  void synchronize() {}
  void settle(Repetition&) {}

  class Stopwatch {
   public:
    explicit Stopwatch(double& seconds) : seconds_(seconds) {}
    ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

   private:
    using Clock = std::chrono::steady_clock;
    double& seconds_;
    Clock::time_point start_ = Clock::now();
  };

  Stopwatch stopwatch(double& seconds) { return Stopwatch(seconds); }

 private:
  static constexpr std::align_val_t alignment{64};
  static constexpr Index block_size = 1024;
  static constexpr Index lanes = 4;  // independent running sums: a single one would wait for each addition

  template <int N, class Body>
  static Terms<N> sum_range(Index begin, Index end, const Body& body) {
    Real lane_sum[N][lanes] = {};
    Index i = begin;
    for (; i + lanes <= end; i += lanes)
      for (Index lane = 0; lane < lanes; ++lane) {
        const Terms<N> terms = body(i + lane);
        for (int k = 0; k < N; ++k) lane_sum[k][lane] += terms.value[k];
      }
    for (Index lane = 0; i < end; ++i, ++lane) {
      const Terms<N> terms = body(i);
      for (int k = 0; k < N; ++k) lane_sum[k][lane] += terms.value[k];
    }
    Terms<N> sum;
    for (int k = 0; k < N; ++k) sum.value[k] = (lane_sum[k][0] + lane_sum[k][1]) + (lane_sum[k][2] + lane_sum[k][3]);
    return sum;
  }

  /// The largest of values that are at least 0; NaN where one of them is NaN.
  template <class Body>
  static Real maximum_range(Index begin, Index end, const Body& body) {
    Real largest = 0;
    bool has_nan = false;
    for (Index i = begin; i < end; ++i) {
      const Real value = body(i);
      has_nan = has_nan || std::isnan(value);
      largest = std::max(largest, value);
    }
    return has_nan ? std::nan("") : largest;
  }

  std::vector<Real> block_sums_;
};

static_assert(Backend<CpuBackend>);

}  // namespace cardiowarp
