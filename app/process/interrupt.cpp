#include "app/process/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "app/process/exit_code.hpp"
#include "kernels/backend/stop_request.hpp"

namespace cardiowarp {
namespace {

void request_stop(int) { ask_to_stop(); }

std::atomic<const char*> message_of_pause{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads it");

void end_at_once(int) {
  const std::string_view message = message_of_pause.load();
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  std::_Exit(static_cast<int>(ExitCode::interrupted));
}

}  // namespace

InterruptGuard::InterruptGuard() {
  for (std::size_t k = 0; k < signals_.size(); ++k) {
    sigaction(signals_[k], nullptr, &before_[k]);
    if (before_[k].sa_handler == SIG_IGN) continue;
    struct sigaction stop {};
    stop.sa_handler = request_stop;
    sigemptyset(&stop.sa_mask);
    stop.sa_flags = SA_RESTART;  // no write of a file is cut short
    if (signals_[k] != SIGHUP) stop.sa_flags |= SA_RESETHAND;
    sigaction(signals_[k], &stop, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t k = 0; k < signals_.size(); ++k) sigaction(signals_[k], &before_[k], nullptr);
}

InterruptPause::InterruptPause(const InterruptGuard& guard, const char* message) {
  message_of_pause = message;
  for (std::size_t k = 0; k < guarded_.size(); ++k) {
    struct sigaction end {};
    end.sa_handler = guard.before_[k].sa_handler == SIG_IGN ? SIG_IGN : end_at_once;
    sigemptyset(&end.sa_mask);
    sigaction(InterruptGuard::signals_[k], &end, &guarded_[k]);
  }
}

InterruptPause::~InterruptPause() {
  for (std::size_t k = 0; k < guarded_.size(); ++k) sigaction(InterruptGuard::signals_[k], &guarded_[k], nullptr);
}

bool InterruptGuard::stop_requested() const { return is_asked_to_stop(); }

}  // namespace cardiowarp
