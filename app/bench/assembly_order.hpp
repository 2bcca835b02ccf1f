#pragma once
#include <vector>

#include "app/bench/matrix.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

/// The orders in which `bench assembly --order` has the nodes and elements of a mesh: the number in the mesh of each.
struct AssemblyOrder {
  std::vector<Index> node;     ///< [nodes]
  std::vector<Index> element;  ///< [elements] as in the mesh, or where nodes are numbered anew by their first node
};

/// The orders `mesh`, `rcm` and `metis_nodes` (matrix.hpp). That along a Hilbert curve is a run's own
/// (app/simulation/renumbering.hpp), and `metis` is one of parts that an assembly does not have. A serial sort and what
/// the order of the nodes takes; host memory.
AssemblyOrder assembly_order(const Mesh& mesh, BenchOrder order);

}  // namespace cardiowarp
