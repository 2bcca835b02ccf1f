#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "app/checkpoint/state_archive.hpp"
#include "app/config/time_grid.hpp"
#include "app/run_identity.hpp"

namespace cardiowarp {

class Recorder;
class Simulation;
struct Config;
struct March;

// Saves a run and lets it go on. `run` makes a Checkpoints for its march, which writes a checkpoint whenever one is
// due. With --resume it makes a SavedRun first, which reads the newest checkpoint of the output folder, and loads it
// into the march. A checkpoint holds whatever the rest of the run depends on, so that the run goes on bit for bit.

/// The checkpoint that a run goes on from: the newest one of an output folder that is whole and whose earlier results
/// are still as the run wrote them. The run that goes on from it writes all later results anew, damaged ones too. Where
/// results were damaged before the oldest checkpoint, only the whole run can write them anew, which begins_anew()
/// tells; the newest checkpoint then says what the run began with.
class SavedRun {
 public:
  /// Throws InputError where there is none, or where a run of this configuration cannot go on from it. Nothing is
  /// changed.
  explicit SavedRun(const Config& config);

  bool begins_anew() const { return begins_anew_; }

  Real time_ms() const { return time_ms_; }
  const std::filesystem::path& file() const { return file_; }
  const RunIdentity& identity() const { return identity_; }
  StateArchive& archive() { return archive_; }

 private:
  std::filesystem::path file_;
  StateArchive archive_;
  RunIdentity identity_;
  Real time_ms_ = 0;
  bool begins_anew_ = false;
};

/// The checkpoints of a run. All that the constructor is given outlives this.
class Checkpoints {
 public:
  Checkpoints(const Config& config, const RunIdentity& identity, Simulation& simulation, March& march,
              Recorder& recorder);

  /// Puts a run that has made no step yet into the state of the saved one.
  void load(SavedRun& saved);

  /// Is called after each step, and writes a checkpoint if one is due. A checkpoint that cannot be written is a
  /// warning.
  void after_step();

  /// The time, in ms, before which no checkpoint is due: a step that ends earlier does not write one.
  Real next_look_ms() const { return clock_.not_before_ms(); }

  /// Writes a checkpoint now. Returns whether there is one of the present state, which may have been written before; a
  /// checkpoint that cannot be written is a warning. Throws InputError if a result file cannot be completed.
  bool save();

  /// The time, in ms, of the newest checkpoint that this run has written or gone on from; nothing if there is none.
  std::optional<Real> saved_ms() const { return saved_ms_; }

 private:
  void exchange(StateArchive& archive);

  const Config& config_;
  const RunIdentity& identity_;
  Simulation& simulation_;
  March& march_;
  Recorder& recorder_;
  FrameClock clock_;
  std::int64_t saved_steps_ = -1;
  std::optional<Real> saved_ms_;
};

}  // namespace cardiowarp
