#pragma once
#include <memory>
#include <span>
#include <vector>

#include "app/problem.hpp"
#include "assembly/sparsity.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

/// A problem with its nodes and elements in the order that suits the machine. Answers go back to the input's order with
/// `node_in_input` and `element_in_input`.
struct RenumberedProblem {
  Mesh mesh;                            ///< what a computation needs: nodes, tetrahedra
  Problem problem;                      ///< of `mesh`
  std::vector<Index> node_in_input;     ///< [nodes]
  std::vector<Index> element_in_input;  ///< [elements]

  RenumberedProblem() = default;
  RenumberedProblem(const RenumberedProblem&) = delete;  // `problem` points to `mesh`
  RenumberedProblem& operator=(const RenumberedProblem&) = delete;
};

/// Nodes by locality and, inside windows of `window` of them, by the length of their row, longest
/// first (1: by locality alone); elements by their first node.
std::unique_ptr<RenumberedProblem> renumber_for_locality(const Problem& problem, Index window);

}  // namespace cardiowarp
