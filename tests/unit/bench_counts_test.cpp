// What `bench` counts without a GPU: colors, errors of single precision, and how near to each other x is read.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "app/bench/bandwidth_order.hpp"
#include "app/bench/color_counts.hpp"
#include "app/bench/row_locality.hpp"
#include "app/bench/single_error.hpp"
#include "kernels/libraries/metis_parts.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 20;

/// A cell of a table with the rows of one mesh.
template <class Value>
Value cell(const Table& table, std::size_t row, const std::string& column) {
  const auto place = std::find(table.columns.begin(), table.columns.end(), column) - table.columns.begin();
  return std::get<Value>(table.rows.at(row).at(place));
}

Table colors_of(const Mesh& mesh) {
  Table table = color_table();
  add_colors(table, "mesh", mesh);
  return table;
}

/// Tetrahedra with one common node and no other.
Mesh fan(int elements) {
  Mesh mesh;
  mesh.nodes = {{0, 0, 0}};
  for (int e = 0; e < elements; ++e) {
    const auto first = static_cast<Index>(mesh.nodes.size());
    for (int k = 0; k < 3; ++k) mesh.nodes.push_back({1.0 * e, 1.0 * k, 0.5 * k * k});
    mesh.tetrahedra.push_back({0, first, first + 1, first + 2});
  }
  return mesh;
}

TEST(ColorCounts, ElementsWithACommonNodeHaveAColorEachInEveryOrder) {
  const Table table = colors_of(fan(300));
  ASSERT_EQ(table.rows.size(), 4u);
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(cell<std::int64_t>(table, row, "most_at_a_node"), 300);
    EXPECT_EQ(cell<std::int64_t>(table, row, "colors"), 300);
    EXPECT_EQ(cell<std::int64_t>(table, row, "smallest_color"), 1);
    EXPECT_EQ(cell<std::int64_t>(table, row, "colors_below_1024_elements"), 300);
    EXPECT_EQ(cell<std::int64_t>(table, row, "block_colors"), 2);        // blocks of 256 and 44 elements
    EXPECT_EQ(cell<double>(table, row, "mean_colors_in_a_block"), 150);  // 256 and 44
    EXPECT_EQ(cell<std::int64_t>(table, row, "most_colors_in_a_block"), 256);
    EXPECT_EQ(cell<double>(table, row, "mean_nodes_of_a_block"), 451);  // 769 and 133
  }
}

TEST(ColorCounts, ElementsWithoutACommonNodeHaveOneColor) {
  Mesh mesh;
  for (int e = 0; e < 2; ++e)
    for (int k = 0; k < 4; ++k) mesh.nodes.push_back({1.0 * k, 1.0 * k * k, 5.0 * e});
  mesh.tetrahedra = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  const Table table = colors_of(mesh);
  EXPECT_EQ(cell<std::int64_t>(table, 0, "colors"), 1);
  EXPECT_EQ(cell<std::int64_t>(table, 0, "smallest_color"), 2);
}

TEST(ColorCounts, OrdersOfElementsHaveEachElementOnce) {
  const Mesh mesh = random_mesh({4, 3, 3}, 0.5, seed);
  for (const ElementOrder& order : element_orders(mesh)) {
    std::vector<Index> sorted = order.element, all(mesh.tetrahedra.size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(sorted == all, order.name == "mesh") << order.name;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, all) << order.name;
  }
}

TEST(SingleError, AFormulaOfItsOwnInDoublePrecisionGivesTheMatrixOfTheBench) {
  const Mesh mesh = random_mesh({5, 4, 3}, 0.7, seed);
  const BenchMatrix matrix = mesh_matrix("box", mesh);
  EXPECT_LT(single_error(matrix, values_computed_in<double>(in_local_order(mesh), matrix)).mean, 1e-14);
}

TEST(SingleError, TheErrorOfCoordinatesGrowsAsTheMeshIsRefinedAndThatOfStorageDoesNot) {
  Table table = single_error_table();
  for (const Real edge_mm : {1.0, 0.25}) {
    Mesh mesh = random_mesh({6, 6, 6}, edge_mm, seed);
    for (Vector3& node : mesh.nodes) node = node + Vector3{60.3, -40.7, 80.1};
    add_single_errors(table, "box", mesh);
  }
  ASSERT_EQ(table.rows.size(), 6u);
  for (const std::size_t coarse : {0, 1, 2})
    EXPECT_EQ(std::get<std::string>(table.rows[coarse][3]), (std::vector{"stored", "coordinates", "all"}[coarse]));
  for (const std::size_t stored : {0, 3}) {
    EXPECT_LE(cell<double>(table, stored, "largest_relative_error"), 0x1p-24);
    EXPECT_GT(cell<double>(table, stored, "mean_relative_error"), 1.5e-8);
    EXPECT_LT(cell<double>(table, stored, "solution_error"), 0x1p-24);
  }
  for (const std::size_t coarse : {1, 2})
    for (const char* column : {"mean_error", "solution_error"})
      EXPECT_GT(cell<double>(table, coarse + 3, column), 1.6 * cell<double>(table, coarse, column)) << column;
}

/// A path through all rows, numbered at random.
BenchMatrix shuffled_path(Index rows) {
  BenchMatrix path{"path", {0}, {}, {}};
  for (Index row = 0; row < rows; ++row) {
    for (Index column = std::max(row - 1, 0); column <= std::min(row + 1, rows - 1); ++column)
      path.column.push_back(column);
    path.row_begin.push_back(static_cast<Index>(path.column.size()));
  }
  path.value.assign(path.column.size(), 1);
  std::vector<Index> order(rows);
  for (Index i = 0; i < rows; ++i) order[i] = static_cast<Index>(std::int64_t{37} * i % rows);
  return in_order(path, order);
}

TEST(ReverseCuthillMckee, APathAndPiecesOfItGetTheSmallestBandwidth) {
  const BenchMatrix path = shuffled_path(101);
  EXPECT_GT(row_locality(path, {}).largest_distance, 1);
  const BenchMatrix ordered = in_order(path, reverse_cuthill_mckee({path.row_begin, path.column}));
  EXPECT_EQ(row_locality(ordered, {}).largest_distance, 1);

  BenchMatrix pieces{"pieces", {0}, {}, {}};  // 0 - 3, 1 - 4, and 2 alone
  for (const std::vector<Index>& row : std::vector<std::vector<Index>>{{0, 3}, {1, 4}, {2}, {0, 3}, {1, 4}}) {
    pieces.column.insert(pieces.column.end(), row.begin(), row.end());
    pieces.row_begin.push_back(static_cast<Index>(pieces.column.size()));
  }
  pieces.value.assign(pieces.column.size(), 1);
  std::vector<Index> order = reverse_cuthill_mckee({pieces.row_begin, pieces.column});
  EXPECT_EQ(row_locality(in_order(pieces, order), {}).largest_distance, 1);
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, (std::vector<Index>{0, 1, 2, 3, 4}));
}

TEST(RowLocality, CountsTheSectorsOfAWarpAndThePadding) {
  BenchMatrix matrix{"steps", {0}, {}, {}};  // 64 rows, of which every second has its diagonal and an entry 4 further
  for (Index row = 0; row < 64; ++row) {
    matrix.column.push_back(row);
    if (row % 2 == 0) matrix.column.push_back((row + 4) % 64);
    matrix.row_begin.push_back(static_cast<Index>(matrix.column.size()));
  }
  matrix.value.assign(matrix.column.size(), 1);
  const RowLocality unsorted = row_locality(matrix, {.sorted = false}), sorted = row_locality(matrix, {});
  EXPECT_EQ(unsorted.sectors_k1, 9);  // 32 rows in a row are 8 sectors, and one behind them
  EXPECT_EQ(unsorted.sectors_k1rs, 9);
  EXPECT_EQ(sorted.sectors_k1, 16);   // every second row of the 64
  EXPECT_EQ(sorted.sectors_k1rs, 8);  // side by side
  EXPECT_NEAR(unsorted.padding, 128.0 / 96, 1e-15);
  EXPECT_EQ(sorted.padding, 1);
  EXPECT_NEAR(unsorted.mean_distance, (30 * 4 + 2 * 60) / 96.0, 1e-15);
  EXPECT_EQ(unsorted.largest_distance, 60);
}

TEST(BenchOrders, AllHaveTheEntriesOfTheMatrix) {
  const Mesh mesh = random_mesh({12, 12, 12}, 0.5, seed);
  const BenchMatrix given = mesh_matrix("box", mesh);
  const auto sorted_values = [](const BenchMatrix& matrix, bool of_diagonal) {
    std::vector<Real> values;
    for (Index row = 0; row < matrix.rows(); ++row)
      for (Index e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e)
        if (!of_diagonal || matrix.column[e] == row) values.push_back(matrix.value[e]);
    std::sort(values.begin(), values.end());
    return values;
  };
  for (const std::string name : {"hilbert", "mesh", "rcm", "metis", "metis_nodes"}) {
    if (name.starts_with("metis") && !has_metis()) continue;
    const BenchMatrix ordered = in_bench_order(given, mesh, parse_bench_order(name));
    EXPECT_EQ(ordered.node_order, name == "metis" ? "hilbert" : name);
    for (const bool of_diagonal : {false, true})
      EXPECT_EQ(sorted_values(ordered, of_diagonal), sorted_values(given, of_diagonal)) << name;
    EXPECT_EQ(ordered.column == given.column, name == "hilbert" || name == "metis") << name;
  }
}

}  // namespace
}  // namespace cardiowarp
