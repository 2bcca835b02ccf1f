#pragma once
#include <cstddef>

namespace cardiowarp {

struct SimulationPlan;

/// How many pieces of backend memory a simulation of the plan asks for.
std::size_t allocations_of(const SimulationPlan& plan);

}  // namespace cardiowarp
