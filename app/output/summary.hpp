#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/advice/outcome.hpp"
#include "app/advice/resolution.hpp"
#include "app/checkpoint/start_state.hpp"
#include "app/output/phase_seconds.hpp"
#include "app/output/recorder.hpp"
#include "app/output/work_over_time.hpp"
#include "app/process/build_info.hpp"
#include "app/process/threads.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/time_stepper.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

enum class RunStatus { completed, interrupted, failed };

/// The errors of a run as a second one shows them, in their largest values.
struct ErrorSummary {
  std::optional<Real> activation_percent, activation_ms, apd90_ms;  ///< as those of ErrorEstimate
  std::int64_t steps = 0;                                           ///< of the second run
  double seconds = 0;                                               ///< that it took from its plan to its end
};

/// The content of `summary.json`.
struct RunSummary {
  RunStatus status = RunStatus::completed;
  std::string reason;  ///< of `failed` and `interrupted`; left out of the file when empty

  BuildInfo build;
  std::string backend, device, preconditioner;
  std::string cell_precision = {};  ///< of ionic cells; empty and left out of the file where there are others
  SimulationMethods methods;
  ThreadChoice threads;

  struct MeshCounts {
    std::int64_t nodes = 0, elements = 0;
    std::int64_t inverted_elements = 0, unreferenced_nodes = 0;
    Real volume_mm3 = 0;
  } mesh;

  std::int64_t components = 0;        ///< of the mesh, not connected with each other
  std::int64_t prescribed_nodes = 0;  ///< whose potential is prescribed by `boundary`
  Outcome outcome;
  FrontResolution resolution;
  BeatResults beats;

  StepCounts steps;
  std::int64_t newton_iterations = 0, linear_iterations = 0, frames = 0;
  std::optional<Real> resumed_from_ms = {};  ///< left out of the file where the run began at 0
  std::optional<StartOrigin> from = {};      ///< left out of the file where the run began with `initial`
  std::string started;                       ///< ISO 8601, see `iso_time`
  PhaseSeconds seconds;
  WorkOverTime work{0, 0, {}};
  std::vector<std::string> warnings;                      ///< of the run until its maps were written
  std::optional<ErrorSummary> estimated_error = {};       ///< in time; left out of the file when absent
  std::optional<ErrorSummary> estimated_mesh_error = {};  ///< likewise
};

/// The summary as JSON text; keys in the order above.
std::string summary_json(const RunSummary& summary);

/// `2025-01-31T13:05:09Z` (UTC).
std::string iso_time(std::chrono::system_clock::time_point time);

}  // namespace cardiowarp
