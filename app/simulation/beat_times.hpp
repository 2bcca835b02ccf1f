#pragma once
#include <optional>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Activation time and APD90 of each node, ms; −1 where there is none.
struct BeatTimes {
  std::vector<Real> activation_ms, apd90_ms;
};

/// The errors of the maps of a run, each kind where it was estimated.
struct MapErrors {
  std::optional<BeatTimes> in_time, of_mesh;
};

}  // namespace cardiowarp
