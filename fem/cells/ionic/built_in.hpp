#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fem/cells/cell_precision.hpp"
#include "fem/cells/ionic/ionic_stage.hpp"

namespace cardiowarp {

/// The cell of a model of ionic_cell.hpp that an IonicCell stands for.
template <IonicCellModel Cell>
Cell typed(const IonicCell& cell) {
  static constexpr auto sets = Cell::parameter_sets();
  static constexpr auto table = Cell::parameter_table();
  Cell result = sets[cell.set].parameters;
  for (std::size_t i = 0; i < table.size(); ++i) result.*table[i].value = cell.parameters[i];
  return result;
}

/// A model of ionic_cell.hpp as an IonicModel.
template <IonicCellModel Cell>
class BuiltInIonicModel final : public ModelInPrecision {
 public:
  explicit BuiltInIonicModel(CellPrecision precision)
      : ModelInPrecision(precision, std::string(Cell::name), state_list(), parameter_list(), set_list()) {}

  IonicCurrent stage(const IonicCell& cell, Real V, const Real* old, Real h, Real* states) const override {
    const Cell of = typed<Cell>(cell);
    const IonicStage<Cell> end =
        is_single(precision(), false) ? ionic_stage<float>(of, V, old, h) : ionic_stage(of, V, old, h);
    std::copy_n(end.state, states_of_ionic<Cell>, states);
    return {end.current, end.slope};
  }
  Real rates(const IonicCell& cell, Real V, const Real* states, Real* rates) const override {
    return ionic_rates(typed<Cell>(cell), V, states, rates);
  }

 private:
  static std::vector<CellState> state_list() {
    const auto table = Cell::state_table();
    const auto sets = Cell::parameter_sets();
    const auto& first = sets.front().states;
    std::vector<CellState> states(table.begin(), table.end());
    for (std::size_t i = 0; i < states.size(); ++i) states[i].rest = first[i];
    return states;
  }
  static std::vector<ParameterDescription> parameter_list() {
    std::vector<ParameterDescription> descriptions;
    for (const auto& of : Cell::parameter_table()) descriptions.push_back({of.name, of.unit, of.meaning, of.range});
    return descriptions;
  }
  static std::vector<Set> set_list() {
    std::vector<Set> sets;
    for (const auto& set : Cell::parameter_sets()) {
      Set& kind = sets.emplace_back(Set{std::string(set.name), {}, set.potential_mv, {}});
      for (const auto& of : Cell::parameter_table()) kind.parameters.push_back(set.parameters.*of.value);
      kind.states.assign(set.states.begin(), set.states.end());
    }
    return sets;
  }
};

}  // namespace cardiowarp
