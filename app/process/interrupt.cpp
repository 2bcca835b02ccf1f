#include "app/process/interrupt.hpp"

namespace cardiowarp {
namespace {

volatile std::sig_atomic_t requested = 0;

void request_stop(int) { requested = 1; }

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

bool InterruptGuard::stop_requested() const { return requested != 0; }

}  // namespace cardiowarp
