#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "fem/mesh.hpp"

namespace cardiowarp {

/// Which entries the global matrix has, and which elements touch each of its rows. Host memory.
struct Sparsity {
  /// Positions, inside a row, of an element's four nodes.
  using Slots = std::array<std::uint16_t, 4>;

  std::vector<Index> row_begin;        ///< [nodes + 1] of the CSR pattern
  std::vector<Index> column;           ///< [entries] in each row ascending (or by another key), the diagonal among them
  std::vector<Index> diagonal;         ///< [nodes] entry of the diagonal
  std::vector<Index> incidence_begin;  ///< [nodes + 1]
  std::vector<Index> incident_element;  ///< [4 elements] of each node, ascending
  std::vector<Slots> incident_slots;    ///< [4 elements] where that element adds in the node's row

  Index rows() const { return static_cast<Index>(diagonal.size()); }
  Index entries() const { return static_cast<Index>(column.size()); }
};

/// Of the P1 matrix of a checked mesh. The entries of a row are by ascending `column_key` [nodes] of their column, or
/// by ascending column where it is empty. Throws InputError when entries or element contributions pass 2^31, or a node
/// has a row longer than 65,535, with the numbers.
Sparsity build_sparsity(const std::vector<Tetrahedron>& tetrahedra, Index nodes,
                        const std::vector<Index>& column_key = {});

/// Throws InputError where so many tetrahedra have more incidences with their nodes than an Index can number.
void require_countable_incidences(std::int64_t tetrahedra);

}  // namespace cardiowarp
