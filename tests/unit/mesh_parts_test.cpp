#include "fem/mesh_parts.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fem/elements_of_groups.hpp"
#include "fem/further_tags.hpp"
#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/generate.hpp"
#include "tests/support/input_error_of.hpp"

namespace cardiowarp {
namespace {

using Keeps = std::vector<std::uint8_t>;
using test::input_error_of;

/// A bar of three cubes with the tags 7, 30 and 33; the second has 7 as a further tag.
Mesh three_cubes() {
  Mesh mesh = slab_mesh({3, 1, 1}, 1, true);
  TagSets sets;
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    Real x = 0;
    for (const Index node : mesh.tetrahedra[element]) x += mesh.nodes[static_cast<std::size_t>(node)].x / 4;
    mesh.element_tags[element] = x < 1 ? 7 : x < 2 ? 30 : 33;
    mesh.further_element_tags.set_of_cell.push_back(
        sets.number_of(x > 1 && x < 2 ? std::vector{7} : std::vector<int>()));
    mesh.fibers.push_back({x, 1, 0});
  }
  mesh.further_element_tags.sets = sets.sets();
  mesh.volume_names = {{"lv", 7}, {"scar", 33}};
  return mesh;
}

int sum(const Keeps& keeps) {
  int number = 0;
  for (const std::uint8_t keep : keeps) number += keep;
  return number;
}

TEST(PartOfAMesh, HasItsElementsWithTagsFibersAndNames) {
  const Mesh mesh = three_cubes();
  Mesh part = part_of_mesh(mesh, elements_of_groups(mesh, "lv", ""));
  EXPECT_EQ(part.tetrahedra.size(), 12);
  EXPECT_EQ(part.fibers.size(), 12);
  EXPECT_EQ(part.volume_names, (std::map<std::string, int>{{"lv", 7}}));
  EXPECT_EQ(cells_of_tags(part.element_tags, part.further_element_tags),
            (std::map<int, std::size_t>{{7, 12}, {30, 6}}));
  for (std::size_t element = 0; element < 12; ++element) EXPECT_LT(part.fibers[element].x, 2);
  const MeshReport report = check_mesh(part);
  EXPECT_EQ(report.unreferenced_nodes, 4);
  EXPECT_DOUBLE_EQ(report.volume_mm3, 2);
  for (const int tag : part.triangle_tags) EXPECT_NE(tag, mesh.surface_names.at("x1"));
}

TEST(GroupsOfAMesh, AreNamesTagsAndRanges) {
  const Mesh mesh = three_cubes();
  EXPECT_EQ(sum(elements_of_groups(mesh, "scar", "")), 6);
  EXPECT_EQ(sum(elements_of_groups(mesh, "30-33", "")), 12);
  EXPECT_EQ(sum(elements_of_groups(mesh, "30-32,scar", "")), 12);
  EXPECT_EQ(sum(elements_of_groups(mesh, "-5-7", "")), 12);
  EXPECT_EQ(sum(elements_of_groups(mesh, "", "lv")), 6);
  EXPECT_EQ(sum(elements_of_groups(mesh, "7", "30")), 6);
}

TEST(GroupsOfAMesh, AreRefusedWhereThereAreNoneOrNothingIsLeft) {
  const Mesh mesh = three_cubes();
  const std::string expected = ": expected groups out of lv, scar, 7, 30, 33, got ";
  EXPECT_EQ(input_error_of([&] { elements_of_groups(mesh, "scat", ""); }),
            "--keep" + expected + "'scat'; did you mean 'scar'?");
  EXPECT_EQ(input_error_of([&] { elements_of_groups(mesh, "lv,34-99", ""); }), "--keep" + expected + "'34-99'");
  EXPECT_EQ(input_error_of([&] { elements_of_groups(mesh, "", "lv,"); }), "--drop" + expected + "''");
  EXPECT_EQ(input_error_of([&] { elements_of_groups(mesh, "33-30", ""); }), "--keep" + expected + "'33-30'");
  EXPECT_EQ(input_error_of([&] { elements_of_groups(mesh, "30", "lv"); }),
            "--drop: expected groups that leave elements, got 'lv'");
}

TEST(CoincidingNodes, BecomeOneWhereverTheyAre) {
  // Each element with nodes of its own, moved by less than the distance, also across the borders of any grid.
  const Mesh whole = slab_mesh({3, 2, 2}, 1, true);
  Mesh pieces = whole;
  pieces.nodes.clear();
  pieces.triangles.clear();
  pieces.triangle_tags.clear();
  constexpr Real distance = 1e-3;
  for (auto& tetrahedron : pieces.tetrahedra)
    for (Index& node : tetrahedron) {
      Vector3 place = whole.nodes[static_cast<std::size_t>(node)];
      node = static_cast<Index>(pieces.nodes.size());
      const auto shift = static_cast<Real>(node % 3 - 1) * 0.4 * distance;
      place = place + Vector3{shift, -shift, shift};
      pieces.nodes.push_back(place);
    }
  const auto nodes = static_cast<Index>(pieces.nodes.size());
  EXPECT_EQ(merge_coinciding_nodes(pieces, distance), nodes - static_cast<Index>(whole.nodes.size()));
  const MeshReport report = check_mesh(pieces);
  EXPECT_EQ(pieces.nodes.size(), whole.nodes.size());
  EXPECT_NEAR(report.volume_mm3, 12, 0.1);
}

TEST(CoincidingNodes, ThatAreFartherApartStay) {
  Mesh mesh = slab_mesh({5, 3, 3}, 1, true);
  const std::vector<Tetrahedron> before = mesh.tetrahedra;
  EXPECT_EQ(merge_coinciding_nodes(mesh, 0.1), 0);
  EXPECT_EQ(mesh.tetrahedra, before);
}

}  // namespace
}  // namespace cardiowarp
