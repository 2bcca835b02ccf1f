#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {
namespace {

constexpr std::int64_t largest_index = std::numeric_limits<Index>::max();

using NodePair = std::array<int, 2>;
constexpr std::array<NodePair, 6> edges_of_tetrahedron{{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
constexpr std::array<NodePair, 3> edges_of_triangle{{{0, 1}, {0, 2}, {1, 2}}};

/// The edges of a mesh, grouped by their lower node and ascending in the other: edge e joins that node to `upper[e]`.
/// Four bytes an entry while it is built (6 an element), four bytes an edge afterwards; no hashing.
struct Edges {
  std::vector<std::int64_t> begin;  ///< [nodes + 1] first edge of each lower node
  std::vector<Index> upper;         ///< [edges]

  Index number(Index a, Index b) const {
    if (a > b) std::swap(a, b);
    const auto first = upper.begin() + begin[a], last = upper.begin() + begin[a + 1];
    return static_cast<Index>(std::lower_bound(first, last, b) - upper.begin());
  }
};

template <class Visit>
void for_each_edge(const Mesh& mesh, Visit visit) {
  for (const Tetrahedron& nodes : mesh.tetrahedra)
    for (const auto& [a, b] : edges_of_tetrahedron) visit(std::min(nodes[a], nodes[b]), std::max(nodes[a], nodes[b]));
  for (const Triangle& nodes : mesh.triangles)
    for (const auto& [a, b] : edges_of_triangle) visit(std::min(nodes[a], nodes[b]), std::max(nodes[a], nodes[b]));
}

Edges edges_of(const Mesh& mesh) {
  Edges edges;
  edges.begin.assign(mesh.nodes.size() + 1, 0);
  for_each_edge(mesh, [&](Index lower, Index) { ++edges.begin[lower + 1]; });
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) edges.begin[node + 1] += edges.begin[node];
  edges.upper.resize(edges.begin.back());
  std::vector<std::int64_t> end(edges.begin.begin(), edges.begin.end() - 1);
  for_each_edge(mesh, [&](Index lower, Index upper) { edges.upper[end[lower]++] = upper; });

  // Each group sorted and without its repetitions, moved down in place.
  std::int64_t kept = 0;
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
    const auto first = edges.upper.begin() + edges.begin[node], last = edges.upper.begin() + end[node];
    std::sort(first, last);
    const auto unique_end = std::unique(first, last);
    edges.begin[node] = kept;
    kept = std::move(first, unique_end, edges.upper.begin() + kept) - edges.upper.begin();
  }
  edges.begin.back() = kept;
  edges.upper.resize(kept);
  edges.upper.shrink_to_fit();
  return edges;
}

/// One inner diagonal of the octahedron between the six middles of a tetrahedron's edges, and the four middles around
/// it in the sense that makes (from, to, ring[i], ring[i + 1]) positive. Numbers are places in `edges_of_tetrahedron`.
struct Diagonal {
  int from, to;
  std::array<int, 4> ring;
};
constexpr std::array<Diagonal, 3> diagonals{{{0, 5, {1, 2, 4, 3}}, {1, 4, {2, 0, 3, 5}}, {2, 3, {0, 1, 5, 4}}}};

/// Red refinement: four corners, and the octahedron between them cut along its shortest diagonal, which keeps the
/// children's shapes within a fixed number of classes over any number of levels.
std::array<Tetrahedron, 8> children(const Tetrahedron& parent, const std::array<Index, 6>& middle,
                                    const std::vector<Vector3>& nodes) {
  const auto& [m01, m02, m03, m12, m13, m23] = middle;
  const auto length = [&](const Diagonal& diagonal) {
    return norm(nodes[middle[diagonal.to]] - nodes[middle[diagonal.from]]);
  };
  const Diagonal& shortest = *std::min_element(diagonals.begin(), diagonals.end(),
                                               [&](const auto& a, const auto& b) { return length(a) < length(b); });
  const Index from = middle[shortest.from], to = middle[shortest.to];
  std::array<Index, 4> ring;
  for (int i = 0; i < 4; ++i) ring[i] = middle[shortest.ring[i]];
  return {{{parent[0], m01, m02, m03},
           {m01, parent[1], m12, m13},
           {m02, m12, parent[2], m23},
           {m03, m13, m23, parent[3]},
           {from, to, ring[0], ring[1]},
           {from, to, ring[1], ring[2]},
           {from, to, ring[2], ring[3]},
           {from, to, ring[3], ring[0]}}};
}

Mesh refine_once(const Mesh& coarse) {
  const Edges edges = edges_of(coarse);
  const auto coarse_nodes = static_cast<std::int64_t>(coarse.nodes.size());
  const auto node_count = coarse_nodes + static_cast<std::int64_t>(edges.upper.size());
  if (node_count > largest_index)
    throw InputError(fmt::format("mesh refine: expected at most {} nodes, got {}", largest_index, node_count));

  Mesh fine;
  fine.volume_names = coarse.volume_names;
  fine.surface_names = coarse.surface_names;
  fine.nodes.reserve(node_count);
  fine.nodes.insert(fine.nodes.end(), coarse.nodes.begin(), coarse.nodes.end());
  for (std::size_t node = 0; node < coarse.nodes.size(); ++node)
    for (std::int64_t edge = edges.begin[node]; edge < edges.begin[node + 1]; ++edge)
      fine.nodes.push_back(0.5 * (coarse.nodes[node] + coarse.nodes[edges.upper[edge]]));
  const auto middle = [&](Index a, Index b) { return static_cast<Index>(coarse_nodes + edges.number(a, b)); };

  fine.tetrahedra.reserve(8 * coarse.tetrahedra.size());
  for (const Tetrahedron& parent : coarse.tetrahedra) {
    std::array<Index, 6> middles;
    for (int i = 0; i < 6; ++i)
      middles[i] = middle(parent[edges_of_tetrahedron[i][0]], parent[edges_of_tetrahedron[i][1]]);
    const auto eight = children(parent, middles, fine.nodes);
    fine.tetrahedra.insert(fine.tetrahedra.end(), eight.begin(), eight.end());
  }
  fine.element_tags = for_children(coarse.element_tags, 8);
  fine.fibers = for_children(coarse.fibers, 8);

  fine.triangles.reserve(4 * coarse.triangles.size());
  for (const auto& [a, b, c] : coarse.triangles) {
    const Index ab = middle(a, b), ac = middle(a, c), bc = middle(b, c);
    fine.triangles.insert(fine.triangles.end(), {{a, ab, ac}, {ab, b, bc}, {ac, bc, c}, {ab, bc, ac}});
  }
  fine.triangle_tags = for_children(coarse.triangle_tags, 4);
  fine.further_element_tags = {for_children(coarse.further_element_tags.set_of_cell, 8),
                               coarse.further_element_tags.sets};
  fine.further_triangle_tags = {for_children(coarse.further_triangle_tags.set_of_cell, 4),
                                coarse.further_triangle_tags.sets};
  return fine;
}

}  // namespace

std::vector<std::array<Index, 2>> refined_edges(const Mesh& mesh) {
  const Edges edges = edges_of(mesh);
  std::vector<std::array<Index, 2>> ends;
  ends.reserve(edges.upper.size());
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
    for (std::int64_t edge = edges.begin[node]; edge < edges.begin[node + 1]; ++edge)
      ends.push_back({static_cast<Index>(node), edges.upper[edge]});
  return ends;
}

Mesh quadratic_mesh(Mesh mesh) {
  const Edges edges = edges_of(mesh);
  const auto corners = static_cast<std::int64_t>(mesh.nodes.size());
  const auto nodes = corners + static_cast<std::int64_t>(edges.upper.size());
  if (nodes > largest_index)
    throw InputError(fmt::format("--order 2: expected at most {} nodes, got {}", largest_index, nodes));
  mesh.nodes.reserve(nodes);
  for (std::int64_t node = 0; node < corners; ++node)
    for (std::int64_t edge = edges.begin[node]; edge < edges.begin[node + 1]; ++edge)
      mesh.nodes.push_back(0.5 * (mesh.nodes[node] + mesh.nodes[edges.upper[edge]]));
  const auto middle = [&](Index a, Index b) { return static_cast<Index>(corners + edges.number(a, b)); };
  for (const auto& [a, b, c, d] : mesh.tetrahedra)
    mesh.edge_nodes.push_back({middle(a, b), middle(b, c), middle(c, a), middle(a, d), middle(b, d), middle(c, d)});
  for (const auto& [a, b, c] : mesh.triangles)
    mesh.triangle_edge_nodes.push_back({middle(a, b), middle(b, c), middle(c, a)});
  return mesh;
}

Mesh linear_pieces(const Mesh& mesh) {
  Mesh pieces;
  pieces.nodes = mesh.nodes;
  pieces.volume_names = mesh.volume_names;
  pieces.surface_names = mesh.surface_names;
  pieces.node_in_file = mesh.node_in_file;
  pieces.tetrahedra.reserve(8 * mesh.tetrahedra.size());
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    const auto& [m01, m12, m02, m03, m13, m23] = mesh.edge_nodes[element];
    const auto eight = children(mesh.tetrahedra[element], {m01, m02, m03, m12, m13, m23}, mesh.nodes);
    pieces.tetrahedra.insert(pieces.tetrahedra.end(), eight.begin(), eight.end());
  }
  pieces.element_tags = for_children(mesh.element_tags, 8);
  pieces.fibers = for_children(mesh.fibers, 8);
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto& [a, b, c] = mesh.triangles[i];
    const auto& [ab, bc, ac] = mesh.triangle_edge_nodes[i];
    pieces.triangles.insert(pieces.triangles.end(), {{a, ab, ac}, {ab, b, bc}, {ac, bc, c}, {ab, bc, ac}});
  }
  pieces.triangle_tags = for_children(mesh.triangle_tags, 4);
  pieces.further_element_tags = {for_children(mesh.further_element_tags.set_of_cell, 8),
                                 mesh.further_element_tags.sets};
  pieces.further_triangle_tags = {for_children(mesh.further_triangle_tags.set_of_cell, 4),
                                  mesh.further_triangle_tags.sets};
  return pieces;
}

void require_linear(const Mesh& mesh, const std::string& who) {
  if (mesh.is_quadratic())
    throw InputError(
        fmt::format("{}: expected linear tetrahedra of 4 nodes, got a mesh of quadratic ones of 10, "
                    "which `run`, `check`, times of `bench assembly` and `compare` without --petsc or error estimates "
                    "of the mesh take",
                    who));
}

Mesh refine_mesh(const Mesh& mesh, int levels) {
  require_linear(mesh, "mesh refine");
  if (levels < 0) throw InputError(fmt::format("mesh refine: levels: expected 0 or more, got {}", levels));
  std::int64_t elements = static_cast<std::int64_t>(mesh.tetrahedra.size());
  for (int level = 1; level <= levels && elements > 0; ++level) {
    elements *= 8;
    if (elements > largest_index)
      throw InputError(fmt::format("mesh refine: levels: {} tetrahedra allow 0 to {}, got {} (at most {} tetrahedra)",
                                   mesh.tetrahedra.size(), level - 1, levels, largest_index));
  }
  if (levels == 0) return mesh;
  Mesh result = refine_once(mesh);
  for (int level = 1; level < levels; ++level) result = refine_once(result);
  return result;
}

}  // namespace cardiowarp
