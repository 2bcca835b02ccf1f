#include "app/checkpoint/checkpoint_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <system_error>
#include <tuple>

#include "app/files/folder_names.hpp"
#include "app/process/log.hpp"
#include "fem/input_error.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

fs::path folder_in(const fs::path& output) { return output / "checkpoints"; }

/// Twelve digits, so that names are in the order of steps.
fs::path path_of(const fs::path& output, std::int64_t steps) {
  return folder_in(output) / fmt::format("step_{:012}.checkpoint", steps);
}

/// The files whose names are those of checkpoints or, if `unfinished`, of their temporaries; the newest first. `error`
/// has the reason where there may be others.
std::vector<fs::path> files_in(const fs::path& output, bool unfinished, std::error_code& error) {
  const std::string first = std::string("step_000000000000.checkpoint") + (unfinished ? ".part" : "");
  std::vector<fs::path> found;
  for (const std::string& other : names_in(folder_in(output), error))
    if (other.size() == first.size() && number_in_name(other, first)) found.push_back(folder_in(output) / other);
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

}  // namespace

void write_checkpoint(const fs::path& output, std::int64_t steps, int keep, const CheckpointSections& sections) {
  std::error_code error;
  fs::create_directories(folder_in(output), error);
  if (error)
    throw InputError(fmt::format("cannot create folder '{}': {}", folder_in(output).string(), error.message()));
  const fs::path file = path_of(output, steps);
  write_checkpoint_file(file, sections);
  int kept = 0;
  for (const fs::path& other : checkpoints_in(output)) {
    if (other <= file && ++kept <= keep) continue;
    try {
      remove_file(other);
    } catch (const InputError&) {  // it costs no more than its room
    }
  }
}

FoundCheckpoint newest_checkpoint(const fs::path& output, const char* option, const WhyUnusable& why_unusable) {
  std::error_code error;
  const std::vector<fs::path> files = files_in(output, false, error);
  if (error && error != std::errc::no_such_file_or_directory)
    throw InputError(
        fmt::format("{}: cannot look into the folder '{}': {}", option, folder_in(output).string(), error.message()));
  fs::path newest;  // that is whole, and why it is unusable
  std::string unusable;
  for (const fs::path& file : files) {
    FoundCheckpoint found{file, {}};
    try {
      found.sections = read_checkpoint_file(file);
    } catch (const InputError& reason) {
      log_warn("{}", reason.what());
      continue;
    }
    const std::string reason = why_unusable ? why_unusable(found) : "";
    if (!reason.empty()) {
      if (unusable.empty()) std::tie(newest, unusable) = std::tie(file, reason);
      continue;
    }
    if (!unusable.empty()) log_warn("{}", unusable);
    if (file != files.front()) log_warn("going on from the checkpoint before, '{}'", file.string());
    return found;
  }
  if (files.empty())
    throw InputError(
        fmt::format("{}: no checkpoint in '{}': the run writes them with the key `checkpoint`, and "
                    "when a signal or --stop-after ends it",
                    option, folder_in(output).string()));
  if (unusable.empty())
    throw InputError(fmt::format("{}: no checkpoint in '{}' is whole", option, folder_in(output).string()));
  return {newest, read_checkpoint_file(newest), unusable};
}

void remove_checkpoints(const fs::path& output) {
  std::error_code ignored;
  for (const bool unfinished : {true, false})
    for (const fs::path& file : files_in(output, unfinished, ignored)) remove_file(file);
}

std::vector<fs::path> checkpoints_in(const fs::path& output) {
  std::error_code ignored;
  return files_in(output, false, ignored);
}

}  // namespace cardiowarp
