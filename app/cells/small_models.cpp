#include "app/cells/small_models.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fem/cells/models.hpp"
#include "fem/cells/state_step.hpp"

namespace cardiowarp {
namespace {

/// dV/dt in mV/ms is mv_per_phi / ms_per_tau times dφ/dτ.
template <CellModel Cell>
class SmallModel final : public IonicModel {
 public:
  SmallModel() : IonicModel(std::string(Cell::name), state_list(), parameter_list(), set_list()) {}

  IonicCurrent stage(const IonicCell& cell, Real V, const Real* old, Real h, Real* states) const override {
    constexpr Scaling scaling = Cell::scaling;
    const Cell model = typed_cell(cell);
    const Real phi = scaling.phi_from_mv(V);
    if (!model.admissible(phi)) return {NAN, NAN};
    const StateStep<Cell::states> end = step_states(model, phi, old, h / scaling.ms_per_tau);
    const CellRates<Cell::states> rates = model.rates(phi, end.state);
    Real slope = rates.df_dphi;
    for (int i = 0; i < Cell::states; ++i) {
      states[i] = end.state[i];
      slope += rates.df_dstate[i] * end.slope[i];
    }
    return {-rates.f * scaling.mv_per_phi / scaling.ms_per_tau, -slope / scaling.ms_per_tau};
  }

  Real rates(const IonicCell& cell, Real V, const Real* states, Real* rates) const override {
    constexpr Scaling scaling = Cell::scaling;
    const CellRates<Cell::states> of = typed_cell(cell).rates(scaling.phi_from_mv(V), states);
    for (int i = 0; i < Cell::states; ++i) rates[i] = of.g[i] / scaling.ms_per_tau;
    return -of.f * scaling.mv_per_phi / scaling.ms_per_tau;
  }

 private:
  static Cell typed_cell(const IonicCell& cell) {
    static constexpr auto table = Cell::parameter_table();
    Cell result;
    for (std::size_t i = 0; i < table.size(); ++i) result.*table[i].value = cell.parameters[i];
    return result;
  }
  static std::vector<CellState> state_list() {
    const auto table = Cell::state_table();
    return {table.begin(), table.end()};
  }
  static std::vector<ParameterDescription> parameter_list() {
    const auto all = parameters_of(AnyCell(Cell{}));
    return {all.begin(), all.end()};
  }
  static std::vector<Set> set_list() {
    const AnyCell defaults = Cell{};
    std::vector<std::string> names = parameter_sets_of(defaults);
    if (names.empty()) names.emplace_back("default");
    std::vector<Set> sets;
    for (const std::string& name : names) {
      const AnyCell kind = parameter_sets_of(defaults).empty() ? defaults : with_parameter_set(defaults, name);
      Set& set = sets.emplace_back(Set{name, {}, Cell::scaling.rest_mv, {}});
      for (const ParameterDescription& of : parameters_of(kind)) set.parameters.push_back(parameter(kind, of.name));
      for (const CellState& state : states_of(kind)) set.states.push_back(state.rest);
    }
    return sets;
  }
};

}  // namespace

IonicCell ionic_view(const AnyCell& cell) {
  if (const IonicCell* ionic = as_ionic(cell)) return *ionic;
  return std::visit(
      [&]<class Cell>(const Cell& /*of*/) -> IonicCell {
        if constexpr (CellModel<Cell>) {
          static const SmallModel<Cell> model;
          IonicCell view = ionic_cell(model);
          view.parameters.clear();
          for (const ParameterDescription& of : model.parameters()) view.parameters.push_back(parameter(cell, of.name));
          return view;
        }
        return {};
      },
      *cell);
}

}  // namespace cardiowarp
