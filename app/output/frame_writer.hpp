#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/checkpoint/file_mark.hpp"
#include "app/output/frame_layout.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

class Simulation;
class VtuGrid;
struct OutputConfig;
struct Problem;

// How the frames of a run are filled: one implementation for each `output.format` (frame_formats.cpp lists them).
// FrameOutput asks a FrameWriter for as many Frames as are under way at once, lets each take its values from the
// simulation between two steps, and has it write its files, in a thread of its own where the run goes on meanwhile.

/// A frame under way. It is used again for later frames, one at a time.
class Frame {
 public:
  virtual ~Frame() = default;
  Frame() = default;
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  /// Takes the values at `time_ms`, which the simulation looks at, for the frame `number`.
  virtual void take(Simulation& simulation, std::size_t number, Real time_ms) = 0;
  /// Waits until all that it took is here, where taking does not wait. Throws DeviceError.
  virtual void await() {}
  /// Writes its files into `directory`, each beside its name and renamed when complete, and gives their marks, in the
  /// order of files_written_with(). Any thread. Throws InputError where one cannot be written. A value that is not
  /// finite is our mistake and never reaches a file: std::logic_error.
  virtual std::vector<FileMark> write(const std::filesystem::path& directory) = 0;
};

class FrameWriter {
 public:
  virtual ~FrameWriter() = default;
  FrameWriter() = default;
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  virtual const FrameLayout& layout() const = 0;
  /// Makes ready to go on after the frames of an earlier run in `directory`, before any frame is made: whether the
  /// first has to be written anew. `is_whole` tells of a file that comes with the first
  /// frame, by its name in `directory`, whether it is there as it was written. Throws InputError.
  virtual bool needs_first_frame_anew(const std::filesystem::path& /*directory*/,
                                      const std::function<bool(const std::string&)>& /*is_whole*/) {
    return true;
  }
  /// Cost: a frame's memory. It does not outlive the writer.
  virtual std::unique_ptr<Frame> make_frame() = 0;
};

/// The values that a frame under way has in memory, in bytes. A state is asked for in double precision and has a copy
/// of its own where the files are in single; the potential of these is sent in single. Blocks of a `.vtu` are another
/// copy.
std::size_t frame_bytes(const OutputConfig& output, const FrameFields& fields, std::size_t nodes, std::size_t elements);

/// The writer of a configuration, for the tissue of a problem, which outlives it. A format that is VTK's uses `grid`,
/// which does so, too.
std::unique_ptr<FrameWriter> make_frame_writer(const Config& config, const Problem& problem, VtuGrid& grid);

}  // namespace cardiowarp
