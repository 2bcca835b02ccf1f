// Coordinates of whole hearts: exact in a slab, the same in a moved and in a renumbered heart, rising along the wall,
// and what places of a configuration select by them.

#include "app/anatomy/mesh_coordinates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include "app/config/config.hpp"
#include "app/simulation/selection.hpp"
#include "app/simulation/stimulated_nodes.hpp"
#include "meshes/generate.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/spheroid.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;

HeartCoordinates coordinates_of(const Mesh& mesh, const CoordinatesConfig& config = {}) {
  HeartSurfaces surfaces = surfaces_of_heart(mesh, {config.surfaces, "test"});
  const HeartFields fields = solve_heart_fields(mesh, surfaces, "test");
  return mesh_coordinates(mesh, surfaces, fields, config, "test").coordinates;
}

/// A slab as a left ventricle: the wall along x, from apex to base along z.
CoordinatesConfig slab_as_heart() {
  CoordinatesConfig config;
  config.surfaces.emplace();
  (*config.surfaces)[HeartSurface::endo_lv].names = {"x0"};
  (*config.surfaces)[HeartSurface::epi].names = {"x1"};
  (*config.surfaces)[HeartSurface::apex].names = {"z0"};
  (*config.surfaces)[HeartSurface::base].names = {"z1"};
  config.zero_mm = Vector3{0, 9, 0};
  return config;
}

TEST(MeshCoordinates, AreTheOnesOfASlabAtNodesAndInElementsOfBothOrders) {
  for (const Mesh& mesh : {random_mesh({3.5, 2.5, 5}, 0.5, 7), quadratic_mesh(slab_mesh({3.5, 2.5, 5}, 0.7, true))}) {
    const HeartCoordinates made = coordinates_of(mesh, slab_as_heart());
    ASSERT_EQ(made.nodes.size(), mesh.nodes.size());
    ASSERT_EQ(made.elements.size(), mesh.tetrahedra.size());
    for (std::size_t node = 0; node < made.nodes.size(); ++node) {
      EXPECT_NEAR(made.nodes[node].transmural, mesh.nodes[node].x / 3.5, 1e-6);
      EXPECT_NEAR(made.nodes[node].apicobasal, mesh.nodes[node].z / 5, 0.02);
    }
    for (std::size_t e = 0; e < made.elements.size(); ++e)
      EXPECT_NEAR(made.elements[e].transmural, test::centroid(mesh, e).x / 3.5, 1e-6);
  }
}

/// A rotation about an axis that is no coordinate axis, and a shift.
Vector3 moved(Vector3 p) {
  const Vector3 axis = (1 / std::sqrt(Real(14))) * Vector3{1, 2, 3};
  const Real c = std::cos(1.1), s = std::sin(1.1);
  return c * p + s * cross(axis, p) + ((1 - c) * dot(axis, p)) * axis + Vector3{10, -20, 30};
}

void expect_near(const HeartPlace& a, const HeartPlace& b) {
  EXPECT_NEAR(a.transmural, b.transmural, 1e-6);
  EXPECT_NEAR(a.apicobasal, b.apicobasal, 1e-6);
  EXPECT_NEAR(std::remainder(a.rotational - b.rotational, 2 * std::numbers::pi), 0, 1e-6);
  EXPECT_EQ(a.part, b.part);
}

TEST(MeshCoordinates, OfAMovedHeartAreTheSame) {
  const Mesh mesh = biventricle_mesh(7);
  Mesh other = mesh;
  for (Vector3& node : other.nodes) node = moved(node);
  const HeartCoordinates here = coordinates_of(mesh), there = coordinates_of(other);
  for (std::size_t node = 0; node < here.nodes.size(); ++node) expect_near(here.nodes[node], there.nodes[node]);
  for (std::size_t e = 0; e < here.elements.size(); ++e) expect_near(here.elements[e], there.elements[e]);
}

TEST(MeshCoordinates, OfARenumberedHeartAreThoseOfTheSameNodes) {
  const Mesh mesh = biventricle_mesh(7);
  const Renumbering other = renumbered_with_surfaces(mesh, 11);
  const HeartCoordinates here = coordinates_of(mesh), there = coordinates_of(other.mesh);
  for (std::size_t i = 0; i < there.nodes.size(); ++i) expect_near(here.nodes[other.node_order[i]], there.nodes[i]);
  for (std::size_t e = 0; e < here.elements.size(); ++e)
    expect_near(here.elements[other.element_order[e]], there.elements[e]);
}

/// The heart of `mesh biventricle` with its coordinates. Its left ventricle is about z, its right one towards x.
struct Heart {
  Mesh mesh = biventricle_mesh(4);
  std::shared_ptr<const HeartCoordinates> coordinates = std::make_shared<HeartCoordinates>(coordinates_of(mesh));

  Where within(const HeartRange& range) const { return {Everywhere{}, "here", range, coordinates}; }
};

const Heart& heart() {
  static const Heart all;
  return all;
}

TEST(MeshCoordinates, RiseThroughEachWallOnTheSurfacesThatBoundIt) {
  const Mesh& mesh = heart().mesh;
  const HeartSurfaces surfaces = surfaces_of_heart(mesh, {.place = "test"});
  for (const Index node : surfaces.nodes[HeartSurface::endo_lv]) {
    const HeartPlace& place = heart().coordinates->nodes[node];
    EXPECT_NE(place.part, HeartPart::right_wall) << node;
    EXPECT_NEAR(place.transmural, 0, 1e-6) << node;
  }
  for (const Index node : surfaces.nodes[HeartSurface::epi]) {
    const HeartPlace& place = heart().coordinates->nodes[node];
    EXPECT_NEAR(place.transmural, 1, 1e-6) << node;
  }
  for (const Index node : surfaces.nodes[HeartSurface::endo_rv]) {
    const HeartPlace& place = heart().coordinates->nodes[node];
    EXPECT_NEAR(place.transmural, place.part == HeartPart::right_wall ? 0 : 1, 1e-6) << node;
  }
  for (const Index node : surfaces.nodes[HeartSurface::base])
    EXPECT_NEAR(heart().coordinates->nodes[node].apicobasal, 1, 1e-6) << node;
}

TEST(MeshCoordinates, FallInNoElementAgainstTheWayOutOfItsWall) {
  // Along the way from the left cavity outwards the transmural coordinate rises in every element of the left wall.
  const auto& [mesh, coordinates] = heart();
  std::size_t elements = 0;
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
    const Vector3 middle = test::centroid(mesh, e);
    if (coordinates->elements[e].part != HeartPart::left_wall || middle.x > -10 || middle.z > -5) continue;
    const auto& corners = mesh.tetrahedra[e];
    Real moment = 0;
    for (const Index node : corners)
      moment += (coordinates->nodes[node].transmural - coordinates->elements[e].transmural) *
                dot(mesh.nodes[node] - middle, {middle.x, middle.y, middle.z / 4});
    EXPECT_GT(moment, 0) << e;
    ++elements;
  }
  EXPECT_GT(elements, 500u);
}

TEST(MeshCoordinates, HaveTheSeptumBetweenTheCavitiesAndAngleZeroTowardsTheRight) {
  const auto& [mesh, coordinates] = heart();
  std::size_t septum = 0, right = 0;
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
    const Vector3 middle = test::centroid(mesh, e);
    const HeartPlace& place = coordinates->elements[e];
    const Real turn = std::remainder(place.rotational - std::atan2(middle.y, middle.x), 2 * std::numbers::pi);
    EXPECT_TRUE(std::hypot(middle.x, middle.y) < 5 || std::fabs(turn) < 0.06) << e;
    EXPECT_TRUE(place.part != HeartPart::septum || middle.x > 10) << e;
    EXPECT_TRUE(place.part != HeartPart::right_wall || middle.x > 5) << e;
    EXPECT_TRUE(middle.x > -5 || place.part == HeartPart::left_wall) << e;
    septum += place.part == HeartPart::septum ? 1 : 0;
    right += place.part == HeartPart::right_wall ? 1 : 0;
  }
  EXPECT_GT(septum, 300u);
  EXPECT_GT(right, 300u);
}

TEST(PlacesByCoordinates, ArePartsOfOtherPlacesAndMakeTheWholeTogether) {
  const Mesh& mesh = heart().mesh;
  const auto count = [&](const HeartRange& range) { return select_elements(mesh, heart().within(range)).size(); };
  const std::size_t left = count({.part = HeartPart::left_wall}), right = count({.part = HeartPart::right_wall});
  EXPECT_EQ(left + right, mesh.tetrahedra.size());
  const std::size_t inner = count({.transmural = {{0, 0.3}}}), outer = count({.transmural = {{0.3, 1}}});
  EXPECT_EQ(inner + outer, mesh.tetrahedra.size());
  EXPECT_GT(inner, 500u);
  EXPECT_GT(outer, 500u);
  Where ball = heart().within({.part = HeartPart::septum});
  ball.region = Sphere{{25, 0, -20}, 12};
  for (const Index node : select_nodes(mesh, ball)) {
    EXPECT_LE(norm(mesh.nodes[node] - Vector3{25, 0, -20}), 12);
    EXPECT_EQ(heart().coordinates->nodes[node].part, HeartPart::septum);
  }
  const Index last = static_cast<Index>(mesh.nodes.size());
  const Where surface{Surface{"epi"}, "here", {.rotational_deg = {{150, -150}}}, heart().coordinates};
  for (const Index node : select_nodes(mesh, surface)) {
    EXPECT_LT(node, last);
    EXPECT_LT(mesh.nodes[node].x, 0) << "on the side of the cut";
  }
}

TEST(PlacesByCoordinates, StimulateTheVolumeOfTheirElements) {
  const Mesh& mesh = heart().mesh;
  const Where layer = heart().within({.transmural = {{0, 0.4}}, .apicobasal = {{0, 0.5}}});
  const StimulatedNodes some = stimulated_nodes(mesh, layer, StimulusEdge::weighted);
  const std::vector<Index> elements = select_elements(mesh, layer);
  std::vector<Real> whole(mesh.nodes.size(), 0);
  const auto volume = [&](Index e) {
    const auto& [a, b, c, d] = mesh.tetrahedra[e];
    const Vector3 p = mesh.nodes[a];
    return dot(mesh.nodes[b] - p, cross(mesh.nodes[c] - p, mesh.nodes[d] - p)) / 6;
  };
  for (Index e = 0; e < static_cast<Index>(mesh.tetrahedra.size()); ++e)
    for (const Index node : mesh.tetrahedra[e]) whole[node] += volume(e) / 4;
  Real stimulated = 0, selected = 0;
  for (std::size_t i = 0; i < some.nodes.size(); ++i) stimulated += some.share[i] * whole[some.nodes[i]];
  for (const Index e : elements) selected += volume(e);
  EXPECT_NEAR(stimulated, selected, 1e-9 * selected);
  // A surface has no elements: its nodes count whole.
  const StimulatedNodes inside =
      stimulated_nodes(mesh, heart().within({.transmural = {{0, 0}}}), StimulusEdge::weighted);
  EXPECT_GT(inside.nodes.size(), 100u);
  EXPECT_EQ(inside.share, std::vector<Real>(inside.nodes.size(), 1));
}

TEST(PlacesByCoordinates, OfARefinedHeartAreThoseOfItsCoarseElements) {
  const Mesh fine = refine_mesh(heart().mesh, 1);
  const Where layer = heart().within({.transmural = {{0.7, 1}}});
  std::vector<Index> children;
  for (const Index e : select_elements(heart().mesh, layer))
    for (Index child = 0; child < 8; ++child) children.push_back(8 * e + child);
  EXPECT_EQ(select_elements(fine, layer), children);
}

TEST(PlacesByCoordinates, ThatSelectNothingOrAMissingVentricleAreRefused) {
  const Mesh& mesh = heart().mesh;
  const auto nowhere = heart().within({.transmural = {{0.5, 0.5}}, .apicobasal = {{0, 0}}});
  EXPECT_EQ(input_error_of([&] { select_nodes(mesh, nowhere); }).substr(0, 67),
            "here: transmural: [0.5, 0.5], apicobasal: [0, 0] selects no node: n");
  const Mesh one = test::Spheroid().mesh(2);
  const auto coordinates = std::make_shared<HeartCoordinates>(coordinates_of(one));
  const Where right{Everywhere{}, "here", {.part = HeartPart::right_wall}, coordinates};
  EXPECT_EQ(input_error_of([&] { select_elements(one, right); }),
            "here: expected ventricle: lv, as the mesh has a left ventricle alone, got 'ventricle: rv'");
  const Where left{Everywhere{}, "here", {.part = HeartPart::left_wall}, coordinates};
  EXPECT_EQ(select_elements(one, left).size(), one.tetrahedra.size());
}

TEST(MeshCoordinates, WithoutSurfacesOrADirectionOfZeroAreRefused) {
  const Mesh slab = slab_mesh({2, 2, 2}, 1, true);
  const auto error = [&](const CoordinatesConfig& config) {
    return input_error_of([&] {
      HeartSurfaces surfaces =
          surfaces_of_heart(slab, {config.surfaces, "a.yaml:3:1: where", "coordinates", "coordinates.surfaces"});
      mesh_coordinates(slab, surfaces, solve_heart_fields(slab, surfaces, "test"), config, "a.yaml:3:1: where");
    });
  };
  const std::string none = error({});
  EXPECT_EQ(none.rfind("a.yaml:3:1: where: coordinates, but the mesh has the surfaces", 0), 0u) << none;
  EXPECT_NE(none.find("expected coordinates.surfaces, or surfaces endo_lv"), std::string::npos) << none;
  CoordinatesConfig no_epi = slab_as_heart();
  (*no_epi.surfaces)[HeartSurface::epi].names.clear();
  EXPECT_NE(error(no_epi).find("nothing says what epi is: expected coordinates.surfaces.epi"), std::string::npos);
  CoordinatesConfig on_axis = slab_as_heart();
  on_axis.zero_mm = Vector3{0, 1, -7};  // below the middle of the inside
  on_axis.place = "a.yaml:4:5: coordinates.zero";
  const std::string said = error(on_axis);
  EXPECT_EQ(
      said.rfind("a.yaml:4:5: coordinates.zero: coordinates, but the long axis from the middle of endo_lv (0, 1, 1) mm",
                 0),
      0u)
      << said;
}

}  // namespace
}  // namespace cardiowarp
