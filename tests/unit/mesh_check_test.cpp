#include "fem/mesh_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/input_error_of.hpp"
#include "tests/support/small_mesh.hpp"
#include "tests/support/threads.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;
using test::small_mesh;

std::string error_of(Mesh mesh) {
  return input_error_of([&] { check_mesh(mesh); });
}

TEST(MeshCheck, ReportsVolumeAndEdgeLengths) {
  Mesh mesh = small_mesh();
  mesh.tetrahedra.resize(1);
  mesh.element_tags.resize(1);
  mesh.triangles.clear();
  mesh.triangle_tags.clear();
  mesh.nodes.pop_back();
  const MeshReport report = check_mesh(mesh);
  EXPECT_DOUBLE_EQ(report.volume_mm3, 1.0 / 6);
  EXPECT_DOUBLE_EQ(report.shortest_edge_mm, 1);
  EXPECT_DOUBLE_EQ(report.longest_edge_mm, std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(report.mean_edge_mm, (3 + 3 * std::sqrt(2.0)) / 6);
  EXPECT_EQ(report.size_mm, (Vector3{1, 1, 1}));
  EXPECT_EQ(report.inverted_elements, 0);
  EXPECT_EQ(report.unreferenced_nodes, 0);
}

TEST(MeshCheck, ReportsTheSizeOfTheBoxWhereverItIs) {
  Mesh mesh = small_mesh();
  for (Vector3& node : mesh.nodes) node = node + Vector3{-8, 16, 0};
  EXPECT_EQ(check_mesh(mesh).size_mm, (Vector3{2, 2, 2}));
}

TEST(MeshCheck, LeavesAGoodMeshAsItIs) {
  Mesh mesh = small_mesh();
  const Mesh before = mesh;
  check_mesh(mesh);
  EXPECT_EQ(mesh.nodes, before.nodes);
  EXPECT_EQ(mesh.tetrahedra, before.tetrahedra);
  EXPECT_EQ(mesh.triangles, before.triangles);
  EXPECT_TRUE(mesh.node_in_file.empty());
}

TEST(MeshCheck, TurnsInvertedElementsAndCountsThem) {
  Mesh mesh = small_mesh(), inverted = small_mesh();
  std::swap(inverted.tetrahedra[1][2], inverted.tetrahedra[1][3]);
  const MeshReport report = check_mesh(mesh), inverted_report = check_mesh(inverted);
  EXPECT_EQ(inverted_report.inverted_elements, 1);
  EXPECT_EQ(inverted.tetrahedra, mesh.tetrahedra);
  EXPECT_EQ(inverted_report.volume_mm3, report.volume_mm3);
}

TEST(MeshCheck, DropsUnreferencedNodesWithTheTrianglesThatUseThem) {
  Mesh mesh = small_mesh();
  mesh.nodes.insert(mesh.nodes.begin() + 1, {9, 9, 9});
  mesh.nodes.push_back({8, 8, 8});
  mesh.tetrahedra = {{0, 2, 3, 4}, {2, 3, 4, 5}};
  mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
  const MeshReport report = check_mesh(mesh);
  EXPECT_EQ(report.unreferenced_nodes, 2);
  EXPECT_EQ(report.size_mm, (Vector3{2, 2, 2}));  // of the tetrahedra alone
  EXPECT_EQ(mesh.nodes, small_mesh().nodes);
  EXPECT_EQ(mesh.tetrahedra, small_mesh().tetrahedra);
  EXPECT_EQ(mesh.triangles, std::vector<Triangle>({{2, 3, 4}}));
  EXPECT_EQ(mesh.triangle_tags, std::vector<int>{7});
  EXPECT_EQ(mesh.node_in_file, (std::vector<Index>{0, 2, 3, 4, 5}));
}

TEST(MeshCheck, KeepsEarlierFilePositionsWhenItDropsMoreNodes) {
  Mesh mesh = small_mesh();
  mesh.node_in_file = {10, 11, 12, 13, 14};
  mesh.tetrahedra.erase(mesh.tetrahedra.begin());
  mesh.element_tags.erase(mesh.element_tags.begin());
  check_mesh(mesh);
  EXPECT_EQ(mesh.node_in_file, (std::vector<Index>{11, 12, 13, 14}));
}

TEST(MeshCheck, ScalesFibersToUnitLength) {
  Mesh mesh = small_mesh();
  mesh.fibers = {{3, 0, 4}, {0, 1e-200, 0}};
  check_mesh(mesh);
  EXPECT_DOUBLE_EQ(mesh.fibers[0].x, 0.6);
  EXPECT_DOUBLE_EQ(mesh.fibers[0].z, 0.8);
  EXPECT_EQ(mesh.fibers[1], (Vector3{0, 1, 0}));
}

TEST(MeshCheck, LeavesAFibreThatIsNoDirectionToWhoeverUsesFibres) {
  constexpr Real nan = std::numeric_limits<Real>::quiet_NaN(), huge = 1.5e308;
  for (const Vector3& none : {Vector3{0, 0, 0}, Vector3{0, nan, 0}, Vector3{INFINITY, 0, 0}, Vector3{huge, -huge, 0}}) {
    EXPECT_FALSE(is_direction(none)) << none.x << " " << none.y;
    Mesh mesh = small_mesh();
    mesh.fibers = {{2, 0, 0}, none};
    check_mesh(mesh);
    EXPECT_EQ(mesh.fibers[0], (Vector3{1, 0, 0}));
    EXPECT_EQ(mesh.fibers[1].x, none.x);
    EXPECT_EQ(std::isnan(mesh.fibers[1].y), std::isnan(none.y));
  }
  EXPECT_TRUE(is_direction({0, 5e-324, 0}));
}

TEST(MeshCheck, RefusesAMeshWithoutTetrahedra) {
  Mesh mesh = small_mesh();
  mesh.tetrahedra.clear();
  EXPECT_EQ(error_of(mesh), "the mesh has no tetrahedra");
}

TEST(MeshCheck, RefusesArraysOfDifferentSizes) {
  Mesh mesh = small_mesh();
  mesh.element_tags.push_back(1);
  EXPECT_EQ(error_of(mesh), "the mesh has 3 element tags for 2 tetrahedra");
  mesh = small_mesh();
  mesh.triangle_tags.clear();
  EXPECT_EQ(error_of(mesh), "the mesh has 0 triangle tags for 2 triangles");
  mesh = small_mesh();
  mesh.fibers = {{1, 0, 0}};
  EXPECT_EQ(error_of(mesh), "the mesh has 1 fibers for 2 tetrahedra");
}

TEST(MeshCheck, RefusesANodeThatDoesNotExist) {
  Mesh mesh = small_mesh();
  mesh.tetrahedra[1][3] = 5;
  EXPECT_EQ(error_of(mesh), "element 1 refers to node 5: expected 0 to 4");
  mesh.tetrahedra[1][3] = -1;
  EXPECT_EQ(error_of(mesh), "element 1 refers to node -1: expected 0 to 4");
  mesh = small_mesh();
  mesh.triangles[0][0] = 7;
  EXPECT_EQ(error_of(mesh), "triangle 0 refers to node 7: expected 0 to 4");
}

TEST(MeshCheck, RefusesANodeTwiceInAnElement) {
  Mesh mesh = small_mesh();
  mesh.tetrahedra[1] = {1, 2, 3, 2};
  EXPECT_EQ(error_of(mesh), "element 1 has node 2 twice");
}

TEST(MeshCheck, RefusesACoordinateThatIsNotFinite) {
  constexpr Real infinite = std::numeric_limits<Real>::infinity();
  Mesh mesh = small_mesh();
  mesh.nodes[3] = {infinite, 0, 1};
  EXPECT_EQ(error_of(mesh), "node 3 is at (inf, 0, 1): expected finite coordinates");
  mesh.nodes[3] = {0, -infinite, 1};
  EXPECT_EQ(error_of(mesh), "node 3 is at (0, -inf, 1): expected finite coordinates");
  mesh.nodes[3] = {0, 0, std::numeric_limits<Real>::quiet_NaN()};
  EXPECT_EQ(error_of(mesh), "node 3 is at (0, 0, nan): expected finite coordinates");
}

TEST(MeshCheck, RefusesAFlatElement) {
  Mesh mesh = small_mesh();
  mesh.nodes[4] = {0.5, 0.25, 0.25};
  EXPECT_EQ(error_of(mesh), "element 1 (nodes 1, 2, 3, 4) is flat: volume 0 mm^3 with a longest edge of 1.41 mm");
}

TEST(MeshCheck, SaysOfAbsurdEdgesThatTheyAreAbsurd) {
  const auto error_with_edge = [](Real edge_mm) {
    Mesh mesh = small_mesh();
    for (Vector3& p : mesh.nodes) p = edge_mm * p;
    return error_of(mesh);
  };
  const auto absurd = [](const std::string& length) {
    return "element 0 (nodes 0, 1, 2, 3): the edge between nodes 0 and 1 is " + length +
           " mm long: expected 1e-12 to 1e+12 mm (is the unit of length right?)";
  };
  EXPECT_EQ(error_with_edge(1e-53), absurd("1e-53"));    // whose volume is a number still
  EXPECT_EQ(error_with_edge(1e-200), absurd("1e-200"));  // whose square is 0
  EXPECT_EQ(error_with_edge(1e160), absurd("1e+160"));   // whose square is infinite
  EXPECT_EQ(error_with_edge(5e307), absurd("5e+307"));
  EXPECT_EQ(error_with_edge(0.99e-12), absurd("9.9e-13"));
  for (const Real edge_mm : {2e-12, 1e-9, 1e-3, 1e3, 1e9, 1e11}) {
    Mesh mesh = small_mesh();
    for (Vector3& p : mesh.nodes) p = edge_mm * p;
    const MeshReport report = check_mesh(mesh);
    EXPECT_DOUBLE_EQ(report.shortest_edge_mm, edge_mm);
    EXPECT_TRUE(std::isnormal(report.volume_mm3)) << edge_mm;
  }
}

TEST(MeshCheck, SaysOfTwoNodesAtOnePlaceThatTheyAre) {
  Mesh mesh = small_mesh();
  mesh.nodes[4] = mesh.nodes[2];
  EXPECT_EQ(error_of(mesh), "element 1 (nodes 1, 2, 3, 4): nodes 2 and 4 are both at (0, 1, 0)");
}

TEST(MeshCheck, AcceptsASliverAboveTheBoundAndRefusesOneBelow) {
  Mesh mesh = small_mesh();
  mesh.tetrahedra.resize(1);
  mesh.element_tags.resize(1);
  mesh.nodes[3] = {0, 0, 3e-12};  // 6 V = 3e-12, longest edge^3 = 2.83
  EXPECT_NO_THROW(check_mesh(mesh));
  mesh.nodes[3].z = 2e-12;
  EXPECT_NE(error_of(mesh).find("element 0"), std::string::npos);
}

TEST(MeshCheck, FindsTwoElementsOfTheSameNodesInAnyOrder) {
  Mesh mesh = small_mesh();
  mesh.tetrahedra.push_back({3, 1, 4, 2});
  mesh.element_tags.push_back(2);
  EXPECT_EQ(error_of(mesh), "elements 1 and 2 have the same nodes 1, 2, 3, 4 and tag 2: one of them is too many");
}

/// Tetrahedra that share no nodes, one after the other along x, enough of them for many threads.
Mesh many_tetrahedra() {
  constexpr Index elements = 40'000;
  Mesh mesh;
  for (Index i = 0; i < elements; ++i) {
    const Real x = 2.0 * i, edge = 1 + 0.1 * (i % 7);
    mesh.nodes.insert(mesh.nodes.end(), {{x, 0, 0}, {x + edge, 0, 0}, {x, edge, 0}, {x, 0, edge}});
    mesh.tetrahedra.push_back({4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3});
  }
  mesh.element_tags.assign(elements, 0);
  mesh.fibers.assign(elements, {0, 0, 2});
  return mesh;
}

TEST(MeshCheck, FindsTheSameForAnyNumberOfThreads) {
  Mesh given = many_tetrahedra();
  for (const Index inverted : {3, 17'000, 39'999})
    std::swap(given.tetrahedra[inverted][0], given.tetrahedra[inverted][1]);
  given.nodes.insert(given.nodes.begin() + 120'000, {7, 7, 1000});  // of no tetrahedron
  for (Index element = 30'000; element < 40'000; ++element)
    for (Index& node : given.tetrahedra[element]) ++node;
  const auto checked = [&](int threads) {
    const test::Threads in_use(threads);
    Mesh mesh = given;
    const MeshReport report = check_mesh(mesh);
    return std::pair(mesh, report);
  };
  const auto [mesh, report] = checked(1);
  EXPECT_EQ(report.inverted_elements, 3);
  EXPECT_EQ(report.unreferenced_nodes, 1);
  EXPECT_EQ(report.size_mm.z, 1 + 0.1 * 6);
  EXPECT_EQ(mesh.fibers, std::vector<Vector3>(40'000, {0, 0, 1}));
  for (const int threads : {2, 3, 7}) {
    const auto [other, told] = checked(threads);
    EXPECT_EQ(other.nodes, mesh.nodes) << threads;
    EXPECT_EQ(other.tetrahedra, mesh.tetrahedra) << threads;
    EXPECT_EQ(other.fibers, mesh.fibers) << threads;
    EXPECT_EQ(other.node_in_file, mesh.node_in_file) << threads;
    EXPECT_EQ(told.inverted_elements, report.inverted_elements) << threads;
    EXPECT_EQ(told.unreferenced_nodes, report.unreferenced_nodes) << threads;
    EXPECT_EQ(told.volume_mm3, report.volume_mm3) << threads;
    EXPECT_EQ(told.mean_edge_mm, report.mean_edge_mm) << threads;
    EXPECT_EQ(told.shortest_edge_mm, report.shortest_edge_mm) << threads;
    EXPECT_EQ(told.longest_edge_mm, report.longest_edge_mm) << threads;
  }
}

TEST(MeshCheck, NamesTheFirstOfSeveralMistakesForAnyNumberOfThreads) {
  const auto expect_first = [](auto mistake, const std::string& expected) {
    Mesh mesh = many_tetrahedra();
    for (const Index element : {39'999, 20'001, 5'000}) mistake(mesh, element);
    for (const int threads : {1, 2, 7}) {
      const test::Threads in_use(threads);
      EXPECT_EQ(error_of(mesh).substr(0, expected.size()), expected) << threads;
    }
  };
  expect_first([](Mesh& mesh, Index element) { mesh.nodes[mesh.tetrahedra[element][0]].x = NAN; },
               "node 20000 is at (nan, 0, 0)");
  expect_first([](Mesh& mesh, Index element) { mesh.tetrahedra[element][1] = -1; }, "element 5000 refers to node -1");
  expect_first([](Mesh& mesh, Index element) { mesh.tetrahedra[element][3] = mesh.tetrahedra[element][0]; },
               "element 5000 has node 20000 twice");
  expect_first([](Mesh& mesh, Index element) { mesh.nodes[mesh.tetrahedra[element][3]].z = 0; },
               "element 5000 (nodes 20000, ");
  expect_first([](Mesh& mesh, Index element) { mesh.tetrahedra[element - 1] = mesh.tetrahedra[element]; },
               "elements 4999 and 5000 have the same nodes 20000, ");
}

}  // namespace
}  // namespace cardiowarp
