#pragma once
#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

// The check that every mesh passes before it is used, whether it was read or generated. It refuses what cannot be
// computed on, with a message that names the element or node and the value; it repairs what can be repaired without
// changing the geometry; and it measures what a user is told of the mesh. Elements and nodes are gone through a few
// times on the host; beside the mesh it needs 4 bytes per node and 4 per element while it works.

/// The findings of `check_mesh` that are worth telling.
struct MeshReport {
  Index inverted_elements = 0;   ///< were reoriented
  Index unreferenced_nodes = 0;  ///< were dropped
  Real volume_mm3 = 0;
  Vector3 size_mm;  ///< of the smallest box along the axes that holds all tetrahedra
  Real shortest_edge_mm = 0, mean_edge_mm = 0, longest_edge_mm = 0;  ///< straight, from corner to corner
  Index curved_elements = 0;                                         ///< of a quadratic mesh
};

/// Makes `mesh` fit for computing: inverted tetrahedra are reoriented (last two nodes swapped), nodes of no tetrahedron
/// are dropped (triangles that use one are dropped too; `node_in_file` keeps the file's numbering).
/// Throws InputError, with the element number (from 0) and the offending value, on: no tetrahedra, array sizes that do
/// not match, a node index out of range, a coordinate that is not finite, a repeated node, two corners of a
/// tetrahedron at one place, an edge outside of fem/length_range.hpp, a flat tetrahedron (6 V <= 1e-12 longest
/// edge^3), two tetrahedra with the same nodes, and in a quadratic mesh on what check_edge_nodes()
/// (fem/quadratic_check.hpp) refuses.
/// Fibers are scaled to unit length; what is_direction() denies stays as it is, and who needs a fiber there refuses it.
MeshReport check_mesh(Mesh& mesh);

/// Whether a vector can be a fiber: it is finite and not zero, and so is its length. Files have zero or NaN where
/// tissue needs no fiber.
bool is_direction(const Vector3& f);

}  // namespace cardiowarp
