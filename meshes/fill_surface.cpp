#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/generate.hpp"
#include "meshes/gmsh_file.hpp"
#include "meshes/gmsh_library.hpp"
#include "meshes/gmsh_settings.hpp"
#include "meshes/reading_process.hpp"
#include "meshes/self_intersection.hpp"
#include "meshes/surface_file.hpp"

namespace cardiowarp {
namespace {

/// Says that Gmsh made a mesh without triangles of the surface.
class LostTriangles : public InputError {
 public:
  using InputError::InputError;
};

std::string text(Vector3 p) { return fmt::format("({:.6g}, {:.6g}, {:.6g}) mm", p.x, p.y, p.z); }

std::string text(const Surface& surface, std::size_t triangle) {
  const auto& [a, b, c] = surface.triangles[triangle];
  return fmt::format("triangle {} with the corners {}, {} and {}", triangle, text(surface.nodes[a]),
                     text(surface.nodes[b]), text(surface.nodes[c]));
}

/// What a message adds where a triangle is there more than once, or nothing.
std::string repeated_triangle(const Surface& surface) {
  std::map<Triangle, std::size_t> number_of;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    Triangle corners = surface.triangles[t];
    std::sort(corners.begin(), corners.end());
    const auto [known, is_new] = number_of.emplace(corners, t);
    if (!is_new) return fmt::format("; triangles {} and {} have the same corners (counted from 0)", known->second, t);
  }
  return "";
}

/// Every edge must belong to two triangles.
void require_closed(const Surface& surface, const std::string& where) {
  std::vector<std::pair<Index, Index>> edges;
  edges.reserve(3 * surface.triangles.size());
  for (const auto& [a, b, c] : surface.triangles)
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, c}, std::pair{c, a}}) {
      if (from == to)
        throw InputError(fmt::format("{}: a triangle uses the point at {} twice", where, text(surface.nodes[from])));
      edges.push_back(std::minmax(from, to));
    }
  std::sort(edges.begin(), edges.end());

  std::size_t open = 0, branching = 0;
  const std::pair<Index, Index>* first = nullptr;
  for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    for (end = begin + 1; end < edges.size() && edges[end] == edges[begin];) ++end;
    if (end - begin == 2) continue;
    ++(end - begin == 1 ? open : branching);
    if (!first) first = &edges[begin];
  }
  if (!first) return;
  throw InputError(
      fmt::format("{}: the surface is not closed: {} edges with one triangle, {} with more than two (expected two), "
                  "the first from {} "
                  "to {}; points at the same place count as one only when they have one number{}",
                  where, open, branching, text(surface.nodes[first->first]), text(surface.nodes[first->second]),
                  branching > 0 ? repeated_triangle(surface) : ""));
}

Mesh tetrahedra_inside(const Surface& surface, Real edge_mm, const std::string& where) {
  std::vector<std::size_t> node_tags(surface.nodes.size()), triangle_tags(surface.triangles.size()), corners;
  std::iota(node_tags.begin(), node_tags.end(), std::size_t{1});
  std::iota(triangle_tags.begin(), triangle_tags.end(), std::size_t{1});
  std::vector<double> coordinates;
  for (const Vector3& node : surface.nodes) coordinates.insert(coordinates.end(), {node.x, node.y, node.z});
  for (const Triangle& triangle : surface.triangles)
    for (const Index node : triangle) corners.push_back(node_tags[node]);

  return mesh_made_by_gmsh(where, [&] {
    apply_gmsh_settings();
    if (edge_mm > 0) set_gmsh_edge(edge_mm);
    constexpr int gmsh_triangle = 2;
    const int shell = gmsh::model::add_discrete_entity(2);
    gmsh::model::mesh::add_nodes(2, shell, node_tags, coordinates);
    gmsh::model::mesh::add_elements_by_type(shell, gmsh_triangle, triangle_tags, corners);
    gmsh::model::geo::add_volume({gmsh::model::geo::add_surface_loop({shell})});
    gmsh::model::geo::synchronize();
    gmsh::model::mesh::generate(3);
  });
}

/// The surface's nodes come first in the mesh, and every triangle is a face of one tetrahedron: of none where Gmsh
/// moved it, of two where one shell lies inside another, because Gmsh fills both.
void require_same_surface(const Mesh& mesh, const Surface& surface, const std::string& where) {
  const auto nodes = static_cast<Index>(surface.nodes.size());
  bool same = mesh.nodes.size() >= surface.nodes.size() &&
              std::equal(surface.nodes.begin(), surface.nodes.end(), mesh.nodes.begin());
  std::vector<Triangle> faces;
  for (const auto& [a, b, c, d] : mesh.tetrahedra)
    for (Triangle face : {Triangle{a, b, c}, Triangle{a, b, d}, Triangle{a, c, d}, Triangle{b, c, d}}) {
      std::sort(face.begin(), face.end());
      if (face[2] < nodes) faces.push_back(face);
    }
  std::sort(faces.begin(), faces.end());
  std::size_t lost = 0;
  for (; same && lost < surface.triangles.size(); ++lost) {
    Triangle triangle = surface.triangles[lost];
    std::sort(triangle.begin(), triangle.end());
    const auto [first, last] = std::equal_range(faces.begin(), faces.end(), triangle);
    if (last - first != 1) break;
  }
  if (!same || lost < surface.triangles.size())
    throw LostTriangles(
        fmt::format("{}: Gmsh could not keep all triangles as the boundary (a shell inside another one is not "
                    "supported): the first that it lost is {}",
                    where, text(surface, same ? lost : 0)));
}

/// Throws InputError with the place where the surface has a fault that Gmsh may have failed on, as `failure` says.
void require_sound(const Surface& surface, const std::string& where, const std::string& failure) {
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const auto& [a, b, c] = surface.triangles[t];
    if (has_no_area(surface.nodes[a], surface.nodes[b], surface.nodes[c]))
      throw InputError(
          fmt::format("{}: {} has no area (counted from 0): expected three corners that are not on one "
                      "line ({})",
                      where, text(surface, t), failure));
  }
  const auto found = self_intersection(surface.nodes, surface.triangles);
  if (!found) return;
  throw InputError(fmt::format(
      "{}: the surface cuts or touches itself at {}: {} meets {}; {} pairs of triangles do "
      "(counted from 0): expected triangles that meet in common corners and edges only ({})",
      where, text(found->example.place), text(surface, found->example.first), text(surface, found->example.second),
      found->pairs < most_pairs_counted ? fmt::to_string(found->pairs) : fmt::format("{} or more", most_pairs_counted),
      failure));
}

/// A turn in space, by its three angles.
struct Turn {
  std::array<Vector3, 3> rows;

  Turn(Real about_x, Real about_y, Real about_z) {
    const Real a = std::cos(about_x), b = std::sin(about_x), c = std::cos(about_y), d = std::sin(about_y),
               e = std::cos(about_z), f = std::sin(about_z);
    rows = {Vector3{c * e, -c * f, d}, Vector3{a * f + b * d * e, a * e - b * d * f, -b * c},
            Vector3{b * f - a * d * e, b * e + a * d * f, a * c}};
  }
  Vector3 there(Vector3 p) const { return {dot(rows[0], p), dot(rows[1], p), dot(rows[2], p)}; }
  Vector3 back(Vector3 p) const { return p.x * rows[0] + p.y * rows[1] + p.z * rows[2]; }
};

/// The mesh inside the surface as it lies, or turned by `turn`, not yet checked; its first nodes are the surface's, to
/// the last bit.
Mesh filled_unchecked(const Surface& surface, const Turn* turn, Real edge_mm, const std::string& where) {
  if (turn == nullptr) {
    Mesh mesh = tetrahedra_inside(surface, edge_mm, where);
    require_same_surface(mesh, surface, where);
    return mesh;
  }
  Surface turned;
  turned.triangles = surface.triangles;
  for (const Vector3& node : surface.nodes) turned.nodes.push_back(turn->there(node));
  Mesh mesh = tetrahedra_inside(turned, edge_mm, where);
  require_same_surface(mesh, turned, where);
  for (Vector3& node : mesh.nodes) node = turn->back(node);
  std::copy(surface.nodes.begin(), surface.nodes.end(), mesh.nodes.begin());
  return mesh;
}

/// Gmsh makes tetrahedra without volume where a surface has many points in one plane.
Mesh filled(const Surface& surface, const Turn* turn, Real edge_mm, const std::string& where) {
  Mesh mesh = filled_unchecked(surface, turn, edge_mm, where);
  try {
    check_mesh(mesh);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: Gmsh made a mesh with a fault: {}", where, error.what()));
  }
  return mesh;
}

/// The mesh inside the surface. Where Gmsh fails, and the surface has no fault, it may succeed with the surface turned:
/// many of its failures come from rounding among points in one plane.
Mesh filled_as_it_can_be(const Surface& surface, Real edge_mm, const std::string& where,
                         const std::function<void(const std::string&)>& remark) {
  std::string failure;
  try {
    return filled(surface, nullptr, edge_mm, where);
  } catch (const LostTriangles& error) {
    require_sound(surface, where, "Gmsh could not keep all triangles as the boundary");
    throw;
  } catch (const ProcessCrash& error) {
    failure = error.what();
  } catch (const InputError& error) {
    failure = error.what();
    if (!failure.starts_with(where + ": Gmsh says: ") && !failure.starts_with(where + ": Gmsh made a mesh with")) throw;
  }
  failure.erase(0, where.size() + 2);
  require_sound(surface, where, failure);
  for (const Turn& turn : {Turn(0.7, 0.4, 1.1), Turn(1.3, -0.6, 0.3), Turn(-0.5, 0.9, 2.2)}) {
    try {
      Mesh mesh = filled(surface, &turn, edge_mm, where);
      if (remark)
        remark(fmt::format("{}: {}; a mesh was made with the surface turned, and turned back", where, failure));
      return mesh;
    } catch (const InputError&) {
      continue;
    }
  }
  throw InputError(
      fmt::format("{}: {}, also with the surface turned; the surface is closed, and no two of its triangles were found "
                  "to meet but in corners and edges: other triangles of the same shape, less long and thin, may help",
                  where, failure));
}

/// Reads a closed surface out of one file, or out of several that are joined.
Surface read_closed(std::span<const std::filesystem::path> files, LengthUnit unit, const std::string& where) {
  Surface surface = read_surfaces(files, unit, where);
  require_closed(surface, where);
  return surface;
}

std::string where_of(std::span<const std::filesystem::path> files) {
  std::string where = "mesh fill";
  for (const std::filesystem::path& file : files) where += " " + file.string();
  return where;
}

}  // namespace

SurfaceSize surface_size(std::span<const std::filesystem::path> surfaces, LengthUnit unit) {
  const Surface surface = read_closed(surfaces, unit, where_of(surfaces));
  Real volume6 = 0, edges = 0;
  const Vector3 origin = surface.nodes.front();  // near, so that little cancels
  for (const auto& [a, b, c] : surface.triangles) {
    const Vector3 &p = surface.nodes[a], &q = surface.nodes[b], &r = surface.nodes[c];
    volume6 += dot(p - origin, cross(q - origin, r - origin));
    edges += norm(q - p) + norm(r - q) + norm(p - r);
  }
  return {std::abs(volume6) / 6, edges / (3 * static_cast<Real>(surface.triangles.size()))};
}

Mesh fill_surface(std::span<const std::filesystem::path> surfaces, Real edge_mm, LengthUnit unit,
                  const std::function<void(const std::string&)>& remark) {
  if (!(edge_mm >= 0 && std::isfinite(edge_mm)))
    throw InputError(fmt::format("mesh fill: edge: expected a length above 0 mm, got {} mm", edge_mm));
  const std::string where = where_of(surfaces);
  Surface surface = read_closed(surfaces, unit, where);
  Mesh mesh = filled_as_it_can_be(surface, edge_mm, where, remark);

  mesh.triangles = std::move(surface.triangles);
  if (surface.triangle_tags.empty()) {
    mesh.triangle_tags.assign(mesh.triangles.size(), 1);
    mesh.surface_names = {{"surface", 1}};
  } else {
    mesh.triangle_tags = std::move(surface.triangle_tags);
    mesh.surface_names = std::move(surface.surface_names);
    if (mesh.surface_names.empty())
      for (const int tag : std::set<int>(mesh.triangle_tags.begin(), mesh.triangle_tags.end()))
        if (tag > 0) mesh.surface_names[fmt::format("class_{}", tag)] = tag;
  }
  // The number after the surface's, so that a bare tag in a configuration means one thing.
  const int volume_tag = 1 + *std::max_element(mesh.triangle_tags.begin(), mesh.triangle_tags.end());
  mesh.element_tags.assign(mesh.tetrahedra.size(), volume_tag);
  mesh.volume_names = {{"volume", volume_tag}};
  return mesh;
}

Mesh fill_surface(const std::filesystem::path& surface, Real edge_mm, LengthUnit unit,
                  const std::function<void(const std::string&)>& remark) {
  return fill_surface(std::span(&surface, 1), edge_mm, unit, remark);
}

}  // namespace cardiowarp
