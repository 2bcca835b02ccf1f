#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "assembly/sparsity.hpp"
#include "fem/element_nodes.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The pattern of K from the elements of a mesh, by all threads.

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
