#include "cellml/mathml_operations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

#include "cellml/xml_document.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

constexpr std::size_t any = 1'000'000;

/// Operations of one argument: that of the graph, of which the reciprocal is taken or which is taken of the reciprocal.
enum class Reciprocal { none, of_result, of_argument };
struct FunctionName {
  const char* name;
  Operation operation;
  Reciprocal reciprocal = Reciprocal::none;
};
constexpr FunctionName functions[] = {
    {"exp", Operation::exp},
    {"ln", Operation::log},
    {"abs", Operation::abs},
    {"floor", Operation::floor},
    {"ceiling", Operation::ceiling},
    {"not", Operation::logical_not},
    {"sin", Operation::sin},
    {"cos", Operation::cos},
    {"tan", Operation::tan},
    {"sec", Operation::cos, Reciprocal::of_result},
    {"csc", Operation::sin, Reciprocal::of_result},
    {"cot", Operation::tan, Reciprocal::of_result},
    {"sinh", Operation::sinh},
    {"cosh", Operation::cosh},
    {"tanh", Operation::tanh},
    {"sech", Operation::cosh, Reciprocal::of_result},
    {"csch", Operation::sinh, Reciprocal::of_result},
    {"coth", Operation::tanh, Reciprocal::of_result},
    {"arcsin", Operation::asin},
    {"arccos", Operation::acos},
    {"arctan", Operation::atan},
    {"arcsec", Operation::acos, Reciprocal::of_argument},
    {"arccsc", Operation::asin, Reciprocal::of_argument},
    {"arccot", Operation::atan, Reciprocal::of_argument},
    {"arcsinh", Operation::asinh},
    {"arccosh", Operation::acosh},
    {"arctanh", Operation::atanh},
    {"arcsech", Operation::acosh, Reciprocal::of_argument},
    {"arccsch", Operation::asinh, Reciprocal::of_argument},
    {"arccoth", Operation::atanh, Reciprocal::of_argument},
};

const FunctionName* function_named(const std::string& name) {
  const auto found =
      std::ranges::find_if(functions, [&](const FunctionName& function) { return function.name == name; });
  return found == std::end(functions) ? nullptr : &*found;
}

/// The other operations, with the fewest and the most arguments.
const std::map<std::string, std::pair<std::size_t, std::size_t>>& operations() {
  static const std::map<std::string, std::pair<std::size_t, std::size_t>> counts = {
      {"plus", {1, any}}, {"minus", {1, 2}}, {"times", {1, any}},   {"divide", {2, 2}}, {"power", {2, 2}},
      {"root", {1, 1}},   {"log", {1, 1}},   {"factorial", {1, 1}}, {"rem", {2, 2}},    {"quotient", {2, 2}},
      {"min", {1, any}},  {"max", {1, any}}, {"eq", {2, any}},      {"neq", {2, 2}},    {"lt", {2, any}},
      {"gt", {2, any}},   {"leq", {2, any}}, {"geq", {2, any}},     {"and", {1, any}},  {"or", {1, any}},
      {"xor", {1, any}}};
  return counts;
}

TermIndex function_term(TermGraph& graph, const FunctionName& function, TermIndex argument) {
  const auto inverse = [&](TermIndex a) { return graph.divide(graph.constant(1), a); };
  if (function.reciprocal == Reciprocal::of_argument) return graph.term(function.operation, inverse(argument));
  const TermIndex result = graph.term(function.operation, argument);
  return function.reciprocal == Reciprocal::of_result ? inverse(result) : result;
}

TermIndex exclusive_or(TermGraph& graph, TermIndex a, TermIndex b) {
  const TermIndex not_a = graph.term(Operation::logical_not, a), not_b = graph.term(Operation::logical_not, b);
  return graph.term(Operation::logical_not, graph.term(Operation::equal, not_a, not_b));
}

/// a op b, for operations that join any number of arguments from the left.
TermIndex joined(TermGraph& graph, const std::string& name, TermIndex a, TermIndex b) {
  if (name == "plus") return graph.add(a, b);
  if (name == "times") return graph.multiply(a, b);
  if (name == "and") return graph.term(Operation::logical_and, a, b);
  if (name == "or") return graph.term(Operation::logical_or, a, b);
  if (name == "xor") return exclusive_or(graph, a, b);
  const TermIndex a_is_less = graph.term(Operation::less, a, b);
  return name == "min" ? graph.select(a_is_less, a, b) : graph.select(a_is_less, b, a);
}

TermIndex compared(TermGraph& graph, const std::string& name, TermIndex a, TermIndex b) {
  if (name == "lt") return graph.term(Operation::less, a, b);
  if (name == "gt") return graph.term(Operation::less, b, a);
  if (name == "leq") return graph.term(Operation::less_equal, a, b);
  if (name == "geq") return graph.term(Operation::less_equal, b, a);
  return graph.term(Operation::equal, a, b);
}

/// a / b without its digits behind the point, towards 0.
TermIndex whole_quotient(TermGraph& graph, TermIndex a, TermIndex b) {
  const TermIndex quotient = graph.divide(a, b);
  return graph.select(graph.term(Operation::less, quotient, graph.constant(0)),
                      graph.term(Operation::ceiling, quotient), graph.term(Operation::floor, quotient));
}

TermIndex factorial(TermGraph& graph, TermIndex of) {
  if (!graph.is_constant(of)) throw InputError("factorial: expected a number, got a formula");
  return graph.constant(std::tgamma(graph[of].value + 1));
}

TermIndex root(TermGraph& graph, std::span<const TermIndex> arguments) {
  if (arguments.size() == 1 || graph.is_constant(arguments[1], 2)) return graph.term(Operation::sqrt, arguments[0]);
  return graph.term(Operation::power, arguments[0], graph.divide(graph.constant(1), arguments[1]));
}

TermIndex logarithm(TermGraph& graph, std::span<const TermIndex> arguments) {
  const TermIndex base = arguments.size() == 1 ? graph.constant(10) : arguments[1];
  return graph.divide(graph.term(Operation::log, arguments[0]), graph.term(Operation::log, base));
}

bool is_comparison(const std::string& name) {
  constexpr std::array<std::string_view, 5> names{"eq", "lt", "gt", "leq", "geq"};
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::optional<double> mathml_constant(std::string_view name) {
  if (name == "pi") return std::numbers::pi;
  if (name == "exponentiale") return std::numbers::e;
  if (name == "true") return 1;
  if (name == "false") return 0;
  if (name == "infinity") return std::numeric_limits<double>::infinity();
  if (name == "notanumber") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

void require_arguments(const std::string& name, std::size_t arguments) {
  std::size_t fewest = 1, most = 1;
  if (function_named(name) == nullptr) {
    const auto found = operations().find(name);
    if (found == operations().end()) throw InputError("unknown function '" + shown(name) + "'");
    std::tie(fewest, most) = found->second;
  }
  if (arguments < fewest || arguments > most)
    throw InputError(name + ": expected " + std::to_string(fewest) +
                     (most == any     ? " or more arguments"
                      : most > fewest ? " to " + std::to_string(most) + " arguments"
                      : fewest == 1   ? " argument"
                                      : " arguments") +
                     ", got " + std::to_string(arguments));
}

TermIndex operation_term(TermGraph& graph, const std::string& name, std::span<const TermIndex> arguments) {
  const TermIndex a = arguments[0];
  if (const FunctionName* function = function_named(name)) return function_term(graph, *function, a);
  if (name == "root") return root(graph, arguments);
  if (name == "log") return logarithm(graph, arguments);
  if (name == "factorial") return factorial(graph, a);
  if (name == "minus") return arguments.size() == 1 ? graph.negate(a) : graph.subtract(a, arguments[1]);
  if (name == "divide") return graph.divide(a, arguments[1]);
  if (name == "power") return graph.term(Operation::power, a, arguments[1]);
  if (name == "quotient") return whole_quotient(graph, a, arguments[1]);
  if (name == "rem") return graph.subtract(a, graph.multiply(arguments[1], whole_quotient(graph, a, arguments[1])));
  if (name == "neq") return graph.term(Operation::logical_not, graph.term(Operation::equal, a, arguments[1]));
  if (is_comparison(name)) {  // a < b < c holds where a < b and b < c do
    TermIndex result = compared(graph, name, a, arguments[1]);
    for (std::size_t k = 2; k < arguments.size(); ++k)
      result = graph.term(Operation::logical_and, result, compared(graph, name, arguments[k - 1], arguments[k]));
    return result;
  }
  TermIndex result = a;
  for (const TermIndex argument : arguments.subspan(1)) result = joined(graph, name, result, argument);
  return result;
}

}  // namespace cardiowarp
