// Cells whose parameters come from arrays of the mesh, at its nodes.

#include "app/simulation/nodal_cells.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "fem/element_volume.hpp"
#include "fem/mesh.hpp"
#include "meshes/generate.hpp"
#include "tests/support/input_error_of.hpp"

namespace cardiowarp {
namespace {

class NodalCellsTest : public testing::Test {
 protected:
  /// A bar of 7 mm whose right part, from 3 mm on, is of the second kind.
  void SetUp() override {
    mesh = slab_mesh({7, 1, 1}, 1, true);
    for (const Tetrahedron& t : mesh.tetrahedra) {
      Real x = 0;
      for (const Index node : t) x += mesh.nodes[node].x / 4;
      kind.push_back(x < 3 ? 0 : 1);
    }
    kinds = {ionic_cell(*ionic_models().front()), ionic_cell(*ionic_models().front(), 2)};
  }
  NodalCells made(const std::vector<std::vector<VariedParameter>>& varied) const {
    return nodal_cells(mesh, kinds, varied, kind);
  }
  /// Fills an array of the points.
  template <class Value>
  void add_points(const Value& value) {
    MeshValues& values = mesh.values.emplace_back(MeshValues{"a", true, {}});
    for (const Vector3& node : mesh.nodes) values.values.push_back(value(node.x));
  }
  Real parameter(const NodalCells& cells, std::uint16_t of, std::size_t node, std::size_t number) const {
    return cells.cells[cells.cell(of, static_cast<Index>(node))].parameters[number];
  }

  Mesh mesh;
  std::vector<std::uint16_t> kind;
  std::vector<IonicCell> kinds;
};

TEST_F(NodalCellsTest, HaveTheValuesOfPointsExactlyWhereThereAreFew) {
  add_points([](Real x) { return 0.1 + x / 30; });
  const NodalCells cells = made({{{3, 0}}, {}});
  std::set<Real> different;
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
    const Real x = mesh.nodes[node].x;
    EXPECT_EQ(cells.cell(1, static_cast<Index>(node)), 1) << "a kind without arrays";
    if (x > 3) continue;
    EXPECT_EQ(parameter(cells, 0, node, 3), 0.1 + x / 30);
    EXPECT_EQ(parameter(cells, 0, node, 4), kinds[0].parameters[4]);
    different.insert(x);
  }
  EXPECT_EQ(cells.cells.size(), 2 + different.size());
  EXPECT_TRUE(cells.remarks.empty());
}

TEST_F(NodalCellsTest, FactorsAndValuesMeetInOneCell) {
  add_points([](Real x) { return x < 5 ? 2.0 : 3.0; });
  add_points([](Real x) { return x < 6 ? 0.25 : 0.5; });
  const NodalCells cells = made({{}, {{3, 0, true}, {4, 1}}});
  EXPECT_EQ(cells.cells.size(), 2U + 3U);
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
    const Real x = mesh.nodes[node].x;
    if (x < 3) continue;
    EXPECT_EQ(parameter(cells, 1, node, 3), (x < 5 ? 2 : 3) * kinds[1].parameters[3]);
    EXPECT_EQ(parameter(cells, 1, node, 4), x < 6 ? 0.25 : 0.5);
    EXPECT_EQ(cells.cells[cells.cell(1, static_cast<Index>(node))].set, 2U);
  }
}

TEST_F(NodalCellsTest, ManyValuesAreRoundedToEqualSteps) {
  mesh = slab_mesh({20, 15, 15}, 1, true);
  kind.assign(mesh.tetrahedra.size(), 0);
  MeshValues& values = mesh.values.emplace_back(MeshValues{"a", true, {}});
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
    values.values.push_back(0.5 + 0.25 * std::sin(static_cast<Real>(node)));
  ASSERT_GT(mesh.nodes.size(), 5000U);
  const NodalCells cells = made({{{3, 0}}, {}});
  EXPECT_LE(cells.cells.size(), 2U + 4096U);
  Real largest = 0;
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
    largest = std::max(largest, std::abs(parameter(cells, 0, node, 3) - values.values[node]));
  EXPECT_GT(largest, 0);
  EXPECT_LE(largest, 0.5 / 4095 / 2 * 1.001);
  ASSERT_EQ(cells.remarks.size(), 1U);
  EXPECT_NE(cells.remarks[0].find("the values of 'a' are rounded to 4096 equal steps of 0.000122"), std::string::npos)
      << cells.remarks[0];
}

TEST_F(NodalCellsTest, OfSeveralArraysAreFewEnoughForTheirNumbers) {
  mesh = slab_mesh({40, 40, 40}, 1, true);
  kind.assign(mesh.tetrahedra.size(), 0);
  for (const Real factor : {1.0, 1.7}) {
    MeshValues& values = mesh.values.emplace_back(MeshValues{"a", true, {}});
    for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
      values.values.push_back(0.5 + 0.25 * std::sin(factor * static_cast<Real>(node)));
  }
  ASSERT_GT(mesh.nodes.size(), 65'536U);
  const NodalCells cells = made({{{3, 0}, {4, 1}}, {}});
  EXPECT_LE(cells.cells.size(), 60'000U);
  EXPECT_GT(cells.cells.size(), 1000U);
  for (std::size_t node = 0; node < mesh.nodes.size(); node += 97)
    EXPECT_NEAR(parameter(cells, 0, node, 4), mesh.values[1].values[node], 0.01);
}

TEST_F(NodalCellsTest, HaveTheMeanOfTheElementsOfTheirKind) {
  MeshValues& values = mesh.values.emplace_back(MeshValues{"a", false, {}});
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
    values.values.push_back(kind[e] == 0 ? 0.01 * static_cast<Real>(e % 5) : 7);
  const NodalCells cells = made({{{3, 0}}, {}});
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
    if (mesh.nodes[node].x > 3) continue;
    Real sum = 0, volume = 0;
    for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
      if (kind[e] == 0 && std::ranges::find(mesh.tetrahedra[e], static_cast<Index>(node)) != mesh.tetrahedra[e].end()) {
        sum += element_volume(mesh, e) * values.values[e];
        volume += element_volume(mesh, e);
      }
    EXPECT_NEAR(parameter(cells, 0, node, 3), sum / volume, 1e-12);
  }
}

TEST_F(NodalCellsTest, KnowThePlacesOfNodesInAFileThatHadMore) {
  mesh.node_in_file.resize(mesh.nodes.size());
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
    mesh.node_in_file[node] = static_cast<Index>(2 * node + 1);
  MeshValues& values = mesh.values.emplace_back(MeshValues{"a", true, {}});
  for (std::size_t k = 0; k < 2 * mesh.nodes.size(); ++k) values.values.push_back(static_cast<Real>(k));
  const NodalCells cells = made({{{3, 0}}, {}});
  EXPECT_EQ(parameter(cells, 0, 0, 3), 1);
  EXPECT_EQ(parameter(cells, 0, 1, 3), 3);
}

TEST_F(NodalCellsTest, WithAParameterOutOfItsRangeAreRefused) {
  add_points([](Real x) { return 1 - x; });
  const std::string message = test::input_error_of([&] {
    made({{{3, 0, true, "file.yaml:3:7: cell_model.parameters.g_Kr.array"}}, {}});
  });
  EXPECT_NE(
      message.find("file.yaml:3:7: cell_model.parameters.g_Kr.array: expected values of 'a' with which g_Kr is in "
                   "its range, 0 to inf, got -0.153 (factor -1) at node "),
      std::string::npos)
      << message;
  mesh.values[0].values.assign(mesh.nodes.size(), NAN);
  EXPECT_NE(test::input_error_of([&] { made({{{3, 0}}, {}}); }).find("got nan at node 0"), std::string::npos);
}

TEST_F(NodalCellsTest, FollowTheOrderOfNodesAndStandInPointsOfTheirs) {
  add_points([](Real x) { return x; });
  const NodalCells cells = made({{{3, 0}}, {{3, 0}}});
  std::vector<Index> reversed;
  for (auto node = static_cast<Index>(mesh.nodes.size()); node-- > 0;) reversed.push_back(node);
  const NodalCells other = selected_cells(cells, reversed);
  for (std::size_t k = 0; k < reversed.size(); ++k)
    EXPECT_EQ(other.cell(1, static_cast<Index>(k)), cells.cell(1, reversed[k]));

  // Two nodes of different cells, of which the first has points of both kinds.
  Index other_node = 0;
  while (cells.cell(1, other_node) == cells.cell(1, 0)) ++other_node;
  VertexPoints points;
  points.begin.assign(static_cast<std::size_t>(other_node) + 1, 2);
  points.begin.front() = 0;
  points.begin.push_back(3);
  points.cell_model = {1, 0, 1};
  const VertexPoints with = with_nodal_cells(points, cells);
  EXPECT_EQ(with.cell_model,
            (std::vector<std::uint16_t>{cells.cell(1, 0), cells.cell(0, 0), cells.cell(1, other_node)}));
}

}  // namespace
}  // namespace cardiowarp
