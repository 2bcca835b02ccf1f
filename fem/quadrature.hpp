#pragma once
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The quadrature rule of a run: at which points of a tetrahedron the integrals of mass, reaction and source are
// evaluated, and how much of the volume each point stands for. The cells are at these points, too, so that their states
// are stored once per point: a centroid is one point, and a vertex one for each kind of cell around it
// (assembly/vertex_points.hpp). The key `quadrature` of the YAML file chooses the rule. Diffusion needs no rule, since
// its integrand is constant in an element.
//
//   rule                    centroid   each of the 4 vertices     shares of the element's volume
//   centroid                   1                0
//   vertices                   0               1/4
//   vertices_and_centroid     1/3              1/6
//
// These are for linear tetrahedra. Quadratic ones have the rule `fourteen_points` (fem/quadratic_tetrahedron.hpp), of
// which no point is a vertex or the centroid; its mass couples the ten nodes of an element.

/// The points of a tetrahedron where mass, reaction and source are evaluated, and where the cells' states are.
enum class Quadrature {
  centroid,               ///< one point with the whole volume (paper 000, Table I)
  vertices,               ///< the corners with a quarter each: the mass matrix is diagonal ("lumped")
  vertices_and_centroid,  ///< a third of the rule `centroid` and two thirds of the rule `vertices`
  fourteen_points         ///< of quadratic tetrahedra
};

/// The shares of an element's volume that belong to its centroid and to all its corners together.
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
      return {Real(1) / 3, Real(2) / 3};
    case Quadrature::fourteen_points:
      break;
  }
  return {0, 0};
}

}  // namespace cardiowarp
