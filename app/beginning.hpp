#pragma once
#include <optional>
#include <string>

#include "app/checkpoints.hpp"
#include "app/files/folder_lock.hpp"
#include "app/process/exit_code.hpp"
#include "app/run_identity.hpp"
#include "app/start_from.hpp"

namespace cardiowarp {

struct Case;
struct Config;
struct PrepaceRun;
struct RunOptions;

// The beginning of a run: the state of `initial`, that of a checkpoint of another run, that of a heart that was paced,
// or the checkpoint that it goes on from. run() makes a Beginning first of all, which refuses what cannot be before the
// mesh is read, and takes the folder of the results once its simulation is there.

/// The lock, the checkpoints and the identity with which a run begins, most of them known before its mesh is read.
struct Beginning {
  /// Locks the folder of the results if it is there, and reads the checkpoints that are asked for. Throws InputError if
  /// the options contradict each other or the configuration.
  Beginning(const Config& asked, const RunOptions& options);

  std::optional<FolderLock> lock;     ///< of the folder, which may first be made when the simulation is there
  std::optional<SavedRun> saved;      ///< of --resume
  std::optional<SourceState> source;  ///< of --from
  RunIdentity identity = {};

  /// The saved run that the run goes on from; null if it begins at 0.
  SavedRun* resumed() { return saved && !saved->begins_anew() ? &*saved : nullptr; }
  const SavedRun* resumed() const { return saved && !saved->begins_anew() ? &*saved : nullptr; }
  /// Whether the state at 0 is one that was saved, instead of the one of `initial`.
  bool has_state() const { return source || (saved && saved->identity().start); }
};

/// Lets the problem begin with the state of --from or of the run that is resumed, or has the heart paced. The identity
/// of the beginning is that of the problem before. Returns an exit code if the pacing ended the run.
std::optional<ExitCode> begin_with_state(Beginning& beginning, Case& given, const PrepaceRun& pacing);

/// Makes the folder of the results ready for those of a run on that backend: it is locked, and a run that begins at 0
/// removes the checkpoints of an earlier one. Throws InputError.
void take_folder(Beginning& beginning, const Config& config, const std::string& backend);

}  // namespace cardiowarp
