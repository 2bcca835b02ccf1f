#pragma once
#include "app/simulation/simulation.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "solver/solver_path.hpp"

namespace cardiowarp {

/// How a simulation of the plan computes, where its linear solver takes the path `used`: that of the plan, unless the
/// device has refused it.
SimulationMethods reported_methods(const SimulationPlan& plan, SolverPath used);

}  // namespace cardiowarp
