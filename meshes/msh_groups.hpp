#pragma once
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "meshes/msh_cursor.hpp"

namespace cardiowarp {

// The physical groups of a `.msh` file: their names ($PhysicalNames), and in version 4.1 which group each entity of the
// model is in ($Entities, $PartitionedEntities), by which the elements of the entity are in it. A file that Gmsh has
// partitioned has entities and groups for each partition: they lead back to the group that was partitioned. A group of
// nothing is 0.

class MshGroups {
 public:
  explicit MshGroups(MshCursor& in) : in_(in) {}

  void read_names();                 ///< $PhysicalNames; the cursor is behind the name of the section
  void read_entities();              ///< $Entities
  void read_partitioned_entities();  ///< $PartitionedEntities

  /// A file that lists no entities has no groups.
  int group_of_entity(int dimension, int tag) const;

  /// Puts the groups that were partitioned in place of those of their partitions: in version 2.2 nothing but its name
  /// says which group a partition's group comes from.
  void resolve_partitions(int dimension, std::vector<int>& groups) const;

  /// The names of those groups that have elements. Throws InputError where two groups have one name.
  std::map<std::string, int> names_of(int dimension, const std::vector<int>& groups) const;

 private:
  using DimensionAndTag = std::pair<int, int>;

  std::array<std::size_t, 4> entity_counts();
  int rest_of_entity(int dimension);
  void note_entity(int dimension, int tag, int group);

  MshCursor& in_;
  std::map<DimensionAndTag, std::string> names_;
  std::map<DimensionAndTag, int> group_of_entity_;
};

}  // namespace cardiowarp
