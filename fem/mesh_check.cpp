#include "fem/mesh_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

void check_sizes(const Mesh& mesh) {
  if (mesh.tetrahedra.empty()) throw InputError("the mesh has no tetrahedra");
  const auto most = std::size_t{std::numeric_limits<Index>::max()};
  if (mesh.nodes.size() > most || mesh.tetrahedra.size() > most || mesh.triangles.size() > most)
    throw InputError(fmt::format("the mesh has {} nodes, {} tetrahedra and {} triangles: at most {} are possible",
                                 mesh.nodes.size(), mesh.tetrahedra.size(), mesh.triangles.size(), most));
  const auto require = [](std::size_t found, std::size_t expected, const char* what, const char* owner) {
    if (found != expected) throw InputError(fmt::format("the mesh has {} {} for {} {}", found, what, expected, owner));
  };
  require(mesh.element_tags.size(), mesh.tetrahedra.size(), "element tags", "tetrahedra");
  require(mesh.triangle_tags.size(), mesh.triangles.size(), "triangle tags", "triangles");
  if (!mesh.fibers.empty()) require(mesh.fibers.size(), mesh.tetrahedra.size(), "fibres", "tetrahedra");
  if (!mesh.node_in_file.empty()) require(mesh.node_in_file.size(), mesh.nodes.size(), "file positions", "nodes");
}

void check_coordinates(const Mesh& mesh) {
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
    const Vector3& p = mesh.nodes[node];
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
      throw InputError(fmt::format("node {} is at ({}, {}, {}): expected finite coordinates", node, p.x, p.y, p.z));
  }
}

template <class Cell>
void check_indices(const std::vector<Cell>& cells, std::size_t nodes, const char* what) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (const Index node : cells[i])
      if (static_cast<std::size_t>(node) >= nodes)  // negative ones become large
        throw InputError(fmt::format("{} {} refers to node {}: expected 0 to {}", what, i, node,
                                     static_cast<std::int64_t>(nodes) - 1));
    for (std::size_t a = 0; a < cells[i].size(); ++a)
      for (std::size_t b = a + 1; b < cells[i].size(); ++b)
        if (cells[i][a] == cells[i][b]) throw InputError(fmt::format("{} {} has node {} twice", what, i, cells[i][a]));
  }
}

/// Sizes and orientation of every tetrahedron; inverted ones are turned.
void check_shapes(Mesh& mesh, MeshReport& report) {
  constexpr Real flat = 1e-12;
  constexpr int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  Real shortest = std::numeric_limits<Real>::infinity(), longest = 0, edge_sum = 0, volume6_sum = 0;
  Vector3 low = mesh.nodes[mesh.tetrahedra[0][0]], high = low;
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) {
    Tetrahedron& t = mesh.tetrahedra[i];
    const Vector3 x[4] = {mesh.nodes[t[0]], mesh.nodes[t[1]], mesh.nodes[t[2]], mesh.nodes[t[3]]};
    Real element_longest = 0;
    for (const Vector3& corner : x) {
      low = {std::min(low.x, corner.x), std::min(low.y, corner.y), std::min(low.z, corner.z)};
      high = {std::max(high.x, corner.x), std::max(high.y, corner.y), std::max(high.z, corner.z)};
    }
    for (const auto& [a, b] : edges) {
      const Real length = norm(x[b] - x[a]);
      shortest = std::min(shortest, length);
      element_longest = std::max(element_longest, length);
      edge_sum += length;
    }
    const Real volume6 = dot(x[1] - x[0], cross(x[2] - x[0], x[3] - x[0]));
    // Written so that a volume that overflowed to NaN is refused as well.
    if (!(std::abs(volume6) > flat * element_longest * element_longest * element_longest))
      throw InputError(
          fmt::format("element {} (nodes {}, {}, {}, {}) is flat: volume {:.3g} mm^3 with a longest edge of "
                      "{:.3g} mm",
                      i, t[0], t[1], t[2], t[3], std::abs(volume6) / 6, element_longest));
    if (volume6 < 0) {
      std::swap(t[2], t[3]);
      ++report.inverted_elements;
    }
    volume6_sum += std::abs(volume6);
    longest = std::max(longest, element_longest);
  }
  report.volume_mm3 = volume6_sum / 6;
  report.size_mm = high - low;
  report.shortest_edge_mm = shortest;
  report.longest_edge_mm = longest;
  report.mean_edge_mm = edge_sum / (6 * static_cast<Real>(mesh.tetrahedra.size()));
}

/// Elements are grouped by their lowest node, which leaves a few to compare a group.
void check_duplicates(const Mesh& mesh) {
  const auto lowest = [&](std::size_t i) {
    return *std::min_element(mesh.tetrahedra[i].begin(), mesh.tetrahedra[i].end());
  };
  std::vector<Index> group_end(mesh.nodes.size() + 1, 0);
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) ++group_end[lowest(i) + 1];
  for (std::size_t n = 1; n < group_end.size(); ++n) group_end[n] += group_end[n - 1];
  std::vector<Index> element(mesh.tetrahedra.size());
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i) element[group_end[lowest(i)]++] = static_cast<Index>(i);

  std::vector<std::pair<Tetrahedron, Index>> group;
  for (std::size_t n = 0; n < mesh.nodes.size(); ++n) {
    group.clear();
    for (Index at = n == 0 ? 0 : group_end[n - 1]; at < group_end[n]; ++at) {
      Tetrahedron sorted = mesh.tetrahedra[element[at]];
      std::sort(sorted.begin(), sorted.end());
      group.emplace_back(sorted, element[at]);
    }
    std::sort(group.begin(), group.end());
    const auto same_nodes = [](const auto& a, const auto& b) { return a.first == b.first; };
    const auto twin = std::adjacent_find(group.begin(), group.end(), same_nodes);
    if (twin != group.end())
      throw InputError(fmt::format("elements {} and {} have the same nodes {}, {}, {}, {}", twin->second,
                                   (twin + 1)->second, twin->first[0], twin->first[1], twin->first[2], twin->first[3]));
  }
}

void normalise_fibers(Mesh& mesh) {
  for (std::size_t i = 0; i < mesh.fibers.size(); ++i) {
    Vector3& f = mesh.fibers[i];
    const Real length = std::hypot(f.x, f.y, f.z);  // libstdc++'s is 0 for (0, NaN, 0)
    if (!std::isfinite(length) || !std::isfinite(f.x + f.y + f.z))
      throw InputError(fmt::format("the fibre of element {} is ({}, {}, {}): expected a direction", i, f.x, f.y, f.z));
    if (length > 0) f = {f.x / length, f.y / length, f.z / length};
  }
}

Index drop_unreferenced_nodes(Mesh& mesh) {
  constexpr Index unused = -1;
  std::vector<Index> new_index(mesh.nodes.size(), unused);
  for (const Tetrahedron& t : mesh.tetrahedra)
    for (const Index node : t) new_index[node] = 0;
  const auto dropped = static_cast<Index>(std::count(new_index.begin(), new_index.end(), unused));
  if (dropped == 0) return 0;

  const bool numbered = !mesh.node_in_file.empty();
  Index kept = 0;
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
    if (new_index[node] == unused) continue;
    new_index[node] = kept;
    mesh.nodes[kept] = mesh.nodes[node];
    if (numbered)
      mesh.node_in_file[kept] = mesh.node_in_file[node];
    else
      mesh.node_in_file.push_back(static_cast<Index>(node));
    ++kept;
  }
  mesh.nodes.resize(static_cast<std::size_t>(kept));
  mesh.node_in_file.resize(static_cast<std::size_t>(kept));

  for (Tetrahedron& t : mesh.tetrahedra)
    for (Index& node : t) node = new_index[node];
  std::size_t kept_triangles = 0;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    Triangle triangle = mesh.triangles[i];
    for (Index& node : triangle) node = new_index[node];
    if (std::count(triangle.begin(), triangle.end(), unused) > 0) continue;
    mesh.triangles[kept_triangles] = triangle;
    mesh.triangle_tags[kept_triangles++] = mesh.triangle_tags[i];
  }
  mesh.triangles.resize(kept_triangles);
  mesh.triangle_tags.resize(kept_triangles);
  return dropped;
}

}  // namespace

MeshReport check_mesh(Mesh& mesh) {
  check_sizes(mesh);
  check_coordinates(mesh);
  check_indices(mesh.tetrahedra, mesh.nodes.size(), "element");
  check_indices(mesh.triangles, mesh.nodes.size(), "triangle");
  check_duplicates(mesh);
  MeshReport report;
  check_shapes(mesh, report);
  normalise_fibers(mesh);
  report.unreferenced_nodes = drop_unreferenced_nodes(mesh);
  return report;
}

}  // namespace cardiowarp
