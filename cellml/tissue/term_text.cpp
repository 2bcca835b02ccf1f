#include "cellml/tissue/term_text.hpp"

#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include "cellml/number_text.hpp"

namespace cardiowarp {
namespace {

constexpr const char* function_names[] = {
    "exp",  "log",  "sqrt", "fabs", "floor", "ceil",  "sin",   "cos",   "tan",          "asin",
    "acos", "atan", "sinh", "cosh", "tanh",  "asinh", "acosh", "atanh", "exp_quotient", "exp_quotient_slope"};
static_assert(std::size(function_names) ==
              static_cast<std::size_t>(Operation::exp_quotient_slope) - static_cast<std::size_t>(Operation::exp) + 1);

}  // namespace

/// As exp_quotient.hpp has them, and a whole power, which is x · x · .. in an order of its own.
const char* const term_functions = R"(
__device__ double not_a_number() { return nan(""); }
__device__ double exp_quotient(double x) { return fabs(x) < 1e-8 ? 1 - x / 2 : x / expm1(x); }
__device__ double exp_quotient_slope(double x) {
  const double y = x * x, q = exp_quotient(x);
  return fabs(x) < 0.25
      ? -0.5 + x * (1.0 / 6 + y * (-1.0 / 180 + y * (1.0 / 5040 + y * (-1.0 / 151200 + y / 4790016))))
      : (q * (1 - x) - q * q) / x;
}
template <int n>
__device__ double whole_power(double x) {
  if constexpr (n == 1) return x;
  else if constexpr (n % 2 == 1) return x * whole_power<n - 1>(x);
  else return whole_power<n / 2>(x * x);
}
)";

std::string literal_text(double value) {
  if (std::isnan(value)) return "not_a_number()";
  if (std::isinf(value)) return value > 0 ? "(1e308 * 10)" : "(-1e308 * 10)";
  std::string text = exact_text(value);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return value < 0 ? "(" + text + ")" : text;
}

std::string TermText::operator()(TermIndex term) const {
  return graph_.is_constant(term) ? literal_text(graph_[term].value) : names_[static_cast<std::size_t>(term)];
}

std::string TermText::lines(std::span<const TermIndex> terms, const char* indent) {
  std::string text;
  for (const TermIndex term : terms) {
    std::string its_name = "t" + std::to_string(term);
    text.append(indent).append("const double ").append(its_name).append(" = ");
    text.append(expression(graph_[term])).append(";\n");
    name(term, std::move(its_name));
  }
  return text;
}

/// Powers with a whole exponent are products: a compiler's power takes some hundred instructions.
std::string TermText::power(const Term& term) const {
  const TermText& of = *this;
  constexpr double largest = 12;
  const double exponent = graph_.is_constant(term.b) ? graph_[term.b].value : 0;
  const double whole = std::abs(exponent);
  if (whole < 1 || whole > largest || whole != std::floor(whole)) return "pow(" + of(term.a) + ", " + of(term.b) + ")";
  const std::string product = "whole_power<" + std::to_string(static_cast<int>(whole)) + ">(" + of(term.a) + ")";
  return exponent > 0 ? product : "1 / " + product;
}

std::string TermText::expression(const Term& term) const {
  const TermText& of = *this;
  const auto both = [&](const char* sign) { return of(term.a) + sign + of(term.b); };
  const auto truth = [&](const std::string& text) { return text + " ? 1.0 : 0.0"; };
  const auto is_true = [&](TermIndex which) { return "(" + of(which) + " != 0)"; };
  switch (term.operation) {
    case Operation::negate:
      return "-" + of(term.a);
    case Operation::add:
      return both(" + ");
    case Operation::subtract:
      return both(" - ");
    case Operation::multiply:
      return both(" * ");
    case Operation::divide:
      return both(" / ");
    case Operation::power:
      return power(term);
    case Operation::less:
      return truth(both(" < "));
    case Operation::less_equal:
      return truth(both(" <= "));
    case Operation::equal:
      return truth(both(" == "));
    case Operation::logical_and:
      return truth(is_true(term.a) + " && " + is_true(term.b));
    case Operation::logical_or:
      return truth(is_true(term.a) + " || " + is_true(term.b));
    case Operation::logical_not:
      return truth(of(term.a) + " == 0");
    case Operation::select:
      return is_true(term.a) + " ? " + of(term.b) + " : " + of(term.c);
    default: {
      const auto index = static_cast<int>(term.operation) - static_cast<int>(Operation::exp);
      return std::string(function_names[index]) + "(" + of(term.a) + ")";
    }
  }
}

}  // namespace cardiowarp
