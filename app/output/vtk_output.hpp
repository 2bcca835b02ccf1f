#pragma once
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/simulation/error_estimate.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

// Writes what ParaView opens of a run: a frame for each time at which one is due, the list of the frames, and the maps
// of the beat. The Recorder owns a VtkOutput and gives it the potential in mV and the states of the cells, in the order
// of the mesh. Each frame holds the whole mesh, so that it can be opened without the others. docs/output.md describes
// the files for users.

/// Throws InputError where a VtkOutput could not replace what has the name of one of its files in `directory`.
void require_frames_replaceable(const std::filesystem::path& directory);

/// The ParaView files of a run: `potential.pvd`, `frames/potential_NNNNNN.vtu`, `maps.vtu` (appended, compressed
/// binary, nodes and elements in the mesh's order). Each file is written beside its name and renamed when complete, and
/// the .pvd lists only complete frames (FrameList says how soon), so that whatever stands on disk can be opened at any
/// moment. Nodes and
/// tetrahedra are not copied: `mesh` outlives this object and does not change. A file that cannot be written (folder,
/// rights, disk full) throws InputError with its name and the system's reason.
///
/// Most of a frame's time is compression. With `threads` > 0 up to so many are written at once, a thread for each,
/// while the caller goes on; they are listed in the order of their times, when the caller comes by. Where one cannot be
/// written that call throws, and none after it stays on disk.
class VtkOutput {
 public:
  /// Creates `config.directory` with its `frames` folder and removes the frames of an earlier run.
  /// `fibers` is [elements] unit vectors (zero where there is none), copied.
  /// `states` names the cell states that a frame has.
  /// Where `goes_on`, they stay: the first frame is then written anew, and after it go_on_after() is called.
  VtkOutput(const Mesh& mesh, std::span<const Vector3> fibers, const OutputConfig& config,
            std::vector<std::string> states, int threads = 0, bool goes_on = false);
  /// Waits for the frames under way.
  ~VtkOutput();

  /// Point array `potential` [mV] (Float64), a cell array for each state (Float64), `fiber` (3 x Float32), `region`
  /// (Int32); field data `TimeValue` [ms]. `potential_mv` is [nodes], `states` are [states × elements], state after
  /// state. A value that is not finite is our mistake and never reaches a file: std::logic_error. Where threads write,
  /// the values are copied; with `threads` frames under way it waits for the oldest.
  void write_frame(Real time_ms, std::span<const Real> potential_mv, std::span<const Real> states);

  void list_complete_frames();  ///< up to the first that is not complete
  void finish();                ///< waits for all under way; the .pvd then lists all

  /// `maps.vtu` with the point arrays `activation_time` [ms] and `apd90` [ms] that the configuration asks for, and
  /// `fiber` and `region`. Both are [nodes].
  void write_maps(std::span<const Real> activation_time_ms, std::span<const Real> apd90_ms);
  /// The same with the estimated errors of the times beside them: `activation_time_error` and `apd90_error` in time,
  /// `activation_time_mesh_error` and `apd90_mesh_error` of the mesh.
  void write_maps(const BeatTimes& times, const MapErrors& errors);

  /// Goes on where a run had written the frames of these times: lists them, and removes later ones and the maps. Throws
  /// InputError where one of them is missing.
  void go_on_after(std::vector<Real> times_ms);

  int frames() const;                         ///< complete; after finish() the .pvd has them
  const std::vector<Real>& times_ms() const;  ///< of these

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cardiowarp
