// The bound of the stiffness of the cells, by which rkc2 takes its stages, against dense Jacobians by difference
// quotients.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "assembly/vertex_assembly.hpp"
#include "tests/support/all_cell_models.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 99;

/// The largest sum of magnitudes in a row of ∂(f, g)/∂(φ, s).
template <CellModel Cell>
Real largest_row_sum(const Cell& cell, Real phi, const Real* states) {
  constexpr int N = Cell::states;
  constexpr Real d = 1e-7;
  std::array<Real, N + 1> row{};
  for (int column = 0; column <= N; ++column) {
    std::array<Real, N + 1> up{}, down{};
    const auto moved = [&](Real by) {
      std::array<Real, N> at;
      std::copy_n(states, N, at.begin());
      if (column > 0) at[static_cast<std::size_t>(column - 1)] += by;
      const CellRates<N> rates = cell.rates(column == 0 ? phi + by : phi, at.data());
      std::array<Real, N + 1> all{rates.f};
      std::copy_n(rates.g, N, all.begin() + 1);
      return all;
    };
    up = moved(d);
    down = moved(-d);
    for (std::size_t i = 0; i <= N; ++i) row[i] += std::fabs(up[i] - down[i]) / (2 * d);
  }
  return *std::ranges::max_element(row);
}

template <class Cell>
class StiffnessOfEveryCellModel : public testing::Test {};
TYPED_TEST_SUITE(StiffnessOfEveryCellModel, test::AllCellModels, test::NameOfCellModel);

TYPED_TEST(StiffnessOfEveryCellModel, IsTheLargestRowSumOfADenseJacobianAtANodesPoints) {
  using Cell = TypeParam;
  constexpr int N = Cell::states, points = 3;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 generator(seed);
  std::uniform_real_distribution<Real> uniform(0, 1);
  const std::vector<Cell> cells = test::two_cells<Cell>();
  const std::array<Index, 2> begin{0, points};
  for (int sample = 0; sample < 300; ++sample) {
    const Real phi = 1.3 * uniform(generator);
    std::array<std::uint16_t, points> cell_model{};
    std::array<Real, std::size_t{N} * points> states{};
    for (auto& model : cell_model) model = static_cast<std::uint16_t>(generator() % cells.size());
    for (Real& state : states) state = uniform(generator);
    RateState state{};
    state.phi = &phi;
    state.states = states.data();
    state.points = points;
    Real expected = 0;
    for (int point = 0; point < points; ++point) {
      Real at[N];
      for (int i = 0; i < N; ++i) at[i] = states[static_cast<std::size_t>(i * points + point)];
      expected = std::max(expected, largest_row_sum(cells[cell_model[static_cast<std::size_t>(point)]], phi, at));
    }
    const VertexStiffness<Cell> stiffness{begin.data(), cell_model.data(), cells.data(), state};
    EXPECT_NEAR(stiffness(0), expected, 1e-5 * expected) << "at " << phi;
  }
}

}  // namespace
}  // namespace cardiowarp
