#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/backend/huge_pages.hpp"

namespace cardiowarp {

// The thread team: the threads of the CPU that go through a loop together, each a chunk of its indices. A loop is cut
// into at most as many chunks as OpenMP has threads; the team lives on from loop to loop.

/// Runs chunk `chunk` of the loop that `loop` points to.
using RunChunk = void (*)(const void* loop, int chunk);

/// run_chunk(loop, k) once for each k in [0, chunks): chunk 0 in the calling thread, the others each in the same thread
/// of the team every time, where that one comes in time.
///
/// A loop may take tens of microseconds, so the threads look for the next one for a while before they sleep. On a
/// machine that is busy with other work, as the involuntary switches of this process show, they sleep at once, and
/// nobody waits for a thread that has no processor: the caller runs the chunks that were not begun when it has waited
/// as long as its own chunk took. OMP_WAIT_POLICY=passive lets them always sleep at once, =active always look first.
/// An exception of a chunk is thrown on once all chunks have ended. Where another thread is in here, or none starts,
/// the caller runs all.
void run_chunks(int chunks, RunChunk run_chunk, const void* loop);

/// The number of chunks for a loop over n indices: as many as OpenMP's threads (omp_get_max_threads), but at most one
/// for each begun `least` of n, or on a busy machine for each begun eight times that; at least 1.
int chunks_of_loop(std::int64_t n, std::int64_t least);

/// body(begin, end) for consecutive ranges that together are [0, n), each a chunk of the thread team; with no more than
/// `least` indices one range, run by the caller.
template <class Body>
void parallel_ranges(std::int64_t n, std::int64_t least, const Body& body) {
  if (n <= 0) return;
  const int chunks = chunks_of_loop(n, least);
  if (chunks == 1) return body(std::int64_t{0}, n);
  struct Loop {
    std::int64_t n;
    int chunks;
    const Body& body;
    std::int64_t begin(int chunk) const { return n / chunks * chunk + std::min<std::int64_t>(n % chunks, chunk); }
  };
  const Loop loop{n, chunks, body};
  const auto run_chunk = [](const void* pointer, int chunk) {
    const Loop& all = *static_cast<const Loop*>(pointer);
    all.body(all.begin(chunk), all.begin(chunk + 1));
  };
  run_chunks(chunks, run_chunk, &loop);
}

/// body(i) for each i in [0, n), as parallel_ranges(); for bodies of a microsecond or more.
template <class Integer, class Body>
void parallel_for(Integer n, const Body& body) {
  parallel_ranges(static_cast<std::int64_t>(n), 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(static_cast<Integer>(i));
  });
}

/// The lowest i in [0, n) of which is_wanted(i) is true, or n where there is none. The team looks for it, each thread
/// in ascending order from the beginning of its range.
template <class Predicate>
std::int64_t first_index(std::int64_t n, const Predicate& is_wanted) {
  constexpr std::int64_t least = 1 << 12;  // a thread
  std::atomic<std::int64_t> first = n;
  parallel_ranges(n, least, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (!is_wanted(i)) continue;
      std::int64_t known = first;
      while (i < known && !first.compare_exchange_weak(known, i)) {
      }
      return;
    }
  });
  return first;
}

/// Adds up what the indices [0, n) contribute, whatever "to add" means, with the same result for any number of threads.
/// The indices are cut into blocks of some thousands. Each block has a Part, to which a thread adds its indices in
/// ascending order by add(part, i); the caller then joins the parts in ascending order by join(whole, part). A Part
/// begins as Part{}, and so does the whole.
template <class Part, class Add, class Join>
Part joined_blocks(std::int64_t n, const Add& add, const Join& join) {
  constexpr std::int64_t block = 4096;
  std::vector<Part> parts(n / block + 1);
  parallel_ranges(static_cast<std::int64_t>(parts.size()), 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k) {
      Part part{};  // a thread's own: neighboring parts share cache lines
      for (std::int64_t i = k * block; i < std::min((k + 1) * block, n); ++i) add(part, i);
      parts[k] = std::move(part);
    }
  });
  Part whole{};
  for (const Part& part : parts) join(whole, part);
  return whole;
}

/// take(i, value_of(i)) for each i in [0, n) in ascending order. The team finds the values, some thousands at a time,
/// and the caller takes them one after the other. So a sum does not depend on the number of threads, and is the one
/// that a simple loop finds.
template <class Value, class ValueOf, class Take>
void take_in_order(std::int64_t n, const ValueOf& value_of, const Take& take) {
  constexpr std::int64_t some = 1 << 14;
  std::vector<Value> values(std::min(n, some));
  for (std::int64_t begin = 0; begin < n; begin += some) {
    const std::int64_t size = std::min(some, n - begin);
    parallel_for(size, [&](std::int64_t i) { values[i] = value_of(begin + i); });
    for (std::int64_t i = 0; i < size; ++i) take(begin + i, values[i]);
  }
}

/// The indices [0, n), cut into consecutive chunks that are the same in several loops, whichever threads run them. So a
/// later loop finds what an earlier one has stored for each chunk.
class FixedChunks {
 public:
  /// At most as many as threads and one for each begun `least` of n; at least one.
  FixedChunks(std::int64_t n, std::int64_t least) : n_(n), number_(chunks_of_loop(n, least)) {}

  std::int64_t number() const { return number_; }
  std::int64_t begin(std::int64_t chunk) const { return n_ / number_ * chunk + std::min(n_ % number_, chunk); }

  /// body(chunk, begin, end) for each chunk, also for an empty one.
  template <class Body>
  void for_each(const Body& body) const {
    parallel_ranges(number_, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t chunk = first; chunk < last; ++chunk) body(chunk, begin(chunk), begin(chunk + 1));
    });
  }

 private:
  std::int64_t n_, number_;
};

/// values.resize(size) of a vector that does not shrink. The team touches the new pages before: to get them from the
/// system takes several times as long as to fill them.
template <class T>
void resize_by_team(std::vector<T>& values, std::size_t size) {
  values.reserve(size);
  prefer_huge_pages(values.data() + values.size(), (size - values.size()) * sizeof(T));
  constexpr std::int64_t page = 4096, least_pages = 64;
  auto* const first = reinterpret_cast<volatile char*>(values.data() + values.size());
  const auto bytes = static_cast<std::int64_t>((size - values.size()) * sizeof(T));
  parallel_ranges(bytes / page, least_pages, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) first[i * page] = 0;
  });
  values.resize(size);
}

}  // namespace cardiowarp
