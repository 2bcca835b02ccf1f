#include "app/output/frame_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <regex>
#include <set>
#include <system_error>

#include "app/files/folder_names.hpp"
#include "fem/input_error.hpp"
#include "meshes/atomic_file.hpp"
#include "meshes/file_kind.hpp"

namespace cardiowarp {

namespace fs = std::filesystem;

namespace {

/// Of the names that any format gives to files in `frames`, and to their temporaries.
std::regex frame_names() {
  std::vector<std::string> patterns;
  const auto add = [&](const std::string& file) {
    const std::string name = std::regex_replace(fs::path(file).filename().string(), std::regex("\\."), "\\.");
    patterns.push_back(std::regex_replace(name, std::regex("000000"), "[0-9]{6,}"));
  };
  for (const auto& layout : all_frame_layouts()) {
    for (const std::string& file : layout->files_of(0)) add(file);
    for (const std::string& file : layout->common_files()) add(file);
  }
  return std::regex(fmt::format("({})(\\.part)?", fmt::join(patterns, "|")));
}

/// What `frames` holds under the name of a frame or its temporary. Throws InputError where it cannot be read.
std::vector<fs::path> frame_files(const fs::path& frames) {
  const std::regex names = frame_names();
  std::vector<fs::path> found;
  std::error_code error;
  for (const std::string& other : names_in(frames, error))
    if (std::regex_match(other, names)) found.push_back(frames / other);
  if (error) throw InputError(fmt::format("cannot read folder '{}': {}", frames.string(), error.message()));
  return found;
}

bool is_regular(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(file, ignored));
}

}  // namespace

void require_frames_replaceable(const fs::path& directory) {
  for (const auto& layout : all_frame_layouts()) require_replaceable(directory / layout->list_file());
  require_replaceable(directory / "maps.vtu");
  const fs::path frames = directory / "frames";
  struct stat status {};
  const bool exists = ::lstat(frames.c_str(), &status) == 0;
  if (exists && !S_ISDIR(status.st_mode))
    throw InputError(fmt::format("cannot write '{}': expected a directory or nothing, got {}", frames.string(),
                                 file_kind(status.st_mode)));
  for (const auto& layout : all_frame_layouts())
    for (const std::string& first : layout->files_of(0)) require_replaceable(directory / first);
  if (!exists) return;
  for (const fs::path& frame : frame_files(frames)) require_replaceable(frame);
}

void create_frames_folder(const fs::path& directory) {
  const fs::path frames = directory / "frames";
  std::error_code error;
  fs::create_directories(frames, error);
  if (error)
    throw InputError(fmt::format("output.directory: cannot create folder '{}': {}", frames.string(), error.message()));
}

void remove_earlier_run(const fs::path& directory) {
  for (const auto& layout : all_frame_layouts()) remove_file(directory / layout->list_file());
  remove_file(directory / "maps.vtu");
  for (const fs::path& frame : frame_files(directory / "frames"))
    if (is_regular(frame)) remove_file(frame);
}

void require_frames(const fs::path& directory, const FrameLayout& layout, std::size_t count) {
  const auto require = [&](const std::string& name) {
    if (!is_regular(directory / name))
      throw InputError(
          fmt::format("--resume: no frame '{}', which was written before the checkpoint", (directory / name).string()));
  };
  for (std::size_t number = 0; number < count; ++number)
    for (const std::string& name : layout.files_of(number)) require(name);
}

void remove_frames_from(const fs::path& directory, const FrameLayout& layout, std::size_t count) {
  std::set<std::string> kept;
  const auto keep = [&](const std::string& name) { kept.insert(fs::path(name).filename()); };
  for (std::size_t number = 0; number < count; ++number)
    for (const std::string& name : layout.files_of(number)) keep(name);
  for (const std::string& name : layout.common_files()) keep(name);
  for (const fs::path& frame : frame_files(directory / "frames"))
    if (!kept.contains(frame.filename())) remove_file(frame);
}

}  // namespace cardiowarp
