#include "fem/repeated_cells.hpp"

#include <gtest/gtest.h>

#include "fem/mesh_check.hpp"
#include "meshes/generate.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/small_mesh.hpp"

namespace cardiowarp {
namespace {

using Tags = std::vector<int>;

/// The small mesh with the second element, turned and in another order, and the first triangle again.
Mesh with_repeats(int element_tag, int triangle_tag) {
  Mesh mesh = test::small_mesh();
  mesh.tetrahedra.push_back({4, 3, 1, 2});
  mesh.element_tags.push_back(element_tag);
  mesh.triangles.push_back({2, 0, 1});
  mesh.triangle_tags.push_back(triangle_tag);
  return mesh;
}

std::string error_of(Mesh mesh) {
  return test::input_error_of([&] { check_mesh(mesh); });
}

TEST(RepeatedCells, OfDifferentTagsBecomeOneWithAllOfThem) {
  Mesh mesh = with_repeats(1, 9);
  mesh.fibers = {{1, 0, 0}, {0, 1, 0}, {0, 1, 0}};
  const MeshReport report = check_mesh(mesh);
  const Mesh once = test::small_mesh();
  EXPECT_EQ(mesh.tetrahedra, once.tetrahedra);
  EXPECT_EQ(mesh.element_tags, (Tags{1, 1}));
  ASSERT_EQ(mesh.further_element_tags.set_of_cell.size(), 2u);
  EXPECT_TRUE(mesh.further_element_tags.of(0).empty());
  EXPECT_EQ(Tags(mesh.further_element_tags.of(1).begin(), mesh.further_element_tags.of(1).end()), (Tags{2}));
  EXPECT_EQ(mesh.triangles, once.triangles);
  EXPECT_EQ(mesh.triangle_tags, once.triangle_tags);
  ASSERT_EQ(mesh.further_triangle_tags.of(0).size(), 1u);
  EXPECT_EQ(mesh.further_triangle_tags.of(0)[0], 9);
  EXPECT_EQ(mesh.fibers, (std::vector<Vector3>{{1, 0, 0}, {0, 1, 0}}));
  Mesh expected = test::small_mesh();
  EXPECT_EQ(report.volume_mm3, check_mesh(expected).volume_mm3);
  EXPECT_EQ(mesh.remarks, (std::vector<std::string>{
                              "1 tetrahedra stand once for each of their groups; each is read as one in all of them"}));
}

TEST(RepeatedCells, OfAMeshThatHasFurtherTagsAlreadyJoinTheseToo) {
  Mesh mesh = with_repeats(6, 3);
  mesh.further_element_tags = {{1, 2, 1}, {{}, {8}, {5, 7}}};
  mesh.further_triangle_tags = {{0, 1, 0}, {{}, {8}}};
  check_mesh(mesh);
  EXPECT_EQ(mesh.element_tags, (Tags{1, 2}));
  const auto of_second = mesh.further_element_tags.of(1);
  EXPECT_EQ(Tags(of_second.begin(), of_second.end()), (Tags{5, 6, 7, 8}));
  EXPECT_EQ(mesh.triangles.size(), 3u) << "twice with one tag: they stay as they are";
  EXPECT_EQ(mesh.further_triangle_tags.of(1).size(), 1u);
}

TEST(RepeatedCells, OfNoTagTakeThatOfTheOther) {
  Mesh mesh = with_repeats(0, 0);
  mesh.element_tags = {1, 0, 5};
  mesh.triangle_tags = {0, 7, 3};
  check_mesh(mesh);
  EXPECT_EQ(mesh.element_tags, (Tags{1, 5}));
  EXPECT_TRUE(mesh.further_element_tags.empty());
  EXPECT_EQ(mesh.triangle_tags, (Tags{3, 7}));
  EXPECT_TRUE(mesh.further_triangle_tags.empty());
}

TEST(RepeatedCells, OfOneTagAreAnElementTooMany) {
  EXPECT_EQ(error_of(with_repeats(2, 9)),
            "elements 1 and 2 have the same nodes 1, 2, 3, 4 and tag 2: one of them is too many");
  Mesh none = with_repeats(0, 9);
  none.element_tags = {1, 0, 0};
  EXPECT_EQ(error_of(none), "elements 1 and 2 have the same nodes 1, 2, 3, 4 and no tag: one of them is too many");
  Mesh third = with_repeats(5, 9);
  third.tetrahedra.push_back({1, 2, 3, 4});
  third.element_tags.push_back(2);
  EXPECT_EQ(error_of(third), "elements 1 and 3 have the same nodes 1, 2, 3, 4 and tag 2: one of them is too many");
  Mesh further = with_repeats(5, 9);
  further.further_element_tags = {{0, 1, 1}, {{}, {7}}};
  EXPECT_EQ(error_of(further), "elements 1 and 2 have the same nodes 1, 2, 3, 4 and tag 7: one of them is too many");
}

TEST(RepeatedCells, OfDifferentFibresOrEdgesAreRefused) {
  Mesh mesh = with_repeats(1, 9);
  mesh.fibers = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  EXPECT_EQ(error_of(mesh), "elements 1 and 2 have the same nodes 1, 2, 3, 4, but different fibers");
  Mesh quadratic = quadratic_mesh(test::small_mesh());
  quadratic.tetrahedra.push_back(quadratic.tetrahedra[1]);
  quadratic.edge_nodes.push_back(quadratic.edge_nodes[1]);
  quadratic.element_tags.push_back(4);
  Mesh joined = quadratic;
  check_mesh(joined);
  EXPECT_EQ(joined.edge_nodes.size(), 2u);
  EXPECT_EQ(joined.further_element_tags.of(1).size(), 1u);
  quadratic.nodes.push_back({5, 5, 5});
  quadratic.edge_nodes[2][3] = static_cast<Index>(quadratic.nodes.size()) - 1;
  EXPECT_EQ(error_of(quadratic), "elements 1 and 2 have the same nodes 1, 2, 3, 4, but different nodes on their edges");
}

TEST(RepeatedCells, KeepTheirTagsWhereTrianglesOfDroppedNodesGo) {
  Mesh mesh = test::small_mesh();
  mesh.nodes.push_back({9, 9, 9});
  mesh.triangles = {{0, 1, 5}, {0, 1, 2}, {2, 3, 4}};
  mesh.triangle_tags = {7, 3, 7};
  mesh.further_triangle_tags = {{2, 0, 1}, {{}, {11}, {13}}};
  check_mesh(mesh);
  EXPECT_EQ(mesh.triangle_tags, (Tags{3, 7}));
  EXPECT_EQ(mesh.further_triangle_tags.set_of_cell, (std::vector<Index>{0, 1}));
  mesh.further_triangle_tags.set_of_cell.pop_back();
  EXPECT_EQ(error_of(mesh), "the mesh has 1 sets of tags for 2 triangles");
}

}  // namespace
}  // namespace cardiowarp
