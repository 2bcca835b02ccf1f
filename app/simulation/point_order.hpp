#pragma once
#include <vector>

#include "app/simulation/simulation_plan.hpp"

namespace cardiowarp {

/// [points] Where each integration point of a plan is in the order of the mesh, which does not depend on the machine:
/// the centroids by the elements of the input, then the points at vertices by the nodes of the input and, of a node, by
/// the parameter sets of their cells. In a quadratic mesh the fourteen of each element of the input, in their order.
std::vector<Index> points_in_input(const SimulationPlan& plan);

}  // namespace cardiowarp
