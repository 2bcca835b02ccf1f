#pragma once
#include <string>
#include <vector>

#include <pugixml.hpp>

#include "cellml/term_graph.hpp"
#include "cellml/units.hpp"

namespace cardiowarp {

/// A formula of MathML as it stands in a component of a CellML file: names of variables are those of the component.
struct Formula {
  enum class Kind {
    number,
    variable,
    derivative,  ///< d `name` / d `by`
    operation,   ///< of the MathML element `name`
    piecewise,   ///< arguments: value, condition, value, condition, .., and the value otherwise where there is one
  };

  Kind kind = Kind::number;
  std::string name = {}, by = {};
  double value = 0;
  std::string unit = {};  ///< of a number
  std::vector<Formula> arguments = {};
};

/// left = right
struct Equation {
  Formula left, right;
};

/// The equations of an element `math`. Throws InputError for what is no equation, an operation that is not known, a
/// wrong number of arguments or a delay.
std::vector<Equation> read_equations(const pugi::xml_node& math);

/// Gives a formula the terms of its variables, where it becomes a term.
class VariableTerms {
 public:
  virtual ~VariableTerms() = default;
  virtual TermIndex variable(const std::string& name) = 0;
  virtual TermIndex rate(const std::string& name, const std::string& by) = 0;
};

/// The formula as a term of the graph.
TermIndex formula_term(const Formula& formula, TermGraph& graph, VariableTerms& variables);

/// Calls `use` with each variable or derivative of the formula.
template <class Use>
void for_each_variable(const Formula& formula, const Use& use) {
  if (formula.kind == Formula::Kind::variable || formula.kind == Formula::Kind::derivative) use(formula);
  for (const Formula& argument : formula.arguments) for_each_variable(argument, use);
}

}  // namespace cardiowarp
