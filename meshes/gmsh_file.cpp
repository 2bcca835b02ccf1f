#include "meshes/gmsh_file.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

#include "fem/further_tags.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/gmsh_library.hpp"
#include "meshes/msh_file.hpp"
#include "meshes/reading_process.hpp"
#include "meshes/tagged_cells.hpp"

namespace cardiowarp {
namespace {

// Gmsh's element types
constexpr int triangle_type = 2, tetrahedron_type = 4, quadratic_triangle_type = 9, quadratic_tetrahedron_type = 11;

TaggedNodes nodes_of_model() {
  TaggedNodes nodes;
  std::vector<double> coordinates;
  gmsh::model::mesh::get_nodes(nodes.tags, coordinates, -1, -1, false);
  nodes.points.reserve(nodes.tags.size());
  for (std::size_t i = 0; i < coordinates.size(); i += 3)
    nodes.points.push_back({coordinates[i], coordinates[i + 1], coordinates[i + 2]});
  return nodes;
}

void require_element_type(int dimension, int accepted) {
  std::vector<int> types;
  gmsh::model::mesh::get_element_types(types, dimension);
  for (const int type : types) {
    if (type == accepted) continue;
    throw InputError(
        fmt::format("elements of type '{}' are not supported: expected 4-node tetrahedra and, on surfaces, "
                    "3-node triangles",
                    gmsh::model::mesh::get_element_name(type)));
  }
}

GroupsOfEntity groups_of(int dimension, int entity, TagSets& sets) {
  std::vector<int> groups;
  gmsh::model::get_physical_groups_for_entity(dimension, entity, groups);
  return GroupsOfEntity::of(std::move(groups), sets);
}

/// The names of the groups that cells are in.
std::map<std::string, int> names_of(int dimension, const std::vector<int>& groups, const FurtherTags& further) {
  std::map<std::string, int> names;
  for (const auto& [group, cells] : cells_of_tags(groups, further)) {
    std::string name;
    gmsh::model::get_physical_name(dimension, group, name);
    if (name.empty()) continue;
    const auto [known, added] = names.emplace(name, group);
    if (!added)
      throw InputError(fmt::format("physical groups {} and {} have the same name '{}'", known->second, group, name));
  }
  return names;
}

template <std::size_t Corners>
TaggedCells<Corners> cells_of_model(int dimension, int type, const TaggedNodes& nodes, TagSets& sets) {
  require_element_type(dimension, type);
  TaggedCells<Corners> cells;
  gmsh::Entities entities;
  gmsh::model::get_entities(entities, dimension);
  for (const auto& [dim, entity] : entities) {
    const GroupsOfEntity groups = groups_of(dim, entity, sets);
    if (groups.lowest == 0 && dimension == 2) continue;
    std::vector<std::size_t> numbers, corners;
    gmsh::model::mesh::get_elements_by_type(type, numbers, corners, entity);
    if (numbers.empty()) continue;
    const std::size_t before = cells.tags.size();
    cells.tags.insert(cells.tags.end(), numbers.begin(), numbers.end());
    cells.groups.insert(cells.groups.end(), numbers.size(), groups.lowest);
    cells.note_further(before, groups.further);
    cells.corners.reserve(cells.corners.size() + numbers.size());
    for (std::size_t at = 0; at < corners.size(); at += Corners) {
      auto& cell = cells.corners.emplace_back();
      for (std::size_t k = 0; k < Corners; ++k) {
        const auto node = nodes.index_of(corners[at + k]);
        if (!node) throw InputError(fmt::format("an element refers to the missing node {}", corners[at + k]));
        cell[k] = *node;
      }
    }
  }
  cells.sort();
  return cells;
}

/// The discrete entity of each first tag and set of further ones in use.
using EntityOfTags = std::map<std::pair<int, Index>, int>;

std::pair<int, Index> tags_of(const std::vector<int>& tags, const FurtherTags& further, std::size_t cell) {
  return {tags[cell], further.empty() ? Index{0} : further.set_of_cell[cell]};
}

/// The tags of cells of one dimension, and their entities.
struct TaggedEntities {
  int dimension;
  const std::vector<int>& tags;
  const FurtherTags& further;
  EntityOfTags entities;
};

/// An entity has the cells of its tags and is in the physical groups of these (none for tag 0); `first_number` is the
/// first element's tag. Returns the groups.
template <std::size_t Corners>
std::set<int> add_cells(int type, std::size_t first_number, const std::vector<std::array<Index, Corners>>& cells,
                        const TaggedEntities& tagged) {
  const auto& [dimension, tags, further, entities] = tagged;
  std::map<int, std::vector<int>> entities_of_group;
  for (const auto& [key, entity] : entities) {
    std::vector<std::size_t> numbers, corners;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (tags_of(tags, further, i) != key) continue;
      numbers.push_back(first_number + i);
      for (const Index node : cells[i]) corners.push_back(static_cast<std::size_t>(node) + 1);
    }
    gmsh::model::mesh::add_elements_by_type(entity, type, numbers, corners);
    entities_of_group[key.first].push_back(entity);
    if (key.second == 0) continue;
    for (const int group : further.sets[static_cast<std::size_t>(key.second)])
      entities_of_group[group].push_back(entity);
  }
  std::set<int> groups;
  for (const auto& [group, members] : entities_of_group) {
    if (group == 0) continue;
    gmsh::model::add_physical_group(dimension, members, group);
    groups.insert(group);
  }
  return groups;
}

TaggedEntities add_entities(int dimension, const std::vector<int>& tags, const FurtherTags& further) {
  EntityOfTags entities;
  const auto require_tag = [](int tag) {
    if (tag < 0) throw InputError(fmt::format("tag {} has no place in a .msh file: expected 0 or more", tag));
  };
  for (std::size_t cell = 0; cell < tags.size(); ++cell) {
    require_tag(tags[cell]);
    const auto key = tags_of(tags, further, cell);
    if (entities.contains(key)) continue;
    for (const int tag : further.of(cell)) require_tag(tag);
    entities[key] = gmsh::model::add_discrete_entity(dimension);
  }
  return {dimension, tags, further, std::move(entities)};
}

void add_names(int dimension, const std::map<std::string, int>& names, const std::set<int>& groups) {
  for (const auto& [name, tag] : names)
    if (groups.contains(tag)) gmsh::model::set_physical_name(dimension, tag, name);
}

/// In Gmsh's order, in which the nodes on the edges 23 and 13 come last.
std::vector<std::array<Index, 10>> quadratic_tetrahedra(const Mesh& mesh) {
  std::vector<std::array<Index, 10>> cells;
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) {
    const auto& [a, b, c, d] = mesh.tetrahedra[i];
    const auto& [ab, bc, ac, ad, bd, cd] = mesh.edge_nodes[i];
    cells.push_back({a, b, c, d, ab, bc, ac, ad, cd, bd});
  }
  return cells;
}

std::vector<std::array<Index, 6>> quadratic_triangles(const Mesh& mesh) {
  std::vector<std::array<Index, 6>> cells;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto& [a, b, c] = mesh.triangles[i];
    const auto& [ab, bc, ac] = mesh.triangle_edge_nodes[i];
    cells.push_back({a, b, c, ab, bc, ac});
  }
  return cells;
}

void make_model(const Mesh& mesh) {
  const auto volumes = add_entities(3, mesh.element_tags, mesh.further_element_tags);
  const auto surfaces = add_entities(2, mesh.triangle_tags, mesh.further_triangle_tags);
  if (volumes.entities.empty()) throw InputError("the mesh has no tetrahedra");
  std::vector<std::size_t> tags(mesh.nodes.size());
  std::iota(tags.begin(), tags.end(), std::size_t{1});
  std::vector<double> coordinates;
  coordinates.reserve(3 * mesh.nodes.size());
  for (const Vector3& p : mesh.nodes) coordinates.insert(coordinates.end(), {p.x, p.y, p.z});
  gmsh::model::mesh::add_nodes(3, volumes.entities.begin()->second, tags, coordinates);
  const std::size_t first_triangle = 1 + mesh.tetrahedra.size();
  const auto add_elements = [&](int type, const auto& cells) { return add_cells(type, 1, cells, volumes); };
  const auto add_triangles = [&](int type, const auto& cells) {
    return add_cells(type, first_triangle, cells, surfaces);
  };
  const bool quadratic = mesh.is_quadratic();
  const std::set<int> volume_groups = quadratic ? add_elements(quadratic_tetrahedron_type, quadratic_tetrahedra(mesh))
                                                : add_elements(tetrahedron_type, mesh.tetrahedra);
  const std::set<int> surface_groups = quadratic ? add_triangles(quadratic_triangle_type, quadratic_triangles(mesh))
                                                 : add_triangles(triangle_type, mesh.triangles);
  add_names(3, mesh.volume_names, volume_groups);
  add_names(2, mesh.surface_names, surface_groups);
}

/// Gmsh brings the window library FLTK along, which reads its settings as Gmsh starts and writes them to `~/.fltk`
/// (and `/etc/fltk` for root) where there are none. They concern windows, of which there are none here: FLTK is told
/// that it has read them. A Gmsh without FLTK, or with one of its own inside, has no such variable.
void leave_settings_of_fltk_alone() {
  if (void* const options_read = gmsh::find_symbol("_ZN2Fl13options_read_E"))
    *static_cast<unsigned char*>(options_read) = 1;
}

}  // namespace

void load_gmsh() { gmsh::find_symbol("gmshInitialize"); }

GmshSession::GmshSession() : threads_(omp_get_max_threads()) {
  leave_settings_of_fltk_alone();
  try {
    gmsh::initialize();
    gmsh::option::set_number("General.Terminal", 0);
  } catch (const InputError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw InputError(fmt::format("Gmsh cannot be started; it says: {}", error.what()));
  }
}

GmshSession::~GmshSession() {
  try {
    gmsh::finalize();
  } catch (...) {
    // A destructor must not throw, and there is nothing left to save.
  }
  omp_set_num_threads(threads_);
}

void GmshSession::run(const std::string& where, const std::function<void()>& work) const {
  try {
    return work();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", where, error.what()));
  } catch (const std::runtime_error& error) {
    throw InputError(fmt::format("{}: Gmsh says: {}", where, error.what()));
  }
}

Mesh mesh_from_gmsh_model() {
  TaggedNodes nodes = nodes_of_model();
  nodes.sort();
  Mesh mesh;
  TagSets sets;
  auto tetrahedra = cells_of_model<4>(3, tetrahedron_type, nodes, sets);
  auto triangles = cells_of_model<3>(2, triangle_type, nodes, sets);
  mesh.nodes = std::move(nodes.points);
  mesh.tetrahedra = std::move(tetrahedra.corners);
  mesh.element_tags = std::move(tetrahedra.groups);
  mesh.further_element_tags = tetrahedra.take_further(sets);
  mesh.triangles = std::move(triangles.corners);
  mesh.triangle_tags = std::move(triangles.groups);
  mesh.further_triangle_tags = triangles.take_further(sets);
  mesh.volume_names = names_of(3, mesh.element_tags, mesh.further_element_tags);
  mesh.surface_names = names_of(2, mesh.triangle_tags, mesh.further_triangle_tags);
  return mesh;
}

Mesh mesh_made_by_gmsh(const std::string& where, const std::function<void()>& work) {
  load_gmsh();
  return make_in_own_process(where, [&] {
    Mesh mesh;
    const GmshSession session;
    session.run(where, [&] {
      work();
      mesh = mesh_from_gmsh_model();
    });
    return mesh;
  });
}

void write_gmsh_file(const Mesh& mesh, const std::filesystem::path& file) {
  {
    const GmshSession gmsh;
    gmsh.run(file.string(), [&] {
      make_model(mesh);
      gmsh::option::set_number("Mesh.MshFileVersion", 4.1);
      gmsh::option::set_number("Mesh.Binary", 1);
      gmsh::option::set_number("Mesh.SaveAll", 1);
      gmsh::write(file.string());
    });
  }
  // Gmsh does not report a full disk.
  bool is_whole = false;
  try {
    is_whole = read_msh_file(file).tetrahedra.size() == mesh.tetrahedra.size();
  } catch (const InputError&) {
  }
  if (!is_whole) throw InputError(fmt::format("{}: was not written completely (is the disk full?)", file.string()));
}

}  // namespace cardiowarp
