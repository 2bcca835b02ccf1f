#include <gtest/gtest.h>

#include <random>
#include <set>

#include "meshes/generate.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/mesh_measures.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

using namespace test;

class RefinedMesh : public testing::TestWithParam<unsigned> {
 protected:
  RefinedMesh() {
    coarse = random_mesh({3, 2, 2}, 1, GetParam());
    std::mt19937 generator(GetParam());
    for (int& tag : coarse.element_tags) tag = 1 + static_cast<int>(generator() % 3);
    coarse.volume_names = {{"slab", 1}, {"scar", 2}, {"border", 3}};
    coarse = renumbered_with_triangles(coarse);
    fine = refine_mesh(coarse, 1);
  }

  /// Nodes in reverse order, so that the lower node of an edge is not always its first.
  static Mesh renumbered_with_triangles(Mesh mesh) {
    const auto last = static_cast<Index>(mesh.nodes.size()) - 1;
    std::reverse(mesh.nodes.begin(), mesh.nodes.end());
    for (Tetrahedron& nodes : mesh.tetrahedra)
      for (Index& node : nodes) node = last - node;
    for (Triangle& nodes : mesh.triangles)
      for (Index& node : nodes) node = last - node;
    return mesh;
  }

  Mesh coarse, fine;
};

INSTANTIATE_TEST_SUITE_P(Seeds, RefinedMesh, testing::Values(1u, 2u, 3u));

TEST_P(RefinedMesh, EightPositiveChildrenFillTheirParent) {
  ASSERT_EQ(fine.tetrahedra.size(), 8 * coarse.tetrahedra.size());
  for (std::size_t parent = 0; parent < coarse.tetrahedra.size(); ++parent) {
    const Real parent_volume = volume(coarse, coarse.tetrahedra[parent]);
    for (std::size_t child = 8 * parent; child < 8 * parent + 8; ++child)
      EXPECT_NEAR(volume(fine, fine.tetrahedra[child]), parent_volume / 8, 1e-13) << "child " << child;
  }
}

TEST_P(RefinedMesh, KeepsTheNodesAndAddsOneOnEachEdge) {
  std::set<std::pair<Index, Index>> edges;
  for (const Tetrahedron& nodes : coarse.tetrahedra)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < i; ++j) edges.insert(std::minmax(nodes[i], nodes[j]));
  ASSERT_EQ(fine.nodes.size(), coarse.nodes.size() + edges.size());
  EXPECT_TRUE(std::equal(coarse.nodes.begin(), coarse.nodes.end(), fine.nodes.begin()));

  std::set<std::array<Real, 3>> places;
  for (const Vector3& node : fine.nodes) places.insert({node.x, node.y, node.z});
  EXPECT_EQ(places.size(), fine.nodes.size()) << "two nodes at one place";
}

TEST_P(RefinedMesh, HasNoHangingNodes) {
  const auto [boundary, inner, wrong] = faces_by_use(fine);
  EXPECT_TRUE(wrong.empty());
  EXPECT_EQ(boundary, sorted_triangles(fine.triangles));
  const auto nodes = static_cast<std::int64_t>(fine.nodes.size());
  std::set<std::pair<Index, Index>> edges;
  for (const Tetrahedron& corners : fine.tetrahedra)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < i; ++j) edges.insert(std::minmax(corners[i], corners[j]));
  // Euler's number of a ball: nodes - edges + faces - tetrahedra.
  EXPECT_EQ(nodes - std::ssize(edges) + std::ssize(boundary) + std::ssize(inner) - std::ssize(fine.tetrahedra), 1);
}

TEST_P(RefinedMesh, CarriesTagsNamesAndFibresToTheChildren) {
  EXPECT_EQ(fine.volume_names, coarse.volume_names);
  EXPECT_EQ(fine.surface_names, coarse.surface_names);
  ASSERT_EQ(fine.element_tags.size(), fine.tetrahedra.size());
  ASSERT_EQ(fine.fibers.size(), fine.tetrahedra.size());
  for (std::size_t child = 0; child < fine.tetrahedra.size(); ++child) {
    EXPECT_EQ(fine.element_tags[child], coarse.element_tags[child / 8]);
    EXPECT_EQ(fine.fibers[child], coarse.fibers[child / 8]);
  }
}

TEST_P(RefinedMesh, CoversEachSurfaceWithFourTrianglesOfTheSameSense) {
  ASSERT_EQ(fine.triangles.size(), 4 * coarse.triangles.size());
  for (std::size_t child = 0; child < fine.triangles.size(); ++child) {
    EXPECT_EQ(fine.triangle_tags[child], coarse.triangle_tags[child / 4]);
    const Vector3 quarter = 0.25 * area_vector(coarse, coarse.triangles[child / 4]);
    EXPECT_NEAR(norm(area_vector(fine, fine.triangles[child]) - quarter), 0, 1e-13);
  }
}

TEST(RefineMesh, KeepsShapesWithinABoundOverManyLevels) {
  Mesh mesh;
  mesh.nodes = {{0, 0, 0}, {1.1, 0.1, 0}, {0.2, 0.7, 0.1}, {0.1, 0.3, 1.4}};
  mesh.tetrahedra = {{0, 1, 2, 3}};
  mesh.element_tags = {1};
  const Real after_one = smallest_radius_ratio(refine_mesh(mesh, 1)),
             after_four = smallest_radius_ratio(refine_mesh(mesh, 4));
  EXPECT_GT(after_one, 0.25);
  EXPECT_GT(after_four, 0.8 * after_one);
}

TEST(RefineMesh, CutsTheInnerOctahedronAlongItsShortestDiagonal) {
  // Edge middles (1,0,0) of 0-1 and (1,1,4) of 2-3 are far apart, those of 0-2 and 1-3 nearest.
  Mesh mesh;
  mesh.nodes = {{0, 0, 0}, {2, 0, 0}, {1, 2, 4}, {1, 0, 4}};
  mesh.tetrahedra = {{0, 1, 2, 3}};
  mesh.element_tags = {1};
  const Mesh fine = refine_mesh(mesh, 1);
  const auto distance = [&](const Tetrahedron& nodes) { return norm(fine.nodes[nodes[0]] - fine.nodes[nodes[1]]); };
  const Real expected = norm(Vector3{0.5, 1, 2} - Vector3{1.5, 0, 2});
  for (int child = 4; child < 8; ++child) EXPECT_DOUBLE_EQ(distance(fine.tetrahedra[child]), expected);
}

TEST(RefineMesh, TwoLevelsAreOneLevelTwice) {
  const Mesh mesh = random_mesh({2, 1, 1}, 1, 5);
  const Mesh once_more = refine_mesh(refine_mesh(mesh, 1), 1), two_levels = refine_mesh(mesh, 2);
  EXPECT_EQ(two_levels.nodes, once_more.nodes);
  EXPECT_EQ(two_levels.tetrahedra, once_more.tetrahedra);
  EXPECT_EQ(two_levels.triangle_tags, once_more.triangle_tags);
}

TEST(RefineMesh, ZeroLevelsChangeNothing) {
  const Mesh mesh = random_mesh({2, 1, 1}, 1, 5);
  EXPECT_EQ(refine_mesh(mesh, 0).tetrahedra, mesh.tetrahedra);
  EXPECT_EQ(refine_mesh(mesh, 0).fibers, mesh.fibers);
}

TEST(RefineMesh, RefusesLevelsThatMakeNoMesh) {
  const Mesh mesh = slab_mesh({1, 1, 1}, 1, true);
  EXPECT_EQ(input_error_of([&] { refine_mesh(mesh, -1); }), "mesh refine: levels: expected 0 or more, got -1");
  EXPECT_EQ(input_error_of([&] { refine_mesh(mesh, 10); }),
            "mesh refine: levels: 6 tetrahedra allow 0 to 9, got 10 (at most 2147483647 tetrahedra)");
}

}  // namespace
}  // namespace cardiowarp
