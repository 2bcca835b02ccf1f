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

// Saves a run and lets it go on: `run` makes a Checkpoints for its march, which writes one where one is due, and with
// --resume a SavedRun, which is read before anything else and then loaded. A checkpoint holds whatever the rest of the
// run depends on, so that it goes on bit for bit.

/// The newest checkpoint of an output folder that is whole, and before which all results are as the run wrote them:
/// what was damaged after it is written anew by the run that goes on from there. Where results were damaged before the
/// oldest checkpoint, all that can write them anew is the whole run, which begins_anew(): the newest checkpoint then
/// tells what the run began with.
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

  /// Puts a run that has not begun where the saved one was.
  void load(SavedRun& saved);

  /// Writes one where one is due. Where it cannot be written the run goes on, with a warning.
  void after_step();

  /// No step that ends before has a checkpoint.
  Real next_look_ms() const { return clock_.not_before_ms(); }

  /// Writes one now, with a warning where it cannot be written. True where it was, or had been after the last step. A
  /// result that cannot be completed throws InputError.
  bool save();

  /// The time of the newest checkpoint that this run has written or gone on from.
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
