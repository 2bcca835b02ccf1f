#pragma once
#include <future>
#include <system_error>
#include <utility>

namespace cardiowarp {

/// Begins work() in a thread of its own; get() waits for its result. Where no thread can be started, work() is done
/// when get() is called, and not at all if nobody calls it. The result waits for the thread before it is destroyed.
template <class Work>
auto in_background(Work work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, std::move(work));
  }
}

}  // namespace cardiowarp
