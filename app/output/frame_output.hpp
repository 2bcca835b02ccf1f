#pragma once
#include <filesystem>
#include <memory>

#include "app/output/frame_files.hpp"
#include "app/output/frame_writer.hpp"

namespace cardiowarp {

// Writes the frames of a run and their list, whatever their format. The Recorder owns a FrameOutput and calls it when a
// frame is due. Each file is written beside its name and renamed when complete, and the list has only complete frames
// (FrameList says how soon), so that whatever stands on disk can be opened at any moment.
//
// With `threads` > 0 up to so many frames are under way at once while the caller goes on: it takes the values from the
// simulation, threads write them, and whichever thread completes the oldest frame lists it and those after it that are
// complete. The list is in the order of times. Where a frame or the list cannot be written, what threads have written
// of it and of later frames is removed, all of them are written again in turn, as they may have taken each other's
// room, and the caller is told at its next call if one fails again: none after it stays on disk.

/// The frames of one run.
class FrameOutput {
 public:
  /// Writes into `directory`, which has the folder `frames`. Where the run `goes_on`, the list stays as it is until
  /// go_on_after() is called; the first frame is written before that if needs_first_frame_anew().
  FrameOutput(std::unique_ptr<FrameWriter> writer, std::filesystem::path directory, int threads = 0,
              bool goes_on = false);
  /// Waits for the frames under way.
  ~FrameOutput();

  /// Whether a run that goes on after these frames writes its first frame anew (FrameWriter). It is asked before that.
  /// Throws InputError.
  bool needs_first_frame_anew(const WrittenFrames& earlier);

  /// A frame of what the simulation looks at, at `time_ms`. With `threads` frames under way it waits for one of them.
  /// Throws InputError with the name of the file that cannot be written and the system's reason, DeviceError where a
  /// GPU fails, and std::logic_error where a value is not finite.
  void write_frame(Real time_ms, Simulation& simulation);

  void list_complete_frames();  ///< where the list is late
  /// Waits for the frames under way, which the list then has. Where the GPU was given up (DeviceWait), only frames
  /// whose values have arrived are waited for.
  void finish();

  /// Goes on where a run had written these frames: lists them, and removes later ones and the maps. Throws InputError
  /// where one of them is missing.
  void go_on_after(WrittenFrames earlier);

  int frames() const;             ///< complete; after finish() the list has them
  WrittenFrames written() const;  ///< the complete frames, while none is under way

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cardiowarp
