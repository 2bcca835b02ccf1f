#include "meshes/self_intersection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "fem/mesh.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {
namespace {

using Triangles = std::vector<Triangle>;

/// The place where two triangles of their own corners meet, if they do.
std::optional<SelfIntersection> of_two(std::vector<Vector3> corners) {
  return self_intersection(corners, {{0, 1, 2}, {3, 4, 5}});
}

void expect_near(Vector3 place, Vector3 expected) { EXPECT_LT(norm(place - expected), 1e-12); }

TEST(SelfIntersection, NamesTwoTrianglesThatCutAndAPointOfBoth) {
  const auto found = of_two({{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 3}, {9, 9, 3}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pairs, 1u);
  EXPECT_EQ(found->example.first, 0u);
  EXPECT_EQ(found->example.second, 1u);
  expect_near(found->example.place, {2, 2, 0});
}

TEST(SelfIntersection, FindsACornerThatTouchesAFace) {
  const auto found = of_two({{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 0.5, 0}, {1, 1, 3}, {2, 1, 3}});
  ASSERT_TRUE(found);
  expect_near(found->example.place, {1, 0.5, 0});
}

TEST(SelfIntersection, FindsASideThatRunsAlongAShorterOne) {
  const auto found = of_two({{0, 0, 0}, {8, 0, 0}, {0, 5, 0}, {6, 0, 0}, {2, 0, 0}, {4, 0, -3}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->example.place.y, 0);
  EXPECT_EQ(found->example.place.z, 0);
}

TEST(SelfIntersection, FindsTrianglesOfOnePlaneThatOverlap) {
  const std::vector<Vector3> star{{0, 0, 1}, {6, 0, 1}, {3, 6, 1}, {0, 4, 1}, {3, -2, 1}, {6, 4, 1}};
  EXPECT_TRUE(of_two(star));
  std::vector<Vector3> inside{{0, 0, 1}, {9, 0, 1}, {0, 9, 1}, {1, 1, 1}, {2, 1, 1}, {1, 2, 1}};
  EXPECT_TRUE(of_two(inside));
  std::swap(inside[0], inside[3]), std::swap(inside[1], inside[4]), std::swap(inside[2], inside[5]);
  EXPECT_TRUE(of_two(inside));
}

TEST(SelfIntersection, FindsTwoThatAreFoldedOntoEachOther) {
  const std::vector<Vector3> nodes{{0, 0, 0}, {1, 1, 1}, {0, 3, 3}, {0, 1, 1}, {3, 0, 0}};
  const auto found = self_intersection(nodes, Triangles{{0, 1, 2}, {1, 0, 3}});
  ASSERT_TRUE(found);
  expect_near(found->example.place, {0.5, 0.5, 0.5});
  EXPECT_FALSE(self_intersection(nodes, Triangles{{0, 1, 2}, {1, 0, 4}}));
}

TEST(SelfIntersection, IsNotWhereTrianglesShareCornersAndSides) {
  EXPECT_FALSE(
      self_intersection({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}}, Triangles{{0, 1, 2}, {0, 3, 4}}));
  const Mesh slab = slab_mesh({3, 2, 5}, 0.7, true);
  EXPECT_FALSE(self_intersection(slab.nodes, slab.triangles));
}

TEST(SelfIntersection, IsNotWhereTrianglesAreApartByLittle) {
  EXPECT_FALSE(of_two({{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 1e-9}, {1, 1, 3}, {9, 9, 3}}));
  EXPECT_FALSE(of_two({{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1e-12, 1}, {1, 1, 1}, {0.5, 0.5 + 1e-12, 1}}));
}

TEST(SelfIntersection, LeavesOutTrianglesWithoutArea) {
  EXPECT_TRUE(has_no_area({0, 0, 0}, {1, 2, 3}, {2, 4, 6}));
  EXPECT_TRUE(has_no_area({0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}, {0.7, 0.8, 0.9}));
  EXPECT_FALSE(has_no_area({0, 0, 0}, {1, 2, 3}, {2, 4, 6.000001}));
  EXPECT_FALSE(of_two({{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 0}, {1, 1, 1}}));
}

TEST(SelfIntersection, IsTheSameForAnyTurnAndOrderOfTheSurface) {
  // Two boxes that cut each other: the pairs are counted without the tree of boxes, two by two.
  const Mesh box = slab_mesh({3, 2, 5}, 1, true);
  std::vector<Vector3> nodes = box.nodes;
  Triangles triangles = box.triangles;
  for (const Vector3& p : box.nodes) nodes.push_back(p + Vector3{0.71, 0.33, 0.52});
  const auto offset = static_cast<Index>(box.nodes.size());
  for (const auto& [a, b, c] : box.triangles) triangles.push_back({a + offset, b + offset, c + offset});
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < triangles.size(); ++i)
    for (std::size_t j = i + 1; j < triangles.size(); ++j)
      pairs += self_intersection(nodes, {triangles[i], triangles[j]}) ? 1 : 0;
  ASSERT_GT(pairs, 20u);
  std::mt19937 random(271);
  for (int turn = 0; turn < 5; ++turn) {
    const auto found = self_intersection(nodes, triangles);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->pairs, pairs) << turn;
    std::shuffle(triangles.begin(), triangles.end(), random);
    const Real angle = 0.3 + turn;
    for (Vector3& p : nodes)
      p = {std::cos(angle) * p.x - std::sin(angle) * p.y, p.z, std::sin(angle) * p.x + std::cos(angle) * p.y};
  }
}

}  // namespace
}  // namespace cardiowarp
