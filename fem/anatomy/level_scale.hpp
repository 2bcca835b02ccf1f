#pragma once
#include <span>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// A harmonic field between apex and base rises steeply where the heart is narrow. This scale makes of its values c the
// mean length of the way to them, as a part of the whole way:
//
//   s(c) = ∫ |∇ψ| dV over ψ < c  /  ∫ |∇ψ| dV over the whole heart
//
// By the coarea formula the upper integral is ∫ A(c') dc' with the area A of the surface ψ = c', and as the flux F
// through all these surfaces is the same, A / F is 1 over the mean slope: ds = dc A / F is the mean length between two
// of them. The scale is a table of 1001 numbers on the host.
class LevelScale {
 public:
  /// The share of an element: the lowest and the highest value of ψ in it, and |∇ψ| times its volume.
  struct Piece {
    Real low = 0, high = 0, weight = 0;
  };

  /// The scale of the values from 0 to 1; the sums are in the order of the pieces.
  explicit LevelScale(std::span<const Piece> pieces);

  /// s of a value, which is taken as 0 or 1 where it is beyond them. It never falls as the value grows.
  Real operator()(Real value) const;

 private:
  static constexpr int steps = 1000;
  std::vector<Real> at_;  ///< [steps + 1] s at i / steps
};

}  // namespace cardiowarp
