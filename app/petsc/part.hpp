#pragma once
#include <memory>
#include <vector>

#include "app/simulation/problem.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

/// What one process computes of a problem: consecutive nodes of its own, every element that touches one of them, and
/// the other nodes of these elements (ghosts). An element at a border is computed by each of its owners, so that no
/// element value has to be sent.
struct Part {
  Mesh mesh;        ///< nodes and tetrahedra: own nodes first, then the ghosts
  Problem problem;  ///< of `mesh`; its stimuli reach the ghosts, probes are left out
  Index own_nodes = 0;
  std::vector<Index> node_in_whole;  ///< [nodes] own ones consecutive, ghosts ascending

  Part() = default;
  Part(const Part&) = delete;  // `problem` points to `mesh`
  Part& operator=(const Part&) = delete;
};

/// The part with the nodes from `begin` up to, but without, `end`.
std::unique_ptr<Part> part_of(const Problem& whole, Index begin, Index end);

}  // namespace cardiowarp
