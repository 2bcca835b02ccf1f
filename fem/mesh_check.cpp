#include "fem/mesh_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "fem/input_error.hpp"
#include "fem/length_range.hpp"
#include "fem/mesh.hpp"
#include "fem/quadratic_check.hpp"
#include "fem/repeated_cells.hpp"
#include "kernels/backend/thread_team.hpp"

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
  if (!mesh.further_element_tags.empty())
    require(mesh.further_element_tags.set_of_cell.size(), mesh.tetrahedra.size(), "sets of tags", "tetrahedra");
  if (!mesh.further_triangle_tags.empty())
    require(mesh.further_triangle_tags.set_of_cell.size(), mesh.triangles.size(), "sets of tags", "triangles");
  if (!mesh.fibers.empty()) require(mesh.fibers.size(), mesh.tetrahedra.size(), "fibers", "tetrahedra");
  if (mesh.is_quadratic()) require(mesh.edge_nodes.size(), mesh.tetrahedra.size(), "sets of edge nodes", "tetrahedra");
  if (mesh.is_quadratic() || !mesh.triangle_edge_nodes.empty())
    require(mesh.triangle_edge_nodes.size(), mesh.is_quadratic() ? mesh.triangles.size() : 0, "sets of edge nodes",
            "quadratic triangles");
  if (!mesh.node_in_file.empty()) require(mesh.node_in_file.size(), mesh.nodes.size(), "file positions", "nodes");
}

constexpr std::int64_t least_elements = 4096;  // a thread

void check_coordinates(const Mesh& mesh) {
  const auto nodes = static_cast<std::int64_t>(mesh.nodes.size());
  const std::int64_t node = first_index(nodes, [&](std::int64_t i) {
    const Vector3& p = mesh.nodes[i];
    return !std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z);
  });
  if (node == nodes) return;
  const Vector3& p = mesh.nodes[node];
  throw InputError(fmt::format("node {} is at ({}, {}, {}): expected finite coordinates", node, p.x, p.y, p.z));
}

template <class Cell>
bool has_node_twice(const Cell& cell) {
  for (auto node = cell.begin(); node != cell.end(); ++node)
    if (std::find(node + 1, cell.end(), *node) != cell.end()) return true;
  return false;
}

template <class Cell>
void check_indices(const std::vector<Cell>& cells, std::size_t nodes, const char* what) {
  const auto is_outside = [nodes](Index node) {
    return static_cast<std::size_t>(node) >= nodes;  // negative ones become large
  };
  const auto number = static_cast<std::int64_t>(cells.size());
  const std::int64_t i = first_index(
      number, [&](std::int64_t k) { return std::ranges::any_of(cells[k], is_outside) || has_node_twice(cells[k]); });
  if (i == number) return;
  const Cell& cell = cells[i];
  if (const auto outside = std::ranges::find_if(cell, is_outside); outside != cell.end())
    throw InputError(fmt::format("{} {} refers to node {}: expected 0 to {}", what, i, *outside,
                                 static_cast<std::int64_t>(nodes) - 1));
  const auto twice = std::ranges::find_if(cell, [&](Index node) { return std::ranges::count(cell, node) > 1; });
  throw InputError(fmt::format("{} {} has node {} twice", what, i, *twice));
}

/// The corners of each cell and the nodes on its edges.
template <std::size_t Corners, std::size_t Edges>
std::vector<std::array<Index, Corners + Edges>> quadratic_cells(const std::vector<std::array<Index, Corners>>& corners,
                                                                const std::vector<std::array<Index, Edges>>& edges) {
  std::vector<std::array<Index, Corners + Edges>> cells(corners.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::ranges::copy(corners[i], cells[i].begin());
    std::ranges::copy(edges[i], cells[i].begin() + Corners);
  }
  return cells;
}

void check_quadratic_indices(const Mesh& mesh) {
  check_indices(quadratic_cells(mesh.tetrahedra, mesh.edge_nodes), mesh.nodes.size(), "element");
  check_indices(quadratic_cells(mesh.triangles, mesh.triangle_edge_nodes), mesh.nodes.size(), "triangle");
}

/// The counts and lengths that some tetrahedra add to a MeshReport.
struct Shapes {
  static constexpr std::int64_t none = -1;

  Real volume6 = 0;  ///< sum of six times the volumes
  Real shortest_edge = std::numeric_limits<Real>::infinity(), longest_edge = 0, edge_sum = 0;
  Index inverted = 0;
  std::int64_t first_refused = none;  ///< element

  void join(const Shapes& other) {
    volume6 += other.volume6;
    shortest_edge = std::min(shortest_edge, other.shortest_edge);
    longest_edge = std::max(longest_edge, other.longest_edge);
    edge_sum += other.edge_sum;
    inverted += other.inverted;
    if (first_refused == none) first_refused = other.first_refused;
  }
};

/// The shape of one tetrahedron: its volume and the lengths of its edges.
struct ElementShape {
  Real volume6;  ///< negative in an inverted element
  Real shortest_edge = std::numeric_limits<Real>::infinity(), longest_edge = 0, edge_sum = 0;

  ElementShape(const Mesh& mesh, const Tetrahedron& t) {
    constexpr int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    const Vector3 x[4] = {mesh.nodes[t[0]], mesh.nodes[t[1]], mesh.nodes[t[2]], mesh.nodes[t[3]]};
    for (const auto& [a, b] : edges) {
      const Real length = norm(x[b] - x[a]);
      shortest_edge = std::min(shortest_edge, length);
      longest_edge = std::max(longest_edge, length);
      edge_sum += length;
    }
    volume6 = dot(x[1] - x[0], cross(x[2] - x[0], x[3] - x[0]));
  }

  /// Whether it is flat or has an edge of a length that nothing has; a length or volume that overflowed counts.
  bool is_refused() const {
    constexpr Real flat = 1e-12;
    return !(shortest_edge >= shortest_length_mm && longest_edge <= longest_length_mm) ||
           !(std::abs(volume6) > flat * longest_edge * longest_edge * longest_edge);
  }
};

/// Says what is wrong with an element that is_refused(). Edges are measured anew, as their squares may have left the
/// range of a Real.
[[noreturn]] void refuse_shape(const Mesh& mesh, std::int64_t element) {
  const Tetrahedron& t = mesh.tetrahedra[element];
  const std::string nodes = fmt::format("element {} (nodes {}, {}, {}, {})", element, t[0], t[1], t[2], t[3]);
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b) {
      const Vector3 p = mesh.nodes[t[a]], q = mesh.nodes[t[b]];
      if (p == q)
        throw InputError(fmt::format("{}: nodes {} and {} are both at ({}, {}, {})", nodes, t[a], t[b], p.x, p.y, p.z));
      const Real length = std::hypot(q.x - p.x, q.y - p.y, q.z - p.z);
      if (length < shortest_length_mm || !(length <= longest_length_mm))
        throw InputError(
            fmt::format("{}: the edge between nodes {} and {} is {:.3g} mm long: expected {:g} to {:g} mm (is the unit "
                        "of length right?)",
                        nodes, t[a], t[b], length, shortest_length_mm, longest_length_mm));
    }
  const ElementShape shape(mesh, t);
  throw InputError(fmt::format("{} is flat: volume {:.3g} mm^3 with a longest edge of {:.3g} mm", nodes,
                               std::abs(shape.volume6) / 6, shape.longest_edge));
}

/// Sizes and orientation of every tetrahedron; inverted ones are turned.
void check_shapes(Mesh& mesh, MeshReport& report) {
  const auto elements = static_cast<std::int64_t>(mesh.tetrahedra.size());
  const auto add = [&](Shapes& shapes, std::int64_t element) {
    Tetrahedron& t = mesh.tetrahedra[element];
    const ElementShape shape(mesh, t);
    const bool inverted = shape.volume6 < 0, refused = shape.is_refused();
    if (inverted && !refused) {
      std::swap(t[2], t[3]);
      if (mesh.is_quadratic()) turn_edge_nodes(mesh.edge_nodes[element]);
    }
    shapes.join({std::abs(shape.volume6), shape.shortest_edge, shape.longest_edge, shape.edge_sum, inverted,
                 refused ? element : Shapes::none});
  };
  const auto shapes = joined_blocks<Shapes>(elements, add, [](Shapes& all, const Shapes& some) { all.join(some); });
  if (shapes.first_refused != Shapes::none) refuse_shape(mesh, shapes.first_refused);
  report.inverted_elements = shapes.inverted;
  report.volume_mm3 = shapes.volume6 / 6;
  report.shortest_edge_mm = shapes.shortest_edge;
  report.longest_edge_mm = shapes.longest_edge;
  report.mean_edge_mm = shapes.edge_sum / (6 * static_cast<Real>(elements));
}

void normalise_fibers(Mesh& mesh) {
  parallel_for(mesh.fibers.size(), [&](std::size_t element) {
    Vector3& f = mesh.fibers[element];
    if (!is_direction(f)) return;
    const Real length = std::hypot(f.x, f.y, f.z);
    f = {f.x / length, f.y / length, f.z / length};
  });
}

/// [nodes] Whether some tetrahedron has the node.
std::vector<std::uint8_t> used_nodes(const Mesh& mesh) {
  std::vector<std::uint8_t> used(mesh.nodes.size(), 0);
  parallel_ranges(
      static_cast<std::int64_t>(mesh.tetrahedra.size()), least_elements, [&](std::int64_t begin, std::int64_t end) {
        const auto use = [&](Index node) { std::atomic_ref(used[node]).store(1, std::memory_order_relaxed); };
        for (std::int64_t i = begin; i < end; ++i) {
          std::ranges::for_each(mesh.tetrahedra[i], use);
          if (mesh.is_quadratic()) std::ranges::for_each(mesh.edge_nodes[i], use);
        }
      });
  return used;
}

Index drop_unreferenced_nodes(Mesh& mesh) {
  const std::vector<std::uint8_t> used = used_nodes(mesh);
  const auto dropped = static_cast<Index>(std::count(used.begin(), used.end(), 0));
  if (dropped == 0) return 0;

  constexpr Index unused = -1;
  std::vector<Index> new_index(mesh.nodes.size(), unused);
  const bool numbered = !mesh.node_in_file.empty();
  Index kept = 0;
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
    if (used[node] == 0) continue;
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
  for (EdgeNodes& edges : mesh.edge_nodes)
    for (Index& node : edges) node = new_index[node];
  std::vector<Index>& further = mesh.further_triangle_tags.set_of_cell;
  std::size_t kept_triangles = 0;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    Triangle triangle = mesh.triangles[i];
    TriangleEdgeNodes edges = mesh.is_quadratic() ? mesh.triangle_edge_nodes[i] : TriangleEdgeNodes{};
    for (Index& node : triangle) node = new_index[node];
    if (mesh.is_quadratic())
      for (Index& node : edges) node = new_index[node];
    if (std::count(triangle.begin(), triangle.end(), unused) + std::count(edges.begin(), edges.end(), unused) > 0)
      continue;
    mesh.triangles[kept_triangles] = triangle;
    if (mesh.is_quadratic()) mesh.triangle_edge_nodes[kept_triangles] = edges;
    if (!further.empty()) further[kept_triangles] = further[i];
    mesh.triangle_tags[kept_triangles++] = mesh.triangle_tags[i];
  }
  mesh.triangles.resize(kept_triangles);
  mesh.triangle_tags.resize(kept_triangles);
  if (!further.empty()) further.resize(kept_triangles);
  if (mesh.is_quadratic()) mesh.triangle_edge_nodes.resize(kept_triangles);
  return dropped;
}

/// The size of the smallest box along the axes that holds all nodes.
Vector3 size_of(const Mesh& mesh) {
  Vector3 low = mesh.nodes[0], high = low;
  for (const Vector3& p : mesh.nodes) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return high - low;
}

}  // namespace

bool is_direction(const Vector3& f) {
  const Real length = std::hypot(f.x, f.y, f.z);  // libstdc++'s is 0 for (0, NaN, 0)
  return length > 0 && std::isfinite(length) && std::isfinite(f.x + f.y + f.z);
}

MeshReport check_mesh(Mesh& mesh) {
  check_sizes(mesh);
  check_coordinates(mesh);
  check_indices(mesh.tetrahedra, mesh.nodes.size(), "element");
  check_indices(mesh.triangles, mesh.nodes.size(), "triangle");
  if (mesh.is_quadratic()) check_quadratic_indices(mesh);
  join_repeated_cells(mesh);
  MeshReport report;
  check_shapes(mesh, report);
  if (mesh.is_quadratic()) check_edge_nodes(mesh, report);
  normalise_fibers(mesh);
  report.unreferenced_nodes = drop_unreferenced_nodes(mesh);
  report.size_mm = size_of(mesh);  // all nodes are now of tetrahedra
  return report;
}

}  // namespace cardiowarp
