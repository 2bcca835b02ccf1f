#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fem/element_nodes.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The elements of each node. Who adds up what elements have at a node, in this order, finds the sum that a loop over
/// the elements finds, and all nodes can be done at once. Host memory, 16 bytes per element, 40 if quadratic, and 4 a
/// node.
struct Incidence {
  std::vector<Index> begin;    ///< [nodes + 1] first element of each node in the next one
  std::vector<Index> element;  ///< [4 elements, 10 of a quadratic mesh] elements of each node, ascending

  Index nodes() const { return static_cast<Index>(begin.size()) - 1; }
  std::span<const Index> elements_of(Index node) const {
    return std::span(element).subspan(begin[node], begin[node + 1] - begin[node]);
  }
};

/// The pattern of the global matrix K: which entries it has, and which elements add to each of its rows. K has an entry
/// for each node with itself and with each other node of its elements. The arrays are in host memory and take 4 bytes
/// per entry, 48 per element and 12 per node.
struct Sparsity {
  /// The entries of a row, counted from its first, that belong to the four nodes of an element.
  using Slots = std::array<std::uint16_t, 4>;

  std::vector<Index> row_begin;  ///< [nodes + 1] first entry of each row
  std::vector<Index> column;     ///< [entries] in each row ascending (or by another key), the diagonal among them
  std::vector<Index> diagonal;   ///< [nodes] the entry of each row that is on the diagonal
  Incidence incidence;
  /// [4 elements] as in incidence: the entries of the node's row that each adds to; of a quadratic mesh none
  std::vector<Slots> incident_slots;

  Index rows() const { return static_cast<Index>(diagonal.size()); }
  Index entries() const { return static_cast<Index>(column.size()); }
};

/// The elements of each node of a mesh. Throws as require_countable_incidences().
Incidence incidence_of(const std::vector<Tetrahedron>& tetrahedra, Index nodes);

/// The sparsity of K for linear elements (P1) on a checked mesh. The entries of a row are in ascending order of their
/// columns or, where `column_key` [nodes] is given, of the keys of their columns. Throws InputError when entries or
/// element contributions pass 2^31, or a node has a row longer than 65,535, with the numbers.
Sparsity build_sparsity(const std::vector<Tetrahedron>& tetrahedra, Index nodes,
                        const std::vector<Index>& column_key = {});

/// The sparsity of quadratic elements (P2), whose rows have an entry for each of their ten nodes.
Sparsity build_quadratic_sparsity(const std::vector<QuadraticNodes>& elements, Index nodes,
                                  const std::vector<Index>& column_key = {});

/// The sparsity of elements of degree 3, of 20 nodes (fem/lagrange_tetrahedron.hpp).
Sparsity build_cubic_sparsity(const std::vector<std::array<Index, 20>>& elements, Index nodes);

/// The sparsity with the entries of each row in the order in which its elements have them, which costs no sort:
/// sorted_sparsity() makes build_sparsity()'s of it, in any numbering of the nodes. Throws as build_sparsity() does; a
/// message calls a node node_name[node] where `node_name` [nodes] is given.
Sparsity unsorted_sparsity(const std::vector<Tetrahedron>& tetrahedra, Index nodes,
                           const std::vector<Index>& node_name = {});

Sparsity unsorted_quadratic_sparsity(const std::vector<QuadraticNodes>& elements, Index nodes,
                                     const std::vector<Index>& node_name = {});

/// The sparsity that build_sparsity() makes where node i is the node old_node[i] of `unsorted`; the elements are
/// numbered as before. An empty `old_node` leaves the nodes as they are. `column_key` is of the new numbers.
Sparsity sorted_sparsity(const Sparsity& unsorted, const std::vector<Index>& old_node,
                         const std::vector<Index>& column_key = {});

/// [rows + 1] First entry of each row. Throws InputError where entries pass 2^31 or a row is longer than 65,535; the
/// message calls its node node_name[row] where `node_name` [rows] is given.
std::vector<Index> row_begins_of(const std::vector<Index>& row_length, const std::vector<Index>& node_name = {});

/// Throws InputError where so many tetrahedra have more incidences with their nodes, `of_each` of each, than an Index
/// can number.
void require_countable_incidences(std::int64_t tetrahedra, int of_each = 4);

}  // namespace cardiowarp
