#include "app/checkpoint/state_archive.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fem/input_error.hpp"

namespace cardiowarp {

void StateArchive::bytes(const std::string& name, std::span<std::byte> bytes) {
  if (!is_loading_) {
    sections_[name].assign(bytes.begin(), bytes.end());
    return;
  }
  const std::vector<std::byte>& kept = section(name, 1);
  if (kept.size() != bytes.size())
    fail(fmt::format("expected {} bytes of '{}', got {}", bytes.size(), name, kept.size()));
  std::copy(kept.begin(), kept.end(), bytes.begin());
}

const std::vector<std::byte>& StateArchive::section(const std::string& name, std::size_t of) const {
  const auto found = sections_.find(name);
  if (found == sections_.end()) fail(fmt::format("it has no '{}'", name));
  if (found->second.size() % of != 0)
    fail(fmt::format("expected a multiple of {} bytes of '{}', got {}", of, name, found->second.size()));
  return found->second;
}

void StateArchive::fail(const std::string& what) const {
  throw InputError(file_.empty() ? "checkpoint: " + what : fmt::format("checkpoint '{}': {}", file_, what));
}

}  // namespace cardiowarp
