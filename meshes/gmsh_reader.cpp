#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fem/further_tags.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/file_cells.hpp"
#include "meshes/gmsh_file.hpp"
#include "meshes/gmsh_library.hpp"
#include "meshes/gmsh_text_check.hpp"
#include "meshes/mapped_file.hpp"
#include "meshes/reading_process.hpp"
#include "meshes/suffix.hpp"
#include "meshes/tagged_cells.hpp"

namespace cardiowarp {
namespace {

/// Gmsh's number for a kind of elements, and how many nodes one has.
struct ElementType {
  int number, dimension;
  std::size_t nodes;
};
constexpr std::array<ElementType, 8> element_types{
    {{2, 2, 3}, {3, 2, 4}, {9, 2, 6}, {4, 3, 4}, {5, 3, 8}, {6, 3, 6}, {7, 3, 5}, {11, 3, 10}}};

/// An element of the model, whose tag orders it.
struct Element {
  std::size_t tag;
  int dimension, nodes, group;
  Index further;
  std::size_t begin;  ///< in the list of the nodes of all elements
};

/// All elements of Gmsh's current model. Where it has no groups at all, the number of an entity is the tag of its
/// elements; otherwise solids in no group have tag 0, and surfaces in no group are left out.
class ModelReader {
 public:
  Mesh read(const std::string& where) {
    read_nodes();
    const bool has_groups = std::ranges::any_of(std::array{2, 3}, [](int dimension) {
      return std::ranges::any_of(entities_of(dimension), [&](int entity) {
        std::vector<int> groups;
        gmsh::model::get_physical_groups_for_entity(dimension, entity, groups);
        return !groups.empty();
      });
    });
    for (const int dimension : {2, 3})
      for (const int entity : entities_of(dimension)) read_entity(dimension, entity, has_groups);
    std::ranges::stable_sort(elements_, {}, &Element::tag);
    for (const Element& element : elements_)
      cells_.add(element.dimension,
                 std::span<const Index>(corners_).subspan(element.begin, static_cast<std::size_t>(element.nodes)),
                 element.group, element.further);
    Mesh mesh = cells_.take_mesh(std::move(nodes_.points), where, sets_.sets());
    mesh.volume_names = names_of(3, mesh.element_tags, mesh.further_element_tags);
    mesh.surface_names = names_of(2, mesh.triangle_tags, mesh.further_triangle_tags);
    return mesh;
  }

 private:
  void read_nodes() {
    std::vector<double> coordinates;
    gmsh::model::mesh::get_nodes(nodes_.tags, coordinates, -1, -1, false);
    for (std::size_t i = 0; i + 2 < coordinates.size(); i += 3)
      nodes_.points.push_back({coordinates[i], coordinates[i + 1], coordinates[i + 2]});
    nodes_.sort();
  }

  static std::vector<int> entities_of(int dimension) {
    gmsh::Entities entities;
    gmsh::model::get_entities(entities, dimension);
    std::vector<int> tags;
    for (const auto& [ignored, tag] : entities) tags.push_back(tag);
    return tags;
  }

  void read_entity(int dimension, int entity, bool has_groups) {
    std::vector<int> groups;
    gmsh::model::get_physical_groups_for_entity(dimension, entity, groups);
    const GroupsOfEntity of_entity =
        has_groups ? GroupsOfEntity::of(std::move(groups), sets_) : GroupsOfEntity{entity, 0};
    if (has_groups && dimension == 2 && of_entity.lowest == 0) return;
    std::vector<int> types;
    gmsh::model::mesh::get_element_types(types, dimension);
    for (const int number : types) {
      const auto* const type = std::ranges::find(element_types, number, &ElementType::number);
      if (type == element_types.end())
        throw InputError(
            fmt::format("elements of type '{}' are not supported: expected linear cells, or tetrahedra of "
                        "10 nodes and triangles of 6",
                        gmsh::model::mesh::get_element_name(number)));
      read_elements(*type, entity, of_entity);
    }
  }

  void read_elements(const ElementType& type, int entity, const GroupsOfEntity& groups) {
    std::vector<std::size_t> tags, corners;
    gmsh::model::mesh::get_elements_by_type(type.number, tags, corners, entity);
    if (corners.size() != tags.size() * type.nodes) throw InputError("Gmsh gives elements without nodes");
    for (std::size_t i = 0; i < tags.size(); ++i) {
      elements_.push_back(
          {tags[i], type.dimension, static_cast<int>(type.nodes), groups.lowest, groups.further, corners_.size()});
      for (std::size_t k = 0; k < type.nodes; ++k) {
        const auto node = nodes_.index_of(corners[i * type.nodes + k]);
        if (!node)
          throw InputError(
              fmt::format("element {} refers to the missing node {}", tags[i], corners[i * type.nodes + k]));
        corners_.push_back(*node);
      }
      // Gmsh has the nodes on the edges 23 and 13 in this order.
      if (type.nodes == 10) std::swap(corners_[corners_.size() - 1], corners_[corners_.size() - 2]);
    }
  }

  static std::map<std::string, int> names_of(int dimension, const std::vector<int>& tags, const FurtherTags& further) {
    std::map<std::string, int> names;
    for (const auto& [tag, cells] : cells_of_tags(tags, further)) {
      std::string name;
      gmsh::model::get_physical_name(dimension, tag, name);
      if (name.empty()) continue;
      const auto [known, is_new] = names.emplace(name, tag);
      if (!is_new) throw InputError(fmt::format("groups {} and {} have the same name '{}'", known->second, tag, name));
    }
    return names;
  }

  TaggedNodes nodes_;
  TagSets sets_;
  std::vector<Element> elements_;
  std::vector<Index> corners_;
  FileCells cells_;
};

}  // namespace

Mesh read_with_gmsh(const std::filesystem::path& file) {
  const MappedFile content(file);
  suffix_of(file) == ".unv" ? check_unv_text(file.string(), content.text())
                            : check_nastran_text(file.string(), content.text());
  load_gmsh();
  return read_in_own_process(file.string(), limits_for(content.text().size()), [&] {
    Mesh mesh;
    const GmshSession session;
    session.run(file.string(), [&] {
      gmsh::merge(file.string());
      mesh = ModelReader().read(file.string());
    });
    return mesh;
  });
}

}  // namespace cardiowarp
