#include "app/simulation/backend_simulation.hpp"
#include "kernels/backend/cpu_backend.hpp"

namespace cardiowarp {

std::unique_ptr<Simulation> make_cpu_simulation(const Problem& problem) {
  return std::make_unique<BackendSimulation<CpuBackend>>(plan_simulation(problem, cpu_device()));
}

}  // namespace cardiowarp
