#pragma once
#include <optional>
#include <vector>

#include "app/simulation/choose_solver.hpp"
#include "app/simulation/problem.hpp"
#include "assembly/sparsity.hpp"

namespace cardiowarp {

// Puts a problem into the order in which its machine works fast: neighbours in space get neighbouring numbers, and a
// matrix format may ask for rows of like length side by side. It is done once, when a simulation is planned, and
// everything behind the plan works in this order. A simulation turns its answers back into the input's order, by 4
// bytes a node and 4 an element.

/// A problem with its nodes and elements in the order that suits the machine. Answers go back to the input's order with
/// `node_in_input` and `element_in_input`.
struct RenumberedProblem {
  Problem problem;                      ///< its matrix options chosen; its mesh has nodes and tetrahedra only
  std::vector<Index> node_in_input;     ///< [nodes]
  std::vector<Index> element_in_input;  ///< [elements]
  SolverChoice solver;                  ///< how its systems are to be solved
  std::vector<Index> column_key;     ///< [nodes] K1r, K2r: a row's entries keep the order before the sort; else empty
  std::optional<Sparsity> sparsity;  ///< of its matrix, where it is known
};

/// Nodes by locality and, where the matrix format asks for it, inside windows of them by the length of their row,
/// longest first; elements by locality. The device decides how its systems are to be solved. Throws InputError as
/// choose_solver() does.
RenumberedProblem renumber_for_locality(const Problem& problem, const Device& device);

/// Copies the problem with its nodes and elements in orders that the caller chooses: `node_order` [nodes] and
/// `element_order` [elements] have the number in the input of each. `bench assembly --order` measures by it.
RenumberedProblem renumber_in_orders(const Problem& problem, const Device& device, std::vector<Index> node_order,
                                     std::vector<Index> element_order);

}  // namespace cardiowarp
