#pragma once
#include <cstdint>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// What the pieces of a matrix, cut without regard to its rows, leave of the row that each ends in. Owns nothing.
struct CarriesView {
  Index pieces = 0;
  Index* row = nullptr;  ///< [pieces] ascending but for those that are negative: there nothing is left
  Real* sum = nullptr;   ///< [pieces]
};

/// Loop body over the pieces: adds to each row of y what pieces left of it. The first piece of a row adds up all of
/// them in their order: the same bits in every run.
struct AddCarries {
  CarriesView carries;
  Real* y;
  CARDIOWARP_HD void operator()(Index piece) const {
    const Index row = carries.row[piece];
    if (row < 0 || (piece > 0 && carries.row[piece - 1] == row)) return;
    Real sum = 0;
    for (; piece < carries.pieces && carries.row[piece] == row; ++piece) sum += carries.sum[piece];
    y[row] += sum;
  }
};

/// Their memory.
class Carries {
 public:
  template <Backend B>
  Carries(B& backend, Index most_pieces)
      : row_(backend.template allocate<Index>(most_pieces)), sum_(backend.template allocate<Real>(most_pieces)) {}
  CarriesView view(Index pieces) const { return {pieces, row_.data(), sum_.data()}; }

 private:
  Buffer<Index> row_;
  Buffer<Real> sum_;
};

}  // namespace cardiowarp
