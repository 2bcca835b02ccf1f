#pragma once
#include "kernels/backend/buffer.hpp"
#include "solver/preconditioners/polynomial.hpp"

namespace cardiowarp {

/// The knowledge of a polynomial preconditioner of the spectrum between two solves. All solves to come depend on it, so
/// that a run that goes on has to be given it; a checkpoint keeps it.
class SpectrumMemory {
 public:
  virtual ~SpectrumMemory() = default;

  virtual SpectrumBounds bounds() const = 0;
  /// Takes these bounds, which nobody checks, until the matrix has changed by more than a stated measure.
  virtual void take_bounds(const SpectrumBounds& bounds) = 0;
  /// [rows] 1 / D as it was when the bounds were computed, by which that measure is taken.
  virtual const Buffer<Real>& inverse_then() const = 0;
};

}  // namespace cardiowarp
