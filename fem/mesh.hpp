#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fem/element_nodes.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// A tetrahedral mesh as the readers of meshes/ fill it, as check_mesh() (fem/mesh_check.hpp) checks and repairs it, and
// as the whole program uses it. It is a plain structure of arrays in host memory: an element is four numbers of nodes,
// and a node is a point. Nodes take 24 bytes each, 4 more where some have been dropped; elements take 20, with fibers
// 44, and 24 more where they are quadratic; triangles take 16, or 28. Where some element, or triangle, has several
// tags, each takes 4 more (FurtherTags). Nothing else is stored of edges and faces inside the mesh. A
// quadratic mesh has nodes on its edges, too, which `nodes` lists among the others.

/// A named array of numbers in a mesh file.
struct FileArray {
  std::string name;
  int components = 1;
  bool of_points = false;  ///< otherwise of cells
};

/// A named array of one number for each cell or point of a mesh file.
struct MeshValues {
  std::string name;
  bool of_points = false;    ///< otherwise of tetrahedra
  std::vector<Real> values;  ///< [elements], or [points of the file], of which node_in_file says which are nodes
};

/// The tags that tetrahedra or triangles have beside the one of `element_tags` or `triangle_tags`. Cells of a mesh
/// belong to few different sets of groups, mostly to one group each, so a set is stored once and a cell has its number:
///
///   element_tags    1  1  1  4  4            cell 2 has the tags 1 and 4, cell 4 has 4, 7 and 9
///   set_of_cell     0  0  1  0  2
///   sets            {}  {4}  {7, 9}
///
/// A mesh whose cells have one tag each has an empty `set_of_cell` and pays nothing; in any other a cell takes 4 bytes.
struct FurtherTags {
  std::vector<Index> set_of_cell;      ///< [cells] index in `sets`; empty while no cell has further tags
  std::vector<std::vector<int>> sets;  ///< ascending tags without repetition; the first set is empty

  bool empty() const { return set_of_cell.empty(); }

  /// The further tags of a cell, ascending.
  std::span<const int> of(std::size_t cell) const {
    if (empty()) return {};
    return sets[static_cast<std::size_t>(set_of_cell[cell])];
  }
};

/// A tetrahedral mesh in mm, in the order of the file it came from (Gmsh: ascending node and element tags).
struct Mesh {
  std::vector<Vector3> nodes;                ///< [nodes] mm
  std::vector<Tetrahedron> tetrahedra;       ///< [elements] node indices
  std::vector<int> element_tags;             ///< [elements] region tag, 0 where the file has none
  std::vector<Vector3> fibers;               ///< [elements] as read, or empty when the file has none
  std::vector<Triangle> triangles;           ///< [triangles] of named or tagged surfaces; may be empty
  std::vector<int> triangle_tags;            ///< [triangles]
  std::map<std::string, int> volume_names;   ///< physical-group or region name -> element tag
  std::map<std::string, int> surface_names;  ///< surface name -> triangle tag
  std::vector<Index> node_in_file;    ///< [nodes] position in the file's node list; empty while nothing was dropped
  std::vector<FileArray> arrays;      ///< what the file offers for tags and fibers, cell arrays first; VTK files only
  std::vector<EdgeNodes> edge_nodes;  ///< [elements] of a quadratic mesh; a linear one has none
  std::vector<TriangleEdgeNodes> triangle_edge_nodes;  ///< [triangles] of a quadratic mesh
  FurtherTags further_element_tags;                    ///< of elements that have several
  FurtherTags further_triangle_tags;                   ///< of triangles that have several
  std::vector<MeshValues> values;                      ///< arrays that were asked for; VTK files only
  std::vector<std::string> remarks;                    ///< what users are told of the file, a line each

  /// Whether its elements are quadratic tetrahedra of ten nodes (fem/quadratic_tetrahedron.hpp), not of four.
  bool is_quadratic() const { return !edge_nodes.empty(); }
};

}  // namespace cardiowarp
