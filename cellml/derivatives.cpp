#include "cellml/term_graph.hpp"

namespace cardiowarp {
namespace {

/// Derivatives by one leaf. The chain rule, with 0 left out early so that the result is as simple as it can be.
class Differentiation {
 public:
  explicit Differentiation(TermGraph& graph) : graph_(graph), zero_(graph.constant(0)) {}

  /// d/dx of `term` from those of its arguments.
  TermIndex of(TermIndex index, TermIndex da, TermIndex db, TermIndex dc) {
    const Term term = graph_[index];
    switch (term.operation) {
      case Operation::negate:
        return graph_.negate(da);
      case Operation::add:
        return graph_.add(da, db);
      case Operation::subtract:
        return graph_.subtract(da, db);
      case Operation::multiply:
        return graph_.add(graph_.multiply(da, term.b), graph_.multiply(term.a, db));
      case Operation::divide:
        return of_quotient(index, term, da, db);
      case Operation::power:
        return of_power(index, term, da, db);
      case Operation::select:
        return graph_.select(term.a, db, dc);
      default:
        return is_unary(term.operation) && da != zero_ ? of_function(index, term, da) : zero_;
    }
  }

 private:
  TermIndex number(double value) { return graph_.constant(value); }
  TermIndex square(TermIndex a) { return graph_.multiply(a, a); }
  TermIndex function(Operation operation, TermIndex a) { return graph_.term(operation, a); }

  /// (a / b)' = (a' − (a / b) b') / b
  TermIndex of_quotient(TermIndex index, const Term& term, TermIndex da, TermIndex db) {
    if (db == zero_) return graph_.divide(da, term.b);
    return graph_.divide(graph_.subtract(da, graph_.multiply(index, db)), term.b);
  }

  /// (a^b)' = b a^(b−1) a' + a^b ln(a) b'
  TermIndex of_power(TermIndex index, const Term& term, TermIndex da, TermIndex db) {
    TermIndex result = zero_;
    if (da != zero_) {
      const TermIndex lower = graph_.term(Operation::power, term.a, graph_.subtract(term.b, number(1)));
      result = graph_.multiply(graph_.multiply(term.b, lower), da);
    }
    if (db != zero_)
      result = graph_.add(result, graph_.multiply(graph_.multiply(index, function(Operation::log, term.a)), db));
    return result;
  }

  TermIndex of_function(TermIndex index, const Term& term, TermIndex da) {
    const TermIndex x = term.a;
    switch (term.operation) {
      case Operation::exp:
        return graph_.multiply(index, da);
      case Operation::log:
        return graph_.divide(da, x);
      case Operation::sqrt:
        return graph_.divide(da, graph_.multiply(number(2), index));
      case Operation::abs:
        return graph_.select(graph_.term(Operation::less, x, zero_), graph_.negate(da), da);
      case Operation::exp_quotient:
        return graph_.multiply(function(Operation::exp_quotient_slope, x), da);
      case Operation::exp_quotient_slope:
        return graph_.multiply(second_slope(index, x), da);
      default:
        return graph_.multiply(trigonometric_slope(index, term), da);
    }
  }

  /// With q = x / (exp x − 1) and q' = (q (1 − x) − q²) / x: q'' = (q' (1 − x) − q − 2 q q' − q') / x.
  TermIndex second_slope(TermIndex slope, TermIndex x) {
    const TermIndex q = function(Operation::exp_quotient, x);
    const TermIndex sum =
        graph_.add(graph_.multiply(slope, x), graph_.add(q, graph_.multiply(number(2), graph_.multiply(q, slope))));
    return graph_.negate(graph_.divide(sum, x));
  }

  TermIndex trigonometric_slope(TermIndex index, const Term& term) {
    const TermIndex x = term.a;
    const auto inverse = [&](TermIndex a) { return graph_.divide(number(1), a); };
    const auto inverse_root = [&](TermIndex a) { return inverse(function(Operation::sqrt, a)); };
    switch (term.operation) {
      case Operation::sin:
        return function(Operation::cos, x);
      case Operation::cos:
        return graph_.negate(function(Operation::sin, x));
      case Operation::tan:
        return graph_.add(number(1), square(index));
      case Operation::asin:
        return inverse_root(graph_.subtract(number(1), square(x)));
      case Operation::acos:
        return graph_.negate(inverse_root(graph_.subtract(number(1), square(x))));
      case Operation::atan:
        return inverse(graph_.add(number(1), square(x)));
      case Operation::sinh:
        return function(Operation::cosh, x);
      case Operation::cosh:
        return function(Operation::sinh, x);
      case Operation::tanh:
        return graph_.subtract(number(1), square(index));
      case Operation::asinh:
        return inverse_root(graph_.add(square(x), number(1)));
      case Operation::acosh:
        return inverse_root(graph_.subtract(square(x), number(1)));
      case Operation::atanh:
        return inverse(graph_.subtract(number(1), square(x)));
      default:
        return zero_;  // floor, ceiling: steps
    }
  }

  TermGraph& graph_;
  TermIndex zero_;
};

}  // namespace

std::vector<TermIndex> derivatives(TermGraph& graph, std::span<const TermIndex> terms, TermIndex leaf) {
  const std::vector<char> needed = needed_terms(graph, terms), depends = dependent_terms(graph, {&leaf, 1});
  Differentiation differentiation(graph);
  const TermIndex zero = graph.constant(0);
  std::vector<TermIndex> slope(needed.size(), zero);
  const auto of = [&](TermIndex index) { return index < 0 ? zero : slope[static_cast<std::size_t>(index)]; };
  for (std::size_t k = 0; k < needed.size(); ++k) {
    const auto index = static_cast<TermIndex>(k);
    if (needed[k] == 0 || depends[k] == 0) continue;
    const Term& term = graph[index];
    slope[k] = index == leaf ? graph.constant(1) : differentiation.of(index, of(term.a), of(term.b), of(term.c));
  }
  std::vector<TermIndex> result;
  for (const TermIndex term : terms) result.push_back(of(term));
  return result;
}

}  // namespace cardiowarp
