#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "assembly/sparsity.hpp"
#include "fem/element_nodes.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// Cuts the nodes of a mesh into parts whose elements a block of threads keeps in shared memory, for the assemblies
// `shared_nz` (shared_nz.hpp) and `shared_nz_general` (shared_nz_general.hpp). Host memory: 4 bytes for each node and
// element of each part.

/// Some nodes of a mesh with all elements that have one of them. The nodes are the part's own ones, ascending, then
/// those that the elements have beside them, ascending; the elements are ascending.
struct NodePart {
  std::vector<Index> nodes, elements;
  Index own = 0;
};

/// The bytes of a part of so many elements, nodes and own nodes.
using PartBytes = std::function<std::size_t(std::size_t elements, std::size_t nodes, std::size_t own)>;

/// The most that a part may have. A part that has no other node may take most_bytes.
struct PartLimits {
  std::size_t own;          ///< nodes
  std::size_t usual_bytes;  ///< that a part of several nodes may take
  std::size_t most_bytes;   ///< that any part may take
};

/// Parts of consecutive nodes of `order` [nodes], each as large as the limits allow. Throws InputError, in the name of
/// `strategy`, where the elements of one node take more than most_bytes, with the numbers.
std::vector<NodePart> parts_in_order(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity,
                                     std::span<const Index> order, const PartLimits& limits, const PartBytes& bytes,
                                     const char* strategy);

/// Parts of about so many own nodes that METIS cuts. Throws InputError, in the name of `strategy`, where a part takes
/// more than most_bytes, with the numbers, and where this build has no METIS.
std::vector<NodePart> parts_of_metis(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity, Index own,
                                     std::size_t most_bytes, const PartBytes& bytes, const char* strategy);

}  // namespace cardiowarp
