#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cardiowarp {

// The `summary.json` of a run that is over, read back by a program that has started many of them.

/// A stimulus of the run.
struct PacedOutcome {
  std::string name;
  std::optional<bool> captured;  ///< nothing where no pulse could be judged
  std::string not_judged;        ///< why
  int pulses = 0, captured_pulses = 0;
};

/// A map in numbers.
struct MapOutcome {
  std::string name;
  std::optional<double> median;  ///< over the nodes that have a value; nothing where none has
};

/// The last beat at a probe, ms.
struct ProbeOutcome {
  std::string name;
  int beats = 0;
  std::optional<double> activation_ms = {}, apd90_ms = {};
};

struct RunOutcome {
  std::string status;  ///< completed, interrupted or failed
  std::string reason;  ///< of a status that is not `completed`
  double nodes = 0, activated = 0;
  std::optional<double> first_ms, last_ms;  ///< activations
  std::vector<PacedOutcome> stimuli = {};
  std::vector<MapOutcome> maps = {};
  std::vector<ProbeOutcome> probes = {};
  double seconds = 0;  ///< of wall clock

  bool completed() const { return status == "completed"; }
};

/// Reads `folder`/summary.json. Nothing where there is none, or what is there is no summary.
std::optional<RunOutcome> read_outcome(const std::filesystem::path& folder);

}  // namespace cardiowarp
