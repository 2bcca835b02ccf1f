// Elements and triangles in several physical groups: read from every kind of .msh, written and read again.

#include <gmsh.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "fem/further_tags.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/generate.hpp"
#include "meshes/gmsh_file.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/msh_file.hpp"
#include "meshes/opencarp_file.hpp"
#include "tests/support/small_mesh.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;
using test::write_text;
using Tags = std::vector<int>;
using Names = std::map<std::string, int>;

/// All tags of each cell, the first in front.
std::vector<Tags> all_tags(const std::vector<int>& tags, const FurtherTags& further) {
  std::vector<Tags> all;
  for (std::size_t cell = 0; cell < tags.size(); ++cell) {
    all.push_back({tags[cell]});
    all.back().insert(all.back().end(), further.of(cell).begin(), further.of(cell).end());
  }
  return all;
}
std::vector<Tags> element_tags(const Mesh& mesh) { return all_tags(mesh.element_tags, mesh.further_element_tags); }
std::vector<Tags> triangle_tags(const Mesh& mesh) { return all_tags(mesh.triangle_tags, mesh.further_triangle_tags); }

const std::string nodes_4 = "$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n2 2 2\n$EndNodes\n";
const std::string nodes_2 = "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 2 2 2\n$EndNodes\n";
const std::string names =
    "$PhysicalNames\n5\n3 3 \"scar\"\n3 5 \"lv\"\n3 9 \"heart\"\n2 5 \"epi\"\n2 7 \"paced\"\n$EndPhysicalNames\n";

TEST(Groups, OfAnEntityAreAllKeptWhateverTheirSigns) {
  const Mesh mesh = read_msh_text(
      "a.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n" + names +
                   "$Entities\n0 0 2 2\n1 0 0 0 1 1 1 2 7 -5 0\n2 0 0 0 1 1 1 1 -7 0\n"
                   "1 0 0 0 1 1 1 3 -5 3 9 0\n2 0 0 0 1 1 1 2 9 -9 0\n$EndEntities\n" +
                   nodes_4 +
                   "$Elements\n4 4 1 4\n2 1 2 1\n3 1 2 3\n2 2 2 1\n4 3 4 5\n3 2 4 1\n2 2 3 4 5\n3 1 4 1\n1 1 2 3 4\n"
                   "$EndElements\n");
  EXPECT_EQ(element_tags(mesh), (std::vector<Tags>{{3, 5, 9}, {9}}));
  EXPECT_EQ(triangle_tags(mesh), (std::vector<Tags>{{5, 7}, {7}}));
  EXPECT_EQ(mesh.volume_names, (Names{{"heart", 9}, {"lv", 5}, {"scar", 3}}));
  EXPECT_EQ(mesh.surface_names, (Names{{"epi", 5}, {"paced", 7}}));
}

TEST(Groups, OfAnElementThatVersion2RepeatsForEachAreAllKept) {
  Mesh mesh = read_msh_text("a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" + names + nodes_2 +
                                         "$Elements\n7\n1 4 2 9 1 1 2 3 4\n2 4 2 9 2 2 3 4 5\n3 2 2 7 1 1 2 3\n"
                                         "4 4 2 5 1 1 2 3 4\n4 4 2 -3 1 2 1 3 4\n6 2 2 -5 1 3 2 1\n7 2 2 7 2 3 4 5\n"
                                         "$EndElements\n");
  check_mesh(mesh);
  EXPECT_EQ(mesh.tetrahedra, (std::vector<Tetrahedron>{{0, 1, 2, 3}, {1, 2, 3, 4}}));
  EXPECT_EQ(element_tags(mesh), (std::vector<Tags>{{3, 5, 9}, {9}}));
  EXPECT_EQ(mesh.triangles.size(), 2u);
  EXPECT_EQ(triangle_tags(mesh), (std::vector<Tags>{{5, 7}, {7}}));
  EXPECT_EQ(mesh.volume_names, (Names{{"heart", 9}, {"lv", 5}, {"scar", 3}}));
}

/// A slab with 1 in everything, 2 in the first half, 4 in some, and sides that share triangles. Sizes without a factor
/// in common.
Mesh overlapping(bool quadratic) {
  Mesh mesh = slab_mesh({5, 3, 2}, 1, true);
  TagSets sets;
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
    Tags further;
    if (e < mesh.tetrahedra.size() / 2) further.push_back(2);
    if (e % 7 == 3) further.push_back(4);
    mesh.element_tags[e] = 1;
    mesh.further_element_tags.set_of_cell.push_back(sets.number_of(further));
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    mesh.further_triangle_tags.set_of_cell.push_back(sets.number_of(t % 5 == 2 ? Tags{40, 41} : Tags{}));
  mesh.further_element_tags.sets = mesh.further_triangle_tags.sets = sets.sets();
  mesh.volume_names = {{"all", 1}, {"half", 2}, {"some", 4}};
  mesh.surface_names["fifth"] = 40;
  return quadratic ? quadratic_mesh(std::move(mesh)) : mesh;
}

class GroupsWritten : public testing::TestWithParam<std::tuple<const char*, bool>> {};

INSTANTIATE_TEST_SUITE_P(Formats, GroupsWritten, testing::Combine(testing::Values("a.msh", "a.vtu"), testing::Bool()));

TEST_P(GroupsWritten, AreAllReadAgain) {
  const auto [name, quadratic] = GetParam();
  const TemporaryDirectory directory;
  const Mesh mesh = overlapping(quadratic);
  write_mesh(mesh, directory / name);
  Mesh read = read_mesh(directory / name);
  check_mesh(read);
  EXPECT_EQ(element_tags(read), element_tags(mesh));
  EXPECT_EQ(triangle_tags(read), triangle_tags(mesh));
  EXPECT_EQ(read.volume_names, mesh.volume_names);
  EXPECT_EQ(read.surface_names, mesh.surface_names);
  EXPECT_EQ(read.tetrahedra, mesh.tetrahedra);
  EXPECT_EQ(read.triangles, mesh.triangles);
}

TEST(GroupsWritten, AsOpenCarpAreTheFirstTagsAlone) {
  const TemporaryDirectory directory;
  const Mesh mesh = overlapping(false);
  write_mesh(mesh, directory / "a.pts");
  const Mesh read = read_mesh(directory / "a.pts");
  EXPECT_EQ(read.element_tags, mesh.element_tags);
  EXPECT_TRUE(read.further_element_tags.empty());
}

class GroupsByGmsh : public testing::TestWithParam<std::tuple<double, bool, bool>> {};

INSTANTIATE_TEST_SUITE_P(Kinds, GroupsByGmsh,
                         testing::Combine(testing::Values(2.2, 4.1), testing::Bool(), testing::Bool()));

/// Centers of gravity of cells with the tags of each.
template <class Cell>
std::set<std::pair<std::array<Real, 3>, Tags>> by_place(const Mesh& mesh, const std::vector<Cell>& cells,
                                                        const std::vector<Tags>& tags) {
  std::set<std::pair<std::array<Real, 3>, Tags>> result;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Vector3 sum;
    for (const Index node : cells[i]) sum = sum + mesh.nodes[static_cast<std::size_t>(node)];
    result.insert({{sum.x, sum.y, sum.z}, tags[i]});
  }
  return result;
}

TEST_P(GroupsByGmsh, AreAllRead) {
  const auto [version, binary, quadratic] = GetParam();
  const TemporaryDirectory directory;
  const Mesh mesh = overlapping(quadratic);
  const fs::path file = directory / "a.msh";
  write_mesh(mesh, file);
  {
    const GmshSession gmsh;
    gmsh::open(file.string());
    gmsh::option::setNumber("Mesh.MshFileVersion", version);
    gmsh::option::setNumber("Mesh.Binary", binary);
    gmsh::option::setNumber("Mesh.SaveAll", 0);
    gmsh::write(file.string());
  }
  Mesh read = read_mesh(file);
  check_mesh(read);
  EXPECT_EQ(read.tetrahedra.size(), mesh.tetrahedra.size());
  EXPECT_EQ(by_place(read, read.tetrahedra, element_tags(read)), by_place(mesh, mesh.tetrahedra, element_tags(mesh)));
  EXPECT_EQ(by_place(read, read.triangles, triangle_tags(read)), by_place(mesh, mesh.triangles, triangle_tags(mesh)));
  EXPECT_EQ(read.volume_names, mesh.volume_names);
  EXPECT_EQ(read.surface_names, mesh.surface_names);
}

TEST(Groups, OfAModelOfGmshAreAllKept) {
  const GmshSession session;
  Mesh mesh;
  session.run("model", [&] {
    const int solid = gmsh::model::occ::addBox(0, 0, 0, 1, 1, 1), other = gmsh::model::occ::addBox(3, 0, 0, 1, 1, 1);
    gmsh::model::occ::synchronize();
    gmsh::model::addPhysicalGroup(3, {solid, other}, 8);
    gmsh::model::setPhysicalName(3, 8, "heart");
    gmsh::model::addPhysicalGroup(3, {solid}, 3);
    gmsh::model::setPhysicalName(3, 3, "lv");
    gmsh::model::addPhysicalGroup(2, {1}, 6);
    gmsh::model::setPhysicalName(2, 6, "epi");
    gmsh::model::addPhysicalGroup(2, {-1, 2}, 5);
    gmsh::model::setPhysicalName(2, 5, "outside");
    gmsh::model::mesh::generate(3);
    mesh = mesh_from_gmsh_model();
  });
  const auto counts = cells_of_combinations(mesh.element_tags, mesh.further_element_tags);
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_GT(counts.at({3, 8}), 5u);
  EXPECT_GT(counts.at({8}), 5u);
  const auto of_triangles = cells_of_combinations(mesh.triangle_tags, mesh.further_triangle_tags);
  ASSERT_EQ(of_triangles.size(), 2u);
  EXPECT_GT(of_triangles.at({5, 6}), 1u);
  EXPECT_GT(of_triangles.at({5}), 1u);
  EXPECT_EQ(mesh.volume_names, (Names{{"heart", 8}, {"lv", 3}}));
  EXPECT_EQ(mesh.surface_names, (Names{{"epi", 6}, {"outside", 5}}));
}

TEST(Groups, GoToTheChildrenOfRefinedElements) {
  const Mesh coarse = overlapping(false), fine = refine_mesh(coarse, 1);
  const auto expect_children = [](const std::vector<Tags>& children, const std::vector<Tags>& parents,
                                  std::size_t each) {
    ASSERT_EQ(children.size(), each * parents.size());
    for (std::size_t i = 0; i < children.size(); ++i) EXPECT_EQ(children[i], parents[i / each]) << i;
  };
  expect_children(element_tags(fine), element_tags(coarse), 8);
  expect_children(triangle_tags(fine), triangle_tags(coarse), 4);
  const Mesh curved = overlapping(true), pieces = linear_pieces(curved);
  expect_children(element_tags(pieces), element_tags(curved), 8);
  expect_children(triangle_tags(pieces), triangle_tags(curved), 4);
}

}  // namespace
}  // namespace cardiowarp
