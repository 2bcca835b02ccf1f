#pragma once
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

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
  void add(Real time_ms);

  /// Writes the file where it lacks a frame and was written a second ago. Throws InputError.
  void write_if_late();
  /// Writes the file where it lacks a frame. Throws InputError.
  void write_all();

  /// Lists the frames of these times, which an earlier process wrote, and no others, and writes the file. Throws
  /// InputError; the list then stays as it was.
  void go_on_after(std::vector<Real> times_ms);

  /// Of all that were added, in order.
  const std::vector<Real>& times_ms() const { return times_ms_; }
  bool is_held() const { return is_held_; }

 private:
  bool lacks_frames() const { return !is_held_ && in_file_ < times_ms_.size(); }
  bool is_late() const;
  void write();

  std::filesystem::path file_;
  const FrameLayout& layout_;
  bool is_held_;
  std::string lines_;  ///< one a frame
  std::vector<Real> times_ms_;
  std::size_t in_file_ = 0;  ///< how many of them the file has
  std::chrono::steady_clock::time_point written_at_;
};

}  // namespace cardiowarp
