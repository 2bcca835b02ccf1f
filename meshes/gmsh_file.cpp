#include "meshes/gmsh_file.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "fem/input_error.hpp"
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

/// Physical group of an entity: the lowest tag where there are several, 0 where there is none.
int group_of(int dimension, int entity) {
  std::vector<int> groups;
  gmsh::model::get_physical_groups_for_entity(dimension, entity, groups);
  int lowest = 0;
  for (const int group : groups)
    if (lowest == 0 || std::abs(group) < lowest) lowest = std::abs(group);
  return lowest;
}

template <std::size_t Corners>
TaggedCells<Corners> cells_of_model(int dimension, int type, const TaggedNodes& nodes,
                                    std::map<std::string, int>& names) {
  require_element_type(dimension, type);
  TaggedCells<Corners> cells;
  gmsh::Entities entities;
  gmsh::model::get_entities(entities, dimension);
  for (const auto& [dim, entity] : entities) {
    const int tag = group_of(dim, entity);
    if (tag == 0 && dimension == 2) continue;
    std::vector<std::size_t> numbers, corners;
    gmsh::model::mesh::get_elements_by_type(type, numbers, corners, entity);
    if (numbers.empty()) continue;
    cells.tags.insert(cells.tags.end(), numbers.begin(), numbers.end());
    cells.groups.insert(cells.groups.end(), numbers.size(), tag);
    cells.corners.reserve(cells.corners.size() + numbers.size());
    for (std::size_t at = 0; at < corners.size(); at += Corners) {
      auto& cell = cells.corners.emplace_back();
      for (std::size_t k = 0; k < Corners; ++k) {
        const auto node = nodes.index_of(corners[at + k]);
        if (!node) throw InputError(fmt::format("an element refers to the missing node {}", corners[at + k]));
        cell[k] = *node;
      }
    }
    std::string name;
    gmsh::model::get_physical_name(dimension, tag, name);
    if (name.empty()) continue;
    const auto [known, added] = names.emplace(name, tag);
    if (!added && known->second != tag)
      throw InputError(fmt::format("physical groups {} and {} have the same name '{}'", known->second, tag, name));
  }
  cells.sort();
  return cells;
}

/// One discrete entity a tag, in its own physical group (none for tag 0); `first_number` is the first element's tag.
template <std::size_t Corners>
void add_cells(int dimension, int type, std::size_t first_number, const std::vector<std::array<Index, Corners>>& cells,
               const std::vector<int>& tags, const std::map<int, int>& entity_of_tag) {
  for (const auto& [tag, entity] : entity_of_tag) {
    std::vector<std::size_t> numbers, corners;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (tags[i] != tag) continue;
      numbers.push_back(first_number + i);
      for (const Index node : cells[i]) corners.push_back(static_cast<std::size_t>(node) + 1);
    }
    gmsh::model::mesh::add_elements_by_type(entity, type, numbers, corners);
    if (tag != 0) gmsh::model::add_physical_group(dimension, {entity}, tag);
  }
}

/// A discrete entity for each tag in use.
std::map<int, int> add_entities(int dimension, const std::vector<int>& tags) {
  std::map<int, int> entity_of_tag;
  for (const int tag : tags) {
    if (tag < 0) throw InputError(fmt::format("tag {} has no place in a .msh file: expected 0 or more", tag));
    if (entity_of_tag.contains(tag)) continue;
    entity_of_tag[tag] = gmsh::model::add_discrete_entity(dimension);
  }
  return entity_of_tag;
}

void add_names(int dimension, const std::map<std::string, int>& names, const std::map<int, int>& entity_of_tag) {
  for (const auto& [name, tag] : names)
    if (tag != 0 && entity_of_tag.contains(tag)) gmsh::model::set_physical_name(dimension, tag, name);
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
  const auto volumes = add_entities(3, mesh.element_tags);
  const auto surfaces = add_entities(2, mesh.triangle_tags);
  if (volumes.empty()) throw InputError("the mesh has no tetrahedra");
  std::vector<std::size_t> tags(mesh.nodes.size());
  std::iota(tags.begin(), tags.end(), std::size_t{1});
  std::vector<double> coordinates;
  coordinates.reserve(3 * mesh.nodes.size());
  for (const Vector3& p : mesh.nodes) coordinates.insert(coordinates.end(), {p.x, p.y, p.z});
  gmsh::model::mesh::add_nodes(3, volumes.begin()->second, tags, coordinates);
  const std::size_t first_triangle = 1 + mesh.tetrahedra.size();
  if (mesh.is_quadratic()) {
    add_cells(3, quadratic_tetrahedron_type, 1, quadratic_tetrahedra(mesh), mesh.element_tags, volumes);
    add_cells(2, quadratic_triangle_type, first_triangle, quadratic_triangles(mesh), mesh.triangle_tags, surfaces);
  } else {
    add_cells(3, tetrahedron_type, 1, mesh.tetrahedra, mesh.element_tags, volumes);
    add_cells(2, triangle_type, first_triangle, mesh.triangles, mesh.triangle_tags, surfaces);
  }
  add_names(3, mesh.volume_names, volumes);
  add_names(2, mesh.surface_names, surfaces);
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
  auto tetrahedra = cells_of_model<4>(3, tetrahedron_type, nodes, mesh.volume_names);
  auto triangles = cells_of_model<3>(2, triangle_type, nodes, mesh.surface_names);
  mesh.nodes = std::move(nodes.points);
  mesh.tetrahedra = std::move(tetrahedra.corners);
  mesh.element_tags = std::move(tetrahedra.groups);
  mesh.triangles = std::move(triangles.corners);
  mesh.triangle_tags = std::move(triangles.groups);
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
