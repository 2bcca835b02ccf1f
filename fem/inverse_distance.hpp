#pragma once
#include <array>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// Integrals of 1/r and of its gradient in closed form, r the distance from a point x that may lie anywhere: far away,
// on a face, on an edge, at a corner or inside. The potential of an electrode in the tissue is made of them
// (fem/lead_field.hpp). An integral over a tetrahedron takes about 0.5 µs.

/// ∫ 1/|y − x| dS(y) over the triangle with these corners, mm. By the divergence theorem it is a sum over the edges (D.
/// Wilton et al., IEEE Trans. Antennas Propag. 32:276, 1984, eq. 5): with d the distance of x from the plane, t from an
/// edge inside the plane (positive where x is on the triangle's side) and l₋, l₊ those of the ends of the edge along
/// it, R² = t² + d² + l², R₀² = t² + d²,
///   Σ_edges t ln((R₊ + l₊)/(R₋ + l₋)) − d (atan(t l₊/(R₀² + d R₊)) − atan(t l₋/(R₀² + d R₋)))
Real inverse_distance_over(const std::array<Vector3, 3>& corners, Vector3 x);

/// ∫ ∇(1/|y − x|) dV(y) over the tetrahedron with these corners, mm: Σ_faces n ∫ 1/|y − x| dS with the normals n that
/// point outside, whatever the order of the corners. It is finite and continuous in x everywhere.
Vector3 inverse_distance_gradient_over(const std::array<Vector3, 4>& corners, Vector3 x);

}  // namespace cardiowarp
