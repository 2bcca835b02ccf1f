#include "fem/components.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "fem/coinciding_nodes.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

/// Unit tetrahedra, each with nodes of its own, 10 mm apart along x.
Mesh separate_tetrahedra(Index count) {
  Mesh mesh;
  for (Index k = 0; k < count; ++k) {
    const Real x = 10 * k;
    const Index first = 4 * k;
    for (const Vector3 p : {Vector3{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}, {x, 0, 1}}) mesh.nodes.push_back(p);
    mesh.tetrahedra.push_back({first, first + 1, first + 2, first + 3});
  }
  return mesh;
}

TEST(Components, ATetrahedronIsOnePartAroundItsCentre) {
  const Components components = connected_components(separate_tetrahedra(1));
  ASSERT_EQ(components.all.size(), 1u);
  EXPECT_EQ(components.all[0].nodes, 4);
  EXPECT_EQ(components.all[0].centre, (Vector3{0.25, 0.25, 0.25}));
  EXPECT_EQ(components.component_of_node, std::vector<Index>(4, 0));
}

TEST(Components, ASharedNodeConnectsAndTheLargestPartIsFirst) {
  Mesh mesh = separate_tetrahedra(5);
  mesh.tetrahedra[3][3] = 8;  // the fourth and the third; node 15 is then of none
  mesh.tetrahedra[3][0] = 15;
  mesh.tetrahedra[4][1] = 12;  // and the fifth with the fourth's node 12, of no other now
  const Components components = connected_components(mesh);
  ASSERT_EQ(components.all.size(), 5u);
  EXPECT_EQ(components.all[0].nodes, 7);
  const std::vector<Index> expected{1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0, 3, 0, 0, 0, 3, 4, 3, 3};
  EXPECT_EQ(components.component_of_node, expected);
}

TEST(Components, ThousandsOfSeparateTetrahedraAreAsManyPartsInTheirOrder) {
  const Components components = connected_components(separate_tetrahedra(3001));
  ASSERT_EQ(components.all.size(), 3001u);
  for (Index k = 0; k < 3001; ++k) {
    ASSERT_EQ(components.all[k].nodes, 4);
    ASSERT_EQ(components.component_of_node[4 * k + 3], k);
  }
}

TEST(Components, ALongChainInAnyOrderOfItsNodesAndElementsIsOneComponent) {
  constexpr Index length = 50021;
  std::vector<Index> name(length + 3);
  std::iota(name.begin(), name.end(), 0);
  std::mt19937 generator(20261122);
  for (const bool shuffled : {false, true}) {
    if (shuffled) std::shuffle(name.begin(), name.end(), generator);
    Mesh mesh;
    mesh.nodes.assign(name.size(), {});
    for (Index k = length - 1; k >= 0; --k) mesh.tetrahedra.push_back({name[k], name[k + 1], name[k + 2], name[k + 3]});
    if (shuffled) std::shuffle(mesh.tetrahedra.begin(), mesh.tetrahedra.end(), generator);
    EXPECT_EQ(connected_components(mesh).all.size(), 1u);
  }
}

TEST(CoincidingNodes, AreThoseOfOtherPartsAtOnePlace) {
  Mesh mesh = separate_tetrahedra(3);
  EXPECT_EQ(coinciding_nodes(mesh, connected_components(mesh), 1), 0);
  // The second tetrahedron gets a face at that of the first, and one node of the third is there, too.
  for (const Index k : {0, 2, 3}) mesh.nodes[4 + k] = mesh.nodes[k];
  mesh.nodes[11] = {1e-5, 0, 1 - 1e-5};  // within a thousandth of an edge of node 3
  EXPECT_EQ(coinciding_nodes(mesh, connected_components(mesh), 1), 7);
}

TEST(CoincidingNodes, OfOnePartAreNotCounted) {
  Mesh mesh = separate_tetrahedra(2);
  mesh.tetrahedra.push_back({0, 1, 4, 5});  // joins both
  mesh.nodes[7] = mesh.nodes[3];
  EXPECT_EQ(coinciding_nodes(mesh, connected_components(mesh), 1), 0);
}

}  // namespace
}  // namespace cardiowarp
