#pragma once
#include <vector>

#include "app/simulation/problem.hpp"
#include "fem/element_nodes.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

struct Mesh;

// Takes the tissue of a problem in another order, or takes some of it. renumbered_for() asks for all nodes and
// elements in the order that suits the machine; a process of cardiowarp_petsc asks for its own nodes, the elements
// around them, and the other nodes of these elements (app/petsc/subdomain.hpp). The result is a copy in host memory
// that does not need the whole any longer.

/// values[which[0]], values[which[1]], ...
template <class T>
std::vector<T> selected(const std::vector<T>& values, const std::vector<Index>& which) {
  std::vector<T> result;
  resize_by_team(result, which.size());
  parallel_for(which.size(), [&](std::size_t i) { result[i] = values[which[i]]; });
  return result;
}

/// The tetrahedra `elements` of a mesh, their nodes by their places in `nodes`.
std::vector<Tetrahedron> selected_tetrahedra(const Mesh& mesh, const std::vector<Index>& nodes,
                                             const std::vector<Index>& elements);

/// The ten nodes of the elements of a quadratic mesh likewise.
std::vector<QuadraticNodes> selected_quadratic(const Mesh& mesh, const std::vector<Index>& nodes,
                                               const std::vector<Index>& elements);

/// The tissue on some nodes and elements of a whole, numbered as they are listed: all of them in another order, or the
/// piece that one of several processes computes. `nodes` and `elements` list numbers in the whole, each at most once.
/// A stimulus keeps those of its nodes that are listed, as the prescribed ones do, a probe stays where all its nodes
/// are. The mesh has nodes and tetrahedra, which is what a computation needs. Throws std::invalid_argument where an
/// element has a node that is not listed.
Tissue select_tissue(const Tissue& whole, const std::vector<Index>& nodes, const std::vector<Index>& elements);

}  // namespace cardiowarp
