#pragma once
#include <vtkDataArray.h>
#include <vtkUnstructuredGrid.h>

#include "meshes/vtk_file.hpp"

namespace cardiowarp {

struct Mesh;

// The cells of a grid of VTK become elements and surface triangles of a mesh, with their tags and fibers. VTK has
// several types for one element: the quadratic tetrahedron of older files is a Lagrange tetrahedron with ten nodes in
// newer ones (dolfinx writes no other). Pieces of parallel files repeat cells of their neighbors as ghosts, and these
// are left out. read_vtk_file() calls this with what VTK has read.

/// Adds the cells of `grid`, whose points the mesh has, to `mesh`, and to its remarks what was left out. Throws
/// InputError on cells that are neither tetrahedra nor triangles of order 1 or 2 (points and lines are passed over,
/// other solids and quadrangles of order 1 are cut), on both orders in one file, and on arrays of another shape.
void read_vtk_cells(vtkUnstructuredGrid& grid, const VtkArrayNames& names, Mesh& mesh);

/// The whole number that `tags` has for a cell, 0 where there is no array.
int tag_of_cell(vtkDataArray* tags, vtkIdType cell);

}  // namespace cardiowarp
