#pragma once
#include "fem/element_nodes.hpp"
#include "fem/mesh_check.hpp"

namespace cardiowarp {

struct Mesh;

// The part of check_mesh() that is about the nodes on the edges of a quadratic mesh. It needs 8 bytes a node and 12 an
// edge while it works.

/// Two corners of an element changed places, the last ones: so do the nodes on its edges.
void turn_edge_nodes(EdgeNodes& nodes);

/// Throws InputError where elements do not agree on the node of an edge, where a node is a corner of one element and on
/// an edge of another, or on two edges, where a triangle has another node on an edge than the elements, or where an
/// element is folded (det ∂x/∂λ <= 0 at one of its nodes or integration points). Fills in the volume and the number of
/// curved elements. Corners are known to be in order.
void check_edge_nodes(const Mesh& mesh, MeshReport& report);

}  // namespace cardiowarp
