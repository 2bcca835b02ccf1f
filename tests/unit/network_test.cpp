// Purkinje networks: shortest ways, ends, files, growth on a surface, and the nodes of a mesh that they stimulate.

#include "fem/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "app/anatomy/run_network.hpp"
#include "app/config/network_config.hpp"
#include "app/config/network_keys.hpp"
#include "app/simulation/junction_nodes.hpp"
#include "fem/anatomy/grown_network.hpp"
#include "fem/anatomy/near_faces.hpp"
#include "fem/mesh.hpp"
#include "meshes/generate.hpp"
#include "meshes/network_file.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;

/// A square of 3 by 4 mm with a tail of 2 mm at one corner and a point that nothing leads to:
///
///   3 ---- 2 -- 4
///   |      |           5
///   0 ---- 1
const Network square{{{0, 0, 0}, {3, 0, 0}, {3, 4, 0}, {0, 4, 0}, {5, 4, 0}, {9, 2, 0}},
                     {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {2, 4}}};

TEST(Network, HasTheShortestWaysAlsoRoundALoop) {
  const std::vector<Real> way = lengths_from(square, {0});
  const std::vector<Real> expected{0, 3, 7, 4, 9};
  for (std::size_t point = 0; point < expected.size(); ++point) EXPECT_EQ(way[point], expected[point]) << point;
  EXPECT_EQ(way[5], std::numeric_limits<Real>::infinity());
  const std::vector<Real> from_two = lengths_from(square, {0, 4});
  EXPECT_EQ(from_two[2], 2);
  EXPECT_EQ(from_two[3], 4);
}

TEST(Network, EndsAreThePointsWithOneSegmentThatAreNoRoots) {
  EXPECT_EQ(ends_of(square, {0}), std::vector<Index>{4});
  EXPECT_EQ(ends_of(square, {4}), std::vector<Index>{});
  EXPECT_EQ(nearest_point(square, {2.6, 3.1, 0.4}), 2);
}

TEST(NearFaces, FindTheNearestPointInATriangleOnItsEdgesAndAtItsCorners) {
  const Vector3 a{0, 0, 0}, b{4, 0, 0}, c{0, 3, 0};
  EXPECT_EQ(nearest_in_triangle({1, 1, 5}, a, b, c), (Vector3{1, 1, 0}));
  EXPECT_EQ(nearest_in_triangle({2, -2, 1}, a, b, c), (Vector3{2, 0, 0}));
  EXPECT_EQ(nearest_in_triangle({-1, 2, 1}, a, b, c), (Vector3{0, 2, 0}));
  EXPECT_EQ(nearest_in_triangle({-1, -2, 0}, a, b, c), a);
  EXPECT_EQ(nearest_in_triangle({9, 1, 0}, a, b, c), b);
  EXPECT_EQ(nearest_in_triangle({-1, 8, 2}, a, b, c), c);
  const Vector3 beside = nearest_in_triangle({2 + 3, 1.5 + 4, 0}, a, b, c);
  EXPECT_NEAR(norm(beside - Vector3{2, 1.5, 0}), 0, 1e-15);
}

/// Half a sphere of triangles around the origin, open above, with its nodes.
struct Bowl {
  std::vector<Vector3> nodes;
  std::vector<Triangle> faces;

  explicit Bowl(Real radius_mm, int rings = 24, int around = 60) {
    nodes.push_back({0, 0, -radius_mm});
    for (int ring = 1; ring <= rings; ++ring)
      for (int k = 0; k < around; ++k) {
        const Real polar = 1.5707963267948966 * ring / rings, turn = 6.283185307179586 * k / around;
        nodes.push_back({radius_mm * std::sin(polar) * std::cos(turn), radius_mm * std::sin(polar) * std::sin(turn),
                         -radius_mm * std::cos(polar)});
      }
    const auto node = [&](int ring, int k) { return ring == 0 ? 0 : 1 + (ring - 1) * around + k % around; };
    for (int ring = 0; ring < rings; ++ring)
      for (int k = 0; k < around; ++k) {
        faces.push_back({node(ring, k), node(ring + 1, k), node(ring + 1, k + 1)});
        if (ring > 0) faces.push_back({node(ring, k), node(ring + 1, k + 1), node(ring, k + 1)});
      }
  }
};

TEST(NearFaces, AreTheOnesOfAPassOverAllWithinTheReachAndNoneBeyond) {
  const Bowl bowl(19);
  const NearFaces near(bowl.nodes, bowl.faces, 1.7);
  std::size_t found = 0;
  for (int i = 0; i < 500; ++i) {
    const Vector3 place{40 * std::sin(0.7 * i), 40 * std::sin(1.1 * i + 1), -20 + 20 * std::sin(1.9 * i)};
    const Vector3 at = (17.0 + 0.008 * i) / norm(place) * place;
    const PointOnFace exact = near.nearest_of_all(at);
    const auto nearest = near.nearest(at);
    ASSERT_EQ(nearest.has_value(), exact.distance_mm <= 1.7) << i;
    if (!nearest) continue;
    ++found;
    EXPECT_EQ(nearest->distance_mm, exact.distance_mm) << i;
  }
  EXPECT_GT(found, 100u);
  EXPECT_LT(found, 450u);
}

constexpr GrowthRule small_rule{
    .trunk_mm = 10, .branch_mm = 5, .segment_mm = 0.7, .angle = 0.15, .generations = 14, .seed = 3};

TEST(GrownNetwork, IsATreeOnTheSurfaceThatReachesAllOfIt) {
  const Bowl bowl(19);
  const NearFaces surface(bowl.nodes, bowl.faces, small_rule.segment_mm);
  const Network network = grown_network(surface, {19, 1, -3}, {0, 0, -19}, small_rule);
  ASSERT_EQ(network.points.size(), network.segments.size() + 1);
  for (const Real way : lengths_from(network, {0})) EXPECT_LT(way, 200);
  for (const Vector3 point : network.points) EXPECT_LT(surface.nearest_of_all(point).distance_mm, 1e-12);
  for (const auto& [a, b] : network.segments) {
    EXPECT_LE(norm(network.points[b] - network.points[a]), small_rule.segment_mm * 1.0001);
    EXPECT_GT(norm(network.points[b] - network.points[a]), small_rule.segment_mm / 3);
  }
  EXPECT_EQ(norm(network.points[0] - surface.nearest_of_all({19, 1, -3}).point), 0);
  const std::size_t ends = ends_of(network, {0}).size();
  EXPECT_GT(ends, 120u);
  Real farthest = 0;
  for (const Vector3 node : bowl.nodes)
    farthest = std::max(farthest, norm(network.points[nearest_point(network, node)] - node));
  EXPECT_LT(farthest, 9);
}

TEST(GrownNetwork, OfASeedIsTheSameAndOfAnotherSeedIsNot) {
  const Bowl bowl(19);
  const NearFaces surface(bowl.nodes, bowl.faces, small_rule.segment_mm);
  const auto grow = [&](std::uint64_t seed) {
    GrowthRule rule = small_rule;
    rule.seed = seed;
    return grown_network(surface, {19, 1, -3}, {0, 0, -19}, rule);
  };
  const Network one = grow(3), again = grow(3), other = grow(4);
  EXPECT_EQ(one.points, again.points);
  EXPECT_NE(one.points, other.points);
}

TEST(GrownNetwork, KeepsAFifthOfABranchAwayFromBranchesThatAreNotItsKin) {
  const Bowl bowl(19);
  const NearFaces surface(bowl.nodes, bowl.faces, small_rule.segment_mm);
  const Network network = grown_network(surface, {19, 1, -3}, {0, 0, -19}, small_rule);
  // Kin are joined by a short way; two branches away is farther along the tree than 2.5 branches.
  std::size_t looked_at = 0;
  for (std::size_t point = 0; point < network.points.size(); point += 7) {
    const std::vector<Real> way = lengths_from(network, {static_cast<Index>(point)});
    for (std::size_t other = 0; other < point; ++other) {
      if (way[other] < 2.5 * small_rule.branch_mm) continue;
      ++looked_at;
      EXPECT_GE(norm(network.points[other] - network.points[point]), small_rule.branch_mm / 5 - 1e-12);
    }
  }
  EXPECT_GT(looked_at, 1000u);
}

TEST(GrownNetwork, OfEndlesslyManyPointsIsRefused) {
  const Bowl bowl(19);
  GrowthRule rule = small_rule;
  rule.trunk_mm = 1e9;
  rule.segment_mm = 1e-7;
  const NearFaces surface(bowl.nodes, bowl.faces, 0.7);
  const std::string said = input_error_of([&] { grown_network(surface, {19, 1, -3}, {0, 0, -19}, rule); });
  EXPECT_NE(said.find("at most 50000 points"), std::string::npos) << said;
}

class NetworkFile : public testing::Test {
 protected:
  std::filesystem::path write(const char* name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return folder / name;
  }
  test::TemporaryDirectory folder;
};

TEST_F(NetworkFile, OfLinesOneByOneHangsTogetherAndHasItsUnit) {
  const auto file = write("tree.vtk",
                          "# vtk DataFile Version 3.0\ntree\nASCII\nDATASET POLYDATA\nPOINTS 6 float\n"
                          "7 7 7  0 0 0  1 0 0  1 0 0  1 2 0  1 0 3\n"
                          "LINES 2 7\n2 1 2\n3 5 3 4\n");
  const Network network = read_network(file, LengthUnit::centimetre);
  const std::vector<Vector3> points{{0, 0, 0}, {10, 0, 0}, {10, 20, 0}, {10, 0, 30}};
  EXPECT_EQ(network.points, points);
  const std::vector<std::array<Index, 2>> segments{{0, 1}, {3, 1}, {1, 2}};
  EXPECT_EQ(network.segments, segments);
}

TEST_F(NetworkFile, HasASegmentOnceThatIsThereTwice) {
  const auto file = write("tree.vtk",
                          "# vtk DataFile Version 3.0\ntree\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n"
                          "0 0 0  1 0 0  2 0 0\nLINES 3 9\n2 0 1\n2 1 2\n2 2 1\n");
  const Network network = read_network(file, LengthUnit::millimetre);
  const std::vector<std::array<Index, 2>> segments{{0, 1}, {1, 2}};
  EXPECT_EQ(network.segments, segments);
  EXPECT_EQ(ends_of(network, {0}), std::vector<Index>{2}) << "still an end";
}

TEST_F(NetworkFile, OfAnUnstructuredGridPassesOtherCellsOver) {
  const auto file = write("tree.vtk",
                          "# vtk DataFile Version 3.0\ntree\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n"
                          "0 0 0  1.5 0 0  1.5 2 0  0 0 4\nCELLS 3 10\n2 0 1\n3 0 1 2\n2 1 3\nCELL_TYPES 3\n3\n5\n3\n");
  const Network network = read_network(file, LengthUnit::millimetre);
  EXPECT_EQ(network.points.size(), 3u);
  EXPECT_EQ(network.segments.size(), 2u);
}

TEST_F(NetworkFile, IsReadAsItWasWrittenInBothFormats) {
  const Network tree{{{0.1, 0, 0}, {3, 1.0 / 3, 0}, {3, 4, -7}}, {{0, 1}, {1, 2}}};
  for (const char* name : {"tree.vtp", "tree.vtk"}) {
    write_network(tree, "arrival_time", {0, 1, 2}, folder / name);
    const Network back = read_network(folder / name, LengthUnit::millimetre);
    EXPECT_EQ(back.points, tree.points) << name;
    EXPECT_EQ(back.segments, tree.segments) << name;
  }
  EXPECT_NE(input_error_of([&] {
              write_network(tree, "a", {0, 1, 2}, folder / "tree.msh");
            }).find(".vtp or .vtk"),
            std::string::npos);
}

TEST_F(NetworkFile, WithoutLinesOrWithDamageIsRefusedWithItsName) {
  const std::string head = "# vtk DataFile Version 3.0\ntree\nASCII\nDATASET POLYDATA\nPOINTS 2 float\n0 0 0  1 0 0\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {head + "VERTICES 1 2\n1 0\n", "expected lines, got other cells or none"},
      {head + "LINES 1 2\n1 0\n", "line 0: expected two points or more, got 1"},
      {head + "LINES 1 3\n2 0 5\n", "uses point 5 of 2"},
      {"", "tree.vtk: "}};
  for (const auto& [text, expected] : cases) {
    const auto file = write("tree.vtk", text);
    const std::string said = input_error_of([&] { read_network(file, LengthUnit::millimetre); });
    EXPECT_NE(said.find("tree.vtk: "), std::string::npos) << said;
    EXPECT_NE(said.find(expected), std::string::npos) << said;
  }
  EXPECT_NE(input_error_of([&] { read_network(folder / "none.vtp", LengthUnit::millimetre); }).find("none.vtp"),
            std::string::npos);
}

TEST(JunctionNodes, AreThoseInTheRadiusWithTheEarliestArrivalAndAlwaysTheNearest) {
  const Mesh mesh = slab_mesh({4, 2, 2}, 1, true);
  Junctions junctions{{{0, 0, 0}, {1.4, 0, 0}, {3.8, 1.9, 2.3}}, {6, 2, 9}, 1.1};
  const JunctionNodes made = nodes_at(mesh, junctions, "here");
  ASSERT_TRUE(std::ranges::is_sorted(made.nodes));
  const auto delay_at = [&](Vector3 place) {
    for (std::size_t k = 0; k < made.nodes.size(); ++k)
      if (mesh.nodes[made.nodes[k]] == place) return made.delay_ms[k];
    return Real(-1);
  };
  EXPECT_EQ(delay_at({0, 0, 0}), 6);
  EXPECT_EQ(delay_at({0, 1, 0}), 6);
  EXPECT_EQ(delay_at({1, 0, 0}), 2) << "within the radius of both";
  EXPECT_EQ(delay_at({2, 0, 0}), 2);
  EXPECT_EQ(delay_at({4, 2, 2}), 9);
  EXPECT_EQ(delay_at({2, 2, 2}), -1);
  EXPECT_NEAR(made.farthest_mm, 0.4, 1e-12);
  EXPECT_EQ(made.farthest, junctions.points[1]);
  junctions.radius_mm = 0;
  EXPECT_EQ(nodes_at(mesh, junctions, "here").nodes.size(), 3u) << "the nearest of each";
}

TEST(JunctionNodes, OfANetworkThatLeavesTheTissueAreRefusedWithTheWorst) {
  const Mesh mesh = slab_mesh({4, 2, 2}, 1, true);
  const Junctions junctions{{{0, 0, 0}, {1, -3, 1}, {4, 2, 20}}, {0, 1, 2}, 1.1};
  const std::string said = input_error_of([&] { nodes_at(mesh, junctions, "stimuli[0].network"); });
  EXPECT_NE(said.find("stimuli[0].network: "), std::string::npos) << said;
  EXPECT_NE(said.find("2 of 3 farther away, the one at [4, 2, 20] mm by 18 mm"), std::string::npos) << said;
  EXPECT_NE(said.find("length_unit"), std::string::npos) << said;
}

TEST(JunctionNodes, OfARefinedMeshAreThoseThatTheCoarseOneReached) {
  const Mesh fine = slab_mesh({4, 2, 2}, 0.5, true);
  const Junctions junctions{{{0, 0, -1.4}}, {0}, 0.1};  // edges are 0.87 mm at most, those of twice the length 1.7
  EXPECT_NE(input_error_of([&] { nodes_at(fine, junctions, "here"); }), "");
  EXPECT_EQ(nodes_at(fine, junctions, "here", 2).nodes.size(), 1u);
}

/// A network of a file in a slab.
class MadeNetworks : public NetworkFile {
 protected:
  MadeNetworks() { config.place = "here"; }
  MadeNetwork make(const Network& network) {
    write_network(network, "a", std::vector<Real>(network.points.size()), folder / "net.vtk");
    config.file = folder / "net.vtk";
    HeartSurfaces surfaces;
    return make_network(config, mesh, {{}, "here"}, surfaces);
  }

  Mesh mesh = slab_mesh({4, 2, 2}, 1, true);
  NetworkConfig config;
};

TEST_F(MadeNetworks, ArriveAfterTheWayAtTheVelocityAndTheDelayRoundedToSteps) {
  config.velocity_mm_per_ms = 2.5;
  config.delay_ms = 1.55;
  const Network tail{{square.points.begin(), square.points.end() - 1}, square.segments};
  const MadeNetwork made = make(tail);
  EXPECT_EQ(made.junctions, std::vector<Index>{4});
  EXPECT_EQ(made.arrival_ms[4], 9 / 2.5);
  EXPECT_NEAR(junctions_of(made, config, mesh, 0.05).arrival_ms[0], 5.2, 1e-12) << "5.15 to a multiple of 0.2";
  EXPECT_NEAR(junctions_of(made, config, mesh, 0.7).arrival_ms[0], 4.9, 1e-12);
  EXPECT_EQ(junctions_of(made, config, mesh, 0.7).radius_mm, 2);
  config.radius_mm = radius_by_mesh_mm;
  EXPECT_EQ(junctions_of(made, config, mesh, 0.7).radius_mm, 2) << "edges of 1 to 1.7 mm";
  EXPECT_NEAR(junctions_of(made, config, slab_mesh({80, 40, 40}, 20, true), 0.7).radius_mm, 25.5, 1.5);
  config.junctions = JunctionKind::all;
  EXPECT_EQ(make(tail).junctions.size(), 5u);
}

TEST_F(MadeNetworks, OfSeveralPartsNeedARootInEach) {
  const Network two{{{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {4, 0, 0}}, {{0, 1}, {2, 3}}};
  const std::string said = input_error_of([&] { make(two); });
  EXPECT_NE(said.find("no way from its first point leads to 2 of 4 points, as to the one at [3, 0, 0] mm"),
            std::string::npos)
      << said;
  config.roots = {{0.1, 0, 0}, {4, 0.2, 0}};
  const MadeNetwork made = make(two);
  EXPECT_EQ(made.junctions, (std::vector<Index>{1, 2}));
  config.roots = {{0, 0, 0}, {40, 0, 0}};
  EXPECT_NE(input_error_of([&] { make(two); })
                .find("roots: expected points within 1 mm of a point of the network, got "
                      "[40, 0, 0] mm, whose nearest is at [4, 0, 0] mm"),
            std::string::npos);
}

TEST_F(MadeNetworks, OfARingHaveNoEndsAndSaySo) {
  const Network ring{{square.points.begin(), square.points.begin() + 4}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}};
  const std::string said = input_error_of([&] { make(ring); });
  EXPECT_NE(said.find("junctions: all"), std::string::npos) << said;
  config.junctions = JunctionKind::all;
  EXPECT_EQ(make(ring).junctions.size(), 4u);
}

TEST_F(MadeNetworks, AreGrownInTheVentricleThatIsAskedFor) {
  const Mesh heart = biventricle_mesh(6);
  config.grow.emplace();
  HeartSurfaces surfaces;
  const MadeNetwork left = make_network(config, heart, {{}, "here"}, surfaces);
  config.grow->ventricle = GrownIn::right;
  const MadeNetwork right = make_network(config, heart, {{}, "here"}, surfaces);
  for (const auto& [made, surface] : {std::pair{&left, HeartSurface::endo_lv}, {&right, HeartSurface::endo_rv}}) {
    EXPECT_GT(made->junctions.size(), 25u);
    const NearFaces faces(heart.nodes, faces_of(heart, surfaces, surface), 1);
    for (const Vector3 point : made->network.points) EXPECT_LT(faces.nearest_of_all(point).distance_mm, 1e-9);
  }
  EXPECT_GT(left.network.points[0].x, -40);
  EXPECT_LT(norm(left.network.points[0] - right.network.points[0]), 25) << "both begin at the septum";
}

TEST_F(MadeNetworks, WithoutTheEndocardiumAreRefused) {
  config.grow.emplace();
  HeartSurfaces surfaces;
  const std::string said = input_error_of([&] { make_network(config, mesh, {{}, "here"}, surfaces); });
  EXPECT_NE(said.find("here: "), std::string::npos) << said;
  EXPECT_NE(said.find("endo_lv"), std::string::npos) << said;
}

}  // namespace
}  // namespace cardiowarp
