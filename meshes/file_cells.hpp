#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fem/mesh.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The cells of a file on their way into a mesh, for the readers of formats that list cells of several kinds: TetGen,
// MEDIT, Netgen, and those that Gmsh reads. A reader adds each cell with its corners in the order of VTK; tetrahedra
// and triangles become those of the mesh, other linear cells are cut (cut_cells.hpp). It takes 4 bytes a corner and 12
// a cell until the mesh is made.

class FileCells {
 public:
  /// A solid of 4, 5, 6, 8 or, quadratic, 10 nodes, or a surface of 3, 4 or, quadratic, 6, whose numbers count from 0.
  /// `further` is the number of the set of its further tags, which `sets_of_further_tags` of take_mesh() has.
  void add(int dimension, std::span<const Index> nodes, int tag, Index further = 0);

  /// Whether that many nodes make a cell of this dimension.
  static bool has_kind(int dimension, std::size_t nodes);

  bool empty() const { return cells_.empty(); }

  /// The mesh of these cells, in their order, and of `nodes`, which has all that they name. Where a file has all of its
  /// tetrahedra in the other orientation, as TetGen and Netgen write them, they are turned. Throws InputError,
  /// beginning with `where`, on cells of both orders.
  Mesh take_mesh(std::vector<Vector3> nodes, const std::string& where,
                 const std::vector<std::vector<int>>& sets_of_further_tags = {});

 private:
  struct Cell {
    int tag;
    Index further;
    char dimension, nodes;
  };
  void add_to(Mesh& mesh, const std::string& where);

  std::vector<Index> nodes_;  ///< of all cells in turn
  std::vector<Cell> cells_;
};

/// The names that groups have in a file, by their tags. Several tags may have one name there, which then is one group:
/// its cells get the lowest of these.
class FileNames {
 public:
  void add(int tag, const std::string& name);
  /// The names of those groups that have cells; changes the tags of cells whose group has several.
  std::map<std::string, int> of_cells(std::vector<int>& tags) const;

 private:
  std::map<int, std::string> name_of_;
};

}  // namespace cardiowarp
