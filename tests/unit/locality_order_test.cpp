#include <gtest/gtest.h>

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

#include "app/simulation/renumbering.hpp"
#include "assembly/build_sparsity.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/locality_order.hpp"
#include "kernels/sparse/ell_warp_choice.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

std::vector<Index> sorted(std::vector<Index> values) {
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<Index> first_numbers(std::size_t n) {
  std::vector<Index> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// Centers of the 2^k cells a side of a cube, in a random order.
std::vector<Vector3> cube(int k, unsigned seed) {
  std::vector<Vector3> points;
  const int side = 1 << k;
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y)
      for (int z = 0; z < side; ++z) points.push_back({x + 0.5, y + 0.5, z + 0.5});
  std::shuffle(points.begin(), points.end(), std::mt19937(seed));
  return points;
}

/// Skilling's program as he printed it: 21 levels.
std::uint64_t place_by_skilling(std::array<std::uint32_t, 3> cell) {
  constexpr int levels = 21;
  for (std::uint32_t level = 1u << (levels - 1); level > 1; level >>= 1)
    for (std::uint32_t& coordinate : cell) {
      const std::uint32_t exchange = coordinate & level ? 0 : (cell[0] ^ coordinate) & (level - 1);
      if (coordinate & level) cell[0] ^= level - 1;
      cell[0] ^= exchange;
      coordinate ^= exchange;
    }
  cell[1] ^= cell[0];
  cell[2] ^= cell[1];
  std::uint32_t flip = 0;
  for (std::uint32_t level = 1u << (levels - 1); level > 1; level >>= 1)
    if (cell[2] & level) flip ^= level - 1;
  std::uint64_t place = 0;
  for (int bit = levels - 1; bit >= 0; --bit)
    for (const std::uint32_t coordinate : cell) place = place << 1 | ((coordinate ^ flip) >> bit & 1u);
  return place;
}

std::vector<Index> order_by_skilling(const std::vector<Vector3>& points) {
  Vector3 low = points.front(), high = low;
  for (const Vector3& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const Real side = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
  std::vector<std::uint64_t> place;
  for (const Vector3& p : points) {
    const Vector3 cell = (side > 0 ? ((1u << 21) - 1) / side : 0) * (p - low);
    place.push_back(place_by_skilling(
        {static_cast<std::uint32_t>(cell.x), static_cast<std::uint32_t>(cell.y), static_cast<std::uint32_t>(cell.z)}));
  }
  std::vector<Index> order = first_numbers(points.size());
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return place[a] < place[b]; });
  return order;
}

TEST(LocalityOrder, IsThatOfSkillingsProgramForAnyNumberOfThreads) {
  std::mt19937 generator(5);
  const int threads_before = omp_get_max_threads();
  for (const Vector3 size : {Vector3{1, 1, 1}, Vector3{1e-3, 70, 2}, Vector3{0, 1e9, 0}}) {
    std::vector<Vector3> points;
    std::uniform_real_distribution<Real> part(-1, 1);
    for (int i = 0; i < 40'001; ++i)
      points.push_back({size.x * part(generator), size.y * part(generator), size.z * std::round(4 * part(generator))});
    const std::vector<Index> expected = order_by_skilling(points);
    for (const int threads : {1, 2, 3, 7, 16}) {
      omp_set_num_threads(threads);
      ASSERT_EQ(locality_order(points), expected) << threads;
    }
  }
  omp_set_num_threads(threads_before);
}

TEST(LocalityOrder, StepsFromCellToNeighboringCellThroughACube) {
  for (const int k : {1, 2, 4}) {
    const std::vector<Vector3> points = cube(k, 3);
    const std::vector<Index> order = locality_order(points);
    ASSERT_EQ(sorted(order), first_numbers(points.size()));
    for (std::size_t i = 1; i < order.size(); ++i)
      ASSERT_DOUBLE_EQ(norm(points[order[i]] - points[order[i - 1]]), 1) << "step " << i;
  }
}

TEST(LocalityOrder, FillsCompactRegions) {
  const std::vector<Vector3> points = cube(5, 4);
  const std::vector<Index> order = locality_order(points);
  for (std::size_t begin = 0; begin < points.size(); begin += 512) {  // each of 8 × 8 × 8 cells
    Vector3 low = points[order[begin]], high = low;
    for (std::size_t i = begin; i < begin + 512; ++i) {
      const Vector3 p = points[order[i]];
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    ASSERT_EQ(high - low, (Vector3{7, 7, 7}));
  }
}

TEST(LocalityOrder, KeepsTheOrderOfPointsThatCoincideAndOfNone) {
  EXPECT_EQ(locality_order({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(locality_order({{5, 0, 0}, {1, 0, 0}, {3, 0, 0}}), (std::vector<Index>{1, 2, 0}));
  EXPECT_TRUE(locality_order({}).empty());
}

TEST(Renumbering, KeepsTheProblemAndSortsRowsInsideWindows) {
  const Mesh mesh = random_mesh({6, 5, 4}, 0.5, 6);
  Problem problem = resting_problem(mesh, 1, 0.5);
  problem.matrix = {MatrixFormat::ell_warp, {.renumbering = EllWarpRenumbering::rows, .window = 64}, 0};
  const auto other = choose_solver_and_order(problem, cpu_device());
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
    const Index input = other.element_in_input[e];
    EXPECT_EQ(other.problem.diffusivity[e].fiber, problem.diffusivity[input].fiber);
    for (int i = 0; i < 4; ++i)
      ASSERT_EQ(other.node_in_input[other.problem.mesh->tetrahedra[e][i]], mesh.tetrahedra[input][i]);
  }
  const Sparsity sparsity = build_sparsity(other.problem.mesh->tetrahedra, static_cast<Index>(mesh.nodes.size()));
  const auto length = [&](Index row) { return sparsity.row_begin[row + 1] - sparsity.row_begin[row]; };
  Index differences = 0;
  for (Index row = 1; row < sparsity.rows(); ++row)
    if (row % 64 != 0) {
      EXPECT_LE(length(row), length(row - 1)) << row;
      differences += length(row) != length(row - 1);
    }
  EXPECT_GT(differences, 10);

  // K1r: the key is the place before the sort, so it is ascending where rows of one length are neighbors.
  ASSERT_EQ(other.column_key.size(), mesh.nodes.size());
  for (Index row = 1; row < sparsity.rows(); ++row) {
    EXPECT_EQ(other.column_key[row] / 64, row / 64);
    if (row % 64 != 0 && length(row) == length(row - 1)) {
      EXPECT_GT(other.column_key[row], other.column_key[row - 1]);
    }
  }
}

TEST(Renumbering, IsByLocalityAloneWhereTheFormatDoesNotSort) {
  const Mesh mesh = random_mesh({3, 3, 2}, 0.5, 6);
  Problem problem = resting_problem(mesh, 1, 0.5);
  problem.matrix.format = MatrixFormat::cusparse;
  const auto locality = choose_solver_and_order(problem, nvidia_h200()).node_in_input;
  for (const EllWarpVariant variant : {EllWarpVariant::k1, EllWarpVariant::k2}) {
    problem.matrix = {MatrixFormat::ell_warp, {.variant = variant, .window = 64}, 0};
    const auto other = choose_solver_and_order(problem, nvidia_h200());
    EXPECT_EQ(other.node_in_input, locality);
    EXPECT_TRUE(other.column_key.empty());
  }
}

TEST(Renumbering, PutsRowsOfOneLengthBesideEachOtherForCompressedRows) {
  const Mesh mesh = random_mesh({3, 3, 2}, 0.5, 6);
  Problem problem = resting_problem(mesh, 1, 0.5);
  problem.matrix.ell_warp.window = 64;
  const auto renumbered = choose_solver_and_order(problem, cpu_device());
  EXPECT_EQ(format_name(renumbered.problem.matrix), "csr");
  const Index nodes = static_cast<Index>(mesh.nodes.size());
  const std::vector<Index> length = row_lengths(build_sparsity(renumbered.problem.mesh->tetrahedra, nodes).row_begin);
  ASSERT_GT(nodes, 64);
  for (Index begin = 0; begin < nodes; begin += 64)
    EXPECT_TRUE(std::is_sorted(length.begin() + begin, length.begin() + std::min(begin + 64, nodes), std::greater<>()));
}

TEST(MatrixFormat, IsChosenFromTheMachineAndOnAGpuByTheRule) {
  const std::vector<Index> even(200'000, 7), skewed{14, 400, 9};
  EXPECT_EQ(format_name(chosen_options({}, cpu_device(), skewed)), "csr");
  EXPECT_EQ(format_name(chosen_options({}, nvidia_h200(), even)), "k1rs");
  EXPECT_EQ(format_name(chosen_options({}, nvidia_h200(), {})), "k1rs");
  const MatrixOptions k2rs = chosen_options({.ell_warp = {.window = 96}}, nvidia_h200(), skewed);
  const EllWarpChoice rule = choose_ell_warp(skewed, 96, nvidia_h200());
  EXPECT_EQ(format_name(k2rs), "k2rs");
  EXPECT_EQ(k2rs.ell_warp.threshold, rule.options.threshold);
  EXPECT_EQ(k2rs.ell_warp.window, 96);
  EXPECT_EQ(k2rs.block_size, rule.block_size);
  EXPECT_EQ(chosen_options({.block_size = 1024}, nvidia_h200(), skewed).block_size, 1024);  // what was asked for
  EXPECT_EQ(format_name(chosen_options({.format = MatrixFormat::cusparse}, nvidia_h200(), even)), "cusparse");
  EXPECT_EQ(format_name(chosen_options({.format = MatrixFormat::cusparse}, cpu_device(), even)), "csr");
  EXPECT_EQ(format_name(chosen_options({.format = MatrixFormat::csr}, nvidia_h200(), even)), "csr");
}

}  // namespace
}  // namespace cardiowarp
