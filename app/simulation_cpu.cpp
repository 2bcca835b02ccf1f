#include "app/backend_simulation.hpp"
#include "kernels/cpu_backend.hpp"

namespace cardiowarp {

std::unique_ptr<Simulation> make_cpu_simulation(const Problem& problem) {
  if (problem.format == MatrixFormat::k1r)
    return std::make_unique<BackendSimulation<CpuBackend, StoredAsEllWarp>>(problem);
  return std::make_unique<BackendSimulation<CpuBackend, StoredAsCsr>>(problem);
}

}  // namespace cardiowarp
