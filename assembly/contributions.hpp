#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "assembly/sparsity.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {

/// Which numbers of elements are added up to which sum (paper 000 sec. 4), as a sparse matrix: a row for each sum, and
/// an entry for each contribution to it, which is a number of an element. The contributions of a row are in ascending
/// order of their elements, which fixes the order of summation. Host memory, 5 bytes a contribution and 4 a row.
struct Contributions {
  std::vector<Index> length;        ///< [rows]
  std::vector<Index> element;       ///< [contributions] the element, row after row
  std::vector<std::uint8_t> local;  ///< [contributions] which number of the element: 4 i + j for K_e, i for R_e
};

/// The contributions to the entries of K, 16 an element. Those to entry e are row row_of_entry[e] of `rows`; where that
/// is negative they are left out. The other rows are empty.
Contributions entry_contributions(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity,
                                  std::span<const std::int64_t> row_of_entry, std::int64_t rows);

/// The contributions to R, 4 an element; a row for each node.
Contributions node_contributions(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity);

/// The slot of each contribution in an ELL-WARP layout of `contributions`, [values × elements] with value `local` of
/// `element` at local · elements + element. Throws InputError where the layout stores 2^32 entries or more, with the
/// numbers.
std::vector<std::uint32_t> contribution_slots(const Contributions& contributions, const EllWarpLayout& layout,
                                              Index elements, int values);

/// The same for compressed rows, where contribution c is in slot c.
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
