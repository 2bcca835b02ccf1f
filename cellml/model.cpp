#include "cellml/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include "cellml/document.hpp"
#include "cellml/equation_system.hpp"
#include "cellml/model_roles.hpp"
#include "cellml/number_text.hpp"
#include "cellml/removable_quotients.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

using Definition = ModelQuantity::Definition;

/// Makes the terms of all equations, in the order in which they need each other.
class ModelBuilder : public VariableTerms {
 public:
  ModelBuilder(const EquationSystem& system, const ModelRoles& roles)
      : system_(system),
        roles_(roles),
        values_(system.quantities().size(), -1),
        rates_(system.quantities().size(), -1) {}

  CellMlModel build() {
    make_leaves();
    make_formulas();
    CellMlModel model;
    model.name = system_.document().name;
    model.version = system_.document().version;
    model.potential = quantity(roles_.potential).name;
    model.time = quantity(system_.time()).name;
    model.depends_on_time = roles_.depends_on_time;
    model.initial_potential_mv = initial_value(roles_.potential, 0) * to_mv();
    sort_states(model);
    copy_terms(model);
    for (CellMlState& state : model.states) find_open_and_speed(model, state);
    describe_stimulus(model);
    return model;
  }

  TermIndex variable(const std::string& name) override {
    const std::size_t used = system_.quantity_of(component_, name);
    return scaled(values_[used], factor(quantity(used).unit, system_.unit_of(component_, name)));
  }

  TermIndex rate(const std::string& name, const std::string& by) override {
    const std::size_t used = system_.quantity_of(component_, name);
    return scaled(rates_[used], factor(quantity(used).unit, system_.unit_of(component_, name)) *
                                    factor(system_.unit_of(component_, by), millisecond()));
  }

 private:
  const ModelQuantity& quantity(std::size_t number) const { return system_.quantities()[number]; }
  static double factor(const CellMlUnit& from, const CellMlUnit& to) { return conversion(from, to).value_or(1); }
  double to_mv() const { return factor(quantity(roles_.potential).unit, millivolt()); }
  TermIndex scaled(TermIndex term, double by) { return graph_.multiply(term, graph_.constant(by)); }
  bool is_stimulus(std::size_t number) const { return roles_.stimulus == number; }

  /// The number that an initial value gives, in the unit of the quantity.
  double initial_value(std::size_t number, int depth) const {
    const ModelQuantity& of = quantity(number);
    if (const auto value = number_of(of.initial)) return *value * of.initial_factor;
    const std::size_t other = system_.quantity_of(of.initial_component, of.initial);
    const ModelQuantity& named = quantity(other);
    if (named.definition != Definition::constant || depth > 50)
      throw InputError(of.name + ": its initial value is '" + of.initial +
                       "': expected a number or a variable with a number as its initial value");
    return initial_value(other, depth + 1) * factor(named.unit, system_.unit_of(of.initial_component, of.initial)) *
           of.initial_factor;
  }

  /// A constant, or a formula that is a number.
  std::optional<double> parameter_value(std::size_t number) const {
    const ModelQuantity& of = quantity(number);
    if (of.definition == Definition::constant) return initial_value(number, 0);
    if (of.definition == Definition::formula && of.equation->right.kind == Formula::Kind::number)
      return of.equation->right.value;
    return std::nullopt;
  }

  void make_leaves() {
    values_[system_.time()] =
        scaled(graph_.leaf(Operation::time), factor(millisecond(), quantity(system_.time()).unit));
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const ModelQuantity& of = quantity(k);
      if (is_stimulus(k)) {
        values_[k] = graph_.leaf(Operation::stimulus);
      } else if (k == roles_.potential) {
        values_[k] = graph_.divide(graph_.leaf(Operation::potential), graph_.constant(to_mv()));
      } else if (of.definition == Definition::rate) {
        values_[k] = graph_.leaf(Operation::state, static_cast<int>(states_.size()));
        states_.push_back(k);
      } else if (const auto value = parameter_value(k)) {
        values_[k] = graph_.leaf(Operation::parameter, static_cast<int>(parameters_.size()));
        parameters_.push_back(
            {of.name, of.unit.name, *value, std::vector<std::string>(of.meanings.begin(), of.meanings.end())});
      }
    }
    if (states_.size() > most_cellml_states)
      throw InputError("expected at most " + std::to_string(most_cellml_states) + " states, got " +
                       std::to_string(states_.size()));
  }

  void make_formulas() {
    std::set<std::size_t> leaves;
    if (roles_.stimulus) leaves.insert(*roles_.stimulus);
    for (const std::size_t item : system_.evaluation_order(leaves)) {
      const std::size_t number = item % values_.size();
      const bool is_rate = item >= values_.size();
      if (!is_rate && values_[number] >= 0) continue;
      const Equation& equation = *quantity(number).equation;
      component_ = quantity(number).component;
      try {
        const TermIndex right = formula_term(equation.right, graph_, *this);
        if (is_rate)  // per unit of the file's time; per ms it is less where that is longer
          rates_[number] = scaled(right, 1 / factor(system_.unit_of(component_, equation.left.by), millisecond()));
        else
          values_[number] = right;
      } catch (const InputError& error) {
        throw InputError("equation of " + quantity(number).name + ": " + error.what());
      }
    }
  }

  void sort_states(CellMlModel& model) {
    std::vector<TermIndex> rates;
    for (const std::size_t number : states_) rates.push_back(rates_[number]);
    order_ = classify_states(graph_, rates);
    for (const ClassifiedState& sorted : order_) {
      const std::size_t number = states_[static_cast<std::size_t>(sorted.state)];
      const CellMlUnit& unit = quantity(number).unit;
      model.states.push_back({quantity(number).name, unit.name, initial_value(number, 0), sorted.kind, sorted.chain});
      const auto moles = unit.dimension.find("mole");
      model.states.back().is_amount = moles != unit.dimension.end() && moles->second == 1;
    }
  }

  void copy_terms(CellMlModel& model) {
    std::vector<double> values;
    for (const CellMlParameter& parameter : parameters_) values.push_back(parameter.value);
    std::vector<TermIndex> roots{scaled(rates_[roles_.potential], to_mv())};
    std::vector<int> new_number(states_.size());
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const auto state = static_cast<std::size_t>(order_[k].state);
      roots.push_back(rates_[states_[state]]);
      new_number[state] = static_cast<int>(k);
    }
    std::map<int, int> new_parameter;
    const auto leaf_of = [&](const Term& term) {
      if (term.operation == Operation::state)
        return model.graph.leaf(Operation::state, new_number[static_cast<std::size_t>(term.a)]);
      if (term.operation != Operation::parameter) return model.graph.leaf(term.operation);
      const auto [place, is_new] = new_parameter.emplace(term.a, static_cast<int>(model.parameters.size()));
      if (is_new) model.parameters.push_back(parameters_[static_cast<std::size_t>(term.a)]);
      return model.graph.leaf(Operation::parameter, place->second);
    };
    const std::vector<TermIndex> copies =
        copied_without_removable_quotients(graph_, roots, values, model.graph, leaf_of);
    model.potential_rate = copies[0];
    for (std::size_t k = 0; k < model.states.size(); ++k) model.states[k].rate = copies[k + 1];
  }

  static void find_open_and_speed(CellMlModel& model, CellMlState& state) {
    if (state.kind != StateKind::gate && state.kind != StateKind::follower) return;
    const auto number = static_cast<int>(&state - model.states.data());
    const TermIndex leaf = model.graph.leaf(Operation::state, number);
    state.open = substituted(model.graph, {&state.rate, 1}, leaf, 0)[0];
    state.speed = model.graph.negate(derivatives(model.graph, {&state.rate, 1}, leaf)[0]);
  }

  void describe_stimulus(CellMlModel& model) {
    if (!roles_.stimulus) return;
    const ModelQuantity& of = quantity(*roles_.stimulus);
    CellMlStimulus stimulus{of.name, of.unit.name};
    const TermIndex slope =
        derivatives(model.graph, {&model.potential_rate, 1}, model.graph.leaf(Operation::stimulus))[0];
    const std::vector<double> states = model.initial_states(), parameters = model.parameter_values();
    stimulus.mv_per_ms = evaluate(model.graph, {.potential_mv = model.initial_potential_mv,
                                                .states = states,
                                                .parameters = parameters})[static_cast<std::size_t>(slope)];
    const auto annotated = [&](const char* what, const CellMlUnit& unit) -> std::optional<double> {
      const auto number = system_.annotated(std::string("membrane_stimulus_current_") + what);
      if (!number || !conversion(quantity(*number).unit, unit)) return std::nullopt;
      const std::optional<double> value = parameter_value(*number);
      if (!value) return std::nullopt;
      return *value * factor(quantity(*number).unit, unit);
    };
    stimulus.amplitude = annotated("amplitude", of.unit);
    stimulus.duration_ms = annotated("duration", millisecond());
    stimulus.period_ms = annotated("period", millisecond());
    model.stimulus = stimulus;
  }

  const EquationSystem& system_;
  const ModelRoles& roles_;
  TermGraph graph_;
  std::vector<TermIndex> values_, rates_;    ///< [quantity], in its unit; rates per ms
  std::vector<std::size_t> states_;          ///< quantities, in the order of the file
  std::vector<CellMlParameter> parameters_;  ///< all, used or not
  std::vector<ClassifiedState> order_;
  std::size_t component_ = 0;  ///< whose equation becomes a term
};

CellMlModel model_of(const CellMlDocument& document, const CellMlOptions& options) {
  EquationSystem system(document);
  for (const auto& [name, value] : options.parameters) {
    const std::size_t number = system.named(name, "parameter");
    const Definition definition = system.quantities()[number].definition;
    if (definition != Definition::constant && definition != Definition::formula)
      throw InputError("parameter: " + system.quantities()[number].name + " is " +
                       (definition == Definition::rate ? "a state" : "time") + ", not a parameter");
    system.set_constant(number, value);
  }
  const ModelRoles roles = find_roles(system, options);
  return ModelBuilder(system, roles).build();
}

}  // namespace

std::vector<double> CellMlModel::parameter_values() const {
  std::vector<double> values;
  for (const CellMlParameter& parameter : parameters) values.push_back(parameter.value);
  return values;
}

std::vector<double> CellMlModel::initial_states() const {
  std::vector<double> values;
  for (const CellMlState& state : states) values.push_back(state.initial);
  return values;
}

std::vector<double> potentials_without_rates(const CellMlModel& model) {
  const std::vector<double> states = model.initial_states(), parameters = model.parameter_values();
  std::vector<double> found;
  for (int half = -240; half <= 120; ++half) {
    const std::vector<double> values =
        evaluate(model.graph, {.potential_mv = 0.5 * half, .states = states, .parameters = parameters});
    const auto is_number = [&](TermIndex term) { return std::isfinite(values[static_cast<std::size_t>(term)]); };
    const bool all = is_number(model.potential_rate) &&
                     std::ranges::all_of(model.states, [&](const CellMlState& state) { return is_number(state.rate); });
    if (!all) found.push_back(0.5 * half);
  }
  return found;
}

CellMlModel read_cellml(const std::filesystem::path& file, const CellMlOptions& options) {
  const CellMlDocument document = read_cellml_document(file);
  try {
    return model_of(document, options);
  } catch (const InputError& error) {
    throw InputError(file.string() + ": " + error.what());
  }
}

CellMlModel parse_cellml(const std::string& text, const CellMlOptions& options, const std::filesystem::path& folder) {
  return model_of(parse_cellml_document(text, folder), options);
}

}  // namespace cardiowarp
