#include "app/checkpoint/state_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "app/process/log.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {

namespace fs = std::filesystem;

CachedState::CachedState(const fs::path& cache, std::uint64_t key) : folder_(cache / fmt::format("{:016x}", key)) {}

std::optional<CheckpointSections> read_cached(const fs::path& file) {
  std::error_code ignored;
  if (fs::symlink_status(file, ignored).type() == fs::file_type::not_found) return std::nullopt;
  try {
    return read_checkpoint_file(file);
  } catch (const InputError& reason) {
    log_warn("{}; it is made anew", reason.what());
    return std::nullopt;
  }
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
