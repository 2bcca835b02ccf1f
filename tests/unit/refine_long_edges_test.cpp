#include "meshes/refine_long_edges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {
namespace {

Vector3 at(const Mesh& mesh, Index node) { return mesh.nodes[static_cast<std::size_t>(node)]; }

std::set<std::pair<Index, Index>> edges_of(const std::vector<Tetrahedron>& tetrahedra) {
  std::set<std::pair<Index, Index>> edges;
  for (const Tetrahedron& nodes : tetrahedra)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = i + 1; j < 4; ++j) edges.insert(std::minmax(nodes[i], nodes[j]));
  return edges;
}

Real longest_edge(const Mesh& mesh, const std::vector<Tetrahedron>& tetrahedra) {
  Real longest = 0;
  for (const auto& [a, b] : edges_of(tetrahedra)) longest = std::max(longest, norm(at(mesh, b) - at(mesh, a)));
  return longest;
}

Real area(const Mesh& mesh) {
  Real sum = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    sum += 0.5 * norm(cross(at(mesh, b) - at(mesh, a), at(mesh, c) - at(mesh, a)));
  return sum;
}

Real volume(const Mesh& mesh, const Tetrahedron& nodes) {
  const Vector3 origin = at(mesh, nodes[0]);
  return dot(cross(at(mesh, nodes[1]) - origin, at(mesh, nodes[2]) - origin), at(mesh, nodes[3]) - origin) / 6;
}

using Face = std::array<Index, 3>;

/// How many tetrahedra have each face, by its nodes in ascending order.
std::map<Face, int> faces_of(const Mesh& mesh) {
  std::map<Face, int> count;
  for (const auto& [a, b, c, d] : mesh.tetrahedra)
    for (Face face : {Face{a, b, c}, Face{a, b, d}, Face{a, c, d}, Face{b, c, d}}) {
      std::sort(face.begin(), face.end());
      ++count[face];
    }
  return count;
}

/// The triangles of the mesh, which cover its surface, are the faces of one tetrahedron each, and no others are.
void expect_conforming(const Mesh& mesh) {
  std::set<Face> surface;
  for (Face triangle : mesh.triangles) {
    std::sort(triangle.begin(), triangle.end());
    EXPECT_TRUE(surface.insert(triangle).second);
  }
  std::size_t outer = 0;
  for (const auto& [face, count] : faces_of(mesh)) {
    EXPECT_LE(count, 2);
    EXPECT_EQ(count == 1, surface.contains(face));
    outer += count == 1;
  }
  EXPECT_EQ(outer, surface.size());
}

/// A slab whose nodes inside are moved, so that edges differ in length.
Mesh slab() {
  Mesh mesh = slab_mesh({7, 5, 3}, 1.4, true);
  std::mt19937 random(11);
  std::uniform_real_distribution<Real> off(-0.2, 0.2);
  for (Vector3& p : mesh.nodes)
    if (p.x > 0 && p.x < 7 && p.y > 0 && p.y < 5 && p.z > 0 && p.z < 3)
      p = p + Vector3{off(random), off(random), off(random)};
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    mesh.element_tags[element] = static_cast<int>(element);
    mesh.fibers.push_back({static_cast<Real>(element), 1, 0});
  }
  check_mesh(mesh);
  return mesh;
}

TEST(LongEdges, OfOneTetrahedronAreCutInTheMiddle) {
  Mesh mesh;
  mesh.nodes = {{0, 0, 0}, {3, 0, 0}, {1, 1, 0}, {1, 0, 1}};
  mesh.tetrahedra = {{0, 1, 2, 3}};
  mesh.element_tags = {5};
  mesh.triangles = {{1, 0, 2}, {0, 2, 3}};
  mesh.triangle_tags = {8, 9};
  const Mesh refined = refine_long_edges(mesh, 2.5);
  ASSERT_EQ(refined.nodes.size(), 5U);
  EXPECT_EQ(refined.nodes[4], (Vector3{1.5, 0, 0}));
  EXPECT_EQ(refined.tetrahedra, (std::vector<Tetrahedron>{{0, 4, 2, 3}, {4, 1, 2, 3}}));
  EXPECT_EQ(refined.element_tags, (std::vector<int>{5, 5}));
  EXPECT_EQ(refined.triangles, (std::vector<Triangle>{{1, 4, 2}, {4, 0, 2}, {0, 2, 3}}));
  EXPECT_EQ(refined.triangle_tags, (std::vector<int>{8, 8, 9}));
}

TEST(LongEdges, AreGoneAndTheMeshFitsWithTheSameVolumeAndSurface) {
  const Mesh mesh = slab();
  for (const Real longest_mm : {2.2, 1.3, 0.9, 0.61}) {
    Mesh refined = refine_long_edges(mesh, longest_mm);
    EXPECT_LE(longest_edge(refined, refined.tetrahedra), longest_mm * (1 + 1e-8));
    EXPECT_GT(longest_edge(refined, refined.tetrahedra), 0.5 * longest_mm);
    expect_conforming(refined);
    EXPECT_NEAR(area(refined), area(mesh), 1e-11);
    const MeshReport report = check_mesh(refined);
    EXPECT_EQ(report.inverted_elements, 0);
    EXPECT_EQ(report.unreferenced_nodes, 0);
    EXPECT_NEAR(report.volume_mm3, 105, 1e-10);
  }
}

TEST(LongEdges, AreCutInPiecesWithTheTagAndTheFiberOfTheirElementAndInItsPlace) {
  const Mesh mesh = slab(), refined = refine_long_edges(mesh, 1.3);
  EXPECT_TRUE(std::is_sorted(refined.element_tags.begin(), refined.element_tags.end()));
  ASSERT_EQ(refined.fibers.size(), refined.tetrahedra.size());
  for (std::size_t element = 0; element < refined.tetrahedra.size(); ++element)
    EXPECT_EQ(refined.fibers[element], mesh.fibers[static_cast<std::size_t>(refined.element_tags[element])]);
  std::vector<Real> volume_of_pieces(mesh.tetrahedra.size(), 0);
  for (std::size_t element = 0; element < refined.tetrahedra.size(); ++element)
    volume_of_pieces[static_cast<std::size_t>(refined.element_tags[element])] +=
        volume(refined, refined.tetrahedra[element]);
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element)
    EXPECT_NEAR(volume_of_pieces[element], volume(mesh, mesh.tetrahedra[element]), 1e-12);
  EXPECT_EQ(refined.surface_names, mesh.surface_names);
  EXPECT_TRUE(std::equal(mesh.nodes.begin(), mesh.nodes.end(), refined.nodes.begin()));
}

TEST(LongEdges, ThatAreShortEnoughStay) {
  const Mesh mesh = slab(), refined = refine_long_edges(mesh, longest_edge(mesh, mesh.tetrahedra));
  EXPECT_EQ(refined.tetrahedra, mesh.tetrahedra);
  EXPECT_EQ(refined.triangles, mesh.triangles);
}

TEST(LongEdges, MayBeCutInSomeElementsAlone) {
  const Mesh mesh = slab();
  std::vector<std::uint8_t> wanted;
  for (const Tetrahedron& nodes : mesh.tetrahedra)
    wanted.push_back(std::ranges::all_of(nodes, [&](Index node) { return at(mesh, node).x < 1.5; }));
  Mesh refined = refine_long_edges(mesh, 0.6, wanted);
  expect_conforming(refined);
  std::vector<Tetrahedron> of_wanted, far;
  for (std::size_t element = 0; element < refined.tetrahedra.size(); ++element) {
    if (wanted[static_cast<std::size_t>(refined.element_tags[element])] != 0)
      of_wanted.push_back(refined.tetrahedra[element]);
    if (std::ranges::all_of(refined.tetrahedra[element], [&](Index node) { return at(refined, node).x > 5; }))
      far.push_back(refined.tetrahedra[element]);
  }
  EXPECT_LE(longest_edge(refined, of_wanted), 0.6 * (1 + 1e-8));
  EXPECT_GT(longest_edge(refined, far), 2.3);
  EXPECT_NEAR(check_mesh(refined).volume_mm3, 105, 1e-10);
}

TEST(LongEdges, AreEstimatedInNumber) {
  const Mesh mesh = slab();
  for (const Real longest_mm : {1.2, 0.6}) {
    const auto made = static_cast<Real>(refine_long_edges(mesh, longest_mm).tetrahedra.size());
    EXPECT_GT(estimated_pieces(mesh, longest_mm), 0.4 * made);
    EXPECT_LT(estimated_pieces(mesh, longest_mm), 2.5 * made);
  }
}

}  // namespace
}  // namespace cardiowarp
