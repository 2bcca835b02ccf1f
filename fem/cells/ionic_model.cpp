#include "fem/cells/ionic_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "fem/cells/cell_precision.hpp"
#include "fem/cells/front.hpp"
#include "fem/cells/marched_cells.hpp"

namespace cardiowarp {
namespace {

/// Single cells and fronts are looked at in steps of this length and under this stimulus, which all models fire from.
constexpr Real step_ms = 0.005, stimulus_mv_per_ms = 60, stimulus_ms = 1, upstroke_ms = 6;

/// The steepest upstroke of a single cell in φ per ms.
Real steepest_upstroke(const IonicCell& cell) {
  MarchedCells marched(cell, 1);
  Real largest = 0;
  for (int n = 0; n * step_ms < upstroke_ms; ++n) {
    marched.evaluate(step_ms);
    marched.take_ends();
    const IonicCurrent& ionic = marched.current(0);
    if (!std::isfinite(ionic.current)) break;
    largest = std::max(largest, -ionic.current / cell.model->scaling().mv_per_phi);
    // One iteration of Newton's method from the potential before, for which the slope is there.
    const Real source = n * step_ms < stimulus_ms ? stimulus_mv_per_ms : 0;
    marched.potential(0) += (source - ionic.current) / std::max(1 / step_ms + ionic.slope, 1 / (2 * step_ms));
  }
  return largest;
}

/// The front in a cable of D = 1 mm²/ms, by finite differences with the diffusion at the end of a step and the current
/// at its start. Nothing where a cell has no solution at the end of a step of this length.
std::optional<Front> front_by_steps(const IonicCell& cell, Real time_unit, int steps_a_unit) {
  constexpr int nodes = 160, first_gauge = nodes * 4 / 10, second_gauge = nodes * 8 / 10;
  const int most_steps = 375 * steps_a_unit;
  const Real step = time_unit / steps_a_unit, spacing = std::sqrt(time_unit) / 4;
  const Real coupling = step / (spacing * spacing), rest = cell.start().potential_mv, level = 0;
  MarchedCells cells(cell, nodes);
  std::vector<Real> eliminated(nodes);
  for (int i = 0; i < nodes / 8; ++i) cells.potential(i) = 0;
  std::optional<Real> first_at;
  Real peak = rest, steepest_in_space = 0;
  const auto potential = [&](int i) -> Real& { return cells.potential(i); };
  for (int n = 1; n <= most_steps; ++n) {
    const Real first_before = potential(first_gauge), second_before = potential(second_gauge);
    cells.evaluate(step);
    cells.take_ends();
    for (int i = 0; i < nodes; ++i) {
      if (!std::isfinite(cells.current(i).current)) return {};
      potential(i) -= step * cells.current(i).current;
    }
    // (1 + 2 coupling) V_i − coupling (V_i−1 + V_i+1) = V_i,old − step I, without flux through the ends
    for (int i = 0; i < nodes; ++i) {
      const Real before = i > 0 ? eliminated[i - 1] : 0, neighbors = i == 0 || i == nodes - 1 ? 1 : 2;
      const Real pivot = 1 + neighbors * coupling - coupling * before;
      potential(i) = (potential(i) + (i > 0 ? coupling * potential(i - 1) : 0)) / pivot;
      eliminated[i] = coupling / pivot;
    }
    for (int i = nodes - 2; i >= 0; --i) potential(i) += eliminated[i] * potential(i + 1);
    const auto crossed_at = [&](Real before, Real now) { return (n - 1 + (level - before) / (now - before)) * step; };
    if (first_before < level && potential(first_gauge) >= level)
      first_at = crossed_at(first_before, potential(first_gauge));
    if (!first_at) continue;
    peak = std::max(peak, potential(first_gauge));
    steepest_in_space =
        std::max(steepest_in_space, (potential(second_gauge - 1) - potential(second_gauge + 1)) / (2 * spacing));
    if (second_before < level && potential(second_gauge) >= level) {
      const Real duration = crossed_at(second_before, potential(second_gauge)) - *first_at;
      const Real thickness = (peak - rest) / (4 * steepest_in_space);
      return Front{(second_gauge - first_gauge) * spacing / duration, thickness * thickness};
    }
  }
  return Front{0, time_unit};
}

Front front_in_a_cable(const IonicCell& cell, Real steepest) {
  if (!(steepest > 0 && std::isfinite(steepest))) return {0, 1};  // of parameters that no cell has
  const Real time_unit = 1 / steepest;
  for (const int steps_a_unit : {16, 64, 256})
    if (const auto front = front_by_steps(cell, time_unit, steps_a_unit)) return *front;
  return {0, time_unit};
}

/// What has been found out of a cell by computing.
struct Known {
  IonicCell cell;
  Real steepest;
  std::optional<Front> front;
};

/// Asks `of` a Known of the cell, which is made in double precision where it is not there yet.
template <class Of>
auto known(const IonicCell& given, const Of& of) {
  const IonicCell cell = in_precision(given, CellPrecision::double_precision);
  static std::mutex mutex;
  static std::vector<Known> all;
  const std::lock_guard lock(mutex);
  auto found = std::ranges::find(all, cell, &Known::cell);
  if (found == all.end()) found = all.insert(found, {cell, steepest_upstroke(cell), {}});
  return of(*found);
}

}  // namespace

IonicModel::IonicModel(std::string name, std::vector<CellState> states, std::vector<ParameterDescription> parameters,
                       std::vector<Set> sets)
    : name_(std::move(name)), states_(std::move(states)), parameters_(std::move(parameters)), sets_(std::move(sets)) {}

Real IonicCell::lowest_phi() const { return -std::numeric_limits<Real>::infinity(); }

Real IonicCell::steepest_reaction() const {
  return known(*this, [](const Known& of) { return of.steepest; });
}

Front IonicCell::front() const {
  return known(*this, [](Known& of) {
    if (!of.front) of.front = front_in_a_cable(of.cell, of.steepest);
    return *of.front;
  });
}

IonicCell ionic_cell(const IonicModel& model, std::size_t set) { return {&model, set, model.sets()[set].parameters}; }

}  // namespace cardiowarp
