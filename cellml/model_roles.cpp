#include "cellml/model_roles.hpp"

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

using Definition = ModelQuantity::Definition;

/// Names that the potential has in published files, in the order in which they are looked for.
bool is_name_of_potential(const std::string& name) {
  constexpr std::array<std::string_view, 9> names{"V", "v", "Vm", "V_m", "vm", "E", "Vmem", "V_membrane", "potential"};
  const std::string_view variable = std::string_view(name).substr(name.find('.') + 1);
  for (const std::string_view known : names)
    if (variable == known) return true;
  return false;
}

std::size_t found_potential(const EquationSystem& system) {
  std::vector<std::size_t> in_volts, named;
  std::string names;
  for (std::size_t k = 0; k < system.quantities().size(); ++k) {
    const ModelQuantity& quantity = system.quantities()[k];
    if (quantity.definition != Definition::rate || !is_same_dimension(quantity.unit, millivolt())) continue;
    in_volts.push_back(k);
    if (is_name_of_potential(quantity.name)) named.push_back(k);
    names += (names.empty() ? "" : ", ") + quantity.name;
  }
  if (in_volts.size() == 1) return in_volts.front();
  if (named.size() == 1) return named.front();
  if (in_volts.empty())
    throw InputError("no state has units of volts: name the potential, or annotate it as membrane_voltage");
  throw InputError("several states may be the potential: " + names + ": name the one that is");
}

std::size_t find_potential(const EquationSystem& system, const CellMlOptions& options) {
  const auto annotated = system.annotated("membrane_voltage");
  const std::size_t potential = !options.potential.empty() ? system.named(options.potential, "potential")
                                : annotated                ? *annotated
                                                           : found_potential(system);
  const ModelQuantity& quantity = system.quantities()[potential];
  if (quantity.definition != Definition::rate)
    throw InputError("the potential " + quantity.name + " is no state: no equation gives its derivative");
  if (!conversion(quantity.unit, millivolt()))
    throw InputError("the potential " + quantity.name + " has units '" + quantity.unit.name +
                     "': expected some of volts, such as millivolt");
  return potential;
}

/// What depends on time and on no state, by quantity.
struct TimeDependence {
  std::vector<char> on_time, on_states;
};

TimeDependence dependence(const EquationSystem& system, const std::set<std::size_t>& leaves) {
  const std::size_t count = system.quantities().size();
  TimeDependence depends{std::vector<char>(2 * count, 0), std::vector<char>(2 * count, 0)};
  depends.on_time[system.time()] = 1;
  for (std::size_t k = 0; k < count; ++k)
    if (system.quantities()[k].definition == Definition::rate) depends.on_states[k] = 1;
  for (const std::size_t item : system.evaluation_order(leaves)) {
    if (leaves.contains(item)) continue;
    for (const std::size_t need : system.needs_of(item)) {
      if (depends.on_time[need] != 0) depends.on_time[item] = 1;
      if (depends.on_states[need] != 0) depends.on_states[item] = 1;
    }
  }
  return depends;
}

/// The quantities of time alone, time itself included, that equations with states use directly.
std::set<std::size_t> used_of_time(const EquationSystem& system, const std::set<std::size_t>& leaves) {
  const TimeDependence depends = dependence(system, leaves);
  const std::size_t count = system.quantities().size();
  const auto is_of_time = [&](std::size_t item) {
    return item < count && depends.on_time[item] != 0 && depends.on_states[item] == 0 && !leaves.contains(item);
  };
  std::set<std::size_t> used;
  for (const std::size_t item : system.evaluation_order(leaves)) {
    if (is_of_time(item) || leaves.contains(item)) continue;
    for (const std::size_t need : system.needs_of(item))
      if (is_of_time(need)) used.insert(need);
  }
  return used;
}

}  // namespace

ModelRoles find_roles(const EquationSystem& system, const CellMlOptions& options) {
  ModelRoles roles{find_potential(system, options)};
  roles.stimulus = options.stimulus.empty() ? system.annotated("membrane_stimulus_current")
                                            : std::optional(system.named(options.stimulus, "stimulus"));
  if (!roles.stimulus) {
    const std::set<std::size_t> used = used_of_time(system, {});
    if (used.size() == 1 && *used.begin() != system.time()) roles.stimulus = *used.begin();
  }
  if (!roles.stimulus) {
    roles.depends_on_time = !used_of_time(system, {}).empty();
    return roles;
  }
  const Definition definition = system.quantities()[*roles.stimulus].definition;
  if (definition != Definition::formula && definition != Definition::constant)
    throw InputError("the stimulus " + system.quantities()[*roles.stimulus].name +
                     " is a state or time: expected a current that an equation or an initial value gives");
  roles.depends_on_time = !used_of_time(system, {*roles.stimulus}).empty();
  return roles;
}

}  // namespace cardiowarp
