#include "app/output/frame_files.hpp"

#include <fmt/format.h>

#include <regex>
#include <set>
#include <system_error>

#include "app/files/folder_names.hpp"
#include "fem/input_error.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {

namespace fs = std::filesystem;

std::string frame_name(std::size_t number) { return fmt::format("frames/potential_{:06}.vtu", number); }

std::vector<fs::path> frame_files(const fs::path& frames) {
  const std::regex name("potential_[0-9]{6,}\\.vtu(\\.part)?");
  std::vector<fs::path> found;
  std::error_code error;
  for (const std::string& other : names_in(frames, error))
    if (std::regex_match(other, name)) found.push_back(frames / other);
  if (error) throw InputError(fmt::format("cannot read folder '{}': {}", frames.string(), error.message()));
  return found;
}

void remove_earlier_run(const fs::path& directory) {
  remove_file(directory / "potential.pvd");
  remove_file(directory / "maps.vtu");
  std::error_code ignored;
  for (const fs::path& frame : frame_files(directory / "frames"))
    if (fs::is_regular_file(fs::symlink_status(frame, ignored))) remove_file(frame);
}

void require_frames(const fs::path& directory, std::size_t count) {
  for (std::size_t number = 0; number < count; ++number) {
    const fs::path file = directory / frame_name(number);
    std::error_code ignored;
    if (!fs::is_regular_file(fs::symlink_status(file, ignored)))
      throw InputError(fmt::format("--resume: no frame '{}', which was written before the checkpoint", file.string()));
  }
}

void remove_frames_from(const fs::path& directory, std::size_t count) {
  std::set<std::string> kept;
  for (std::size_t number = 0; number < count; ++number) kept.insert(fs::path(frame_name(number)).filename());
  for (const fs::path& frame : frame_files(directory / "frames"))
    if (!kept.contains(frame.filename())) remove_file(frame);
}

}  // namespace cardiowarp
