#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/simulation/simulation.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Components;
struct Config;
struct Problem;

// The fate of the tissue in a run, and whether that is what the user wanted. `run` asks for the Outcome once at the
// end, logs the warnings that follow from it, and writes it into `summary.json`. start_warnings() need no run:
// load_case() logs them when the problem has been built. A node counts as activated once it has reached 0 mV.

/// How much of the tissue was activated: reached 0 mV from below, or began there.
struct Activation {
  Index nodes = 0, activated = 0;
  Real first_ms = 0, last_ms = 0;  ///< meaningless where nothing was activated
};

/// Where APD90 is known at the end. Nodes that were not activated do not count, nor those whose potential is
/// prescribed.
struct Repolarization {
  Index known = 0, missing = 0;
  Real expected_ms = 0;  ///< when the missing ones would have it, if their APD90 were the longest known one
};

/// How the pulses of a stimulus ended.
struct StimulusOutcome {
  std::string name;
  Index nodes = 0;
  PulseCaptures pulses;
  Index activated_before = 0;  ///< of these nodes, before the first pulse began
  bool depolarizes = true;

  /// Whether all pulses that could be judged captured; absent where none could.
  std::optional<bool> captured() const;
  /// Why captured() is absent, as half a sentence; empty where it is not.
  std::string why_not_judged() const;
};

/// The activation and the captures of a run.
struct Outcome {
  Real simulated_ms = 0;
  Activation activation;
  Repolarization repolarization;
  std::vector<StimulusOutcome> stimuli;
  std::vector<Index> activated_of_component;  ///< [components of the mesh]
};

/// The outcome of a simulation up to now.
Outcome outcome_of(Simulation& simulation, const Config& config, const Problem& problem, const Components& components);

/// `activated 120 of 340 nodes from 0.9 to 78.2 ms; stimulus apex captured`
std::string in_words(const Outcome& outcome);

/// Why a run may not be what was wanted, one sentence each: nothing was activated, a stimulus did not capture, no wave
/// reached a component of the mesh, APD90 is asked for and known at some of the activated nodes only.
std::vector<std::string> outcome_warnings(const Outcome& outcome, const Config& config, const Problem& problem,
                                          const Components& components);

/// The warnings before the first step, one sentence each: components of the mesh that are not connected, tissue that is
/// activated or becomes so without a stimulus, a front that is wider than the mesh.
std::vector<std::string> start_warnings(const Config& config, const Problem& problem, const Components& components);

}  // namespace cardiowarp
