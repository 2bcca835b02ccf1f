#include "app/files/removed_at_signal.hpp"

#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

/// What the signal did before is set again when this is called, and happens when it returns.
void remove_and_end(int signal) {
  remove_pending_files();
  ::raise(signal);
}

}  // namespace

RemovedAtSignal::RemovedAtSignal() {
  for (std::size_t k = 0; k < signals_.size(); ++k) {
    sigaction(signals_[k], nullptr, &before_[k]);
    if (before_[k].sa_handler != SIG_DFL) continue;
    struct sigaction remove {};
    remove.sa_handler = remove_and_end;
    sigemptyset(&remove.sa_mask);
    remove.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signals_[k], &remove, nullptr);
  }
}

RemovedAtSignal::~RemovedAtSignal() {
  for (std::size_t k = 0; k < signals_.size(); ++k) sigaction(signals_[k], &before_[k], nullptr);
}

}  // namespace cardiowarp
