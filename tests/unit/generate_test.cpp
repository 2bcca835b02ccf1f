#include "meshes/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <numbers>
#include <set>

#include "meshes/gmsh_file.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/mesh_measures.hpp"

namespace cardiowarp {
namespace {

using namespace test;

Vector3 centroid(const Mesh& mesh, const Triangle& nodes) {
  return (1.0 / 3) * (mesh.nodes[nodes[0]] + mesh.nodes[nodes[1]] + mesh.nodes[nodes[2]]);
}

Real mean_edge(const Mesh& mesh) {
  Real sum = 0;
  for (const Tetrahedron& nodes : mesh.tetrahedra)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < i; ++j) sum += norm(mesh.nodes[nodes[i]] - mesh.nodes[nodes[j]]);
  return sum / (6 * static_cast<Real>(mesh.tetrahedra.size()));
}

/// The tagged triangles are the whole boundary, and no face is missing a neighbour inside.
void expect_whole_boundary_tagged(const Mesh& mesh) {
  const auto [boundary, inner, wrong] = faces_by_use(mesh);
  EXPECT_TRUE(wrong.empty());
  EXPECT_EQ(boundary, sorted_triangles(mesh.triangles));
}

TEST(Gmsh, ThatCrashesIsAnErrorOfWhatItWasToMake) {
  EXPECT_EQ(input_error_of([] {
              mesh_made_by_gmsh("mesh biventricle", [] {
                std::signal(SIGABRT, SIG_DFL);
                std::abort();
              });
            }),
            "mesh biventricle: Gmsh made no mesh: it ended with a crash, 'Aborted'");
}

TEST(RegularSlab, OfOneCellIsSixTetrahedraAroundOneDiagonal) {
  const Mesh mesh = slab_mesh({1, 1, 1}, 1, true);
  ASSERT_EQ(mesh.nodes.size(), 8u);
  ASSERT_EQ(mesh.tetrahedra.size(), 6u);
  EXPECT_EQ(mesh.triangles.size(), 12u);
  for (const Tetrahedron& nodes : mesh.tetrahedra) {
    EXPECT_DOUBLE_EQ(volume(mesh, nodes), 1.0 / 6);
    EXPECT_EQ(std::set<Index>(nodes.begin(), nodes.end()).count(0), 1u);
    EXPECT_EQ(std::set<Index>(nodes.begin(), nodes.end()).count(7), 1u);
  }
}

TEST(RegularSlab, NumbersItsNodesAlongXFirstThenYThenZ) {
  const Mesh mesh = slab_mesh({2, 3, 4}, 1, true);
  ASSERT_EQ(mesh.nodes.size(), 3u * 4u * 5u);
  EXPECT_EQ(mesh.nodes[1], (Vector3{1, 0, 0}));
  EXPECT_EQ(mesh.nodes[3], (Vector3{0, 1, 0}));
  EXPECT_EQ(mesh.nodes[12], (Vector3{0, 0, 1}));
  EXPECT_EQ(mesh.nodes.back(), (Vector3{2, 3, 4}));
}

TEST(RegularSlab, RoundsToWholeCellsAndKeepsItsSize) {
  const Mesh mesh = slab_mesh({20, 7, 0.2}, 1.5, true);
  EXPECT_EQ(mesh.tetrahedra.size(), 6u * 13 * 5 * 1);
  EXPECT_EQ(mesh.nodes.back(), (Vector3{20, 7, 0.2}));
  EXPECT_NEAR(volume_of_tag(mesh, mesh.volume_names.at("slab")), 20 * 7 * 0.2, 1e-11);
}

TEST(RegularSlab, FitsTogetherAndTagsItsWholeBoundary) { expect_whole_boundary_tagged(slab_mesh({3, 2, 4}, 1, true)); }

class SlabSides : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(RegularAndNot, SlabSides, testing::Values(true, false));

TEST_P(SlabSides, LieWhereTheirNamesSay) {
  const Vector3 size{3, 2, 1};
  const Mesh mesh = slab_mesh(size, 0.5, GetParam());
  const auto areas = area_of_tags(mesh);
  ASSERT_EQ(mesh.surface_names.size(), 6u);
  for (const auto& [name, area] : {std::pair{"x", 2.0}, std::pair{"y", 3.0}, std::pair{"z", 6.0}})
    for (const char* end : {"0", "1"})
      EXPECT_NEAR(areas.at(mesh.surface_names.at(std::string(name) + end)), area, 1e-12) << name << end;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Vector3 p = centroid(mesh, mesh.triangles[t]);
    for (const auto& [name, tag] : mesh.surface_names) {
      if (tag != mesh.triangle_tags[t]) continue;
      const Real place = name[0] == 'x' ? p.x / size.x : name[0] == 'y' ? p.y / size.y : p.z / size.z;
      EXPECT_NEAR(place, name[1] - '0', 1e-12) << name;
    }
  }
}

TEST_P(SlabSides, PointOutwards) {
  const Vector3 size{3, 2, 1};
  const Mesh mesh = slab_mesh(size, 0.5, GetParam());
  for (const Triangle& nodes : mesh.triangles)
    EXPECT_GT(dot(area_vector(mesh, nodes), centroid(mesh, nodes) - 0.5 * size), 0);
}

TEST(UnstructuredSlab, FillsItsBoxWithGoodTetrahedraOfTheEdgeAskedFor) {
  const Mesh mesh = slab_mesh({6, 4, 3}, 0.8, false);
  EXPECT_NEAR(volume_of_tag(mesh, mesh.volume_names.at("slab")), 72, 1e-9);
  EXPECT_NEAR(mean_edge(mesh), 0.8, 0.12);
  EXPECT_GT(smallest_radius_ratio(mesh), 0.15);
  expect_whole_boundary_tagged(mesh);
}

TEST(Slab, RefusesSizesAndEdgesThatMakeNoMesh) {
  EXPECT_EQ(input_error_of([] {
              slab_mesh({1, 1, 1}, 0, true);
            }),
            "mesh slab: edge: expected a length above 0 mm, got 0 mm");
  EXPECT_EQ(input_error_of([] {
              slab_mesh({1, 1, 1}, std::nan(""), false);
            }),
            "mesh slab: edge: expected a length above 0 mm, got nan mm");
  EXPECT_EQ(input_error_of([] {
              slab_mesh({1, -7, 1}, 1, true);
            }),
            "mesh slab: size: expected three lengths above 0 mm, got -7 mm");
  EXPECT_EQ(
      input_error_of([] {
        slab_mesh({20, 7, 3}, 0.001, true);
      }),
      "mesh slab: edge 0.001 mm on 20 x 7 x 3 mm makes 4.202e+11 nodes and 2.52e+12 tetrahedra: at most 2147483647 "
      "of each");
}

class Biventricle : public testing::Test {
 protected:
  static void SetUpTestSuite() { mesh_ = new Mesh(biventricle_mesh(4)); }
  static void TearDownTestSuite() { delete mesh_; }

  std::vector<Vector3> centroids(const char* surface) const {
    std::vector<Vector3> result;
    for (std::size_t t = 0; t < mesh_->triangles.size(); ++t)
      if (mesh_->triangle_tags[t] == mesh_->surface_names.at(surface))
        result.push_back(centroid(*mesh_, mesh_->triangles[t]));
    return result;
  }

  static inline const Mesh* mesh_ = nullptr;
};

// The dimensions that docs/method/meshes.md states.
Real level(Vector3 p, Real centre_x, Real a, Real b, Real c) { return norm({(p.x - centre_x) / a, p.y / b, p.z / c}); }
Real lv_outer(Vector3 p) { return level(p, 0, 33, 33, 75); }
Real lv_inner(Vector3 p) { return level(p, 0, 23, 23, 67); }
Real rv_outer(Vector3 p) { return level(p, 27, 39, 34, 64); }
Real rv_inner(Vector3 p) { return level(p, 27, 35, 30, 60); }

TEST_F(Biventricle, HasTheVolumesOfItsEllipsoids) {
  const Real lv = 2 * std::numbers::pi / 3 * (33 * 33 * 75 - 23 * 23 * 67);
  EXPECT_NEAR(volume_of_tag(*mesh_, mesh_->volume_names.at("lv")), lv, 0.01 * lv);

  Real rv = 0;  // counted on a grid
  constexpr Real step = 0.5;
  for (Real x = -15; x < 70; x += step)
    for (Real y = -40; y < 40; y += step)
      for (Real z = -65 + step / 2; z < 0; z += step) {
        const Vector3 p{x, y, z};
        if (rv_outer(p) < 1 && rv_inner(p) > 1 && lv_outer(p) > 1) rv += step * step * step;
      }
  EXPECT_NEAR(volume_of_tag(*mesh_, mesh_->volume_names.at("rv")), rv, 0.01 * rv);
}

TEST_F(Biventricle, TagsItsWholeBoundary) { expect_whole_boundary_tagged(*mesh_); }

TEST_F(Biventricle, JoinsItsVentriclesAtSharedFaces) {
  const auto boundary_of = [&](const char* volume) {
    Mesh part;
    for (std::size_t e = 0; e < mesh_->tetrahedra.size(); ++e)
      if (mesh_->element_tags[e] == mesh_->volume_names.at(volume)) part.tetrahedra.push_back(mesh_->tetrahedra[e]);
    return faces_by_use(part)[0];
  };
  const auto lv = boundary_of("lv"), rv = boundary_of("rv");
  std::vector<Triangle> shared;
  std::set_intersection(lv.begin(), lv.end(), rv.begin(), rv.end(), std::back_inserter(shared));
  EXPECT_GT(shared.size(), 100u);
}

TEST_F(Biventricle, HasOnlyPositiveTetrahedraOfGoodShapeAndTheEdgeAskedFor) {
  for (const Tetrahedron& nodes : mesh_->tetrahedra) EXPECT_GT(volume(*mesh_, nodes), 0);
  EXPECT_GT(smallest_radius_ratio(*mesh_), 0.1);
  EXPECT_NEAR(mean_edge(*mesh_), 4, 0.6);
}

TEST_F(Biventricle, NamesEachSurfaceByItsPlace) {
  // Middles of flat triangles lie inside the curved face by up to edge² / (8 radius): 0.1 mm in 23.
  for (const Vector3 p : centroids("base")) EXPECT_NEAR(p.z, 0, 1e-9);
  for (const Vector3 p : centroids("endo_lv")) EXPECT_NEAR(lv_inner(p), 1, 0.02);
  for (const Vector3 p : centroids("epi")) {
    EXPECT_NEAR(std::min(std::abs(lv_outer(p) - 1), std::abs(rv_outer(p) - 1)), 0, 0.02);
    EXPECT_GT(rv_outer(p), 0.98);
  }
  std::size_t septum = 0, free_wall = 0;
  for (const Vector3 p : centroids("endo_rv")) {
    EXPECT_LT(rv_inner(p), 1.02);
    EXPECT_NEAR(std::min(std::abs(lv_outer(p) - 1), std::abs(rv_inner(p) - 1)), 0, 0.02);
    ++(std::abs(lv_outer(p) - 1) < std::abs(rv_inner(p) - 1) ? septum : free_wall);
  }
  EXPECT_GT(septum, 100u);
  EXPECT_GT(free_wall, 100u);
}

TEST_F(Biventricle, IsTheSameMeshEachTime) {
  const Mesh again = biventricle_mesh(4);
  EXPECT_TRUE(again.nodes == mesh_->nodes);
  EXPECT_TRUE(again.tetrahedra == mesh_->tetrahedra);
  EXPECT_TRUE(again.triangles == mesh_->triangles);
}

TEST_F(Biventricle, HasAsManyNodesAsItsEdgeAllows) {
  const std::size_t coarsest = biventricle_mesh(8).nodes.size(), coarse = biventricle_mesh(5.5).nodes.size();
  EXPECT_LT(coarsest, 1500u);
  EXPECT_NEAR(static_cast<Real>(coarse), 3000, 600);
  EXPECT_GT(mesh_->nodes.size(), 5000u);
}

TEST(BiventricleEdge, OutsideItsRangeIsRefused) {
  EXPECT_EQ(input_error_of([] { biventricle_mesh(0.05); }),
            "mesh biventricle: edge: expected 0.1 to 8 mm, got 0.05 mm");
  EXPECT_EQ(input_error_of([] { biventricle_mesh(9); }), "mesh biventricle: edge: expected 0.1 to 8 mm, got 9 mm");
}

}  // namespace
}  // namespace cardiowarp
