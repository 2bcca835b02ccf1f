#pragma once
#include <optional>
#include <vector>

#include "app/simulation/choose_solver.hpp"
#include "app/simulation/problem.hpp"
#include "assembly/sparsity.hpp"

namespace cardiowarp {

// Puts a problem into the order in which its machine works fast: neighbors in space get neighboring numbers, and a
// matrix format may ask for rows of like length side by side. It is done once, when a simulation is planned, and
// everything behind the plan works in this order. A simulation turns its answers back into the input's order, by 4
// bytes a node and 4 an element.

/// An order of the nodes and elements of a mesh: the number in the input of each.
struct MeshOrder {
  std::vector<Index> node;     ///< [nodes]
  std::vector<Index> element;  ///< [elements] that conduct
};

/// A problem with its nodes and elements in the order that suits the machine. Answers go back to the input's order with
/// `node_in_input` and `element_in_input`.
struct RenumberedProblem {
  Problem problem;                      ///< its matrix options chosen; its mesh has nodes and tetrahedra only
  std::vector<Index> node_in_input;     ///< [nodes]
  std::vector<Index> element_in_input;  ///< [elements of the problem], without those that do not conduct
  SolverChoice solver;                  ///< how its systems are to be solved, which its order suits
  std::vector<Index> column_key;     ///< [nodes] K1r, K2r: a row's entries keep the order before the sort; else empty
  std::optional<Sparsity> sparsity;  ///< of its matrix, where it is known
};

/// Neighbors in space get neighboring numbers. Elements that do not conduct are left out.
MeshOrder order_by_locality(const Problem& problem);

/// The rows of the matrix of a problem in an order of its mesh, their entries in any order.
Sparsity rows_in_order(const Problem& problem, const MeshOrder& order);

/// Copies the problem with its nodes and elements in `order` and, where the format of the matrix asks for it, the nodes
/// inside windows by the length of their row, longest first. `rows` are those of rows_in_order(), and `solver` was
/// chosen for them: choose_solver_and_order() (simulation_plan.hpp) puts these steps together.
RenumberedProblem renumbered_for(const Problem& problem, MeshOrder order, Sparsity rows, SolverChoice solver);

}  // namespace cardiowarp
