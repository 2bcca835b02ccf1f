#pragma once
#include "fem/element_nodes.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The geometry of a linear (P1) tetrahedron: all that the finite element method needs of the positions of its four
// corners. The shape function N_I is 1 at corner I, 0 at the others and linear between them, so that its gradient is
// constant in the element. The gradients are computed where they are needed, by about 60 operations on a CPU or a GPU,
// and are not stored for the mesh, where they would take 96 bytes per element.

/// Gradients of the shape functions of a tetrahedron, and its volume.
struct TetrahedronGeometry {
  Vector3 gradient[4];  ///< G_I = ∇N_I, 1/mm
  Real volume;          ///< mm³, positive for right-handed node order
};

/// The geometry of the tetrahedron with corners p0..p3, in mm. G_1..G_3 are the rows of the inverse Jacobian, G_0 =
/// −(G_1 + G_2 + G_3).
CARDIOWARP_HD inline TetrahedronGeometry tetrahedron_geometry(Vector3 p0, Vector3 p1, Vector3 p2, Vector3 p3) {
  const Vector3 a = p1 - p0, b = p2 - p0, c = p3 - p0;
  const Real six_volume = dot(a, cross(b, c));
  const Real inverse = 1 / six_volume;
  TetrahedronGeometry geometry;
  geometry.gradient[1] = inverse * cross(b, c);
  geometry.gradient[2] = inverse * cross(c, a);
  geometry.gradient[3] = inverse * cross(a, b);
  geometry.gradient[0] = Real(-1) * (geometry.gradient[1] + geometry.gradient[2] + geometry.gradient[3]);
  geometry.volume = six_volume / 6;
  return geometry;
}

/// The geometry of an element of a mesh. `nodes` is anything that is indexed by node.
template <class Nodes>
TetrahedronGeometry tetrahedron_geometry(const Nodes& nodes, const Tetrahedron& corner) {
  return tetrahedron_geometry(nodes[corner[0]], nodes[corner[1]], nodes[corner[2]], nodes[corner[3]]);
}

}  // namespace cardiowarp
