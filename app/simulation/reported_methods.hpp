#pragma once
#include "app/simulation/simulation.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "solver/solver_path.hpp"

namespace cardiowarp {

/// How a simulation of the plan computes, in the words of the YAML file. BackendSimulation asks once, when it has been
/// made, and `summary.json` shows the answer. `used` is the path that its linear solver takes: the one of the plan,
/// unless the device has refused that. Throws InputError where the user had asked for the path that was refused.
SimulationMethods reported_methods(const SimulationPlan& plan, SolverPath used);

}  // namespace cardiowarp
