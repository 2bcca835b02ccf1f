#include "fem/cells/models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "fem/cells/front.hpp"

namespace cardiowarp {
namespace {

/// Functions for the alternatives of a variant.
template <class... Functions>
struct Visitor : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Visitor(Functions...) -> Visitor<Functions...>;

template <class Task, CellModel... Models>
void for_each_model(const Task& task, CellModelList<Models...> /*all*/) {
  (task(Models{}), ...);
}

/// task(Model{}) for each model of CellModels.
template <class Task>
void for_each_model(const Task& task) {
  for_each_model(task, CellModels{});
}

template <CellModel Cell>
std::span<const CellState> states_of_model() {
  static constexpr auto table = Cell::state_table();
  static_assert(table.size() == Cell::states);
  return table;
}

template <CellModel Cell>
std::span<const ParameterDescription> parameters_of_model() {
  static constexpr auto descriptions = [] {
    constexpr auto table = Cell::parameter_table();
    std::array<ParameterDescription, table.size()> result;
    for (std::size_t i = 0; i < table.size(); ++i)
      result[i] = {table[i].name, table[i].unit, table[i].meaning, table[i].range};
    return result;
  }();
  return descriptions;
}

template <CellModel Cell>
Real Cell::*member_named(std::string_view name) {
  for (const CellParameter<Cell>& parameter : Cell::parameter_table())
    if (parameter.name == name) return parameter.value;
  throw std::logic_error(fmt::format("{} has no parameter '{}'", Cell::name, name));
}

/// The default as the only set where the model names none.
template <CellModel Cell>
std::vector<ParameterSet<Cell>> sets_of_model() {
  if constexpr (HasParameterSets<Cell>) {
    const auto sets = Cell::parameter_sets();
    return {sets.begin(), sets.end()};
  } else {
    return {{"default", Cell{}}};
  }
}

std::logic_error no_parameter_set(std::string_view model, std::string_view set) {
  return std::logic_error(fmt::format("{} has no parameter set '{}'", model, set));
}

std::size_t parameter_number(const IonicCell& cell, std::string_view name) {
  const auto parameters = cell.model->parameters();
  const auto found = std::ranges::find(parameters, name, &ParameterDescription::name);
  if (found == parameters.end())
    throw std::logic_error(fmt::format("{} has no parameter '{}'", cell.model->name(), name));
  return static_cast<std::size_t>(found - parameters.begin());
}

std::string words(const Range& range) {
  const bool has_low = std::isfinite(range.low), has_high = std::isfinite(range.high);
  if (!has_low && !has_high) return "any number";
  if (!has_high && range.low == 0) return range.low_included ? "not negative" : "positive";
  if (!has_high) return fmt::format("{} {}", range.low_included ? "at least" : "above", range.low);
  return fmt::format("in {}{}, {}{}", range.low_included ? '[' : '(', range.low, range.high,
                     range.high_included ? ']' : ')');
}

/// What the tables say of a model: its states, and its parameters with their values in each set.
struct TablesOfModel {
  std::string_view name;
  std::string units;
  std::span<const CellState> states;
  std::span<const ParameterDescription> parameters;
  std::vector<std::pair<std::string, std::vector<Real>>> sets;
};

template <CellModel Cell>
TablesOfModel tables_of() {
  constexpr Scaling scaling = Cell::scaling;
  TablesOfModel tables{
      Cell::name,
      fmt::format("Φ = {} φ − {} mV, {}.", scaling.mv_per_phi, -scaling.rest_mv,
                  scaling.ms_per_tau == 1 ? "time in ms" : fmt::format("t = {} τ ms", scaling.ms_per_tau)),
      states_of_model<Cell>(),
      parameters_of_model<Cell>(),
      {}};
  for (const auto& set : sets_of_model<Cell>()) {
    std::vector<Real>& values = tables.sets.emplace_back(set.name, std::vector<Real>{}).second;
    for (const CellParameter<Cell>& parameter : Cell::parameter_table())
      values.push_back(set.parameters.*parameter.value);
  }
  return tables;
}

TablesOfModel tables_of(const IonicModel& model) {
  TablesOfModel tables{model.name(), "V in mV, time in ms.", model.states(), model.parameters(), {}};
  for (const IonicModel::Set& set : model.sets()) tables.sets.emplace_back(set.name, set.parameters);
  return tables;
}

std::string in_markdown(const TablesOfModel& of) {
  std::string text = fmt::format("### {}\n\n{}\n\n", of.name, of.units);
  text += "| state | meaning | values | at t = 0 |\n|---|---|---|---|\n";
  for (const CellState& state : of.states)
    text += fmt::format("| `{}` | {} | {} | {} |\n", state.name, state.meaning, words(state.range), state.rest);
  text += "\n| parameter | meaning | values |";
  std::string rule = "|---|---|---|";
  for (const auto& [name, values] : of.sets) {
    text += fmt::format(" {} |", name);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (std::size_t i = 0; i < of.parameters.size(); ++i) {
    const ParameterDescription& parameter = of.parameters[i];
    text += fmt::format("| `{}` | {} | {}{} |", parameter.name, parameter.meaning,
                        parameter.unit.empty() ? "" : fmt::format("{}, ", parameter.unit), words(parameter.range));
    for (const auto& [name, values] : of.sets) text += fmt::format(" {} |", values[i]);
    text += "\n";
  }
  return text;
}

}  // namespace

std::vector<std::string> cell_model_names() {
  std::vector<std::string> names;
  for_each_model([&](const auto& cell) { names.emplace_back(cell.name); });
  for (const IonicModel* model : ionic_models()) names.emplace_back(model->name());
  return names;
}

AnyCell cell_model_named(std::string_view name) {
  std::optional<AnyCell> found;
  for_each_model([&](const auto& cell) {
    if (cell.name == name) found = cell;
  });
  for (const IonicModel* model : ionic_models())
    if (model->name() == name) found = ionic_cell(*model);
  if (!found) throw std::logic_error(fmt::format("no cell model '{}'", name));
  return *found;
}

AnyCell::AnyCell() : variant_(std::make_shared<const Variant>()) {}
TissueCells::TissueCells() : variant_(std::make_shared<const Variant>()) {}

// For all who make one of these without models.hpp.
template AnyCell::AnyCell(AlievPanfilov);
template AnyCell::AnyCell(MitchellSchaeffer);
template AnyCell::AnyCell(BuenoOrovio);
template AnyCell::AnyCell(IonicCell);
template TissueCells::TissueCells(std::vector<AlievPanfilov>);
template TissueCells::TissueCells(std::vector<MitchellSchaeffer>);
template TissueCells::TissueCells(std::vector<BuenoOrovio>);
template TissueCells::TissueCells(std::vector<IonicCell>);

bool operator==(const AnyCell& a, const AnyCell& b) { return *a.variant_ == *b.variant_; }
bool operator==(const TissueCells& a, const TissueCells& b) { return *a.variant_ == *b.variant_; }

std::size_t TissueCells::size() const {
  return std::visit([](const auto& kinds) { return kinds.size(); }, *variant_);
}

AnyCell TissueCells::operator[](std::size_t kind) const {
  return std::visit([&](const auto& kinds) -> AnyCell { return kinds[kind]; }, *variant_);
}

const IonicCell* as_ionic(const AnyCell& cell) { return std::get_if<IonicCell>(&*cell); }

const std::vector<IonicCell>* as_ionic(const TissueCells& cells) {
  return std::get_if<std::vector<IonicCell>>(&*cells);
}

std::string_view name_of(const AnyCell& cell) {
  return std::visit(Visitor{[](const IonicCell& ionic) { return ionic.model->name(); },
                            [](const auto& model) { return std::string_view(model.name); }},
                    *cell);
}

Scaling scaling_of(const AnyCell& cell) {
  return std::visit(Visitor{[](const IonicCell& ionic) { return ionic.model->scaling(); },
                            [](const auto& model) { return model.scaling; }},
                    *cell);
}

Scaling scaling_of(const TissueCells& cells) {
  return std::visit(Visitor{[](const std::vector<IonicCell>& ionic) { return ionic.front().model->scaling(); },
                            []<CellModel Cell>(const std::vector<Cell>&) { return Cell::scaling; }},
                    *cells);
}

std::span<const CellState> states_of(const AnyCell& cell) {
  return std::visit(Visitor{[](const IonicCell& ionic) { return ionic.model->states(); },
                            []<CellModel Cell>(const Cell&) { return states_of_model<Cell>(); }},
                    *cell);
}

std::span<const CellState> states_of(const TissueCells& cells) {
  return std::visit(Visitor{[](const std::vector<IonicCell>& ionic) { return ionic.front().model->states(); },
                            []<CellModel Cell>(const std::vector<Cell>&) { return states_of_model<Cell>(); }},
                    *cells);
}

std::size_t state_count(const TissueCells& cells) {
  std::size_t most = states_of(cells).size();
  if (const std::vector<IonicCell>* ionic = as_ionic(cells))
    for (const IonicCell& cell : *ionic) most = std::max(most, cell.model->states().size());
  return most;
}

std::string range_in_words(const TissueCells& cells) {
  return std::visit(
      []<class Cell>(const std::vector<Cell>&) -> std::string {
        if constexpr (requires { Cell::range_in_words; }) return fmt::format(" ({})", Cell::range_in_words);
        return "";
      },
      *cells);
}

Real lowest_phi(const AnyCell& cell) {
  return std::visit([](const auto& model) { return model.lowest_phi(); }, *cell);
}

Real steepest_reaction(const AnyCell& cell) {
  return std::visit([](const auto& model) { return model.steepest_reaction(); }, *cell);
}

Front front_of(const AnyCell& cell) {
  return std::visit([](const auto& model) { return front_of(model); }, *cell);
}

std::span<const ParameterDescription> parameters_of(const AnyCell& cell) {
  return std::visit(Visitor{[](const IonicCell& ionic) { return ionic.model->parameters(); },
                            []<CellModel Cell>(const Cell&) { return parameters_of_model<Cell>(); }},
                    *cell);
}

Real parameter(const AnyCell& cell, std::string_view name) {
  return std::visit(Visitor{[&](const IonicCell& ionic) { return ionic.parameters[parameter_number(ionic, name)]; },
                            [&]<CellModel Cell>(const Cell& model) { return model.*member_named<Cell>(name); }},
                    *cell);
}

void set_parameter(AnyCell& cell, std::string_view name, Real value) {
  cell = std::visit(Visitor{[&](IonicCell ionic) -> AnyCell {
                              ionic.parameters[parameter_number(ionic, name)] = value;
                              return ionic;
                            },
                            [&]<CellModel Cell>(Cell model) -> AnyCell {
                              model.*member_named<Cell>(name) = value;
                              return model;
                            }},
                    *cell);
}

std::size_t state_number(std::span<const CellState> states, std::string_view name) {
  const auto found =
      std::find_if(states.begin(), states.end(), [&](const CellState& state) { return state.name == name; });
  if (found == states.end()) throw std::logic_error(fmt::format("no state '{}'", name));
  return static_cast<std::size_t>(found - states.begin());
}

std::vector<std::string> parameter_sets_of(const AnyCell& cell) {
  std::vector<std::string> names;
  std::visit(Visitor{[&](const IonicCell& ionic) {
                       if (ionic.model->sets().size() == 1) return;
                       for (const IonicModel::Set& set : ionic.model->sets()) names.push_back(set.name);
                     },
                     [&]<CellModel Cell>(const Cell&) {
                       if constexpr (HasParameterSets<Cell>)
                         for (const auto& set : Cell::parameter_sets()) names.emplace_back(set.name);
                     }},
             *cell);
  return names;
}

AnyCell with_parameter_set(const AnyCell& cell, std::string_view name) {
  return std::visit(Visitor{[&](const IonicCell& ionic) -> AnyCell {
                              const auto sets = ionic.model->sets();
                              const auto found = std::ranges::find(sets, name, &IonicModel::Set::name);
                              if (found == sets.end()) throw no_parameter_set(ionic.model->name(), name);
                              return ionic_cell(*ionic.model, static_cast<std::size_t>(found - sets.begin()));
                            },
                            [&]<CellModel Cell>(const Cell&) -> AnyCell {
                              for (const auto& set : sets_of_model<Cell>())
                                if (set.name == name) return set.parameters;
                              throw no_parameter_set(Cell::name, name);
                            }},
                    *cell);
}

std::string cell_model_tables() {
  std::string text;
  const auto add = [&](const TablesOfModel& tables) { text += (text.empty() ? "" : "\n") + in_markdown(tables); };
  for_each_model([&]<class Cell>(const Cell&) { add(tables_of<Cell>()); });
  for (const IonicModel* model : ionic_models()) add(tables_of(*model));
  return text;
}

}  // namespace cardiowarp
