#include "cellml/equation_system.hpp"

#include <algorithm>
#include <utility>

#include "cellml/number_text.hpp"
#include "cellml/xml_document.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"

namespace cardiowarp {
namespace {

std::string in_words(const std::string& component, const std::string& variable) {
  return "component '" + component + "', variable '" + shown(variable) + "'";
}

}  // namespace

EquationSystem::EquationSystem(const CellMlDocument& document) : document_(document) {
  number_variables();
  connect();
  make_quantities();
  define_by_equations();
  define_by_values();
  find_time();
}

const CellMlVariable& EquationSystem::variable(std::size_t number) const {
  return document_.components[places_[number].component].variables[places_[number].variable];
}

std::string EquationSystem::full_name(std::size_t number) const {
  return document_.components[places_[number].component].name + "." + variable(number).name;
}

std::size_t EquationSystem::number_of(std::size_t component, const std::string& name) const {
  const auto found = number_of_[component].find(name);
  if (found != number_of_[component].end()) return found->second;
  std::vector<std::string> valid;
  for (const auto& [known, number] : number_of_[component]) valid.push_back(known);
  throw InputError(in_words(document_.components[component].name, name) + ": the component has no such variable" +
                   suggestion(name, valid));
}

std::size_t EquationSystem::quantity_of(std::size_t component, const std::string& variable) const {
  return quantity_of_[number_of(component, variable)];
}

const CellMlUnit& EquationSystem::unit_of(std::size_t component, const std::string& name) const {
  return variable(number_of(component, name)).unit;
}

void EquationSystem::number_variables() {
  number_of_.resize(document_.components.size());
  for (std::size_t c = 0; c < document_.components.size(); ++c) {
    const CellMlComponent& component = document_.components[c];
    for (std::size_t v = 0; v < component.variables.size(); ++v) {
      if (!number_of_[c].emplace(component.variables[v].name, places_.size()).second)
        throw InputError(in_words(component.name, component.variables[v].name) + ": declared twice");
      joined_.push_back(places_.size());
      places_.push_back({c, v});
    }
  }
}

std::size_t EquationSystem::root_of(std::size_t variable) const {
  while (joined_[variable] != variable) variable = joined_[variable] = joined_[joined_[variable]];
  return variable;
}

void EquationSystem::connect() {
  std::map<std::string, std::size_t> place_of;
  std::vector<std::string> names;
  for (const CellMlComponent& component : document_.components) {
    place_of[component.name] = names.size();
    names.push_back(component.name);
  }
  const auto variable_of = [&](const std::string& component, const std::string& name) {
    const auto place = place_of.find(component);
    if (place == place_of.end())
      throw InputError("connection: there is no component '" + component + "'" + suggestion(component, names));
    return number_of(place->second, name);
  };
  for (const CellMlConnection& connection : document_.connections) {
    const std::size_t a = variable_of(connection.component_1, connection.variable_1);
    const std::size_t b = variable_of(connection.component_2, connection.variable_2);
    if (!conversion(variable(a).unit, variable(b).unit))
      throw InputError("connection: " + full_name(a) + " has units '" + variable(a).unit.name + "' and " +
                       full_name(b) + " has '" + variable(b).unit.name + "', which measure different things");
    joined_[root_of(a)] = root_of(b);
  }
}

void EquationSystem::make_quantities() {
  std::map<std::size_t, std::size_t> of_root;
  for (std::size_t number = 0; number < places_.size(); ++number) {
    const auto [place, is_new] = of_root.emplace(root_of(number), quantities_.size());
    if (is_new) quantities_.push_back({full_name(number), variable(number).unit});
    quantity_of_.push_back(place->second);
    ModelQuantity& quantity = quantities_[place->second];
    quantity.names.insert(full_name(number));
    const std::string& id = variable(number).annotation;
    if (id.empty()) continue;
    quantity.meanings.insert(id);
    if (const auto further = document_.meanings.find(id); further != document_.meanings.end())
      quantity.meanings.insert(further->second.begin(), further->second.end());
  }
}

void EquationSystem::define_by_equations() {
  for (std::size_t c = 0; c < document_.components.size(); ++c)
    for (const Equation& equation : document_.components[c].equations) {
      const std::size_t number = number_of(c, equation.left.name);
      ModelQuantity& quantity = quantities_[quantity_of_[number]];
      if (quantity.equation != nullptr)
        throw InputError(in_words(document_.components[c].name, equation.left.name) +
                         ": defined twice, by equations here and in component '" +
                         document_.components[quantity.component].name + "'");
      quantity.name = full_name(number);
      quantity.unit = variable(number).unit;
      quantity.component = c;
      quantity.equation = &equation;
      quantity.definition = equation.left.kind == Formula::Kind::derivative ? Definition::rate : Definition::formula;
    }
}

void EquationSystem::define_by_values() {
  for (std::size_t number = 0; number < places_.size(); ++number) {
    const CellMlVariable& with_value = variable(number);
    if (with_value.initial.empty()) continue;
    const std::string where = in_words(document_.components[places_[number].component].name, with_value.name);
    ModelQuantity& quantity = quantities_[quantity_of_[number]];
    if (!quantity.initial.empty())
      throw InputError(where + ": defined twice, by initial values here and in component '" +
                       document_.components[quantity.initial_component].name + "'");
    if (quantity.definition == Definition::formula)
      throw InputError(where + ": defined twice, by an initial value and by an equation in component '" +
                       document_.components[quantity.component].name + "'");
    quantity.initial = with_value.initial;
    quantity.initial_component = places_[number].component;
    if (quantity.definition == Definition::none) {
      quantity.definition = Definition::constant;
      quantity.name = full_name(number);
      quantity.unit = with_value.unit;
    }
    quantity.initial_factor = conversion(with_value.unit, quantity.unit).value_or(1);
    if (!cardiowarp::number_of(quantity.initial)) number_of(places_[number].component, quantity.initial);
  }
  for (const ModelQuantity& quantity : quantities_)
    if (quantity.definition == Definition::rate && quantity.initial.empty())
      throw InputError(quantity.name + ": a state needs an initial value, got none");
}

void EquationSystem::find_time() {
  std::optional<std::size_t> time;
  const auto take = [&](std::size_t component, const Formula& formula) {
    if (formula.kind != Formula::Kind::derivative) return;
    const std::size_t by = quantity_of(component, formula.by);
    if (time && *time != by)
      throw InputError(in_words(document_.components[component].name, formula.name) + ": a derivative by '" +
                       formula.by + "', where others are by " + quantities_[*time].name);
    time = by;
    if (!conversion(unit_of(component, formula.by), millisecond()))
      throw InputError(in_words(document_.components[component].name, formula.by) +
                       ": expected a time, with units such as millisecond, got '" +
                       unit_of(component, formula.by).name + "'");
  };
  for (std::size_t c = 0; c < document_.components.size(); ++c)
    for (const Equation& equation : document_.components[c].equations) {
      take(c, equation.left);
      for_each_variable(equation.right, [&](const Formula& formula) { take(c, formula); });
    }
  if (!time) throw InputError("the model has no equation for a derivative, and so no states");
  time_ = *time;
  if (quantities_[time_].definition != Definition::none)
    throw InputError(quantities_[time_].name + ": time is given by an equation or an initial value");
}

void EquationSystem::set_constant(std::size_t quantity, double number) {
  ModelQuantity& set = quantities_[quantity];
  set.definition = Definition::constant;
  set.equation = nullptr;
  set.initial = exact_text(number);
  set.initial_factor = 1;
}

}  // namespace cardiowarp
