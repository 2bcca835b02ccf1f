#pragma once
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fem/further_tags.hpp"
#include "meshes/msh_cursor.hpp"
#include "meshes/tagged_cells.hpp"

namespace cardiowarp {

// The physical groups of a `.msh` file: their names ($PhysicalNames), and in version 4.1 which groups each entity of
// the model is in ($Entities, $PartitionedEntities), by which the elements of the entity are in them. A file that Gmsh
// has partitioned has entities and groups for each partition: they lead back to the groups that were partitioned. A
// group of nothing is 0.

class MshGroups {
 public:
  explicit MshGroups(MshCursor& in) : in_(in) {}

  /// $PhysicalNames; the cursor is behind the name of the section. Without dimensions (version 2.0) a name is that of
  /// the groups of any dimension with its number.
  void read_names(bool with_dimensions);
  void read_entities();              ///< $Entities
  void read_partitioned_entities();  ///< $PartitionedEntities

  /// A file that lists no entities has no groups.
  GroupsOfEntity groups_of_entity(int dimension, int tag) const;
  /// The sets of groups that entities have beside their lowest one.
  const TagSets& further_sets() const { return further_sets_; }

  /// Puts the groups that were partitioned in place of those of their partitions: in versions 2 nothing but its name
  /// says which group a partition's group comes from.
  void resolve_partitions(int dimension, std::vector<int>& groups) const;

  /// The names of those groups that have elements. Throws InputError where two groups have one name.
  std::map<std::string, int> names_of(int dimension, const std::vector<int>& groups, const FurtherTags& further) const;

  /// Lines for users on the names that are of no group of the mesh.
  std::vector<std::string> remarks(const Mesh& mesh) const;

 private:
  using DimensionAndTag = std::pair<int, int>;

  std::array<std::size_t, 4> entity_counts();
  GroupsOfEntity rest_of_entity(int dimension);
  void note_entity(int dimension, int tag, const GroupsOfEntity& groups);
  void add_name(int dimension, int tag, std::string_view name);

  MshCursor& in_;
  std::map<DimensionAndTag, std::string> names_;
  std::map<DimensionAndTag, GroupsOfEntity> groups_of_entity_;
  TagSets further_sets_;
};

}  // namespace cardiowarp
