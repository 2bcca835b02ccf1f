#pragma once
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/config/time_grid.hpp"
#include "app/output/beat_tables.hpp"
#include "app/output/ecg_leads.hpp"
#include "app/output/frame_output.hpp"
#include "app/output/series_file.hpp"
#include "app/output/vtu_grid.hpp"
#include "app/simulation/beat_times.hpp"
#include "fem/scaling.hpp"

namespace cardiowarp {

class Simulation;
struct Config;
struct Mesh;
struct Problem;

// Decides when the results of a run are due, and has them written: frames, maps, probes, the ECG and the resolved
// configuration.
// `run` and `compare` make one for a simulation, call record() before the first step and after each, and finish() at
// the end. The simulation is asked for values only where they are due. The files themselves are made by FrameOutput,
// write_maps() and SeriesFile; a file that cannot be written is an InputError.

/// Throws InputError where the files of a run could not replace what has the name of one of them in `directory`: only
/// regular files are replaced, and `frames` is a folder. A Recorder finds out, too, but minutes later.
void require_results_replaceable(const std::filesystem::path& directory);

/// The results that a run has written, so that one that goes on can tell whether they are still there.
struct WrittenResults {
  WrittenFrames frames;
  FileMark probe_rows;                    ///< of what `probes.csv` begins with; of nothing where there are no probes
  std::optional<FileMark> ecg_rows = {};  ///< of what `ecg.csv` begins with; absent where there is no ECG

  void exchange(StateArchive& archive);
};

/// Compares the results on disk with what checkpoints of a run know of them.
class ResultCheck {
 public:
  /// The configuration outlives this.
  explicit ResultCheck(const Config& config);
  /// The first file that is not as it was written, and why; empty where a run can go on with all of them.
  std::string first_changed(const WrittenResults& written);

 private:
  const Config& config_;
  std::unique_ptr<FrameLayout> layout_;
  FrameCheck frames_;
};

/// The beats of a run in numbers.
struct BeatResults {
  std::vector<MapSummary> maps;
  BeatRecords records;              ///< of the nodes, where tables of them are asked for
  std::vector<std::string> probes;  ///< their names
  BeatRecords of_probes;
};

/// Threads that write frames while a GPU computes: one fewer than choose_threads() chose, as the run has one; at most
/// 64, or as many frames as have 2 GiB of values, each `bytes_a_frame`; at least one. On the backend `cpu` every core
/// computes, and frames are written in between: none.
int frame_threads(const std::string& backend, std::size_t bytes_a_frame);
/// The threads that write the frames of a configuration.
int frame_threads(const std::string& backend, const Config& config, const Mesh& mesh);

/// The result files of one run and how often they are due.
class Recorder {
 public:
  /// Makes the output directory and removes the results of an earlier run, summary.json first. Configuration and
  /// problem outlive this object, the simulation is needed until finish() has returned. Up to `threads` frames are
  /// written while the run goes on (FrameOutput).
  /// Where the run `goes_on`, the results stay, and go_on() is called next.
  Recorder(const Config& config, const Problem& problem, Simulation& simulation, int threads = 0, bool goes_on = false);

  /// Takes up the results of an earlier run, of which the archive, which is loading, knows what was written. The
  /// simulation is still at its beginning: its first frame is written again where FrameOutput needs it anew.
  /// Removes the results that the run had written after its checkpoint. Throws InputError where results are missing.
  void go_on(StateArchive& archive);
  /// Tells an archive what was written; complete() was called after the last record().
  void save(StateArchive& archive);
  /// Completes all files but the maps.
  void complete();

  /// The states since the last call: at the end of the step the probes always and a frame when one is due, and in it,
  /// where the simulation interpolates, both where a frame is due.
  void record();

  /// Only a step that reaches this time has more to record than the probes at its end.
  Real next_look_ms() const { return std::min(frame_clock_.not_before_ms(), next_ecg_ms_); }

  /// The last state, if there is no frame of it, and the maps; all files are complete then.
  void finish();

  /// The maps again, with their estimated errors beside them; after finish().
  void write_errors(const MapErrors& errors);

  /// A function to be called after each frame, which the simulation still looks at. It is no part of seconds().
  void after_frames(std::function<void()> then) { after_frame_ = std::move(then); }

  int frames() const { return frames_.frames(); }  ///< complete
  double seconds() const { return seconds_; }      ///< spent here, not by those threads
  const BeatTimes& maps() const { return maps_; }  ///< the times of the first beats; after finish(), like beats()
  const BeatResults& beats() const { return beats_; }

 private:
  void exchange(StateArchive& archive, WrittenResults& written);
  void write_probes(Real time_ms);
  void write_ecg();
  void write_beats();
  void write_probe_beats();
  void write_frame(Real time_ms);

  const Config& config_;
  const Problem& problem_;
  Simulation& simulation_;
  std::size_t nodes_;
  Scaling scaling_;
  bool has_tables_;  ///< of beats
  VtuGrid grid_;     ///< of what VTK's format is used for
  FrameOutput frames_;
  FrameClock frame_clock_;
  std::optional<SeriesFile> probe_file_, ecg_file_;
  EcgLeads leads_;
  Real next_ecg_ms_;  ///< when samples are to be taken at the latest
  std::vector<Real> probe_mv_;
  BeatTimes maps_;
  std::vector<BeatMap> beat_maps_;
  std::vector<float> front_velocity_errors_;  ///< [elements] %, for maps.vtu
  BeatResults beats_;
  std::function<void()> after_frame_ = [] {};
  Real last_frame_ms_ = -1;
  double seconds_ = 0;
};

}  // namespace cardiowarp
