// Places of a heart by their coordinates: found again on the same heart,
// carried to another one and back, and what a run makes of them, probes and
// parameters through the wall.

#include "app/anatomy/heart_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "app/anatomy/carried_values.hpp"
#include "app/anatomy/run_anatomy.hpp"
#include "app/config/config.hpp"
#include "meshes/generate.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/spheroid.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;

const MeshOfHeart& heart() {
  static const MeshOfHeart all = heart_of(biventricle_mesh(5), {}, "test", "surfaces");
  return all;
}

TEST(HeartMap, FindsTheNodesOfItsOwnHeartAwayFromTheAxis) {
  const auto& [mesh, surfaces, fields, made] = heart();
  const HeartMap map(mesh, fields, made.coordinates);
  std::size_t looked_at = 0, missed = 0;
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
    const Vector3 p = mesh.nodes[node];
    if (p.z < -55) continue;  // below the left cavity the angle turns fast
    const PlaceInElement place = map.find(made.coordinates.nodes[node]);
    EXPECT_LT(place.distance, 1e-6) << node;
    Real sum = 0;
    for (const Real weight : place.weights) {
      EXPECT_GE(weight, 0);
      sum += weight;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    ++looked_at;
    missed += norm(mean_at(place, mesh, mesh.nodes) - p) > 0.5 ? 1 : 0;
  }
  EXPECT_GT(looked_at, 1500u);
  EXPECT_LT(missed, looked_at / 50) << "those where two places have the same coordinates";
}

TEST(CarriedValues, OfAHeartToItselfStayWhereTheyAre) {
  MeshOfHeart source = heart();
  MeshValues heights{"height", true, {}}, regions{"region", false, {}};
  for (const HeartPlace& place : source.made.coordinates.nodes) heights.values.push_back(place.apicobasal);
  for (const int tag : source.mesh.element_tags) regions.values.push_back(tag);
  source.mesh.values = {heights, regions};
  const CarriedValues made = carried(source, heart());
  ASSERT_EQ(made.arrays.size(), 2u);
  std::size_t other = 0;
  for (std::size_t node = 0; node < heights.values.size(); ++node) {
    other += std::fabs(made.arrays[0][node] - heights.values[node]) > 0.01 ? 1 : 0;
    EXPECT_TRUE(made.arrays[1][node] == 1 || made.arrays[1][node] == 2);
  }
  EXPECT_LT(other, heights.values.size() / 50);
  EXPECT_LT(made.mean_mm, 0.1);
  EXPECT_LT(made.nearest, heights.values.size() / 50);
}

TEST(CarriedValues, OfALargerHeartArriveAtTheCorrespondingPlaces) {
  // A left ventricle of one and a half times the size on a finer mesh, turned
  // about its axis by no angle.
  const auto spheroid = [](Index n, Real factor) {
    Mesh mesh = test::Spheroid().mesh(n);
    for (Vector3& node : mesh.nodes) node = factor * node;
    return mesh;
  };
  MeshOfHeart source = heart_of(spheroid(4, 1.5), {}, "test", "surfaces");
  const MeshOfHeart target = heart_of(spheroid(3, 1), {}, "test", "surfaces");
  MeshValues x{"x", true, {}};
  for (const Vector3& node : source.mesh.nodes) x.values.push_back(node.x);
  source.mesh.values = {x};
  const CarriedValues made = carried(source, target);
  for (std::size_t node = 0; node < target.mesh.nodes.size(); ++node)
    EXPECT_NEAR(made.arrays[0][node], 1.5 * target.mesh.nodes[node].x, 1.2) << node;
  EXPECT_LT(made.mean_mm, 1);
  EXPECT_GE(made.most_mm, made.of_95_percent_mm);
}

TEST(RunAnatomy, PutsProbesAtTheirPlacesAndRefusesPlacesThatAreNotThere) {
  Mesh mesh = heart().mesh;
  Config config;
  config.probes = {{"point", {1, 2, 3}, "here"},
                   {"wall", {}, "there", HeartPlace{0.5, 0.8, std::numbers::pi, HeartPart::left_wall}},
                   {"right", {}, "there", HeartPlace{0.5, 0.8, 0, HeartPart::right_wall}}};
  const RunAnatomy made = make_anatomy(config, mesh);
  ASSERT_EQ(made.probes.size(), 3u);
  EXPECT_EQ(made.probes[0], (Vector3{1, 2, 3}));
  EXPECT_NEAR(made.probes[1].y, 0, 1);
  EXPECT_TRUE(made.probes[1].x < -20 && made.probes[1].x > -33) << made.probes[1].x;
  EXPECT_GT(made.probes[2].x, 50);
  give_coordinates(made, config);
  EXPECT_EQ(config.probes[2].point, made.probes[2]);
  config.probes = {{"nowhere", {}, "there", HeartPlace{0.5, 0.8, std::numbers::pi, HeartPart::right_wall}}};
  const std::string said = input_error_of([&] { make_anatomy(config, mesh); });
  EXPECT_EQ(said.rfind("there: probe 'nowhere': no place of the mesh has these "
                       "coordinates; the nearest is at [",
                       0),
            0u)
      << said;
  Mesh one = test::Spheroid().mesh(2);
  EXPECT_NE(input_error_of([&] { make_anatomy(config, one); }).find("expected ventricle: lv"), std::string::npos);
}

TEST(RunAnatomy, MakesArraysOfParametersThroughTheWall) {
  Mesh mesh = heart().mesh;
  Config config;
  config.cell_model.arrays["g_Ks"] = {{"layers", "here"}, true, {1, 0.25, 1}};
  config.cell_model.arrays["g_to"] = {{"layers", "here"}, false, {1, 0.25, 1}};
  const RunAnatomy made = make_anatomy(config, mesh);
  ASSERT_EQ(mesh.values.size(), 1u) << "the same values make one array";
  EXPECT_TRUE(mesh.values[0].of_points);
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
    const Real depth = made.coordinates->nodes[node].transmural;
    EXPECT_NEAR(mesh.values[0].values[node], 0.25 + 1.5 * std::fabs(depth - 0.5), 1e-3) << node;
  }
}

}  // namespace
}  // namespace cardiowarp
