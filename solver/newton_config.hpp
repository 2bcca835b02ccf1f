#pragma once
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// How accurately Newton's method (newton.hpp) has each of its linear systems solved.
enum class ForcingChoice {
  eisenstat_walker,  ///< each system as accurately as it helps (Forcing, solver/cg/cg_state.hpp)
  fixed              ///< each system to the same relative tolerance
};

/// When Newton's method ends.
struct NewtonConfig {
  Real tolerance = 1e-8;  ///< on max |Δφ|, dimensionless
  int max_iterations = 20;
  ForcingChoice forcing = ForcingChoice::eisenstat_walker;
};

}  // namespace cardiowarp
