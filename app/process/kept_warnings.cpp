#include "app/process/kept_warnings.hpp"

#include <mutex>

namespace cardiowarp {
namespace {

std::mutex guard;
KeptWarnings* keeper = nullptr;

}  // namespace

KeptWarnings::KeptWarnings() {
  const std::lock_guard lock(guard);
  if (keeper == nullptr) keeper = this;
}

KeptWarnings::~KeptWarnings() {
  const std::lock_guard lock(guard);
  if (keeper == this) keeper = nullptr;
}

std::vector<std::string> KeptWarnings::texts() const {
  const std::lock_guard lock(guard);
  return texts_;
}

void KeptWarnings::keep(const std::string& text) {
  const std::lock_guard lock(guard);
  constexpr std::size_t most = 1000;  // one a frame may be a million
  if (keeper != nullptr && keeper->texts_.size() < most) keeper->texts_.push_back(text);
}

}  // namespace cardiowarp
