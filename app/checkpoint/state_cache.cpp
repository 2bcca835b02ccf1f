#include "app/checkpoint/state_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "app/checkpoint/checksum.hpp"
#include "app/checkpoint/state_archive.hpp"
#include "app/process/log.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {

namespace fs = std::filesystem;

namespace {

constexpr const char* made_of_section = "cache/made_of";

std::uint64_t checksum_of(const std::string& text) {
  Checksum checksum;
  checksum.add(std::string_view(text));
  return checksum.value();
}

CheckpointSections with(CheckpointSections sections, std::string made_of) {
  StateArchive archive;
  archive.text(made_of_section, made_of);
  sections.insert(archive.sections().begin(), archive.sections().end());
  return sections;
}

std::optional<CheckpointSections> read_cached(const fs::path& file, const std::string& made_of, std::string& unusable) {
  unusable.clear();
  std::error_code ignored;
  if (fs::symlink_status(file, ignored).type() == fs::file_type::not_found) return std::nullopt;
  try {
    CheckpointSections sections = read_checkpoint_file(file);
    const auto found = sections.find(made_of_section);
    if (found != sections.end() && found->second == with({}, made_of).at(made_of_section)) return sections;
    unusable = fmt::format("checkpoint '{}': it is not the state that is kept under this name", file.string());
  } catch (const InputError& reason) {
    unusable = reason.what();
  }
  return std::nullopt;
}

/// Names the progress of a computation that was ended, so that it is not taken for its result.
std::string of_progress(const std::string& made_of) { return "progress of\n" + made_of; }

}  // namespace

CachedState::CachedState(const fs::path& cache, std::string made_of)
    : folder_(cache / fmt::format("{:016x}", checksum_of(made_of))), made_of_(std::move(made_of)) {}

CheckpointSections CachedState::as_state(CheckpointSections sections) const {
  return with(std::move(sections), made_of_);
}

CheckpointSections CachedState::as_progress(CheckpointSections sections) const {
  return with(std::move(sections), of_progress(made_of_));
}

std::optional<CheckpointSections> CachedState::read_state(std::string& unusable) const {
  return read_cached(state(), made_of_, unusable);
}

std::optional<CheckpointSections> CachedState::read_progress(std::string& unusable) const {
  return read_cached(progress(), of_progress(made_of_), unusable);
}

CacheLock::CacheLock(const CachedState& cached, const std::function<bool()>& stop) {
  std::error_code error;
  fs::create_directories(cached.folder(), error);
  if (error) throw InputError(fmt::format("cannot create folder '{}': {}", cached.folder().string(), error.message()));
  descriptor_ = open(cached.folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool is_told = false;
  while (descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    if (stop()) {
      is_held_ = false;
      return;
    }
    if (!is_told) log_info("another run computes '{}': waiting for it", cached.state().string());
    is_told = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

CacheLock::~CacheLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace cardiowarp
