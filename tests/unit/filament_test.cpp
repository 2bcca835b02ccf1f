#include "fem/filament.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "fem/mesh.hpp"

namespace cardiowarp::test {
namespace {

/// A block of 7 × 5 × 3 mm of cubes of 1 mm, each of six tetrahedra around a diagonal.
Mesh block() {
  Mesh mesh;
  const auto node = [](int x, int y, int z) { return static_cast<Index>(x + 8 * (y + 6 * z)); };
  for (int z = 0; z <= 3; ++z)
    for (int y = 0; y <= 5; ++y)
      for (int x = 0; x <= 7; ++x) mesh.nodes.push_back({Real(x), Real(y), Real(z)});
  constexpr int ways[6][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};  // along the edges of a cube
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 5; ++y)
      for (int x = 0; x < 7; ++x)
        for (const auto& way : ways) {
          int at[3] = {x, y, z};
          Tetrahedron nodes{node(x, y, z), 0, 0, node(x + 1, y + 1, z + 1)};
          for (int k = 0; k < 2; ++k) {
            ++at[way[k]];
            nodes[k + 1] = node(at[0], at[1], at[2]);
          }
          mesh.tetrahedra.push_back(nodes);
        }
  return mesh;
}

std::vector<Real> values(const Mesh& mesh, const std::function<Real(const Vector3&)>& field) {
  std::vector<Real> all;
  for (const Vector3& node : mesh.nodes) all.push_back(field(node));
  return all;
}

TEST(Filaments, AreTheLineOnWhichBothFieldsAreZero) {
  const Mesh mesh = block();
  const std::vector<Real> first = values(mesh, [](const Vector3& p) { return p.x - 2.3 - 0.5 * p.z; });
  const std::vector<Real> second = values(mesh, [](const Vector3& p) { return 3.4 - p.y; });
  const std::vector<Filament> found = filaments(mesh, first, second);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].length_mm, 3 * std::sqrt(1.25), 1e-12);
  EXPECT_NEAR(found[0].middle.x, 2.3 + 0.75, 1e-12);
  EXPECT_NEAR(found[0].middle.y, 3.4, 1e-12);
  EXPECT_NEAR(found[0].middle.z, 1.5, 1e-12);
}

TEST(Filaments, AreAsManyAsThereAreLinesApart) {
  const Mesh mesh = block();
  // The planes x = 1.4 and x = 5.3 cut the plane y + z = 3.1.
  const std::vector<Real> first = values(mesh, [](const Vector3& p) { return p.x < 3.5 ? p.x - 1.4 : 5.3 - p.x; });
  const std::vector<Real> second = values(mesh, [](const Vector3& p) { return p.y + p.z - 3.1; });
  const std::vector<Filament> found = filaments(mesh, first, second);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].length_mm, 3 * std::sqrt(2), 1e-12);
  EXPECT_NEAR(found[1].length_mm, 3 * std::sqrt(2), 1e-12);
  EXPECT_NEAR(found[0].middle.x + found[1].middle.x, 1.4 + 5.3, 1e-12);
}

TEST(Filaments, AreNotWhereOneFieldAloneIsZero) {
  const Mesh mesh = block();
  const std::vector<Real> first = values(mesh, [](const Vector3& p) { return p.x - 2.3; });
  EXPECT_TRUE(filaments(mesh, first, values(mesh, [](const Vector3& p) { return p.y + 1; })).empty());
  EXPECT_TRUE(filaments(mesh, first, values(mesh, [](const Vector3& p) { return p.x - 4.7; })).empty());
  EXPECT_TRUE(filaments(mesh, first, first).empty()) << "nothing moves";
}

}  // namespace
}  // namespace cardiowarp::test
