#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "app/config/config.hpp"
#include "app/config/time_grid.hpp"
#include "app/output/vtk_output.hpp"
#include "app/simulation/probes.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/simulation.hpp"

namespace cardiowarp {

/// Throws InputError where the files of a run could not replace what has the name of one of them in `directory`: only
/// regular files are replaced, and `frames` is a folder. A Recorder finds out, too, but minutes later.
void require_results_replaceable(const std::filesystem::path& directory);

/// The result files of one run and how often they are due.
class Recorder {
 public:
  /// Makes the output directory and removes the results of an earlier run, summary.json first. All three outlive this
  /// object. Up to `threads` frames are written while the run goes on (VtkOutput).
  Recorder(const Config& config, const Problem& problem, Simulation& simulation, int threads = 0);

  /// The current state: probes always, a frame when one is due. True where it made a frame.
  bool record();

  /// The last state, if there is no frame of it, and the maps; all files are complete then. True where it made a frame.
  bool finish();

  int frames() const { return files_.frames(); }                        ///< complete
  double seconds() const { return seconds_; }                           ///< spent here, not by those threads
  const std::vector<Real>& potential_mv() const { return potential_; }  ///< [nodes] of the last frame

 private:
  void write_frame();

  const Config& config_;
  Simulation& simulation_;
  VtkOutput files_;
  FrameClock frame_clock_;
  std::optional<ProbeFile> probe_file_;
  std::vector<Real> potential_, recovery_, probe_mv_;
  Real last_frame_ms_ = -1;
  double seconds_ = 0;
};

}  // namespace cardiowarp
