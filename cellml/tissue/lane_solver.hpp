#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace cardiowarp {

/// Linear systems of 32 cells side by side that have their zeros in the same places, by Gaussian elimination without
/// exchanged rows. Only entries that are not 0, or become other than 0, are stored: [entry][lane].
class LaneSolver {
 public:
  static constexpr int lanes = 32;

  LaneSolver() = default;
  /// `is_there` is [row][column]: whether an entry may be other than 0. The diagonal always is.
  LaneSolver(int rows, std::span<const char> is_there);

  int rows() const { return rows_; }
  std::size_t entries() const { return entries_; }
  /// Where an entry is stored; below 0 where it is 0.
  int place(int row, int column) const { return places_[static_cast<std::size_t>(row * rows_ + column)]; }

  /// Solves A x = b and A y = c in place; A is lost. A lane with a pivot that is not positive gets `failed`, and what
  /// its x and y are then has no meaning. `b` and `c` are [row][lane].
  void solve(double* A, double* b, double* c, char* failed) const;

 private:
  int rows_ = 0;
  std::size_t entries_ = 0;
  std::vector<int> places_;
};

}  // namespace cardiowarp
