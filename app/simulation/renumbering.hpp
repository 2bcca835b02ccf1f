#pragma once
#include <memory>
#include <span>
#include <vector>

#include "app/simulation/choose_solver.hpp"
#include "app/simulation/problem.hpp"
#include "assembly/sparsity.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

/// A problem with its nodes and elements in the order that suits the machine. Answers go back to the input's order with
/// `node_in_input` and `element_in_input`.
struct RenumberedProblem {
  Mesh mesh;                            ///< what a computation needs: nodes, tetrahedra
  Problem problem;                      ///< of `mesh`, its matrix options chosen
  std::vector<Index> node_in_input;     ///< [nodes]
  std::vector<Index> element_in_input;  ///< [elements]
  SolverChoice solver;                  ///< how its systems are to be solved
  std::vector<Index> column_key;  ///< [nodes] K1r, K2r: a row's entries keep the order before the sort; else empty

  RenumberedProblem() = default;
  RenumberedProblem(const RenumberedProblem&) = delete;  // `problem` points to `mesh`
  RenumberedProblem& operator=(const RenumberedProblem&) = delete;
};

/// Nodes by locality and, where the matrix format asks for it, inside windows of them by the length of their row,
/// longest first; elements by locality. The device decides how its systems are to be solved. Throws InputError as
/// choose_solver() does.
std::unique_ptr<RenumberedProblem> renumber_for_locality(const Problem& problem, const Device& device);

}  // namespace cardiowarp
