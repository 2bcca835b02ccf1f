#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string_view>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/generate.hpp"
#include "meshes/gmsh_file.hpp"
#include "meshes/gmsh_library.hpp"
#include "meshes/gmsh_settings.hpp"

namespace cardiowarp {
namespace {

/// Half an ellipsoid below the base plane z = 0, its center on the x axis. Lengths in mm.
struct Ellipsoid {
  Real centre_x, a, b, c;

  /// 1 on the surface, below 1 inside.
  Real level(Vector3 p) const { return norm({(p.x - centre_x) / a, p.y / b, p.z / c}); }

  int add_to_gmsh() const {
    namespace occ = gmsh::model::occ;
    const Real pi = std::numbers::pi;
    const int half_ball = occ::add_sphere({}, 1, -pi / 2, 0, 2 * pi);
    // Turned so that the sphere's seam, a meridian on the +x side, lies in the free wall and not in the septum.
    if (centre_x <= 0) occ::rotate({{3, half_ball}}, {}, {0, 0, 1}, pi);
    occ::dilate({{3, half_ball}}, {}, {a, b, c});
    occ::translate({{3, half_ball}}, centre_x, 0, 0);
    return half_ball;
  }
};

// Adult dimensions; docs/method/meshes.md compares them with the anatomical ranges.
constexpr Ellipsoid lv_outer{0, 33, 33, 75}, lv_inner{0, 23, 23, 67};
constexpr Ellipsoid rv_outer{27, 39, 34, 64}, rv_inner{27, 35, 30, 60};

constexpr Real shortest_edge_mm = 0.1, longest_edge_mm = 8;
/// Finer meshes are refined from a coarser one: here Gmsh takes half a minute (250,000 nodes), and 8 times as long for
/// half the edge, where refining takes seconds.
constexpr Real shortest_gmsh_edge_mm = 1;

enum VolumeTag { lv = 1, rv = 2 };
enum SurfaceTag { epi = 11, endo_lv, endo_rv, base };

/// Two volumes that share the faces between them.
void add_ventricles() {
  namespace occ = gmsh::model::occ;
  const gmsh::Entities lv_ball{{3, lv_outer.add_to_gmsh()}}, lv_cavity{{3, lv_inner.add_to_gmsh()}};
  const gmsh::Entities rv_ball{{3, rv_outer.add_to_gmsh()}}, rv_cavity{{3, rv_inner.add_to_gmsh()}};
  gmsh::Entities rv_shell, rv_wall, lv_wall, both;
  std::vector<gmsh::Entities> pieces;
  occ::cut(rv_ball, rv_cavity, rv_shell, pieces);
  occ::cut(rv_shell, lv_ball, rv_wall, pieces, false);
  occ::cut(lv_ball, lv_cavity, lv_wall, pieces);
  occ::fragment(lv_wall, rv_wall, both, pieces);
  occ::synchronize();
  if (pieces.size() != 2 || pieces[0].size() != 1 || pieces[1].size() != 1)
    throw std::runtime_error("mesh biventricle: Gmsh did not make one left and one right ventricle");
  gmsh::model::add_physical_group(3, {pieces[0][0].second}, lv);
  gmsh::model::add_physical_group(3, {pieces[1][0].second}, rv);
}

std::vector<Vector3> nodes_of_surface(int surface) {
  std::vector<std::size_t> tags;
  std::vector<double> coordinates;
  gmsh::model::mesh::get_nodes(tags, coordinates, 2, surface, true);
  std::vector<Vector3> nodes;
  for (std::size_t i = 0; i < coordinates.size(); i += 3)
    nodes.push_back({coordinates[i], coordinates[i + 1], coordinates[i + 2]});
  return nodes;
}

/// Which group a meshed boundary surface belongs to: that of the shape all of its nodes lie on.
SurfaceTag group_of_surface(int surface) {
  const auto nodes = nodes_of_surface(surface);
  const auto largest = [&](auto value) {
    Real result = 0;
    for (const Vector3& node : nodes) result = std::max(result, value(node));
    return result;
  };
  const auto lies_on = [&](const Ellipsoid& shape) {
    return largest([&](Vector3 node) { return std::abs(shape.level(node) - 1); }) < 1e-5;
  };
  if (largest([](Vector3 node) { return std::abs(node.z); }) < 1e-5) return base;
  if (lies_on(lv_inner)) return endo_lv;
  if (lies_on(rv_inner)) return endo_rv;
  if (lies_on(rv_outer)) return epi;
  if (!lies_on(lv_outer))
    throw std::runtime_error("mesh biventricle: Gmsh made a surface that is on none of the shapes");
  const bool septum = largest([](Vector3 node) { return rv_inner.level(node); }) < 1 + 1e-5;
  return septum ? endo_rv : epi;
}

void add_surface_groups() {
  std::map<SurfaceTag, std::vector<int>> groups;
  gmsh::Entities surfaces;
  gmsh::model::get_entities(surfaces, 2);
  for (const auto& [dimension, surface] : surfaces) {
    std::vector<int> volumes, curves;
    gmsh::model::get_adjacencies(dimension, surface, volumes, curves);
    if (volumes.size() == 1) groups[group_of_surface(surface)].push_back(surface);
  }
  for (const auto& [tag, members] : groups) gmsh::model::add_physical_group(2, members, tag);
}

}  // namespace

Real biventricle_edge_mm(Index nodes, std::string_view option) {
  constexpr Index fewest = 1300, most = 10'000'000;
  if (nodes < fewest || nodes > most)
    throw InputError(fmt::format("{}: expected {} to {} nodes, got {}", option, fewest, most, nodes));
  // nodes = a / edge³ + b / edge², volume and surface: between those of Gmsh's meshes, which are up to 8 % fewer, and
  // of meshes refined once and twice, up to 4 and 9 % more.
  constexpr Real a = 193000, b = 56000;
  Real u = std::cbrt(nodes / a);  // 1 / edge, Newton's method from above
  for (Real step = u; step > 1e-12 * u; u -= step)
    step = (a * u * u * u + b * u * u - nodes) / (3 * a * u * u + 2 * b * u);
  return 1 / u;
}

Real biventricle_gmsh_edge_mm(Real edge_mm) {
  for (; edge_mm > 0 && edge_mm < shortest_gmsh_edge_mm; edge_mm *= 2) {
  }
  return edge_mm;
}

Mesh biventricle_mesh(Real edge_mm) {
  if (!(edge_mm >= shortest_edge_mm && edge_mm <= longest_edge_mm))
    throw InputError(fmt::format("mesh biventricle: edge: expected {} to {} mm, got {} mm", shortest_edge_mm,
                                 longest_edge_mm, edge_mm));
  const Real gmsh_edge_mm = biventricle_gmsh_edge_mm(edge_mm);
  const int levels = std::ilogb(gmsh_edge_mm / edge_mm);

  Mesh mesh = mesh_made_by_gmsh("mesh biventricle", [&] {
    apply_gmsh_settings();
    set_gmsh_edge(gmsh_edge_mm);
    add_ventricles();
    gmsh::model::mesh::generate(2);
    add_surface_groups();
    gmsh::model::mesh::generate(3);
  });
  mesh.volume_names = {{"lv", lv}, {"rv", rv}};
  mesh.surface_names = {{"epi", epi}, {"endo_lv", endo_lv}, {"endo_rv", endo_rv}, {"base", base}};
  return levels == 0 ? mesh : refine_mesh(mesh, levels);
}

}  // namespace cardiowarp
