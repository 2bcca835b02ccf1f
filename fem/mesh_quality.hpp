#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

// The shape of tetrahedra. The radius ratio is 3 r / R, of the radii of the inscribed and the circumscribed sphere: 1
// of a regular tetrahedron, 0 of a flat one. It does not change with size. The edges of curved elements count as
// straight. Computed on the host when a user asks for it; 8 bytes an element.

/// The radius ratio of each element of a checked mesh, from 0 to 1.
std::vector<Real> radius_ratios(const Mesh& mesh);

/// Sizes of one element.
struct ElementShape {
  Real shortest_edge_mm = 0, longest_edge_mm = 0;
  Real smallest_angle_deg = 0, largest_angle_deg = 0;  ///< between two of its faces
};

ElementShape element_shape(const Mesh& mesh, std::size_t element);

/// How many values are in each tenth from 0 to 1; 1 is in the last.
std::array<std::size_t, 10> tenths(const std::vector<Real>& values);

/// The numbers of the `count` smallest values, smallest first; of equal values the one with the lower number.
std::vector<std::size_t> smallest(const std::vector<Real>& values, std::size_t count);

}  // namespace cardiowarp
