// The assembly of a simulation on the CPU; simulation_plan.hpp names what is compiled here.

#include "app/simulation/make_assembly.hpp"

namespace cardiowarp {

template std::unique_ptr<Assembly<CpuBackend>> make_assembly(CpuBackend&, const SimulationPlan&);

}  // namespace cardiowarp
