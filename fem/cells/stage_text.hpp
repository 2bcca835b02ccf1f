#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The stage of backward Euler of a cell (fem/cells/ionic/ionic_stage.hpp) as text for a compiler that makes code for a
/// GPU while the program runs, and the numbers that belong to it. The text includes nothing and has
///
///   __constant__ double stage_constants[];
///   __device__ void stage_of_cell(double V, double h, const double* of_cell, const double* old, double* end,
///                                 long long stride, double& current, double& slope);
///
/// with V in mV at the end of the stage, its length h in ms, state k at old[k * stride] at its beginning and at
/// end[k * stride] at its end, the current in mV/ms and its derivative by V in 1/ms, both NaN where there is no
/// solution.
struct StageText {
  std::string text;
  std::vector<Real> constants;  ///< of stage_constants
  std::size_t each = 0;         ///< how many numbers `of_cell` points to
  std::vector<Real> of_cells;   ///< [cells][each]
  std::size_t operations = 0;   ///< of which the text is made: a measure of how long a compiler takes
};

}  // namespace cardiowarp
