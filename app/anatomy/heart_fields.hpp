#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "app/anatomy/heart_surfaces.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

// Harmonic fields between the surfaces of a heart, of which rules of fibers and coordinates are made. Laplace's
// equation is solved two or three times on the CPU, so that every backend has the same to the last bit; each field
// takes 8 bytes a node.

/// Fields of a heart, [nodes]. `left` and `right` are empty where there is one ventricle.
struct HeartFields {
  std::vector<Real> left, right, epi;  ///< 1 on the surface of that name, 0 on the two others
  std::vector<Real> to_base;           ///< 0 at the apex, 1 at the base
};

/// The fields between surfaces whose apex may have to be found; it is then put into `surfaces`. Throws InputError that
/// begins with `place` where the equation cannot be solved.
HeartFields solve_heart_fields(const Mesh& mesh, HeartSurfaces& surfaces, const std::string& place);

/// The value of a field in the middle of an element, whatever its order.
Real middle(const Mesh& mesh, std::size_t element, std::span<const Real> value);

}  // namespace cardiowarp
