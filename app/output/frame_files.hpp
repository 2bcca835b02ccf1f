#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "app/checkpoint/file_mark.hpp"
#include "app/checkpoint/state_archive.hpp"
#include "app/output/frame_layout.hpp"

namespace cardiowarp {

// The files of frames in an output folder: which are there, which have to be, and which go. A new run removes those of
// an earlier one whatever their format; a run that goes on keeps those of its own that its checkpoint knows. The
// Recorder asks before it writes the first frame of a run.

/// Throws InputError where a run could not replace what has the name of a frame, of a list of frames or of the maps in
/// `directory`, whatever its format.
void require_frames_replaceable(const std::filesystem::path& directory);

/// Makes `frames` in `directory`, and that, where they are not there. Throws InputError.
void create_frames_folder(const std::filesystem::path& directory);

/// The lists of the frames, the maps and the frames of an earlier run. The lists go first: they never have a frame that
/// is not there.
void remove_earlier_run(const std::filesystem::path& directory);

/// The frames that a run has written, which its checkpoints know: 8 bytes a frame and 16 for each of its files.
struct WrittenFrames {
  std::vector<Real> times_ms;
  std::vector<FileMark> marks;  ///< of the files_written_with() each frame, the first frame's first

  void exchange(StateArchive& archive);
};

/// The files that are written with a frame: its own, and with the first one before these the ones that all frames
/// share.
std::vector<std::string> files_written_with(const FrameLayout& layout, std::size_t number);

/// The marks of these. Throws InputError that names the file which cannot be read.
std::vector<FileMark> marks_written_with(const std::filesystem::path& directory, const FrameLayout& layout,
                                         std::size_t number);

/// Finds frames that are not as a run had written them. A file that was compared with a mark once is not read again.
class FrameCheck {
 public:
  FrameCheck(std::filesystem::path directory, const FrameLayout& layout);

  /// The first file that is not as it was written, and why; empty where there is none. The files that come with the
  /// first frame are left out, as a run that goes on can write them anew. Cost: all files are read, by all threads.
  std::string first_changed(const WrittenFrames& written);

 private:
  struct Compared {
    std::string file;
    FileMark mark;
    std::string why_changed;
  };
  std::filesystem::path directory_;
  const FrameLayout& layout_;
  std::vector<Compared> compared_;  ///< the files after the first frame's, in the order of the marks
};

/// Throws InputError that names the first file of `count` frames that is not there.
void require_frames(const std::filesystem::path& directory, const FrameLayout& layout, std::size_t count);

/// All frames of any format but the first `count` of this one, and temporaries.
void remove_frames_from(const std::filesystem::path& directory, const FrameLayout& layout, std::size_t count);

}  // namespace cardiowarp
