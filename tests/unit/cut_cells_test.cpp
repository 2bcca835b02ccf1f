#include "meshes/cut_cells.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"

namespace cardiowarp {
namespace {

using Corners = std::vector<Index>;

/// A block of 3 × 2 × 2 cubes of which some are two prisms and some six pyramids, with bent faces, numbered at random.
struct Block {
  std::vector<Vector3> nodes;
  std::vector<Corners> cells;
  Real volume_mm3 = 3 * 2 * 2;
};

Block block(unsigned seed, Real bent) {
  Block block;
  std::mt19937 random(seed);
  constexpr int nx = 4, ny = 3, nz = 3;
  std::vector<Index> number(nx * ny * nz);
  std::iota(number.begin(), number.end(), 0);
  std::shuffle(number.begin(), number.end(), random);
  block.nodes.resize(number.size());
  std::uniform_real_distribution<Real> off(-bent, bent);
  const auto node = [&](int i, int j, int k) { return number[static_cast<std::size_t>(i + nx * (j + ny * k))]; };
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const bool is_inside = i > 0 && i < nx - 1 && j > 0 && j < ny - 1 && k > 0 && k < nz - 1;
        const Vector3 moved = is_inside ? Vector3{off(random), off(random), off(random)} : Vector3{};
        block.nodes[static_cast<std::size_t>(node(i, j, k))] = Vector3{Real(i), Real(j), Real(k)} + moved;
      }
  for (int k = 0; k + 1 < nz; ++k)
    for (int j = 0; j + 1 < ny; ++j)
      for (int i = 0; i + 1 < nx; ++i) {
        const auto at = [&](int x, int y, int z) { return node(i + x, j + y, k + z); };
        const Corners cube{at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(0, 1, 0),
                           at(0, 0, 1), at(1, 0, 1), at(1, 1, 1), at(0, 1, 1)};
        if (i == 1 && j == 0) {  // prisms along z, whose triangles meet those of the cell above
          block.cells.push_back({cube[0], cube[1], cube[2], cube[4], cube[5], cube[6]});
          block.cells.push_back({cube[0], cube[2], cube[3], cube[4], cube[6], cube[7]});
        } else if (i == 2 && k == 1) {
          const auto middle = static_cast<Index>(block.nodes.size());
          block.nodes.push_back({i + 0.5, j + 0.5, k + 0.5});
          for (const auto& [a, b, c, d] : {std::array{0, 1, 2, 3}, std::array{4, 7, 6, 5}, std::array{0, 4, 5, 1},
                                           std::array{1, 5, 6, 2}, std::array{2, 6, 7, 3}, std::array{3, 7, 4, 0}})
            block.cells.push_back({cube[a], cube[b], cube[c], cube[d], middle});
        } else {
          block.cells.push_back(cube);
        }
      }
  return block;
}

std::vector<Tetrahedron> pieces_of(const Block& block) {
  CellCutter cutter(block.nodes);
  std::vector<Tetrahedron> tetrahedra;
  for (const Corners& cell : block.cells) cutter.cut(cell, tetrahedra);
  return tetrahedra;
}

/// The faces of one tetrahedron alone, by their nodes in ascending order.
std::vector<std::array<Index, 3>> outer_faces(const std::vector<Tetrahedron>& tetrahedra) {
  std::map<std::array<Index, 3>, int> count;
  for (const auto& [a, b, c, d] : tetrahedra)
    for (std::array<Index, 3> face :
         {std::array{a, b, c}, std::array{a, b, d}, std::array{a, c, d}, std::array{b, c, d}}) {
      std::sort(face.begin(), face.end());
      ++count[face];
    }
  std::vector<std::array<Index, 3>> outer;
  for (const auto& [face, cells] : count) {
    EXPECT_LE(cells, 2);
    if (cells == 1) outer.push_back(face);
  }
  return outer;
}

TEST(CutCells, FitWhateverTheNumbersOfTheirNodesAre) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Block given = block(seed, 0.2);
    Mesh mesh;
    mesh.nodes = given.nodes;
    mesh.tetrahedra = pieces_of(given);
    mesh.element_tags.assign(mesh.tetrahedra.size(), 1);
    const auto is_on_the_outside = [&](const std::array<Index, 3>& face) {
      const auto all = [&](auto coordinate, Real value) {
        return std::ranges::all_of(
            face, [&](Index n) { return given.nodes[static_cast<std::size_t>(n)].*coordinate == value; });
      };
      return all(&Vector3::x, 0) || all(&Vector3::x, 3) || all(&Vector3::y, 0) || all(&Vector3::y, 2) ||
             all(&Vector3::z, 0) || all(&Vector3::z, 2);
    };
    for (const auto& face : outer_faces(mesh.tetrahedra)) EXPECT_TRUE(is_on_the_outside(face));
    const MeshReport report = check_mesh(mesh);
    EXPECT_EQ(report.inverted_elements, 0);
    EXPECT_NEAR(report.volume_mm3, given.volume_mm3, 1e-12);
  }
}

/// A cube with its corners in a sense that is that of VTK or the other one.
Corners cube(bool other_sense) {
  return other_sense ? Corners{0, 3, 2, 1, 4, 7, 6, 5} : Corners{0, 1, 2, 3, 4, 5, 6, 7};
}

const std::vector<Vector3> corners_of_cube{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                           {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

TEST(CutCells, ArePositiveInWhicheverSenseTheirCornersGoRound) {
  for (const bool other_sense : {false, true}) {
    Mesh mesh;
    mesh.nodes = corners_of_cube;
    EXPECT_EQ(CellCutter(mesh.nodes).cut(cube(other_sense), mesh.tetrahedra), 6U);
    mesh.element_tags.assign(6, 1);
    EXPECT_EQ(check_mesh(mesh).inverted_elements, 0);
  }
}

TEST(CutCells, OfAHexahedronAreFiveWhereNoDiagonalEndsAtTheCornerOppositeToTheFirst) {
  // the neighbors of the last corner come before the other corners of their faces
  std::vector<Vector3> nodes = corners_of_cube;
  for (const std::size_t corner : {2, 5, 7}) nodes[corner].x -= 1.5;
  nodes[0].x = -5;
  std::vector<Tetrahedron> tetrahedra;
  EXPECT_EQ(CellCutter(nodes).cut(cube(false), tetrahedra), 5U);
  std::set<std::set<Index>> pieces;
  for (const Tetrahedron& nodes_of_piece : tetrahedra) pieces.emplace(nodes_of_piece.begin(), nodes_of_piece.end());
  EXPECT_EQ(pieces, (std::set<std::set<Index>>{{0, 2, 5, 7}, {2, 5, 6, 7}, {0, 4, 5, 7}, {0, 1, 2, 5}, {0, 2, 3, 7}}));
}

TEST(CutCells, ThatLieSideBySideWithNodesOfTheirOwnAreCutAlike) {
  std::vector<Vector3> nodes = corners_of_cube;
  for (const Vector3& node : corners_of_cube) nodes.push_back(node + Vector3{1, 0, 0});
  // the numbers of the second cube go the other way
  const Corners second{11, 10, 9, 8, 15, 14, 13, 12};
  std::vector<Vector3> turned = nodes;
  for (std::size_t k = 0; k < 8; ++k) turned[static_cast<std::size_t>(second[k])] = nodes[8 + k];
  CellCutter cutter(turned);
  std::vector<Tetrahedron> tetrahedra;
  cutter.cut(cube(false), tetrahedra);
  cutter.cut(second, tetrahedra);
  std::map<Index, Index> same{{second[0], 1}, {second[3], 2}, {second[7], 6}, {second[4], 5}};
  for (Tetrahedron& piece : tetrahedra)
    for (Index& node : piece)
      if (same.contains(node)) node = same[node];
  EXPECT_EQ(outer_faces(tetrahedra).size(), 20U);
}

TEST(CutCells, WithACornerTwiceHaveFewerPieces) {
  const std::vector<Vector3> nodes{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  std::vector<Tetrahedron> of_hexahedron, of_prism;
  CellCutter cutter(nodes);
  cutter.cut(Corners{0, 1, 2, 2, 3, 4, 5, 5}, of_hexahedron);
  cutter.cut(Corners{0, 1, 2, 3, 4, 5}, of_prism);
  EXPECT_EQ(of_hexahedron.size(), 3U);
  EXPECT_EQ(outer_faces(of_hexahedron), outer_faces(of_prism));
}

TEST(CutCells, AreCountedInWords) {
  std::vector<Tetrahedron> tetrahedra;
  std::vector<Triangle> triangles;
  CellCutter cutter(corners_of_cube);
  EXPECT_TRUE(cutter.remarks().empty());
  cutter.cut(cube(false), tetrahedra);
  cutter.cut({0, 1, 2, 3}, triangles);
  cutter.cut(Corners{0, 1, 2, 3, 4}, tetrahedra);
  EXPECT_EQ(cutter.remarks(), (std::vector<std::string>{"1 hexahedron, 1 pyramid became 8 tetrahedra",
                                                        "1 quadrangle became 2 triangles"}));
  cutter.cut(Corners{0, 1, 2, 3, 7, 6, 5, 4}, tetrahedra);
  EXPECT_EQ(cutter.remarks().back(), "1 of the cells that were cut is folded, so that pieces overlap");
}

}  // namespace
}  // namespace cardiowarp
