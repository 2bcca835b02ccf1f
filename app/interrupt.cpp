#include "app/interrupt.hpp"

#include <array>
#include <csignal>

namespace cardiowarp {
namespace {

constexpr std::array<int, 2> signals{SIGINT, SIGTERM};
volatile std::sig_atomic_t requested = 0;

void request_stop(int signal) {
  requested = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  for (const int signal : signals) std::signal(signal, request_stop);
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : signals) std::signal(signal, SIG_DFL);
}

bool InterruptGuard::stop_requested() const { return requested != 0; }

}  // namespace cardiowarp
