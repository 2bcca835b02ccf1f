#pragma once
#include <vtkType.h>

#include <utility>
#include <vector>

#include "fem/further_tags.hpp"

class vtkDataArray;
class vtkUnstructuredGrid;

namespace cardiowarp {

struct Mesh;

// Further tags (fem/mesh.hpp) in a VTK file. The cell array `region` has one tag a cell. Each tag that some
// cell has as a further one is an array of its own, `group:7` for tag 7, that is 1 in all cells with this tag and 0 in
// the others, so that ParaView's threshold finds a whole group. A mesh whose cells have one tag each has no such array.
// One takes a byte a cell before it is compressed.

/// Adds the arrays of a mesh's elements and, behind them, of its triangles where the grid has those.
void add_group_arrays(vtkUnstructuredGrid& grid, const Mesh& mesh, bool with_triangles);

/// The arrays of a file, on their way into the mesh that is being read.
class VtkGroups {
 public:
  /// `tags` is the array that the first tag of each cell comes from; may be null. The arrays belong to `region` alone.
  VtkGroups(vtkUnstructuredGrid& grid, vtkDataArray* tags);

  /// After each cell of the file: gives the tetrahedra or triangles that were made of it, if any, its further tags.
  void note(vtkIdType cell, Mesh& mesh);

  /// After the last cell.
  void finish(Mesh& mesh) const;

 private:
  void note(vtkIdType cell, const std::vector<int>& tags, FurtherTags& further);

  std::vector<std::pair<int, vtkDataArray*>> arrays_;  ///< with their tags
  TagSets sets_;
};

}  // namespace cardiowarp
