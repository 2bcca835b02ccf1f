#include "app/process/interrupt.hpp"

#include "kernels/backend/stop_request.hpp"

namespace cardiowarp {
namespace {

void request_stop(int) { ask_to_stop(); }

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

bool InterruptGuard::stop_requested() const { return is_asked_to_stop(); }

}  // namespace cardiowarp
