#pragma once
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "app/output/frame_files.hpp"
#include "app/output/frame_layout.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The list of a run's frames with their times, by which ParaView opens them; its name and text are those of the layout.
// The file is replaced as a whole, by a rename, so that whoever opens it at any moment reads a complete list, after a
// kill and on a full disk, too. Its size grows with the frames. So that a frame of a long run costs no more than one of
// a short run, a long list is not replaced for each of them: the file may lack 1 in 256 of the frames, for a second.
// FrameOutput owns a FrameList and adds each frame once its files are complete.

/// The list of a run and what it has.
class FrameList {
 public:
  /// Writes into `directory`; the layout outlives this. Where `is_held`, nothing is written before go_on_after().
  FrameList(const std::filesystem::path& directory, const FrameLayout& layout, bool is_held);

  /// Adds the next frame. The first 256 are in the file at once; later on it is written where it lacks more than 1 in
  /// 256 or was written a second ago. Throws InputError where it cannot be written; the file then stays as it was and
  /// the frame is not in the list. Cost: 256 lines of the file, about 18 kB of a .pvd, on average.
  /// `marks` are those of the files_written_with() it, which go into written().
  void add(Real time_ms, const std::vector<FileMark>& marks);

  /// Writes the file where it lacks a frame and was written a second ago. Throws InputError.
  void write_if_late();
  /// Writes the file where it lacks a frame. Throws InputError.
  void write_all();

  /// Lists the frames that an earlier process wrote, and no others, and writes the file. Throws InputError; the list
  /// then stays as it was.
  void go_on_after(WrittenFrames earlier);

  /// All that were added, in order.
  const WrittenFrames& written() const { return written_; }
  bool is_held() const { return is_held_; }

 private:
  std::size_t frames() const { return written_.times_ms.size(); }
  bool lacks_frames() const { return !is_held_ && in_file_ < frames(); }
  bool is_late() const;
  void write();

  std::filesystem::path file_;
  const FrameLayout& layout_;
  bool is_held_;
  std::string lines_;  ///< one a frame
  WrittenFrames written_;
  std::size_t in_file_ = 0;  ///< how many of them the file has
  std::chrono::steady_clock::time_point written_at_;
};

}  // namespace cardiowarp
