// Fibers by rule on whole meshes: exact in a slab, turned and numbered as the mesh is, smooth in free walls, and what
// is said of meshes on which the rule cannot work.

#include "app/anatomy/rule_fibers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <utility>

#include "app/config/config.hpp"
#include "fem/anatomy/boundary_faces.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/generate.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/spheroid.hpp"

namespace cardiowarp {
namespace {

using test::angle_between;
using test::centroid;
using test::input_error_of;
using test::Spheroid;

constexpr Real degrees = std::numbers::pi / 180;

FiberRuleConfig with_surfaces(const std::map<HeartSurface, std::string>& names) {
  FiberRuleConfig rule;
  rule.surfaces.emplace();
  for (const auto& [surface, name] : names) (*rule.surfaces)[surface].names = {name};
  return rule;
}

const std::map<HeartSurface, std::string> sides_of_slab{
    {HeartSurface::endo_lv, "x0"}, {HeartSurface::epi, "x1"}, {HeartSurface::apex, "z0"}, {HeartSurface::base, "z1"}};

TEST(RuleFibers, AreExactInASlabWhoseElementsHaveAnyShape) {
  for (const FiberRule of : {FiberRule::ldrb, FiberRule::bayer}) {
    Mesh mesh = random_mesh({3.5, 2.5, 5}, 0.5, 7);
    FiberRuleConfig rule = with_surfaces(sides_of_slab);
    rule.rule = of;
    rule.fiber = {70, -35};
    rule.sheet = GivenWallAngles{0, 0};
    const RuleFibers made = rule_fibers(mesh, rule, "test");
    ASSERT_EQ(made.axes.size(), mesh.tetrahedra.size());
    EXPECT_EQ(made.filled, 0);
    for (std::size_t e = 0; e < made.axes.size(); ++e) {
      const Real angle = (70 - 105 * centroid(mesh, e).x / 3.5) * degrees;
      EXPECT_LT(norm(made.axes[e].fiber - Vector3{0, std::cos(angle), std::sin(angle)}), 1e-7) << e;
      EXPECT_LT(norm(made.axes[e].sheet - Vector3{1, 0, 0}), 1e-7);
      EXPECT_LT(norm(cross(made.axes[e].fiber, made.axes[e].sheet_normal) - made.axes[e].sheet), 1e-12);
    }
  }
}

TEST(RuleFibers, AreExactInASlabOfQuadraticElements) {
  const Mesh mesh = quadratic_mesh(slab_mesh({3, 2, 4}, 1, true));
  const RuleFibers made = rule_fibers(mesh, with_surfaces(sides_of_slab), "test");
  for (std::size_t e = 0; e < made.axes.size(); ++e) {
    const Real angle = (60 - 120 * centroid(mesh, e).x / 3) * degrees;
    EXPECT_LT(norm(made.axes[e].fiber - Vector3{0, std::cos(angle), std::sin(angle)}), 1e-7) << e;
  }
}

/// A rotation about an axis that is no coordinate axis, and a shift.
Vector3 moved(Vector3 p, bool is_point) {
  const Vector3 axis = (1 / std::sqrt(Real(14))) * Vector3{1, 2, 3};
  const Real c = std::cos(1.1), s = std::sin(1.1);
  const Vector3 turned = c * p + s * cross(axis, p) + ((1 - c) * dot(axis, p)) * axis;
  return is_point ? turned + Vector3{10, -20, 30} : turned;
}

TEST(RuleFibers, OfAMovedHeartAreMovedWithIt) {
  const Mesh mesh = biventricle_mesh(6);
  Mesh other = mesh;
  for (Vector3& node : other.nodes) node = moved(node, true);
  const RuleFibers here = rule_fibers(mesh, {}, "test"), there = rule_fibers(other, {}, "test");
  for (std::size_t e = 0; e < here.axes.size(); ++e)
    EXPECT_LT(angle_between(moved(here.axes[e].fiber, false), there.axes[e].fiber), 1e-3) << e;
}

TEST(RuleFibers, OfARenumberedHeartAreThoseOfTheSameElements) {
  const Mesh mesh = biventricle_mesh(6);
  const Renumbering other = renumbered_with_surfaces(mesh, 11);
  const RuleFibers here = rule_fibers(mesh, {}, "test"), there = rule_fibers(other.mesh, {}, "test");
  for (std::size_t e = 0; e < there.axes.size(); ++e)
    EXPECT_LT(angle_between(here.axes[other.element_order[e]].fiber, there.axes[e].fiber), 1e-3) << e;
}

/// Calls `look` with the elements on both sides of each face inside a mesh.
template <class Look>
void for_each_pair(const Mesh& mesh, const Look& look) {
  std::map<std::array<Index, 3>, std::size_t> first;
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
    for (int k = 0; k < 4; ++k) {
      std::array<Index, 3> face{};
      for (int i = 0, at = 0; i < 4; ++i)
        if (i != k) face[at++] = mesh.tetrahedra[e][i];
      std::ranges::sort(face);
      const auto [found, is_new] = first.insert({face, e});
      if (!is_new) look(found->second, e);
    }
}

/// The largest angle between neighbors in the free walls, away from apex, base and septum, in degrees.
Real largest_jump_in_free_walls(const Mesh& mesh, FiberRule of) {
  FiberRuleConfig rule;
  rule.rule = of;
  rule.fiber = {60, -60};
  const RuleFibers made = rule_fibers(mesh, rule, "test");
  Real largest = 0;
  for_each_pair(mesh, [&](std::size_t a, std::size_t b) {
    for (const std::size_t e : {a, b}) {
      const Vector3 p = centroid(mesh, e);
      const bool is_left_wall = p.x<-5, is_right_wall = p.x> 40;
      if (p.z < -45 || (!is_left_wall && !is_right_wall)) return;
    }
    largest = std::max(largest, angle_between(made.axes[a].fiber, made.axes[b].fiber));
  });
  return largest;
}

TEST(RuleFibers, DoNotJumpBetweenNeighborsInFreeWallsAsThoseOfThePrintedRuleDo) {
  const Mesh mesh = biventricle_mesh(2.5);  // the walls turn by 120 degrees over 4 and 10 mm
  EXPECT_LT(largest_jump_in_free_walls(mesh, FiberRule::ldrb), 60);
  EXPECT_GT(largest_jump_in_free_walls(mesh, FiberRule::bayer), 75);
}

TEST(RuleFibers, FindTheSurfacesOfAHeartThatNamesNone) {
  const Mesh named = biventricle_mesh(4);
  Mesh mesh = named;
  mesh.triangles.clear();
  mesh.triangle_tags.clear();
  mesh.surface_names.clear();
  const HeartSurfaces known = surfaces_of_heart(named, {.place = "test"}),
                      found = surfaces_of_heart(mesh, {.place = "test"});
  ASSERT_TRUE(found.found.has_value());
  for (const HeartSurface surface : heart_surfaces)
    EXPECT_EQ(found.nodes[surface], known.nodes[surface]) << name_of(surface);
  EXPECT_EQ(found.kind(), HeartKind::two_ventricles);
  // The areas of half ellipsoids, less what the ventricles share; from the triangles of the groups.
  OfSurface<Real> area;
  for (std::size_t t = 0; t < named.triangles.size(); ++t)
    for (const HeartSurface surface :
         {HeartSurface::endo_lv, HeartSurface::endo_rv, HeartSurface::epi, HeartSurface::base})
      if (named.surface_names.at(name_of(surface)) == named.triangle_tags[t])
        area[surface] += face_geometry(named, named.triangles[t]).area;
  for (const HeartSurface surface :
       {HeartSurface::endo_lv, HeartSurface::endo_rv, HeartSurface::epi, HeartSurface::base})
    EXPECT_NEAR(found.found->area_mm2[surface], area[surface], 1e-6 * area[surface]) << name_of(surface);
}

TEST(RuleFibers, ShareNodesOfTwoSurfacesOutInTheOrderOfTheSurfaces) {
  Mesh mesh = Spheroid().mesh(2);
  for (int& tag : mesh.triangle_tags)
    if (tag == 13) tag = 12;  // the base belongs to the epicardium, which so meets the endocardium
  mesh.surface_names.erase("base");
  FiberRuleConfig rule;
  EXPECT_NE(input_error_of([&] { rule_fibers(mesh, rule, "test"); }).find("all nodes of base"), std::string::npos)
      << "nothing but the apex is left for a base";
  mesh.surface_names.erase("apex");
  const HeartSurfaces surfaces = surfaces_of_heart(mesh, {rule.surfaces, "test"});
  EXPECT_EQ(surfaces.shared[HeartSurface::epi], 18u);
  for (const Index node : surfaces.nodes[HeartSurface::epi])
    EXPECT_FALSE(std::ranges::binary_search(surfaces.nodes[HeartSurface::endo_lv], node));
}

TEST(RuleFibers, FindTheApexFarthestFromTheBaseOnTheLeftVentricle) {
  const Mesh mesh = biventricle_mesh(5);
  RuleFibers made = rule_fibers(mesh, {}, "test");
  for (const Index node : made.surfaces.nodes[HeartSurface::apex])
    EXPECT_LT(norm(mesh.nodes[node] - Vector3{0, 0, -75}), 0.05 * 75 + 1e-6);
  EXPECT_FALSE(made.surfaces.nodes[HeartSurface::apex].empty());
  EXPECT_NE(made.surfaces.origin[HeartSurface::apex].find("(0, 0, -75)"), std::string::npos)
      << made.surfaces.origin[HeartSurface::apex];
}

TEST(RuleFibers, OfElementsBetweenNodesOfOneSurfaceAreThoseOfTheirNeighbors) {
  Mesh mesh = slab_mesh({2, 2, 2}, 1, true);
  // A tetrahedron that stands on a face of x1 with its tip, which belongs to x1 as well.
  const auto on_side = [&](std::size_t t) { return mesh.triangle_tags[t] == mesh.surface_names.at("x1"); };
  std::size_t t = 0;
  while (!on_side(t)) ++t;
  const Triangle foot = mesh.triangles[t];
  const auto tip = static_cast<Index>(mesh.nodes.size());
  mesh.nodes.push_back((Real(1) / 3) * (mesh.nodes[foot[0]] + mesh.nodes[foot[1]] + mesh.nodes[foot[2]]) +
                       Vector3{0.5, 0, 0});
  mesh.tetrahedra.push_back({foot[0], foot[1], foot[2], tip});
  mesh.element_tags.push_back(1);
  mesh.triangles.push_back({foot[0], foot[1], tip});
  mesh.triangle_tags.push_back(mesh.surface_names.at("x1"));
  check_mesh(mesh);
  const RuleFibers made = rule_fibers(mesh, with_surfaces(sides_of_slab), "test");
  EXPECT_EQ(made.filled, 1);
  EXPECT_EQ(made.first_filled, static_cast<Index>(mesh.tetrahedra.size()) - 1);
  EXPECT_NEAR(made.axes.back().fiber.x, 0, 0.05);
  EXPECT_NEAR(norm(cross(made.axes.back().fiber, made.axes.back().sheet_normal) - made.axes.back().sheet), 0, 1e-12);
  const std::vector<std::string> lines = in_words(made, {});
  EXPECT_NE(lines.back().find("1 of 49 elements"), std::string::npos) << lines.back();
}

TEST(RuleFibers, RefuseMeshesThatLackASurface) {
  const Mesh heart = biventricle_mesh(8);
  const auto message = [&](const Mesh& mesh, const FiberRuleConfig& rule) {
    return input_error_of([&] { rule_fibers(mesh, rule, "a.yaml:3:1: fibers.source"); });
  };
  const auto has = [](const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
  };

  Mesh mesh = heart;
  mesh.surface_names.erase("endo_lv");
  std::string said = message(mesh, {});
  EXPECT_TRUE(has(said, "a.yaml:3:1: fibers.source: rule, but nothing says what endo_lv is")) << said;
  EXPECT_TRUE(has(said, "base (14), endo_rv (13), epi (11)")) << said;

  FiberRuleConfig rule;
  rule.surfaces.emplace();
  (*rule.surfaces)[HeartSurface::endo_lv] = {{"endo_vl"}, "a.yaml:4:1: fibers.surfaces.endo_lv"};
  said = message(heart, rule);
  EXPECT_TRUE(has(said, "a.yaml:4:1: fibers.surfaces.endo_lv: unknown surface 'endo_vl'")) << said;

  mesh = heart;  // a surface between the two ventricles, inside the mesh
  const Tetrahedron& first = mesh.tetrahedra[7];
  mesh.triangles.push_back({first[0], first[1], first[2]});
  mesh.triangle_tags.push_back(99);
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
    const auto inside = [&](Index node) {
      return std::ranges::none_of(heart.triangles,
                                  [&](const Triangle& t) { return std::ranges::find(t, node) != t.end(); });
    };
    if (std::ranges::count_if(mesh.tetrahedra[e], inside) < 1) continue;
    Triangle face{mesh.tetrahedra[e][0], mesh.tetrahedra[e][1], mesh.tetrahedra[e][2]};
    if (std::ranges::none_of(face, inside)) face[0] = mesh.tetrahedra[e][3];
    mesh.triangles.back() = face;
    break;
  }
  (*rule.surfaces)[HeartSurface::endo_lv].names = {"99"};
  said = message(mesh, rule);
  EXPECT_TRUE(has(said, "endo_lv touches nothing: its 3 nodes")) << said;

  mesh = heart;
  mesh.nodes.insert(mesh.nodes.end(), {{100, 0, 0}, {101, 0, 0}, {100, 1, 0}, {100, 0, 1}});
  const auto begin = static_cast<Index>(heart.nodes.size());
  mesh.tetrahedra.push_back({begin, begin + 1, begin + 2, begin + 3});
  mesh.element_tags.push_back(1);
  said = message(mesh, {});
  EXPECT_TRUE(has(said, "connected part 2 of 2")) << said;
  EXPECT_TRUE(has(said, "has no endocardium")) << said;

  Mesh slab = slab_mesh({3, 2, 2}, 1, true);
  said = message(slab, {});
  EXPECT_TRUE(has(said, "flat pieces of its surface none separates an outside from one or two cavities")) << said;
}

TEST(RuleFibers, HaveTheAnglesOfTheLeftVentricleInTheRightOneUnlessItHasItsOwn) {
  FiberRuleConfig rule;
  EXPECT_NEAR(rule.angles().right.endocardium, 60 * degrees, 1e-15);
  rule.fiber.endocardium_deg = 0;  // an angle of 0 is an angle
  EXPECT_EQ(rule.angles().left.endocardium, 0);
  EXPECT_EQ(rule.angles().right.endocardium, 0);
  rule.fiber.endocardium_deg = 50;
  rule.right = RightVentricleConfig{{0, {}}, {}};
  EXPECT_EQ(rule.angles().right.endocardium, 0);
  EXPECT_NEAR(rule.angles().right.epicardium, -60 * degrees, 1e-15);
  rule.rule = FiberRule::bayer;
  EXPECT_NEAR(rule.angles().left.epicardium, -50 * degrees, 1e-15);
  EXPECT_NEAR(rule.angles().right_sheet.endocardium, -65 * degrees, 1e-15);
}

}  // namespace
}  // namespace cardiowarp
