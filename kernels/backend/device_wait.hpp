#pragma once
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace cardiowarp {

/// A thread that waits for a GPU has one of these as long as it does, so that another thread
/// (app/process/device_watch.hpp) can see that the GPU never answers: the waiting thread could not say so itself, as
/// nothing that it asks returns. It costs two atomic additions, some 10 ns, beside a wait of 10 µs and more.
class DeviceWait {
 public:
  DeviceWait() { looks_.fetch_add(begin, std::memory_order_acq_rel); }
  /// A wait that was given up meanwhile does not end: the program is being ended.
  ~DeviceWait() {
    if (looks_.fetch_add(end, std::memory_order_acq_rel) & given_up)
      while (true) pause();
  }
  DeviceWait(const DeviceWait&) = delete;
  DeviceWait& operator=(const DeviceWait&) = delete;

  /// A number that is another one after each beginning and each end of a wait.
  static std::uint64_t look() { return looks_.load(std::memory_order_acquire); }
  /// Whether a thread waited when look() gave this number.
  static bool is_waiting(std::uint64_t looked_at) { return looked_at % change != 0; }
  /// Keeps the waits that were seen from ending. False where look() would give another number now.
  static bool give_up(std::uint64_t looked_at) {
    return looks_.compare_exchange_strong(looked_at, looked_at | given_up, std::memory_order_acq_rel);
  }
  static bool is_given_up() { return (looks_.load(std::memory_order_acquire) & given_up) != 0; }

 private:
  // How many threads wait in the lowest 16 bits, beginnings and ends in those above, and in the last whether to give
  // up.
  static constexpr std::uint64_t change = std::uint64_t{1} << 16, begin = change + 1, end = change - 1,
                                 given_up = std::uint64_t{1} << 63;
  inline static std::atomic<std::uint64_t> looks_ = 0;
};

}  // namespace cardiowarp
