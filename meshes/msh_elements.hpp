#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fem/mesh.hpp"
#include "meshes/cut_cells.hpp"
#include "meshes/msh_cursor.hpp"
#include "meshes/msh_groups.hpp"
#include "meshes/tagged_cells.hpp"

namespace cardiowarp {

// The section $Elements of a `.msh` file: tetrahedra and triangles, linear or quadratic, with their groups; points and
// lines are passed over, other linear cells are cut, and what is left is refused. Versions 2 have the group with each
// element, which stands once for each of its groups (check_mesh() makes one of these); 4.1 has the groups of the entity
// of a block, of which a whole binary block is copied at once, by all threads. take_mesh() makes the Mesh of them: one
// kind of tetrahedra, triangles of a group alone, all in the order of their tags.

class MshElements {
 public:
  /// The nodes have been read, and so have the groups of version 4.1.
  MshElements(MshCursor& in, TaggedNodes& nodes, const MshGroups& groups)
      : in_(in), nodes_(nodes), groups_(groups), cutter_(nodes.points) {}

  void read_2();  ///< of versions 2; the cursor is behind the name of the section
  void read_4();  ///< of version 4.1

  /// The mesh of the nodes and elements, which are gone after that.
  Mesh take_mesh();

 private:
  struct Type {
    int dimension;
    std::size_t nodes;
    const char* name;
  };
  static const std::array<Type, 20> types;
  static constexpr std::size_t most_nodes = 27;

  void read_element_2(const Type& type, std::int32_t number, std::size_t tags, std::size_t elements);
  void reserve(std::size_t declared);
  const Type& next_type();
  static bool is_linear(const Type& type);
  template <class Tag>
  void element(const Type& type, std::size_t number, const GroupsOfEntity& groups);
  template <std::size_t Corners>
  static void add(TaggedCells<Corners>& cells, std::size_t number, const GroupsOfEntity& groups,
                  const std::array<Index, most_nodes>& nodes);
  template <std::size_t Corners, class Cell>
  void add_pieces(TaggedCells<Corners>& cells, std::size_t number, const GroupsOfEntity& groups, const Cell& corners);
  template <std::size_t Corners>
  std::size_t copy_block(TaggedCells<Corners>& cells, std::size_t size, const GroupsOfEntity& groups);
  template <std::size_t Corners, std::size_t TriangleCorners>
  void take_groups(Mesh& mesh, TaggedCells<Corners>& tetrahedra, TaggedCells<TriangleCorners>& triangles);
  template <class Tag>
  [[noreturn]] void missing_node(Tag tag);
  void resolve_partitions_2();
  Mesh take_quadratic_mesh();
  template <std::size_t Nodes>
  static void leave_out_triangles_of_no_group(TaggedCells<Nodes>& triangles);

  MshCursor& in_;
  TaggedNodes& nodes_;
  const MshGroups& groups_;
  CellCutter cutter_;
  TaggedCells<4> tetrahedra_;
  TaggedCells<3> triangles_;
  TaggedCells<10> quadratic_tetrahedra_;
  TaggedCells<6> quadratic_triangles_;
  bool is_version_2_ = false;
  bool partitioned_2_ = false;               ///< some element of a file of version 2 has a partition
  std::vector<bool> partition_of_triangle_;  ///< [triangles] of a file of version 2: whether it has one
  std::vector<bool> partition_of_quadratic_triangle_;
};

}  // namespace cardiowarp
