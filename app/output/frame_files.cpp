#include "app/output/frame_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/files/folder_names.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/thread_team.hpp"
#include "meshes/atomic_file.hpp"
#include "meshes/file_kind.hpp"

namespace cardiowarp {

namespace fs = std::filesystem;

namespace {

/// Whether a file is of a state in EnSight's format, `NAME_000000.element`. Names of states of a CellML model are not
/// known to a later run of another one.
bool is_of_a_state(std::string_view name) {
  constexpr std::string_view ending = ".element", digits = "0123456789";
  if (!name.ends_with(ending)) return false;
  name.remove_suffix(ending.size());
  const std::size_t before = name.find_last_not_of(digits);
  return before != name.npos && before > 0 && name[before] == '_' && name.size() - before > 6;
}

/// What `frames` holds under the name that any format gives to a file there, or to its temporary. Throws InputError
/// where it cannot be read.
std::vector<fs::path> frame_files(const fs::path& frames) {
  std::vector<std::string> first_names;
  for (const auto& layout : all_frame_layouts())
    for (const std::vector<std::string>& files : {layout->files_of(0), layout->common_files()})
      for (const std::string& file : files) first_names.push_back(fs::path(file).filename().string());
  const auto is_of_a_frame = [&](std::string_view name) {
    constexpr std::string_view temporary = ".part";
    if (name.ends_with(temporary)) name.remove_suffix(temporary.size());
    return is_of_a_state(name) || std::ranges::any_of(first_names, [&](const std::string& first) {
             return number_in_name(name, first).has_value();
           });
  };
  std::vector<fs::path> found;
  std::error_code error;
  for (const std::string& other : names_in(frames, error))
    if (is_of_a_frame(other)) found.push_back(frames / other);
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

void WrittenFrames::exchange(StateArchive& archive) {
  archive.values("output/frame_times_ms", times_ms);
  std::vector<std::uint64_t> numbers;
  for (const FileMark& mark : marks) numbers.insert(numbers.end(), {mark.bytes, mark.checksum});
  archive.values("output/frame_marks", numbers);
  marks.resize(numbers.size() / 2);
  for (std::size_t i = 0; i < marks.size(); ++i) marks[i] = {numbers[2 * i], numbers[2 * i + 1]};
}

std::vector<std::string> files_written_with(const FrameLayout& layout, std::size_t number) {
  std::vector<std::string> files = number == 0 ? layout.common_files() : std::vector<std::string>();
  for (std::string& name : layout.files_of(number)) files.push_back(std::move(name));
  return files;
}

std::vector<FileMark> marks_written_with(const fs::path& directory, const FrameLayout& layout, std::size_t number) {
  std::vector<FileMark> marks;
  for (const std::string& name : files_written_with(layout, number)) marks.push_back(mark_of(directory / name));
  return marks;
}

FrameCheck::FrameCheck(fs::path directory, const FrameLayout& layout)
    : directory_(std::move(directory)), layout_(layout) {}

std::string FrameCheck::first_changed(const WrittenFrames& written) {
  const std::size_t of_first = files_written_with(layout_, 0).size();
  std::vector<Compared> files;
  for (std::size_t number = 1; number < written.times_ms.size(); ++number)
    for (std::string& name : layout_.files_of(number)) files.push_back({std::move(name), {}, {}});
  if (written.marks.size() != (written.times_ms.empty() ? 0 : of_first + files.size()))
    return fmt::format("expected the marks of the files of {} frames, got {}", written.times_ms.size(),
                       written.marks.size());
  std::vector<std::size_t> unread;
  for (std::size_t i = 0; i < files.size(); ++i) {
    files[i].mark = written.marks[of_first + i];
    if (i < compared_.size() && compared_[i].mark == files[i].mark)
      files[i].why_changed = compared_[i].why_changed;
    else
      unread.push_back(i);
  }
  parallel_for(unread.size(), [&](std::size_t k) {
    Compared& file = files[unread[k]];
    file.why_changed = why_changed(directory_ / file.file, file.mark);
  });
  compared_ = std::move(files);
  const auto changed = std::ranges::find_if(compared_, [](const Compared& file) { return !file.why_changed.empty(); });
  return changed == compared_.end() ? ""
                                    : fmt::format("'{}', which was written before the checkpoint: {}",
                                                  (directory_ / changed->file).string(), changed->why_changed);
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
