#include "kernels/backend/stop_request.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>

namespace cardiowarp {
namespace {

std::atomic<std::int64_t> asked_at_ns{0};  // 0: nobody has asked
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler writes it");

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

void ask_to_stop() noexcept {
  std::int64_t nobody = 0;
  asked_at_ns.compare_exchange_strong(nobody, now_ns());
}

bool is_asked_to_stop() noexcept { return asked_at_ns.load(std::memory_order_relaxed) != 0; }

void heed_stop_request() {
  const std::int64_t asked = asked_at_ns.load(std::memory_order_relaxed);
  if (asked != 0 && static_cast<double>(now_ns() - asked) > 1e9 * stop_patience_seconds)
    throw StopRequest("interrupted: the step under way took too long and was given up");
}

}  // namespace cardiowarp
