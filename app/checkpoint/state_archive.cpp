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
    throw InputError(fmt::format("checkpoint: expected {} bytes of '{}', got {}", bytes.size(), name, kept.size()));
  std::copy(kept.begin(), kept.end(), bytes.begin());
}

const std::vector<std::byte>& StateArchive::section(const std::string& name, std::size_t of) const {
  const auto found = sections_.find(name);
  if (found == sections_.end()) throw InputError(fmt::format("checkpoint: it has no '{}'", name));
  if (found->second.size() % of != 0)
    throw InputError(
        fmt::format("checkpoint: expected a multiple of {} bytes of '{}', got {}", of, name, found->second.size()));
  return found->second;
}

}  // namespace cardiowarp
