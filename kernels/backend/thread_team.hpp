#pragma once
#include <algorithm>
#include <cstdint>

#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

using PartOfLoop = void (*)(const void* loop, int part);

/// Runs part(loop, k) once for each k in [0, parts), part 0 in the calling thread, the others in threads that live on
/// from loop to loop; each part is in the same thread every time where that one comes in time.
///
/// A loop may take tens of microseconds, so the threads look for the next one for a while before they sleep. On a
/// machine that is busy with other work, as the involuntary switches of this process show, they sleep at once, and
/// nobody waits for a thread that has no processor: the caller runs the parts that were not begun when it has waited as
/// long as its own part took. OMP_WAIT_POLICY=passive lets them always sleep at once, =active always look first.
/// A part must not throw. When another thread is in here, or no thread can be started, the caller runs all parts.
void run_parts(int parts, PartOfLoop part, const void* loop);

/// As many as OpenMP's threads (omp_get_max_threads), but at most one for each begun `least` of n, or on a busy machine
/// for each begun eight times that; at least 1.
int parts_of_loop(std::int64_t n, std::int64_t least);

/// body(begin, end) for consecutive ranges that together are [0, n), side by side on OpenMP's number of threads; with
/// no more than `least` values by the caller alone.
template <class Body>
void parallel_ranges(std::int64_t n, std::int64_t least, const Body& body) {
  if (n <= 0) return;
  const int parts = parts_of_loop(n, least);
  if (parts == 1) return body(std::int64_t{0}, n);
  struct Loop {
    std::int64_t n;
    int parts;
    const Body& body;
    std::int64_t begin(int part) const { return n / parts * part + std::min<std::int64_t>(n % parts, part); }
  };
  const Loop loop{n, parts, body};
  const auto run_part = [](const void* pointer, int part) {
    const Loop& all = *static_cast<const Loop*>(pointer);
    all.body(all.begin(part), all.begin(part + 1));
  };
  run_parts(parts, run_part, &loop);
}

/// body(i) for each i in [0, n), as parallel_ranges(); for bodies of a microsecond or more.
template <class Integer, class Body>
void parallel_for(Integer n, const Body& body) {
  parallel_ranges(static_cast<std::int64_t>(n), 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(static_cast<Integer>(i));
  });
}

}  // namespace cardiowarp
