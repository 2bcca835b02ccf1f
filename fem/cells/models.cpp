#include "fem/cells/models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace cardiowarp {
namespace {

template <class Task, std::size_t... I>
void for_each_model(const Task& task, std::index_sequence<I...> /*all*/) {
  (task(std::variant_alternative_t<I, AnyCell>{}), ...);
}

/// task(Model{}) for each model of the list.
template <class Task>
void for_each_model(const Task& task) {
  for_each_model(task, std::make_index_sequence<std::variant_size_v<AnyCell>>{});
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

std::string words(const Range& range) {
  const bool has_low = std::isfinite(range.low), has_high = std::isfinite(range.high);
  if (!has_low && !has_high) return "any number";
  if (!has_high && range.low == 0) return range.low_included ? "not negative" : "positive";
  if (!has_high) return fmt::format("{} {}", range.low_included ? "at least" : "above", range.low);
  return fmt::format("in {}{}, {}{}", range.low_included ? '[' : '(', range.low, range.high,
                     range.high_included ? ']' : ')');
}

template <CellModel Cell>
std::string tables_of() {
  constexpr Scaling scaling = Cell::scaling;
  std::string text =
      fmt::format("### {}\n\nΦ = {} φ − {} mV, {}.\n\n", Cell::name, scaling.mv_per_phi, -scaling.rest_mv,
                  scaling.ms_per_tau == 1 ? "time in ms" : fmt::format("t = {} τ ms", scaling.ms_per_tau));
  text += "| state | meaning | values | at t = 0 |\n|---|---|---|---|\n";
  for (const CellState& state : states_of_model<Cell>())
    text += fmt::format("| `{}` | {} | {} | {} |\n", state.name, state.meaning, words(state.range), state.rest);
  text += "\n| parameter | meaning | values |";
  std::string rule = "|---|---|---|";
  const auto sets = sets_of_model<Cell>();
  for (const auto& set : sets) {
    text += fmt::format(" {} |", set.name);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const CellParameter<Cell>& parameter : Cell::parameter_table()) {
    text += fmt::format("| `{}` | {} | {}{} |", parameter.name, parameter.meaning,
                        parameter.unit.empty() ? "" : fmt::format("{}, ", parameter.unit), words(parameter.range));
    for (const auto& set : sets) text += fmt::format(" {} |", set.parameters.*parameter.value);
    text += "\n";
  }
  return text;
}

}  // namespace

std::vector<std::string> cell_model_names() {
  std::vector<std::string> names;
  for_each_model([&](const auto& cell) { names.emplace_back(cell.name); });
  return names;
}

AnyCell cell_model_named(std::string_view name) {
  std::optional<AnyCell> found;
  for_each_model([&](const auto& cell) {
    if (cell.name == name) found = cell;
  });
  if (!found) throw std::logic_error(fmt::format("no cell model '{}'", name));
  return *found;
}

std::string_view name_of(const AnyCell& cell) {
  return std::visit([](const auto& model) { return std::string_view(model.name); }, cell);
}

Scaling scaling_of(const AnyCell& cell) {
  return std::visit([](const auto& model) { return model.scaling; }, cell);
}

Scaling scaling_of(const TissueCells& cells) {
  return std::visit([]<class Cell>(const std::vector<Cell>&) { return Cell::scaling; }, cells);
}

std::span<const CellState> states_of(const AnyCell& cell) {
  return std::visit([]<class Cell>(const Cell&) { return states_of_model<Cell>(); }, cell);
}

std::span<const CellState> states_of(const TissueCells& cells) {
  return std::visit([]<class Cell>(const std::vector<Cell>&) { return states_of_model<Cell>(); }, cells);
}

std::string range_in_words(const TissueCells& cells) {
  return std::visit(
      []<class Cell>(const std::vector<Cell>&) -> std::string {
        if constexpr (requires { Cell::range_in_words; }) return fmt::format(" ({})", Cell::range_in_words);
        return "";
      },
      cells);
}

Real lowest_phi(const AnyCell& cell) {
  return std::visit([](const auto& model) { return model.lowest_phi(); }, cell);
}

std::span<const ParameterDescription> parameters_of(const AnyCell& cell) {
  return std::visit([]<class Cell>(const Cell&) { return parameters_of_model<Cell>(); }, cell);
}

Real parameter(const AnyCell& cell, std::string_view name) {
  return std::visit([&]<class Cell>(const Cell& model) { return model.*member_named<Cell>(name); }, cell);
}

void set_parameter(AnyCell& cell, std::string_view name, Real value) {
  std::visit([&]<class Cell>(Cell& model) { model.*member_named<Cell>(name) = value; }, cell);
}

std::size_t state_number(std::span<const CellState> states, std::string_view name) {
  const auto found =
      std::find_if(states.begin(), states.end(), [&](const CellState& state) { return state.name == name; });
  if (found == states.end()) throw std::logic_error(fmt::format("no state '{}'", name));
  return static_cast<std::size_t>(found - states.begin());
}

std::vector<std::string> parameter_sets_of(const AnyCell& cell) {
  std::vector<std::string> names;
  std::visit(
      [&]<class Cell>(const Cell&) {
        if constexpr (HasParameterSets<Cell>)
          for (const auto& set : Cell::parameter_sets()) names.emplace_back(set.name);
      },
      cell);
  return names;
}

AnyCell with_parameter_set(const AnyCell& cell, std::string_view name) {
  return std::visit(
      [&]<class Cell>(const Cell&) -> AnyCell {
        for (const auto& set : sets_of_model<Cell>())
          if (set.name == name) return set.parameters;
        throw std::logic_error(fmt::format("{} has no parameter set '{}'", Cell::name, name));
      },
      cell);
}

std::string cell_model_tables() {
  std::string text;
  for_each_model([&]<class Cell>(const Cell&) { text += (text.empty() ? "" : "\n") + tables_of<Cell>(); });
  return text;
}

}  // namespace cardiowarp
