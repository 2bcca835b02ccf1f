#include "app/simulation/backend_simulation.hpp"
#include "kernels/backend/cpu_backend.hpp"

namespace cardiowarp {

std::unique_ptr<Simulation> make_cpu_simulation(const Problem& problem) {
  return make_cpu_simulation_of(plan_simulation(problem, cpu_device()));
}

std::unique_ptr<Simulation> make_cpu_simulation_of(const SimulationPlan& plan) {
  return std::make_unique<BackendSimulation<CpuBackend>>(plan);
}

}  // namespace cardiowarp
