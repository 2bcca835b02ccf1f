#pragma once
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// When a solve by conjugate gradients ends.
struct CgConfig {
  Real relative_tolerance;  ///< stop when |r| <= relative_tolerance |b|
  int max_iterations;
};

}  // namespace cardiowarp
