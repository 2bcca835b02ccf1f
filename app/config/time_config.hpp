#pragma once
#include <optional>

#include "app/config/time_scheme.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The sections `time`, `accuracy` and `checkpoint`.

/// Steps by their estimated error instead of equal ones.
struct AdaptiveConfig {
  bool enabled = false;
  Real tolerance = 1e-3;  ///< on the local error of the dimensionless potential
  Real min_step_ms = 0.01, max_step_ms = 2;
};

struct TimeConfig {
  Real end_ms = 0;
  Real step_ms = 0;  ///< adaptive: the first one, and after each edge of a stimulus
  TimeScheme scheme = TimeScheme::sdirk2;
  AdaptiveConfig adaptive = {};

  /// Whether states are known between the ends of steps, so that none needs to end where output is due.
  bool interpolates() const { return traits_of(scheme).interpolates; }
  /// Whether every edge of a stimulus is the end of a step.
  bool meets_edges() const { return adaptive.enabled || interpolates(); }
  /// The order of the scheme, p: errors fall with the step to this power.
  int order() const { return traits_of(scheme).order; }
};

/// How wrong the steps in time may make what a run is made for, in place of `time.adaptive.tolerance` and `max_step`,
/// which are found from it (app/start/step_tolerance.hpp). At least one of the two errors is given.
struct AccuracyConfig {
  std::optional<Real> activation_percent;  ///< of the time since the first activation of the tissue
  std::optional<Real> apd90_ms;
  bool finds_max_step = true;  ///< unless `time.adaptive.max_step` is given, which then limits the steps
};

/// Checkpoints, from which a run can go on.
struct CheckpointConfig {
  Real interval_ms = 0;  ///< of simulated time
  int keep = 2;          ///< the newest of them
};

}  // namespace cardiowarp
