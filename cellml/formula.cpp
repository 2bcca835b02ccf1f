#include "cellml/formula.hpp"

#include <algorithm>
#include <cstddef>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>

#include "cellml/mathml_operations.hpp"
#include "cellml/number_text.hpp"
#include "cellml/xml_document.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

using Kind = Formula::Kind;

std::vector<pugi::xml_node> elements_of(const pugi::xml_node& parent) {
  std::vector<pugi::xml_node> elements;
  for (const pugi::xml_node& child : parent.children())
    if (child.type() == pugi::node_element) elements.push_back(child);
  return elements;
}

Formula read_formula(const pugi::xml_node& element);

/// 1.5, 1.5 <sep/> -3 (e-notation), 1 <sep/> 3 (rational)
Formula read_number(const pugi::xml_node& element) {
  std::vector<std::string> parts(1);
  for (const pugi::xml_node& child : element.children()) {
    if (child.type() == pugi::node_element && local_name(child.name()) == "sep")
      parts.emplace_back();
    else
      parts.back() += child.value();
  }
  const std::string type = attribute_of(element, "type");
  std::optional<double> value;
  if (parts.size() == 1 && (type.empty() || type == "real" || type == "integer" || type == "double"))
    value = number_of(parts[0]);
  else if (parts.size() == 2 && type == "e-notation")
    value = number_of(std::string(trimmed(parts[0])) + "e" + std::string(trimmed(parts[1])));
  else if (parts.size() == 2 && type == "rational" && number_of(parts[0]) && number_of(parts[1]).value_or(0) != 0)
    value = *number_of(parts[0]) / *number_of(parts[1]);
  if (!value)
    throw InputError("cn: expected a number, got '" + shown(parts[0]) + "'" +
                     (type.empty() ? "" : " of type '" + shown(type) + "'"));
  Formula formula{Kind::number};
  formula.value = *value;
  formula.unit = attribute_of(element, "units");
  return formula;
}

Formula read_variable(const pugi::xml_node& element) {
  Formula formula{Kind::variable};
  formula.name = trimmed(element.child_value());
  if (formula.name.empty()) throw InputError("ci: expected the name of a variable, got nothing");
  return formula;
}

Formula read_derivative(const std::vector<pugi::xml_node>& parts) {
  const bool has_form =
      parts.size() == 3 && local_name(parts[1].name()) == "bvar" && local_name(parts[2].name()) == "ci";
  if (!has_form) throw InputError("diff: expected bvar and the name of a variable");
  Formula formula{Kind::derivative};
  formula.name = read_variable(parts[2]).name;
  for (const pugi::xml_node& part : elements_of(parts[1])) {
    if (local_name(part.name()) == "ci") formula.by = read_variable(part).name;
    if (local_name(part.name()) != "degree") continue;
    const std::vector<pugi::xml_node> degree = elements_of(part);
    if (degree.size() != 1 || local_name(degree[0].name()) != "cn" || read_number(degree[0]).value != 1)
      throw InputError("d" + shown(formula.name) + "/dt: expected a first derivative");
  }
  if (formula.by.empty()) throw InputError("diff: expected the name of a variable in bvar");
  return formula;
}

Formula read_piecewise(const pugi::xml_node& element) {
  Formula formula{Kind::piecewise};
  std::optional<Formula> otherwise;
  for (const pugi::xml_node& part : elements_of(element)) {
    const std::vector<pugi::xml_node> values = elements_of(part);
    if (local_name(part.name()) == "piece" && values.size() == 2) {
      formula.arguments.push_back(read_formula(values[0]));
      formula.arguments.push_back(read_formula(values[1]));
    } else if (local_name(part.name()) == "otherwise" && values.size() == 1 && !otherwise) {
      otherwise = read_formula(values[0]);
    } else {
      throw InputError("piecewise: expected piece with a value and a condition, and otherwise with a value, got '" +
                       shown(local_name(part.name())) + "'");
    }
  }
  if (formula.arguments.empty() && !otherwise) throw InputError("piecewise: expected a piece, got none");
  if (otherwise) formula.arguments.push_back(*std::move(otherwise));
  return formula;
}

/// Puts `degree` and `logbase`, which stand first, behind what they belong to.
Formula read_apply(const pugi::xml_node& element) {
  const std::vector<pugi::xml_node> parts = elements_of(element);
  if (parts.empty()) throw InputError("apply: expected an operation, got nothing");
  const std::string name(local_name(parts[0].name()));
  if (name == "diff") return read_derivative(parts);
  if (name == "csymbol" || name == "delay") throw InputError("a delay or another csymbol is not computed here");
  Formula formula{Kind::operation, name};
  std::optional<Formula> qualifier;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const std::string_view part = local_name(parts[k].name());
    if ((part == "degree" && name == "root") || (part == "logbase" && name == "log")) {
      const std::vector<pugi::xml_node> inner = elements_of(parts[k]);
      if (inner.size() != 1 || qualifier) throw InputError(name + ": expected one " + std::string(part));
      qualifier = read_formula(inner[0]);
    } else {
      formula.arguments.push_back(read_formula(parts[k]));
    }
  }
  require_arguments(name, formula.arguments.size());
  if (qualifier) formula.arguments.push_back(*std::move(qualifier));
  return formula;
}

Formula read_formula(const pugi::xml_node& element) {
  const std::string_view name = local_name(element.name());
  if (name == "cn") return read_number(element);
  if (name == "ci") return read_variable(element);
  if (name == "apply") return read_apply(element);
  if (name == "piecewise") return read_piecewise(element);
  if (const std::optional<double> value = mathml_constant(name)) {
    Formula formula{Kind::number};
    formula.value = *value;
    formula.unit = "dimensionless";
    return formula;
  }
  if (name == "semantics" && !elements_of(element).empty()) return read_formula(elements_of(element).front());
  if (name == "csymbol") throw InputError("a delay or another csymbol is not computed here");
  throw InputError("'" + shown(name) + "' is no part of MathML that is read here");
}

bool can_be_left(const Formula& formula) { return formula.kind == Kind::variable || formula.kind == Kind::derivative; }

}  // namespace

std::vector<Equation> read_equations(const pugi::xml_node& math) {
  std::vector<Equation> equations;
  for (const pugi::xml_node& element : elements_of(math)) {
    const std::vector<pugi::xml_node> parts = elements_of(element);
    if (local_name(element.name()) == "semantics" || local_name(element.name()) == "annotation") continue;
    if (local_name(element.name()) != "apply" || parts.size() != 3 || local_name(parts[0].name()) != "eq")
      throw InputError("math: expected equations (apply with eq and two sides), got '" +
                       shown(local_name(parts.empty() ? element.name() : parts[0].name())) + "'");
    Equation equation{read_formula(parts[1]), read_formula(parts[2])};
    if (!can_be_left(equation.left) && can_be_left(equation.right)) std::swap(equation.left, equation.right);
    if (!can_be_left(equation.left)) {
      std::string names;
      for_each_variable(equation.left, [&](const Formula& used) { names += (names.empty() ? "" : ", ") + used.name; });
      throw InputError("an equation gives none of its variables" +
                       (names.empty() ? "" : " (" + shown(names) + ", ..)") +
                       ": expected variable = .. or its derivative = ..; algebraic systems are not solved here");
    }
    equations.push_back(std::move(equation));
  }
  return equations;
}

TermIndex formula_term(const Formula& formula, TermGraph& graph, VariableTerms& variables) {
  switch (formula.kind) {
    case Kind::number:
      return graph.constant(formula.value);
    case Kind::variable:
      return variables.variable(formula.name);
    case Kind::derivative:
      return variables.rate(formula.name, formula.by);
    default:
      break;
  }
  std::vector<TermIndex> arguments;
  for (const Formula& argument : formula.arguments) arguments.push_back(formula_term(argument, graph, variables));
  if (formula.kind == Kind::operation) return operation_term(graph, formula.name, arguments);
  const std::size_t pieces = arguments.size() / 2;
  TermIndex result = arguments.size() % 2 == 1 ? arguments.back() : graph.constant(*mathml_constant("notanumber"));
  for (std::size_t k = pieces; k-- > 0;) result = graph.select(arguments[2 * k + 1], arguments[2 * k], result);
  return result;
}

}  // namespace cardiowarp
