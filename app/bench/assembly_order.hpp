#pragma once
#include <vector>

#include "app/bench/matrix.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

/// An order of the nodes and elements of a mesh for `bench assembly --order`: the number in the mesh of each node and
/// element, one after the other.
struct AssemblyOrder {
  std::vector<Index> node;  ///< [nodes]
  /// [elements] as in the mesh with the order `mesh`; else sorted by the first of their nodes in the new order.
  std::vector<Index> element;
};

/// The order `mesh`, `rcm` or `metis_nodes` of a mesh. The order along a Hilbert curve is not made here, since every
/// run has it (app/simulation/renumbering.hpp), and `metis` renumbers parts of a matrix, which an assembly does not
/// have. It takes a serial sort of the elements beside what the order of the nodes takes.
AssemblyOrder assembly_order(const Mesh& mesh, BenchOrder order);

}  // namespace cardiowarp
