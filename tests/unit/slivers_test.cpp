#include "app/advice/slivers.hpp"

#include <gtest/gtest.h>

#include "fem/mesh.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {
namespace {

/// Tetrahedra on one triangle, each with its last node this high above it.
Mesh tetrahedra_of_heights(const std::vector<Real>& heights) {
  Mesh mesh;
  mesh.nodes = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}};
  for (const Real height : heights) {
    mesh.tetrahedra.push_back({0, 1, 2, static_cast<Index>(mesh.nodes.size())});
    mesh.nodes.push_back({0.5, 0.25, height});
  }
  return mesh;
}

TEST(SliverWarning, NamesTheFlattestElementItsNodesPlaceAndHeight) {
  EXPECT_EQ(
      sliver_warning(tetrahedra_of_heights({1, 1e-9, 0.5})),
      "1 sliver: element 1 (nodes 0, 1, 2, 4) at (0.625, 0.3125, 2.5e-10) mm has a height of 1e-09 mm and a longest "
      "edge of 2.24 mm: it ties its nodes together like a short circuit, and linear systems take more iterations or "
      "do not converge; remesh there");
  const std::string several = sliver_warning(tetrahedra_of_heights({1, 1e-3, 1e-7, 1e-5}));
  EXPECT_TRUE(several.starts_with("3 slivers: element 2 (nodes 0, 1, 2, 5) at ")) << several;
  EXPECT_NE(several.find("has a height of 1e-07 mm, the least relative to its size, and"), std::string::npos);
}

TEST(SliverWarning, CountsNodesAsTheFileDoes) {
  Mesh mesh = tetrahedra_of_heights({1e-9});
  mesh.node_in_file = {7, 8, 9, 13};
  EXPECT_NE(sliver_warning(mesh).find("element 0 (nodes 7, 8, 9, 13) at"), std::string::npos);
}

TEST(SliverWarning, IsNotGivenForMeshesAsTheyAreMade) {
  EXPECT_EQ(sliver_warning(tetrahedra_of_heights({0.0023})), "");
  EXPECT_EQ(sliver_warning(slab_mesh({7, 3, 2}, 0.4, true)), "");
  EXPECT_EQ(sliver_warning(biventricle_mesh(7)), "");
}

}  // namespace
}  // namespace cardiowarp
