#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fem/element_nodes.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// Cuts the elements of a mesh into blocks that a block of threads works at together, for the assemblies
// `two_level_color` (element_scatter.hpp) and `global_nz_prefetched_general` (global_nz.hpp). A block has
// elements_a_block elements, or those that are left, and knows its nodes, so that its elements have corners of 16 bits.
// Elements that follow each other along a Hilbert curve, as in a run, have few nodes between them: 256 of a heart have
// about 125. METIS cuts the graph of elements with a common face instead, as Cecka, Lew and Darve (2011, "paper 004",
// sec. 4.2.2) have it.

/// Elements of a block, and the threads that it has on a GPU.
inline constexpr Index elements_a_block = 256;

/// The elements of a block, with their nodes numbered from 0 on.
struct ElementBlock {
  std::vector<Tetrahedron> tetrahedra;
  std::vector<Index> node;  ///< the number that each of them has in the mesh, ascending

  Index nodes() const { return static_cast<Index>(node.size()); }
};

/// The nodes of some elements, ascending. In place of each node the elements then have its place among these.
template <std::size_t N>
std::vector<Index> numbered_among_themselves(std::vector<std::array<Index, N>>& elements) {
  std::vector<Index> node;
  for (const std::array<Index, N>& nodes : elements) node.insert(node.end(), nodes.begin(), nodes.end());
  std::sort(node.begin(), node.end());
  node.erase(std::unique(node.begin(), node.end()), node.end());
  for (std::array<Index, N>& nodes : elements)
    for (Index& of : nodes) of = static_cast<Index>(std::lower_bound(node.begin(), node.end(), of) - node.begin());
  return node;
}

/// The block of up to elements_a_block elements that begins with the element `first`.
ElementBlock element_block(const std::vector<Tetrahedron>& tetrahedra, std::size_t first);

/// All blocks of a mesh. Host memory: 12 bytes an element, and 4 for each node of each block.
struct ElementBlocks {
  std::vector<Index> order;            ///< [elements] the element at each place, block after block
  std::vector<Index> element_begin;    ///< [blocks + 1] first place of each block
  std::vector<Index> node_begin;       ///< [blocks + 1]
  std::vector<Index> node;             ///< the nodes of each block, ascending
  std::vector<std::uint64_t> corners;  ///< [elements] by place: which node of its block each corner is, 16 bits each
  Index most_nodes = 0;                ///< of a block

  Index blocks() const { return static_cast<Index>(element_begin.size()) - 1; }
};

/// The elements that have a face in common with each element: those of element e are neighbor[begin[e]] to
/// neighbor[begin[e + 1] - 1], ascending.
struct FaceNeighbors {
  std::vector<Index> begin, neighbor;
};

FaceNeighbors face_neighbors(const std::vector<Tetrahedron>& tetrahedra);

/// The blocks of elements in the order that they have.
ElementBlocks blocks_in_order(const std::vector<Tetrahedron>& tetrahedra);

/// The blocks that METIS cuts; a part that it made too large is cut again in the order of its elements. Throws
/// InputError, in the name of `strategy`, where this build has no METIS.
ElementBlocks blocks_of_metis(const std::vector<Tetrahedron>& tetrahedra, const char* strategy);

}  // namespace cardiowarp
