#include "app/simulation/gpu.hpp"
#include "app/simulation/laplace_solver.hpp"
#include "app/simulation/step_on_gpu.cuh"

namespace cardiowarp {

LaplaceField solve_laplace_on_gpu(const Mesh& mesh, const PrescribedValues& values, const LaplaceOptions& options) {
  return solve_laplace_scaled(values, [&](const PrescribedValues& scaled) {
    const LaplacePlan plan = plan_laplace(mesh, scaled, described_gpu());
    CudaBackend backend;
    return LaplaceSolver<CudaBackend>(backend, plan).solve(options);
  });
}

}  // namespace cardiowarp
