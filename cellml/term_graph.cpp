#include "cellml/term_graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "cellml/exp_quotient.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

double apply_function(Operation operation, double x) {
  switch (operation) {
    case Operation::negate:
      return -x;
    case Operation::exp:
      return std::exp(x);
    case Operation::log:
      return std::log(x);
    case Operation::sqrt:
      return std::sqrt(x);
    case Operation::abs:
      return std::abs(x);
    case Operation::floor:
      return std::floor(x);
    case Operation::ceiling:
      return std::ceil(x);
    case Operation::sin:
      return std::sin(x);
    case Operation::cos:
      return std::cos(x);
    case Operation::tan:
      return std::tan(x);
    case Operation::asin:
      return std::asin(x);
    case Operation::acos:
      return std::acos(x);
    case Operation::atan:
      return std::atan(x);
    case Operation::sinh:
      return std::sinh(x);
    case Operation::cosh:
      return std::cosh(x);
    case Operation::tanh:
      return std::tanh(x);
    case Operation::asinh:
      return std::asinh(x);
    case Operation::acosh:
      return std::acosh(x);
    case Operation::atanh:
      return std::atanh(x);
    case Operation::exp_quotient:
      return exp_quotient(x);
    case Operation::exp_quotient_slope:
      return exp_quotient_slope(x);
    case Operation::logical_not:
      return x == 0 ? 1 : 0;
    default:
      return 0;
  }
}

bool is_commutative(Operation operation) {
  return operation == Operation::add || operation == Operation::multiply || operation == Operation::equal ||
         operation == Operation::logical_and || operation == Operation::logical_or;
}

}  // namespace

double apply_operation(Operation operation, double a, double b, double c) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::power:
      return std::pow(a, b);
    case Operation::less:
      return a < b ? 1 : 0;
    case Operation::less_equal:
      return a <= b ? 1 : 0;
    case Operation::equal:
      return a == b ? 1 : 0;
    case Operation::logical_and:
      return a != 0 && b != 0 ? 1 : 0;
    case Operation::logical_or:
      return a != 0 || b != 0 ? 1 : 0;
    case Operation::select:
      return a != 0 ? b : c;
    default:
      return apply_function(operation, a);
  }
}

std::size_t TermGraph::Hash::operator()(const Term& term) const {
  std::uint64_t hash = static_cast<std::uint64_t>(term.operation) + 0x9e3779b97f4a7c15U;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(static_cast<std::uint32_t>(term.a)),
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(term.b)),
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(term.c)), std::bit_cast<std::uint64_t>(term.value)}) {
    hash = (hash ^ part) * 0xff51afd7ed558ccdU;
    hash ^= hash >> 32;
  }
  return hash;
}

TermIndex TermGraph::stored(const Term& term) {
  const auto [place, is_new] = known_.try_emplace(term, size());
  if (!is_new) return place->second;
  if (terms_.size() >= most_terms) {
    known_.erase(place);
    throw InputError("the formulas expand to more than " + std::to_string(most_terms) + " terms");
  }
  terms_.push_back(term);
  return place->second;
}

TermIndex TermGraph::constant(double value) {
  // NaN is unequal to itself and would be stored again each time; −0 is stored as 0.
  if (std::isnan(value)) {
    if (not_a_number_ < 0) {
      not_a_number_ = size();
      terms_.push_back({Operation::constant, -1, -1, -1, value});
    }
    return not_a_number_;
  }
  return stored({Operation::constant, -1, -1, -1, value == 0 ? 0 : value});
}

TermIndex TermGraph::leaf(Operation operation, int index) {
  const bool has_index = operation == Operation::parameter || operation == Operation::state;
  return stored({operation, has_index ? index : -1, -1, -1, 0});
}

bool TermGraph::is_constant(TermIndex index, double value) const {
  return is_constant(index) && (*this)[index].value == value;
}

TermIndex TermGraph::term(Operation operation, TermIndex a, TermIndex b, TermIndex c) {
  const int arguments = arguments_of(operation);
  const bool all_constant = is_constant(a) && (arguments < 2 || is_constant(b)) && (arguments < 3 || is_constant(c));
  if (all_constant)
    return constant(apply_operation(operation, (*this)[a].value, arguments < 2 ? 0 : (*this)[b].value,
                                    arguments < 3 ? 0 : (*this)[c].value));
  switch (operation) {
    case Operation::negate:
      return simplified_negation(a);
    case Operation::add:
    case Operation::subtract:
      return simplified_sum(operation, a, b);
    case Operation::multiply:
    case Operation::divide:
      return simplified_product(operation, a, b);
    case Operation::power:
      return simplified_power(a, b);
    case Operation::select:
      return simplified_select(a, b, c);
    default:
      break;
  }
  if (is_commutative(operation) && a > b) std::swap(a, b);
  return stored({operation, a, arguments > 1 ? b : -1, -1, 0});
}

/// −(−x), −(x − y), −(c / x)
TermIndex TermGraph::simplified_negation(TermIndex a) {
  const Term of = (*this)[a];
  if (of.operation == Operation::negate) return of.a;
  if (of.operation == Operation::subtract) return subtract(of.b, of.a);
  if (of.operation == Operation::divide && is_constant(of.a)) return divide(constant(-(*this)[of.a].value), of.b);
  return stored({Operation::negate, a, -1, -1, 0});
}

TermIndex TermGraph::simplified_sum(Operation operation, TermIndex a, TermIndex b) {
  if (is_constant(b, 0)) return a;
  if (operation == Operation::subtract && (*this)[b].operation == Operation::negate) return add(a, (*this)[b].a);
  if (operation == Operation::add) {
    if (is_constant(a, 0)) return b;
    return stored({operation, std::min(a, b), std::max(a, b), -1, 0});
  }
  if (is_constant(a, 0)) return negate(b);
  if (a == b) return constant(0);
  return stored({operation, a, b, -1, 0});
}

TermIndex TermGraph::simplified_product(Operation operation, TermIndex a, TermIndex b) {
  if (is_constant(b, 1)) return a;
  if (is_constant(b, -1)) return negate(a);
  if (operation == Operation::divide) {
    if (is_constant(a, 0) && !is_constant(b, 0)) return a;
    const Term above = (*this)[a], below = (*this)[b];  // (x / z) / (1 / z)
    if (above.operation == Operation::divide && below.operation == Operation::divide && above.b == below.b &&
        is_constant(below.a, 1))
      return above.a;
    return stored({operation, a, b, -1, 0});
  }
  if (is_constant(a, 0) || is_constant(b, 0)) return constant(0);
  if (is_constant(a, 1)) return b;
  if (is_constant(a, -1)) return negate(b);
  return stored({operation, std::min(a, b), std::max(a, b), -1, 0});
}

TermIndex TermGraph::simplified_power(TermIndex a, TermIndex b) {
  if (is_constant(b, 0)) return constant(1);
  if (is_constant(b, 1)) return a;
  if (is_constant(b, 0.5)) return term(Operation::sqrt, a);
  if (is_constant(b, -1)) return divide(constant(1), a);
  if (is_constant(b, 2)) return multiply(a, a);
  if (is_constant(b, 3)) return multiply(multiply(a, a), a);
  if (is_constant(b, 4)) return multiply(multiply(a, a), multiply(a, a));
  return stored({Operation::power, a, b, -1, 0});
}

TermIndex TermGraph::simplified_select(TermIndex condition, TermIndex a, TermIndex b) {
  if (is_constant(condition)) return is_constant(condition, 0) ? b : a;
  if (a == b) return a;
  return stored({Operation::select, condition, a, b, 0});
}

std::vector<double> evaluate(const TermGraph& graph, const LeafValues& leaves) {
  std::vector<double> values(graph.terms().size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Term& term = graph.terms()[k];
    const auto of = [&](TermIndex index) { return index < 0 ? 0 : values[static_cast<std::size_t>(index)]; };
    switch (term.operation) {
      case Operation::constant:
        values[k] = term.value;
        break;
      case Operation::parameter:
        values[k] = leaves.parameters[static_cast<std::size_t>(term.a)];
        break;
      case Operation::state:
        values[k] = leaves.states[static_cast<std::size_t>(term.a)];
        break;
      case Operation::potential:
        values[k] = leaves.potential_mv;
        break;
      case Operation::time:
        values[k] = leaves.time_ms;
        break;
      case Operation::stimulus:
        values[k] = leaves.stimulus;
        break;
      default:
        values[k] = apply_operation(term.operation, of(term.a), of(term.b), of(term.c));
    }
  }
  return values;
}

std::vector<char> dependent_terms(const TermGraph& graph, std::span<const TermIndex> leaves) {
  std::vector<char> depends(graph.terms().size(), 0);
  for (const TermIndex leaf : leaves) depends[static_cast<std::size_t>(leaf)] = 1;
  for (std::size_t k = 0; k < depends.size(); ++k) {
    const Term& term = graph.terms()[k];
    if (is_leaf(term.operation)) continue;
    for (const TermIndex argument : {term.a, term.b, term.c})
      if (argument >= 0 && depends[static_cast<std::size_t>(argument)] != 0) depends[k] = 1;
  }
  return depends;
}

std::vector<char> needed_terms(const TermGraph& graph, std::span<const TermIndex> roots) {
  std::vector<char> needed(graph.terms().size(), 0);
  for (const TermIndex root : roots) needed[static_cast<std::size_t>(root)] = 1;
  for (std::size_t k = needed.size(); k-- > 0;) {
    const Term& term = graph.terms()[k];
    if (needed[k] == 0 || is_leaf(term.operation)) continue;
    for (const TermIndex argument : {term.a, term.b, term.c})
      if (argument >= 0) needed[static_cast<std::size_t>(argument)] = 1;
  }
  return needed;
}

std::vector<TermIndex> substituted(TermGraph& graph, std::span<const TermIndex> roots, TermIndex leaf, double value) {
  const std::vector<char> needed = needed_terms(graph, roots), depends = dependent_terms(graph, {&leaf, 1});
  std::vector<TermIndex> replacement(needed.size());
  const auto of = [&](TermIndex index) { return index < 0 ? -1 : replacement[static_cast<std::size_t>(index)]; };
  for (std::size_t k = 0; k < needed.size(); ++k) {
    const auto index = static_cast<TermIndex>(k);
    replacement[k] = index;
    if (needed[k] == 0 || depends[k] == 0) continue;
    const Term term = graph[index];  // a copy: the graph grows
    replacement[k] =
        index == leaf ? graph.constant(value) : graph.term(term.operation, of(term.a), of(term.b), of(term.c));
  }
  std::vector<TermIndex> result;
  for (const TermIndex root : roots) result.push_back(of(root));
  return result;
}

}  // namespace cardiowarp
