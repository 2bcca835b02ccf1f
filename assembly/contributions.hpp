#pragma once
#include <cstdint>
#include <vector>

#include "assembly/sparsity.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {

/// A sparse matrix of zeros and ones that sums what elements contribute (paper 000 sec. 4): a row for everything that
/// is summed, an entry for each contribution. Those of a row are by ascending element: a fixed order of summation.
struct Contributions {
  std::vector<Index> length;        ///< [rows]
  std::vector<Index> element;       ///< [contributions] row after row
  std::vector<std::uint8_t> local;  ///< [contributions] which of its element's values: 4 i + j of K_e, i of R_e
};

/// To the entries of K, 16 an element: entry e is row row_of_entry[e] of `rows`, or left out where that is negative;
/// the other rows are empty.
Contributions entry_contributions(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity,
                                  const std::vector<std::int64_t>& row_of_entry, std::int64_t rows);

/// To the nodes' rows of R, 4 an element.
Contributions node_contributions(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity);

/// Where each contribution is stored in an ELL-WARP layout of `contributions`:
/// [values × elements], value `local` of `element` at local · elements + element.
/// Throws InputError where the layout stores 2^32 entries or more, with the numbers.
std::vector<std::uint32_t> contribution_slots(const Contributions& contributions, const EllWarpLayout& layout,
                                              Index elements, int values);

/// The element of each stored entry of an ELL-WARP layout of `contributions`, and of padding `elements`, [stored].
std::vector<Index> contribution_elements(const Contributions& contributions, const EllWarpLayout& layout,
                                         Index elements);

/// Throws InputError where stored matrix entries cannot be numbered with an Index, with the numbers.
void require_countable_slots(std::int64_t slots);

/// Throws InputError where the slots of contributions cannot be numbered with 32 bits, with the numbers.
void require_slots_fit(std::int64_t stored_contributions);

}  // namespace cardiowarp
