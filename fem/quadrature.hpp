#pragma once
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The points of a tetrahedron where mass, reaction and source are evaluated, and where the cells' states are.
enum class Quadrature {
  centroid,              ///< one point with the whole volume (paper 000, Table I)
  vertices,              ///< the corners with a quarter each: the mass matrix is diagonal ("lumped")
  vertices_and_centroid  ///< 2/3 of the corners and 1/3 of the centroid
};

/// What the centroid and all corners together have of an element's volume.
struct QuadratureWeights {
  Real centroid, vertices;
};

constexpr QuadratureWeights weights_of(Quadrature rule) {
  switch (rule) {
    case Quadrature::centroid:
      return {1, 0};
    case Quadrature::vertices:
      return {0, 1};
    case Quadrature::vertices_and_centroid:
      break;
  }
  return {Real(1) / 3, Real(2) / 3};
}

}  // namespace cardiowarp
