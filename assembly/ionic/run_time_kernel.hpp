#pragma once
#include <cstddef>
#include <string>

#include "fem/cells/stage_text.hpp"

namespace cardiowarp {

/// Threads in a block of the kernel.
inline constexpr unsigned run_time_kernel_threads = 128;

/// The most operations that the stage of a cell may have on a GPU. Compilers take more than proportionally long: 5,000,
/// of a large model, take 10 s.
inline constexpr std::size_t most_operations_on_gpu = 15'000;

/// The text of the loop over the points of a model that is made at run time, on a GPU: its stage, and around it what
/// EvaluateIonicPoint (ionic_loop_of_model.hpp) does for a model of the program. The kernel is `evaluate_points`, with
/// the parameters
///   int number, const int* point, const int* node, const unsigned short* cell_model, const double* volume,
///   double2* adds                                           as in IonicPoints
///   const double *phi, *load, *states_old, double* states, const double* step, int points     as in ElementState
///   double rest_mv, double mv_per_phi                       of the Scaling
///   const double* of_cells, int each                        of the StageText
std::string run_time_kernel_text(const StageText& stage);

}  // namespace cardiowarp
