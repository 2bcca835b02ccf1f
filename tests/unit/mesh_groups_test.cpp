#include "app/advice/mesh_groups.hpp"

#include <gtest/gtest.h>

#include "tests/support/small_mesh.hpp"

namespace cardiowarp {
namespace {

using Lines = std::vector<std::string>;

TEST(MeshGroups, AreListedWithTheirSizes) {
  EXPECT_EQ(describe_groups(test::small_mesh()),
            (Lines{"groups: lv (1) 1, scar (2) 1 elements", "surfaces: epi (3) 1, tag 7: 1 triangles"}));
}

TEST(MeshGroups, ThatShareCellsAreListedWithHowManyTheyShare) {
  Mesh mesh = test::small_mesh();
  mesh.element_tags = {1, 1};
  mesh.further_element_tags = {{1, 2}, {{}, {2}, {2, 9}}};
  mesh.further_triangle_tags = {{0, 1}, {{}, {3}}};
  EXPECT_EQ(describe_groups(mesh), (Lines{"groups: lv (1) 2, scar (2) 2, tag 9: 1 elements; lv (1) and scar (2) share "
                                          "2, lv (1) and tag 9 share 1, scar "
                                          "(2) and tag 9 share 1",
                                          "surfaces: epi (3) 2, tag 7: 1 triangles; epi (3) and tag 7 share 1"}));
}

TEST(MeshGroups, AreNoneWithoutTagsAndTheLargestOfVeryMany) {
  Mesh mesh = test::small_mesh();
  mesh.element_tags = {0, 0};
  mesh.triangle_tags.clear();
  mesh.triangles.clear();
  EXPECT_EQ(describe_groups(mesh), Lines{});
  mesh.element_tags = {0, 2};
  EXPECT_EQ(describe_groups(mesh), Lines{"groups: no tag: 1, scar (2) 1 elements"});
  mesh.element_tags.assign(3, 31);
  for (int tag = 3; tag <= 30; ++tag) mesh.element_tags.push_back(tag);
  const std::string line = describe_groups(mesh).front();
  EXPECT_TRUE(line.ends_with(", tag 31: 3 and 5 more elements")) << line;
}

}  // namespace
}  // namespace cardiowarp
