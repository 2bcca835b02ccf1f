// Meshes that Gmsh has divided among processors, in every way that it offers, are read as they were before.

#include <gmsh.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/generate.hpp"
#include "meshes/gmsh_file.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;
using test::read_text;
using test::TemporaryDirectory;
using test::write_text;

/// 4.1, binary, with entities between the parts, with groups of the parts, with ghosts, one partition an element
/// in 2.2, of quadratic elements.
using Way = std::tuple<bool, bool, bool, bool, bool, bool, bool>;

class PartitionedMsh : public testing::TestWithParam<Way> {};

INSTANTIATE_TEST_SUITE_P(Ways, PartitionedMsh,
                         testing::Combine(testing::Bool(), testing::Bool(), testing::Bool(), testing::Bool(),
                                          testing::Bool(), testing::Bool(), testing::Bool()));

/// Two volumes, a third that has something of both, and the sides of a box, some of whose triangles are in a second
/// surface. One side is left in no group, so that parts of nothing are among the parts.
Mesh box(bool quadratic) {
  Mesh mesh = slab_mesh({4, 2, 2}, 1, true);
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
    mesh.element_tags[e] = e < mesh.tetrahedra.size() / 2 ? 5 : 7;
  mesh.volume_names = {{"lv", 5}, {"rv", 7}};
  std::replace(mesh.triangle_tags.begin(), mesh.triangle_tags.end(), 16, 0);
  mesh.surface_names.erase("z1");
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
    mesh.further_element_tags.set_of_cell.push_back(e % 3 == 0 ? 1 : 0);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    mesh.further_triangle_tags.set_of_cell.push_back(t % 5 == 0 && mesh.triangle_tags[t] != 0 ? 1 : 0);
  mesh.further_element_tags.sets = mesh.further_triangle_tags.sets = {{}, {19}};
  mesh.volume_names["third"] = 19;
  return quadratic ? quadratic_mesh(std::move(mesh)) : mesh;
}

/// Cells with their tags, named by the places of their corners: Gmsh may number the nodes anew.
template <std::size_t Corners>
auto by_place(const Mesh& mesh, const std::vector<std::array<Index, Corners>>& cells, const std::vector<int>& tags,
              const FurtherTags& further) {
  std::vector<std::pair<std::array<std::array<Real, 3>, Corners>, std::vector<int>>> result;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (Corners == 3 && tags[i] == 0) continue;
    auto& [places, all] = result.emplace_back();
    for (std::size_t k = 0; k < Corners; ++k) {
      const Vector3& p = mesh.nodes[static_cast<std::size_t>(cells[i][k])];
      places[k] = {p.x, p.y, p.z};
    }
    std::ranges::sort(places);
    all.push_back(tags[i]);
    all.insert(all.end(), further.of(i).begin(), further.of(i).end());
  }
  std::sort(result.begin(), result.end());
  return result;
}

TEST_P(PartitionedMsh, HasEveryElementOnceWithTheGroupItHadAndNoTrianglesBetweenTheParts) {
  const auto [version_4, binary, between, groups, ghosts, one_partition, quadratic] = GetParam();
  const TemporaryDirectory directory;
  const fs::path file = directory / "box.msh";
  const Mesh whole = box(quadratic);
  write_mesh(whole, file);
  {
    const GmshSession gmsh;
    gmsh::open(file.string());
    gmsh::option::setNumber("Mesh.PartitionCreateTopology", between);
    gmsh::option::setNumber("Mesh.PartitionCreatePhysicals", groups);
    gmsh::option::setNumber("Mesh.PartitionCreateGhostCells", ghosts);
    gmsh::option::setNumber("Mesh.PartitionOldStyleMsh2", one_partition);
    gmsh::option::setNumber("Mesh.MshFileVersion", version_4 ? 4.1 : 2.2);
    gmsh::option::setNumber("Mesh.Binary", binary);
    try {
      gmsh::model::mesh::partition(3);
    } catch (...) {
      GTEST_SKIP() << "this Gmsh cannot partition";
    }
    gmsh::write(file.string());
  }
  EXPECT_EQ(read_text(file).find("$PartitionedEntities") != std::string::npos, version_4);
  Mesh read = read_mesh(file);
  EXPECT_EQ(check_mesh(read).unreferenced_nodes, 0);  // and makes one of the elements that 2.2 has for each group
  EXPECT_EQ(by_place(read, read.tetrahedra, read.element_tags, read.further_element_tags),
            by_place(whole, whole.tetrahedra, whole.element_tags, whole.further_element_tags));
  EXPECT_EQ(by_place(read, read.triangles, read.triangle_tags, read.further_triangle_tags),
            by_place(whole, whole.triangles, whole.triangle_tags, whole.further_triangle_tags));
  EXPECT_EQ(read.edge_nodes.size(), whole.edge_nodes.size());
  EXPECT_EQ(read.volume_names, whole.volume_names);
  EXPECT_EQ(read.surface_names, whole.surface_names);
}

const std::string parts =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 1 5 0\n$EndEntities\n"
    "$PartitionedEntities\n2\n0\n0 0 1 2\n"
    "3 3 1 2 1 2 0 0 0 1 1 1 1 6 0\n"
    "2 3 1 1 1 0 0 0 1 1 1 1 8 1 3\n3 3 1 1 2 0 0 0 1 1 1 0 1 3\n$EndPartitionedEntities\n"
    "$Nodes\n1 5 1 5\n3 2 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n2 2 2\n$EndNodes\n"
    "$Elements\n3 3 1 3\n3 2 4 1\n1 1 2 3 4\n3 3 4 1\n2 2 3 4 5\n2 3 2 1\n3 2 3 4\n$EndElements\n";

TEST(PartsByHand, HaveTheGroupOfTheirParent) {
  const TemporaryDirectory directory;
  write_text(directory / "a.msh", parts);
  const Mesh mesh = read_mesh(directory / "a.msh");
  EXPECT_EQ(mesh.element_tags, (std::vector<int>{5, 5}));
  EXPECT_TRUE(mesh.triangles.empty());
}

}  // namespace
}  // namespace cardiowarp
