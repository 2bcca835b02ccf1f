#include "cellml/tissue/term_text.hpp"

#include <fmt/format.h>

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
    text += fmt::format("{}const double t{} = {};\n", indent, term, expression(graph_[term]));
    name(term, fmt::format("t{}", term));
  }
  return text;
}

/// Powers with a whole exponent are products: a compiler's power takes some hundred instructions.
std::string TermText::power(const std::string& a, TermIndex b) const {
  constexpr double largest = 12;
  const double exponent = graph_.is_constant(b) ? graph_[b].value : 0, whole = std::abs(exponent);
  if (whole < 1 || whole > largest || whole != std::floor(whole)) return fmt::format("pow({}, {})", a, (*this)(b));
  return fmt::format("{}whole_power<{}>({})", exponent > 0 ? "" : "1 / ", whole, a);
}

std::string TermText::expression(const Term& term) const {
  const auto of = [&](TermIndex index) { return index < 0 ? std::string() : (*this)(index); };
  const std::string a = of(term.a), b = of(term.b);
  switch (term.operation) {
    case Operation::negate:
      return "-" + a;
    case Operation::add:
      return fmt::format("{} + {}", a, b);
    case Operation::subtract:
      return fmt::format("{} - {}", a, b);
    case Operation::multiply:
      return fmt::format("{} * {}", a, b);
    case Operation::divide:
      return fmt::format("{} / {}", a, b);
    case Operation::power:
      return power(a, term.b);
    case Operation::less:
      return fmt::format("{} < {} ? 1.0 : 0.0", a, b);
    case Operation::less_equal:
      return fmt::format("{} <= {} ? 1.0 : 0.0", a, b);
    case Operation::equal:
      return fmt::format("{} == {} ? 1.0 : 0.0", a, b);
    case Operation::logical_and:
      return fmt::format("{} != 0 && {} != 0 ? 1.0 : 0.0", a, b);
    case Operation::logical_or:
      return fmt::format("{} != 0 || {} != 0 ? 1.0 : 0.0", a, b);
    case Operation::logical_not:
      return fmt::format("{} == 0 ? 1.0 : 0.0", a);
    case Operation::select:
      return fmt::format("{} != 0 ? {} : {}", a, b, of(term.c));
    default:
      return fmt::format("{}({})", function_names[static_cast<int>(term.operation) - static_cast<int>(Operation::exp)],
                         a);
  }
}

}  // namespace cardiowarp
