#include "app/process/device_watch.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "app/process/log.hpp"
#include "kernels/backend/device_wait.hpp"
#include "kernels/backend/stop_request.hpp"

namespace cardiowarp {

int SilentLooks::add(std::uint64_t looked_at) {
  number_ = DeviceWait::is_waiting(looked_at) && looked_at == last_ ? number_ + 1 : 0;
  last_ = looked_at;
  return number_;
}

DeviceWatch::DeviceWatch(double patience_seconds, std::function<void(GivenUp)> end_program)
    : end_program_(std::move(end_program)) {
  try {
    thread_ = std::thread([this, patience_seconds] { watch(patience_seconds); });
  } catch (const std::system_error& error) {
    log_warn("a GPU that does not answer will not be noticed: no thread can be started ({})", error.code().message());
  }
}

DeviceWatch::~DeviceWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void DeviceWatch::watch(double patience_seconds) {
  constexpr int looks = 20;  // at least, in either patience
  const std::chrono::duration<double> interval(std::min(stop_patience_seconds, patience_seconds) / looks);
  SilentLooks silent, since_asked;
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, interval, [this] { return is_ended_; })) {
    const std::uint64_t now = DeviceWait::look();
    const bool is_silent = silent.add(now) * interval.count() >= patience_seconds;
    const bool is_asked =
        hears_requests_ && is_asked_to_stop() && since_asked.add(now) * interval.count() >= stop_patience_seconds;
    if ((!is_silent && !is_asked) || !DeviceWait::give_up(now)) continue;
    end_program_(is_asked ? GivenUp::asked_to_stop : GivenUp::no_answer);
    return;
  }
}

}  // namespace cardiowarp
