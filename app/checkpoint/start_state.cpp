#include "app/checkpoint/start_state.hpp"

#include <fmt/format.h>

namespace cardiowarp {

std::string StartOrigin::checksum_text() const { return fmt::format("{:016x}", checksum); }

void StartState::exchange(StateArchive& archive) {
  archive.text("start/file", origin.file);
  archive.value("start/time_ms", origin.time_ms);
  archive.value("start/checksum", origin.checksum);
  archive.values("start/phi", phi);
  archive.values("start/states", states);
  archive.value("start/at_points", at_points);
}

}  // namespace cardiowarp
