// The memory of a simulation, counted by making it where nothing is allocated (kernels/backend/sizing_backend.hpp).

#include "app/simulation/backend_simulation.hpp"
#include "app/simulation/make_assembly.hpp"
#include "kernels/backend/sizing_backend.hpp"

namespace cardiowarp {

std::size_t backend_bytes(const SimulationPlan& plan) {
  const BackendSimulation<SizingBackend> simulation(plan);
  return simulation.backend().bytes();
}

}  // namespace cardiowarp
