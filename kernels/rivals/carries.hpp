#pragma once
#include <cstdint>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// A matrix is cut into shares without regard to its rows. This is what one share leaves to those after it: its sum of
/// the row that goes on after it, and how many rows ended in it.
struct RowRest {
  Real sum;
  Index ended;
};

/// The rest that two shares leave together, one after the other.
CARDIOWARP_HD inline RowRest joined(const RowRest& first, const RowRest& second) {
  return {second.ended > 0 ? second.sum : first.sum + second.sum, first.ended + second.ended};
}

/// The carries of a product whose matrix is cut into pieces without regard to its rows (coordinates, merge path,
/// segmented scan). A piece that ends inside of a row leaves its sum of that row here, 12 bytes a piece; AddCarries
/// adds it to the row once all pieces are done.
/// In backend memory; owns nothing.
struct CarriesView {
  Index pieces = 0;
  Index* row = nullptr;  ///< [pieces] the row that goes on after the piece, ascending; negative where none does
  Real* sum = nullptr;   ///< [pieces] what the piece has of that row
};

/// Loop body over the pieces: adds to each row of y what pieces have left of it. The first piece of a row adds up all
/// of them in their order, so that the bits are the same in every run.
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

/// Memory for the carries of at most `most_pieces` pieces.
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
