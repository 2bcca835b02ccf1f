#pragma once
#include <filesystem>
#include <string>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Cells that begin as a single cell of their kind is after beats (`initial.steady`, app/cells/steady_states.hpp).
struct SteadyConfig {
  int beats = 0;
  Real period_ms = 0;
  Real amplitude_mv_per_ms = 40, duration_ms = 1;  ///< of the pulse at the beginning of each beat
  std::filesystem::path cache = {};                ///< the folder of the states that are kept
  std::string place = {};                          ///< of the section
};

}  // namespace cardiowarp
