#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fem/cells/models.hpp"

namespace cardiowarp::test {

template <class List>
struct TypesOf;
template <class... Models>
struct TypesOf<CellModelList<Models...>> {
  using Types = testing::Types<Models...>;
};

/// The models of the list, for typed tests.
using AllCellModels = TypesOf<CellModels>::Types;

struct NameOfCellModel {
  template <class Cell>
  static std::string GetName(int) {  // NOLINT(readability-identifier-naming): GoogleTest calls it so
    return Cell::name;
  }
};

/// The named parameter sets of a model, or its default.
template <CellModel Cell>
std::vector<Cell> all_parameter_sets() {
  std::vector<Cell> cells;
  if constexpr (HasParameterSets<Cell>)
    for (const auto& set : Cell::parameter_sets()) cells.push_back(set.parameters);
  else
    cells.emplace_back();
  return cells;
}

/// Two different cells of a model. Switches are as wide as they may be: a narrower one is so steep that it makes of
/// the last bit of a potential more than tests of rounding allow for.
template <CellModel Cell>
std::vector<Cell> two_cells() {
  std::vector<Cell> cells{all_parameter_sets<Cell>().front(), all_parameter_sets<Cell>().back()};
  if constexpr (std::same_as<Cell, AlievPanfilov>) {
    cells.back() = {.alpha = 0.1, .gamma = 0.004, .c = 6};
  } else {
    const auto first = Cell::parameter_table().front().value;
    cells.back().*first = 0.9 * (cells.back().*first);
  }
  for (Cell& cell : cells)
    for (const auto& parameter : Cell::parameter_table())
      if (parameter.name == "switch_width") cell.*parameter.value = parameter.range.high;
  return cells;
}

/// A step with which a wave of the model runs well, ms.
template <CellModel Cell>
Real usual_step_ms() {
  Real steepest = 0;
  for (const Cell& cell : all_parameter_sets<Cell>()) steepest = std::max(steepest, cell.steepest_reaction());
  return std::min<Real>(0.2, 0.4 * Cell::scaling.ms_per_tau / steepest);
}

/// A potential from which every model fires, without a stimulus.
inline constexpr Real above_threshold = 0.4;

/// One cell from φ = `start` and its states at rest by the classical Runge–Kutta method of fourth order in steps of
/// `step_ms` up to `end_ms`; `see(φ, states)` after each.
template <CellModel Cell, class See>
void follow_beat(const Cell& cell, Real start, Real end_ms, Real step_ms, const See& see) {
  constexpr int N = Cell::states;
  struct Point {
    Real phi, state[N];
  };
  const auto moved = [&](const Point& from, const CellRates<N>& rates, Real by) {
    Point to;
    to.phi = from.phi + by * rates.f;
    for (int i = 0; i < N; ++i) to.state[i] = from.state[i] + by * rates.g[i];
    return to;
  };
  Point at{start, {}};
  for (int i = 0; i < N; ++i) at.state[i] = Cell::state_table()[i].rest;
  const Real h = Cell::scaling.tau_from_ms(step_ms);
  for (Real n = 1; n * step_ms <= end_ms; ++n) {
    const auto first = cell.rates(at.phi, at.state);
    const Point to_second = moved(at, first, h / 2);
    const auto second = cell.rates(to_second.phi, to_second.state);
    const Point to_third = moved(at, second, h / 2);
    const auto third = cell.rates(to_third.phi, to_third.state);
    const Point to_fourth = moved(at, third, h);
    const auto fourth = cell.rates(to_fourth.phi, to_fourth.state);
    at = moved(moved(moved(moved(at, first, h / 6), second, h / 3), third, h / 3), fourth, h / 6);
    see(at.phi, static_cast<const Real*>(at.state));
  }
}

}  // namespace cardiowarp::test
