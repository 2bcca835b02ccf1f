#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace cardiowarp {

// Notices that a GPU never answers. A kernel that hangs leaves the thread that waits for it
// (kernels/backend/device_wait.hpp) inside a call of CUDA that does not return, and so does every other call that asks
// the GPU. `run` and `compare` therefore have a thread that looks from time to time whether it is still the same wait.
// The thread also hears for the one that waits: a linear solve on a GPU may take minutes, in which nobody else could
// notice that a signal has asked the program to end (kernels/backend/stop_request.hpp). Steps are not slowed down by
// it.

/// Counts how often in a row the same wait was seen. Looks are counted and not seconds, so that a program that was
/// stopped for a while (SIGSTOP, a debugger) is not taken for one that waits.
class SilentLooks {
 public:
  /// `looked_at` is what DeviceWait::look() gives now. Returns for how many looks in a row it has been the same wait: 0
  /// where nobody waits, or where another wait was seen before.
  int add(std::uint64_t looked_at);

 private:
  std::uint64_t last_ = 0;
  int number_ = 0;
};

/// Why a wait for a GPU was given up.
enum class GivenUp {
  no_answer,      ///< it took longer than the patience
  asked_to_stop,  ///< it took longer than stop_patience_seconds after the program was asked to end
};

/// The message where a wait was given up after the program was asked to end.
inline constexpr const char* wait_given_up =
    "interrupted: the step under way took too long on the GPU and was given up";

/// While this lives, a wait for a GPU ends the program that takes longer than the patience, or still lasts
/// stop_patience_seconds after the program was asked to end.
class DeviceWatch {
 public:
  /// `end_program` is called in a thread of the watch, once, where a wait is given up. It does not return, and may use
  /// all that the waiting thread has left as it was. `patience_seconds` may be infinite. Without a thread, where the
  /// system has none left, nothing is noticed, which a warning says.
  DeviceWatch(double patience_seconds, std::function<void(GivenUp)> end_program);
  ~DeviceWatch();
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;

  /// From here on only the patience counts. For a program with several threads that wait: the watch cannot tell whose
  /// wait lasts, and after a request to end the thread that writes the results must be let go on.
  void ignore_requests() { hears_requests_ = false; }

 private:
  void watch(double patience_seconds);

  std::function<void(GivenUp)> end_program_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_ended_ = false;
  std::atomic<bool> hears_requests_ = true;
  std::thread thread_;  // last, as it uses the others
};

}  // namespace cardiowarp
