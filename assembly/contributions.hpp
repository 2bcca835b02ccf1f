#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assembly/sparsity.hpp"
#include "fem/element_nodes.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "kernels/backend/thread_team.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {

/// The numbers of elements that add up to each sum (paper 000 sec. 4), as a sparse matrix: a row for each sum, and an
/// entry for each contribution to it, which is a number of an element. The contributions of a row are in ascending
/// order of their elements, which fixes the order of summation. Host memory, 5 bytes a contribution and 4 a row.
struct Contributions {
  std::vector<Index> length;   ///< [rows]
  std::vector<Index> element;  ///< [contributions] the element, row after row
  /// [contributions] which number of the element: N i + j for K_e, i for R_e, where elements have N nodes
  std::vector<std::uint8_t> local;
};

/// The place of a node in an element.
template <std::size_t N>
int place_in(const std::array<Index, N>& nodes, Index node) {
  return static_cast<int>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
}

/// visit(of_entry[e], element, i, j) for each entry (i, j) of an element's matrix, which goes to entry e of K. Rows of
/// K are independent of each other; what goes to a row comes in the order of its elements.
template <std::size_t N, class OfEntry, class Visit>
void for_each_contribution(const std::vector<std::array<Index, N>>& nodes_of, const Sparsity& sparsity,
                           const OfEntry& of_entry, const Visit& visit) {
  parallel_ranges(sparsity.rows(), 256, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> of_column(sparsity.rows());
    for (Index row = static_cast<Index>(begin); row < static_cast<Index>(end); ++row) {
      for (Index entry = sparsity.row_begin[row]; entry < sparsity.row_begin[row + 1]; ++entry)
        of_column[sparsity.column[entry]] = of_entry[entry];
      for (const Index element : sparsity.incidence.elements_of(row)) {
        const std::array<Index, N>& nodes = nodes_of[element];
        const int i = place_in(nodes, row);
        for (int j = 0; j < static_cast<int>(N); ++j) visit(of_column[nodes[j]], element, i, j);
      }
    }
  });
}

/// The contributions to the entries of K, 16 an element. Those to entry e are row row_of_entry[e] of `rows`; where that
/// is negative they are left out. The other rows are empty.
Contributions entry_contributions(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity,
                                  std::span<const std::int64_t> row_of_entry, std::int64_t rows);

/// The contributions of quadratic elements to entries, 100 of each element.
Contributions entry_contributions(const std::vector<QuadraticNodes>& elements, const Sparsity& sparsity,
                                  std::span<const std::int64_t> row_of_entry, std::int64_t rows);

/// The contributions to R, as many as an element has nodes; a row for each node.
Contributions node_contributions(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity);
Contributions node_contributions(const std::vector<QuadraticNodes>& elements, const Sparsity& sparsity);

/// The slot of each contribution in an ELL-WARP layout of `contributions`, [values × elements] with value `local` of
/// `element` at local · elements + element. Throws InputError where the layout stores 2^32 entries or more, with the
/// numbers.
std::vector<std::uint32_t> contribution_slots(const Contributions& contributions, const EllWarpLayout& layout,
                                              Index elements, int values);

/// The places in compressed rows, where contribution c is in slot c.
std::vector<std::uint32_t> contribution_places(const Contributions& contributions, Index elements, int values);

/// The rows of two sets of contributions as those of one, the second after the first. The numbers of an element in the
/// second get `offset` added.
Contributions joint_contributions(Contributions first, const Contributions& second, std::uint8_t offset);

/// The element of each stored entry of an ELL-WARP layout of `contributions`, [stored entries]; padding has `elements`.
TeamVector<Index> contribution_elements(const Contributions& contributions, const EllWarpLayout& layout,
                                        Index elements);

/// Throws InputError, with the numbers, where so many stored entries of a matrix cannot be numbered with an Index.
void require_countable_slots(std::int64_t slots);

/// Throws InputError, with the numbers, where the slots of so many contributions cannot be numbered with 32 bits.
void require_slots_fit(std::int64_t stored_contributions);

}  // namespace cardiowarp
