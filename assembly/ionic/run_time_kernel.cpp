#include "assembly/ionic/run_time_kernel.hpp"

namespace cardiowarp {
namespace {

constexpr const char* loop = R"(
extern "C" __global__ void evaluate_points(int number, const int* point_of, const int* node_of,
                                           const unsigned short* cell_model, const double* volume_of, double2* adds,
                                           const double* phi, const double* load, const double* states_old,
                                           double* states, const double* step, int points, double rest_mv,
                                           double mv_per_phi, const double* of_cells, int each) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= number) return;
  const int point = point_of ? point_of[k] : k, node = node_of[point];
  const double* const of_cell = of_cells + static_cast<long long>(cell_model[point]) * each;
  const double here = phi[node], h = *step, inverse_step = 1 / h, volume = volume_of[point];
  double current, slope;
  stage_of_cell(mv_per_phi * here + rest_mv, h, of_cell, states_old + point, states + point, points, current, slope);
  adds[point] = make_double2(volume * (inverse_step + slope),
                             volume * (here * inverse_step + current / mv_per_phi - load[node]));
}
)";

}  // namespace

/// No launch bounds: with them NVRTC 13.0 gives the largest models 32 registers in place of 255.
std::string run_time_kernel_text(const StageText& stage) { return stage.text + loop; }

}  // namespace cardiowarp
