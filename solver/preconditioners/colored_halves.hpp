#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/backend/types.hpp"
#include "kernels/sparse/matrix_format.hpp"

namespace cardiowarp {

// The rows of a symmetric matrix in colors, for the sweeps of SSOR (ssor.hpp). No two rows of one color have an entry
// in common, so that a sweep over L or U takes a color in one loop whose rows need no number of each other. The rows
// are numbered anew, color after color, and the two halves beside the diagonal are stored apart:
//
//   L  the entries whose column has a smaller color, read by the forward sweep
//   U  the entries whose column has a larger color, read by the backward sweep
//
// A half is cut into slices of 32 rows of one color, stored in layers of 32 entries as in ELL-WARP (K1): entry k of
// the row in lane l of a slice is at first[slice] + 32 k + l. In a color rows are sorted by the length of their half
// in windows, as in ELL-WARP, so that slices have little padding. Host memory, 8 bytes a stored entry;
// solver/linear_solver uploads it. Made once in a run, for linear_solver.preconditioner: ssor.

/// The color of each row of a symmetric pattern, from 0 on: row by row, the smallest one that no neighbor has. The
/// colors for any machine. [rows]
std::vector<Index> greedy_colors(const CsrPattern& pattern);

/// L or U. A stored entry that is padding has its own row as column and no slot.
struct ColoredHalf {
  static constexpr Index no_slot = -1;

  std::vector<Index> first;   ///< [slices + 1] of the stored entries of each slice
  std::vector<Index> column;  ///< [stored] position
  std::vector<Index> slot;    ///< [stored] where the matrix has the value, or no_slot
};

/// The rows of a matrix in the order of their colors, and its two halves. A *position* is a place in that order; each
/// color begins at a multiple of 32.
struct ColoredHalves {
  static constexpr Index lanes = 32;
  static constexpr Index no_row = -1;
  /// A sweep is a launch a color. A mesh of tetrahedra takes about ten.
  static constexpr Index most_colors = 256;

  std::vector<Index> begin;          ///< [colors + 1] first position of each color
  std::vector<Index> row;            ///< [positions] row of the matrix, or no_row behind the last one of a color
  std::vector<Index> diagonal_slot;  ///< [positions] where the matrix has the diagonal, or no_slot
  ColoredHalf lower, upper;

  Index colors() const { return static_cast<Index>(begin.size()) - 1; }
  Index positions() const { return begin.back(); }
  /// Rows of the matrix that are in a color.
  Index rows_of(Index color) const;
};

/// The halves of a matrix whose entry e is stored at slot_of_entry[e]. `pattern` is symmetric, with its diagonal and
/// columns in any order; `color` [rows] is as greedy_colors() has it. An entry of U takes the slot of its mirror
/// image in L, so that both halves have the same numbers whatever the rounding of the matrix.
ColoredHalves colored_halves(const CsrPattern& pattern, std::span<const std::int64_t> slot_of_entry,
                             std::span<const Index> color);

/// How SSOR is applied in conjugate gradients. The iterates are the same up to rounding.
enum class SsorKind {
  sweeps,    ///< z = M⁻¹ r and A p, one after the other
  eisenstat  ///< one forward and one backward sweep make both (solver/preconditioners/ssor_cg.hpp)
};

/// The colored halves of a run's matrix, and how SSOR is applied by them.
struct SsorPlan {
  SsorKind kind = SsorKind::sweeps;
  ColoredHalves halves;
};

/// The plan for a matrix, by greedy_colors(). Throws std::invalid_argument, which says what is expected, where there
/// are more than ColoredHalves::most_colors.
SsorPlan ssor_plan(SsorKind kind, const CsrPattern& pattern, std::span<const std::int64_t> slot_of_entry);

}  // namespace cardiowarp
