#pragma once

namespace cardiowarp {

struct Mesh;

/// Makes one cell of those that stand several times with the same nodes and different tags, as Gmsh writes an element
/// of several groups in versions 2 of its format: the first stays, with the tags of all, and a line of `remarks` counts
/// the tetrahedra. Tag 0 counts as none. Costs 4 bytes a node and 4 an element while it works.
/// Throws InputError, with the numbers of two tetrahedra (from 0), where these have the same nodes and one tag, or
/// different fibers or, in a quadratic mesh, different nodes on their edges. Triangles like that stay as they are.
/// Node indices and the sizes of the arrays have been checked.
void join_repeated_cells(Mesh& mesh);

}  // namespace cardiowarp
