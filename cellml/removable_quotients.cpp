#include "cellml/removable_quotients.hpp"

#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

namespace cardiowarp {
namespace {

/// The factors of a product with quotients in it.
struct Factors {
  std::vector<TermIndex> above, below;
  double sign = 1;
};

/// A factor that is scale · (exp u − 1).
struct ExpMinusOne {
  TermIndex u;
  double scale;
};

/// A term slope · V + offset, with its numbers for some values of the parameters.
struct Line {
  TermIndex slope;
  std::vector<double> slopes, offsets;
};

class QuotientFinder {
 public:
  QuotientFinder(TermGraph& graph, std::span<const TermIndex> roots, std::span<const double> parameters)
      : graph_(graph) {
    const TermIndex potential = graph.leaf(Operation::potential);
    slope_of_ = all_slopes(roots, potential);
    by_potential_ = dependent_terms(graph, {&potential, 1});
    std::vector<TermIndex> others{graph.leaf(Operation::time), graph.leaf(Operation::stimulus)};
    for (TermIndex k = 0; k < graph.size(); ++k)
      if (graph[k].operation == Operation::state) others.push_back(k);
    by_others_ = dependent_terms(graph, others);
    by_potential_.resize(by_others_.size(), 0);
    evaluate_lines(parameters);
  }

  /// The factors of `term` with exp_quotient in the place of a quotient that can be 0 / 0; nothing where there is none.
  /// Terms are those of the graph, which may grow by them.
  std::optional<TermIndex> without_quotient(TermIndex term) {
    const std::optional<Factors> factors = factors_of(term);
    if (!factors) return std::nullopt;
    for (std::size_t d = 0; d < factors->below.size(); ++d)
      if (const auto exp = exp_minus_one(factors->below[d]))
        for (std::size_t n = 0; n < factors->above.size(); ++n)
          if (const auto ratio = ratio_of(factors->above[n], exp->u)) {
            // f / (scale (exp u − 1)) = (f / u) / scale · q(u)
            const TermIndex quotient = graph_.term(Operation::exp_quotient, exp->u);
            return product(*factors, n, d,
                           graph_.divide(graph_.multiply(*ratio, quotient), graph_.constant(exp->scale)));
          }
    for (std::size_t n = 0; n < factors->above.size(); ++n)
      if (const auto exp = exp_minus_one(factors->above[n]))
        for (std::size_t d = 0; d < factors->below.size(); ++d)
          if (const auto ratio = ratio_of(factors->below[d], exp->u)) {
            // scale (exp u − 1) / f = scale / ((f / u) q(u))
            const TermIndex quotient = graph_.term(Operation::exp_quotient, exp->u);
            return product(*factors, n, d,
                           graph_.divide(graph_.constant(exp->scale), graph_.multiply(*ratio, quotient)));
          }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t most_factors = 64;

  /// The derivative by the potential of each term that the roots need.
  std::vector<TermIndex> all_slopes(std::span<const TermIndex> roots, TermIndex potential) {
    const std::vector<char> needed = needed_terms(graph_, roots);
    std::vector<TermIndex> terms;
    for (std::size_t k = 0; k < needed.size(); ++k)
      if (needed[k] != 0) terms.push_back(static_cast<TermIndex>(k));
    const std::vector<TermIndex> of_needed = derivatives(graph_, terms, potential);
    std::vector<TermIndex> slopes(needed.size(), -1);
    for (std::size_t k = 0; k < terms.size(); ++k) slopes[static_cast<std::size_t>(terms[k])] = of_needed[k];
    return slopes;
  }

  void evaluate_lines(std::span<const double> parameters) {
    int states = 0;
    for (const Term& term : graph_.terms())
      if (term.operation == Operation::state) states = std::max(states, term.a + 1);
    const std::vector<double> none(static_cast<std::size_t>(states), 0);
    std::vector<double> changed(parameters.begin(), parameters.end());
    for (std::size_t k = 0; k < changed.size(); ++k)
      changed[k] = changed[k] * (1 + 0.1 * std::sin(1.0 + 2.3 * static_cast<double>(k))) + 1e-3;
    at_zero_.push_back(evaluate(graph_, {.states = none, .parameters = parameters}));
    at_zero_.push_back(evaluate(graph_, {.states = none, .parameters = changed}));
  }

  std::optional<Factors> factors_of(TermIndex term) const {
    Factors factors;
    std::vector<std::pair<TermIndex, bool>> open{{term, true}};
    while (!open.empty()) {
      const auto [index, is_above] = open.back();
      open.pop_back();
      const Term& of = graph_[index];
      if (of.operation == Operation::multiply || of.operation == Operation::divide) {
        open.emplace_back(of.b, (of.operation == Operation::multiply) == is_above);
        open.emplace_back(of.a, is_above);
      } else if (of.operation == Operation::negate) {
        factors.sign = -factors.sign;
        open.emplace_back(of.a, is_above);
      } else {
        (is_above ? factors.above : factors.below).push_back(index);
      }
      if (open.size() + factors.above.size() + factors.below.size() > most_factors) return std::nullopt;
    }
    if (factors.below.empty()) return std::nullopt;
    return factors;
  }

  /// `term` as number · exp u, u or nothing.
  std::optional<ExpMinusOne> scaled_exp(TermIndex term) const {
    const Term& of = graph_[term];
    if (of.operation == Operation::exp) return ExpMinusOne{of.a, 1};
    if (of.operation == Operation::negate && graph_[of.a].operation == Operation::exp)
      return ExpMinusOne{graph_[of.a].a, -1};
    if (of.operation != Operation::multiply) return std::nullopt;
    for (const auto& [number, exp] : {std::pair{of.a, of.b}, std::pair{of.b, of.a}})
      if (graph_.is_constant(number) && graph_[exp].operation == Operation::exp)
        return ExpMinusOne{graph_[exp].a, graph_[number].value};
    return std::nullopt;
  }

  /// exp u − 1, 1 − exp u, −1 + exp u and the same times a number.
  std::optional<ExpMinusOne> exp_minus_one(TermIndex term) const {
    const Term& of = graph_[term];
    if (of.operation != Operation::add && of.operation != Operation::subtract) return std::nullopt;
    const double sign_b = of.operation == Operation::add ? 1 : -1;
    for (const bool exp_is_first : {true, false}) {
      const TermIndex number = exp_is_first ? of.b : of.a;
      auto exp = scaled_exp(exp_is_first ? of.a : of.b);
      if (!exp || !graph_.is_constant(number)) continue;
      const double constant = (exp_is_first ? sign_b : 1) * graph_[number].value;
      exp->scale *= exp_is_first ? 1 : sign_b;
      if (constant + exp->scale == 0 && constant != 0) return exp;
    }
    return std::nullopt;
  }

  bool is_known(const std::vector<char>& flags, TermIndex term) const {
    return static_cast<std::size_t>(term) < flags.size();
  }
  bool has(const std::vector<char>& flags, TermIndex term) const { return flags[static_cast<std::size_t>(term)] != 0; }

  std::optional<Line> line(TermIndex term) const {
    if (static_cast<std::size_t>(term) >= slope_of_.size() || slope_of_[static_cast<std::size_t>(term)] < 0)
      return std::nullopt;
    const TermIndex slope = slope_of_[static_cast<std::size_t>(term)];
    if (!is_known(by_others_, slope) || has(by_others_, term) || !has(by_potential_, term)) return std::nullopt;
    if (has(by_others_, slope) || (is_known(by_potential_, slope) && has(by_potential_, slope))) return std::nullopt;
    Line result{slope, {}, {}};
    for (const std::vector<double>& values : at_zero_) {
      result.slopes.push_back(values[static_cast<std::size_t>(slope)]);
      result.offsets.push_back(values[static_cast<std::size_t>(term)]);
    }
    return result;
  }

  /// f / u where it is a constant of the potential.
  std::optional<TermIndex> ratio_of(TermIndex f, TermIndex u) {
    if (f == u) return graph_.constant(1);
    const std::optional<Line> line_f = line(f), line_u = line(u);
    if (!line_f || !line_u) return std::nullopt;
    for (std::size_t k = 0; k < line_f->slopes.size(); ++k) {
      const double a = line_f->offsets[k] * line_u->slopes[k], b = line_u->offsets[k] * line_f->slopes[k];
      if (line_u->slopes[k] == 0 || !(std::abs(a - b) <= 1e-10 * (std::abs(a) + std::abs(b)))) return std::nullopt;
    }
    return graph_.divide(line_f->slope, line_u->slope);
  }

  /// All factors but one above and one below, times `replacement`.
  TermIndex product(const Factors& factors, std::size_t without_above, std::size_t without_below,
                    TermIndex replacement) {
    TermIndex result = replacement;
    for (std::size_t k = 0; k < factors.above.size(); ++k)
      if (k != without_above) result = graph_.multiply(result, factors.above[k]);
    for (std::size_t k = 0; k < factors.below.size(); ++k)
      if (k != without_below) result = graph_.divide(result, factors.below[k]);
    return factors.sign < 0 ? graph_.negate(result) : result;
  }

  TermGraph& graph_;
  std::vector<TermIndex> slope_of_;
  std::vector<char> by_potential_, by_others_;
  std::vector<std::vector<double>> at_zero_;  ///< all terms at V = 0
};

}  // namespace

std::vector<TermIndex> copied_without_removable_quotients(TermGraph& from, std::span<const TermIndex> roots,
                                                          std::span<const double> parameters, TermGraph& into,
                                                          const std::function<TermIndex(const Term&)>& leaf_of) {
  QuotientFinder finder(from, roots, parameters);
  // Within `from` first: what a term becomes there is made of terms behind it, so that a second pass copies all.
  std::vector<char> needed = needed_terms(from, roots);
  std::vector<TermIndex> becomes(needed.size());
  const auto of = [&](TermIndex index) { return index < 0 ? -1 : becomes[static_cast<std::size_t>(index)]; };
  for (std::size_t k = 0; k < needed.size(); ++k) {
    const auto index = static_cast<TermIndex>(k);
    becomes[k] = index;
    const Term term = from[index];
    if (needed[k] == 0 || is_leaf(term.operation)) continue;
    becomes[k] = from.term(term.operation, of(term.a), of(term.b), of(term.c));
    if (term.operation == Operation::multiply || term.operation == Operation::divide)
      if (const auto better = finder.without_quotient(becomes[k])) becomes[k] = *better;
  }
  std::vector<TermIndex> new_roots;
  for (const TermIndex root : roots) new_roots.push_back(of(root));

  needed = needed_terms(from, new_roots);
  std::vector<TermIndex> copy(needed.size(), -1);
  const auto copied = [&](TermIndex index) { return index < 0 ? -1 : copy[static_cast<std::size_t>(index)]; };
  for (std::size_t k = 0; k < needed.size(); ++k) {
    if (needed[k] == 0) continue;
    const Term& term = from.terms()[k];
    copy[k] = is_leaf(term.operation)
                  ? (term.operation == Operation::constant ? into.constant(term.value) : leaf_of(term))
                  : into.term(term.operation, copied(term.a), copied(term.b), copied(term.c));
  }
  std::vector<TermIndex> result;
  for (const TermIndex root : new_roots) result.push_back(copied(root));
  return result;
}

}  // namespace cardiowarp
