#pragma once
#include <array>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The volumes that a tetrahedron has in common with a box or a ball. A stimulus with `edge: weighted` drives a node by
// the share of the node's volume that lies in the stimulus's box or sphere (app/simulation/stimulated_nodes.hpp), which
// these functions measure once in a run, before the first step. They cut the tetrahedron by planes into smaller
// tetrahedra and add up the volumes of these. Nothing is kept in memory after a call.

/// The corners of a tetrahedron in space, mm.
using Corners = std::array<Vector3, 4>;

/// Volume of a tetrahedron, mm³, whatever the order of its corners.
Real volume_of(const Corners& corners);

/// Volume, mm³, of what a tetrahedron has in common with the box from `min` to `max`: exact but for rounding.
Real volume_in_box(const Corners& corners, Vector3 min, Vector3 max);

/// Volume, mm³, of what a tetrahedron has in common with a ball. The tetrahedron is divided until its pieces at the
/// surface have edges of at most an eighth of the radius; there the ball is cut by a plane, which leaves an error of
/// about 0.2 % of the ball. Thin pieces are halved at their longest edge and others divided in eight, so that how many
/// there are does not depend on how thin the tetrahedron is.
Real volume_in_ball(const Corners& corners, Vector3 center, Real radius);

}  // namespace cardiowarp
