#include "app/simulation/gpu.hpp"
#include "app/simulation/laplace_solver.hpp"
#include "app/simulation/step_on_gpu.cuh"

namespace cardiowarp {

LaplaceField solve_laplace_on_gpu(const Mesh& mesh, const PrescribedValues& values, const LaplaceOptions& options) {
  const LaplacePlan plan = plan_laplace(mesh, values, described_gpu());
  CudaBackend backend;
  return LaplaceSolver<CudaBackend>(backend, plan).solve(options);
}

}  // namespace cardiowarp
