#include "fem/mesh_quality.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

Mesh one(const std::vector<Vector3>& nodes) {
  Mesh mesh;
  mesh.nodes = nodes;
  mesh.tetrahedra = {{0, 1, 2, 3}};
  return mesh;
}

const std::vector<Vector3> regular{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
/// Three edges of 1 along the axes: r = 1 / (3 + √3), R = √3 / 2.
const std::vector<Vector3> corner{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

TEST(RadiusRatio, IsOneOfARegularTetrahedronOfAnySizeAndZeroOfAFlatOne) {
  for (const Real size : {1e-6, 1.0, 3e7}) {
    std::vector<Vector3> nodes = regular;
    for (Vector3& p : nodes) p = size * p;
    EXPECT_NEAR(radius_ratios(one(nodes))[0], 1, 1e-14);
  }
  EXPECT_EQ(radius_ratios(one({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}))[0], 0);
}

TEST(RadiusRatio, OfTheCornerOfACubeIsThatOfItsTwoSpheres) {
  EXPECT_NEAR(radius_ratios(one(corner))[0], 3 / (3 + std::sqrt(3)) / (std::sqrt(3) / 2), 1e-15);
}

TEST(ElementShapes, HaveEdgesAndAnglesBetweenFaces) {
  const ElementShape shape = element_shape(one(corner), 0);
  EXPECT_NEAR(shape.shortest_edge_mm, 1, 1e-15);
  EXPECT_NEAR(shape.longest_edge_mm, std::sqrt(2), 1e-15);
  EXPECT_NEAR(shape.largest_angle_deg, 90, 1e-12);
  EXPECT_NEAR(shape.smallest_angle_deg, std::atan(std::sqrt(2)) * 180 / std::acos(-1.0), 1e-12);
}

TEST(ShapesInNumbers, AreCountedInTenthsAndTheWorstComeFirst) {
  const std::vector<Real> values{0.95, 0.05, 1, 0.3, 0.05, 0.0};
  EXPECT_EQ(tenths(values), (std::array<std::size_t, 10>{3, 0, 0, 1, 0, 0, 0, 0, 0, 2}));
  EXPECT_EQ(smallest(values, 4), (std::vector<std::size_t>{5, 1, 4, 3}));
  EXPECT_EQ(smallest(values, 99).size(), 6U);
}

}  // namespace
}  // namespace cardiowarp
