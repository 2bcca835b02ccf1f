#pragma once
#include <cstdint>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

// Local refinement: edges that are too long are cut in two until none is left, and the mesh stays conforming. It is the
// longest-edge bisection of Rivara (Rivara and Levin, "A 3-D refinement algorithm suitable for adaptive and multi-grid
// techniques", Commun. Appl. Numer. Methods 8:281-290, 1992): an edge is cut when it is the longest of every
// tetrahedron around it, and these are cut with it. Edges of one length are ordered by the numbers of their nodes, so
// that each tetrahedron has one longest edge and the longest edge of all can always be cut. Tetrahedra whose edges are
// short stay what they are, but next to longer ones. A tetrahedron takes 24 bytes meanwhile and a long edge 40.

/// The mesh without edges above `longest_mm` in the elements [e] where `wanted` is not 0, or in any where it is empty.
/// Neighbors are cut as far as that makes the mesh conforming. Nodes keep their numbers, new ones follow in the middle
/// of edges; the pieces of an element stand in its place, with its tags and fiber, and those of a triangle likewise.
/// The mesh is linear and has passed `check_mesh`. Throws InputError where there would be more nodes or elements than
/// an Index counts.
Mesh refine_long_edges(const Mesh& mesh, Real longest_mm, const std::vector<std::uint8_t>& wanted = {});

/// About how many tetrahedra refine_long_edges() makes.
Real estimated_pieces(const Mesh& mesh, Real longest_mm, const std::vector<std::uint8_t>& wanted = {});

}  // namespace cardiowarp
