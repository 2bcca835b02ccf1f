#pragma once
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct CgState;  // solver/cg/cg_state.hpp

/// Where a system that is solved again and again has its vectors, [rows] each in backend memory. All stay where they
/// are.
template <class Number>
struct CgVectors {
  Index rows;
  Number* r;                 ///< b before a solve, and lost after it
  Number* x;                 ///< the solution
  CgState* state = nullptr;  ///< has the report after a solve
};

}  // namespace cardiowarp
