#include "cellml/tissue/stage_terms.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace cardiowarp {
namespace {

/// Copies terms from one graph to another, with terms of that in the place of leaves.
class TermCopy {
 public:
  TermCopy(const TermGraph& from, TermGraph& to) : from_(from), to_(to), copies_(from.terms().size(), -1) {}

  /// From here on x / y is x · (1 / y) for the terms y that are marked.
  void invert(std::vector<char> inverted) { inverted_ = std::move(inverted); }
  /// What a term becomes from here on.
  void set(TermIndex term, TermIndex copy) { copies_[static_cast<std::size_t>(term)] = copy; }

  TermIndex operator()(TermIndex root) {
    make({&root, 1});
    return copies_[static_cast<std::size_t>(root)];
  }
  /// The copies of several terms, in one pass over the graph.
  std::vector<TermIndex> operator()(std::span<const TermIndex> roots) {
    make(roots);
    std::vector<TermIndex> copies;
    for (const TermIndex root : roots) copies.push_back(copies_[static_cast<std::size_t>(root)]);
    return copies;
  }

 private:
  void make(std::span<const TermIndex> roots) {
    const std::vector<char> needed = needed_terms(from_, roots);
    for (std::size_t k = 0; k < needed.size(); ++k)
      if (needed[k] != 0 && copies_[k] < 0) copies_[k] = copied(from_.terms()[k]);
  }
  TermIndex of(TermIndex term) const { return term < 0 ? -1 : copies_[static_cast<std::size_t>(term)]; }
  TermIndex copied(const Term& term) {
    if (term.operation == Operation::constant) return to_.constant(term.value);
    if (is_leaf(term.operation)) return to_.leaf(term.operation, term.a);
    if (term.operation == Operation::divide && !inverted_.empty() && inverted_[static_cast<std::size_t>(term.b)] != 0)
      return to_.multiply(of(term.a), to_.divide(to_.constant(1), of(term.b)));
    return to_.term(term.operation, of(term.a), of(term.b), of(term.c));
  }

  const TermGraph& from_;
  TermGraph& to_;
  std::vector<TermIndex> copies_;  ///< [term of `from_`] -1 where there is none yet
  std::vector<char> inverted_;     ///< [term of `from_`] or empty
};

class StageBuilder {
 public:
  explicit StageBuilder(const CellMlModel& model) : model_(model), source_(model.graph), copy_(source_, terms_.graph) {
    terms_.step = static_cast<int>(model.parameters.size());
  }

  StageTerms build() {
    for (const Operation absent : {Operation::stimulus, Operation::time})
      for (std::size_t k = 0; k < source_.terms().size(); ++k)
        if (source_.terms()[k].operation == absent) copy_.set(static_cast<TermIndex>(k), terms_.graph.constant(0));
    for (std::size_t k = 0; k < model_.states.size(); ++k)
      if (is_closed(k)) close(static_cast<int>(k));
    for (std::size_t k = 0; k < model_.states.size(); ++k)
      if (std::ranges::find(terms_.closed, static_cast<int>(k)) == terms_.closed.end())
        terms_.pools.push_back(static_cast<int>(k));
    terms_.current = terms_.graph.negate(copy_(model_.potential_rate));
    for (const int pool : terms_.pools)
      terms_.rate.push_back(copy_(model_.states[static_cast<std::size_t>(pool)].rate));
    differentiate();
    share_inverses();
    return std::move(terms_);
  }

 private:
  /// Whether a state has a closed form in which nothing is used but pools and states that have theirs already.
  bool is_closed(std::size_t number) const {
    const CellMlState& state = model_.states[number];
    if (state.kind != StateKind::gate && state.kind != StateKind::follower) return false;
    const TermIndex roots[] = {state.open, state.speed};
    const std::vector<char> needed = needed_terms(source_, roots);
    for (std::size_t k = 0; k < needed.size(); ++k) {
      const Term& term = source_.terms()[k];
      if (needed[k] == 0 || term.operation != Operation::state) continue;
      const StateKind kind = model_.states[static_cast<std::size_t>(term.a)].kind;
      const bool is_closed_itself = kind == StateKind::gate || kind == StateKind::follower;
      if (is_closed_itself && std::ranges::find(terms_.closed, term.a) == terms_.closed.end()) return false;
    }
    return true;
  }

  void close(int number) {
    const CellMlState& state = model_.states[static_cast<std::size_t>(number)];
    TermGraph& graph = terms_.graph;
    const TermIndex h = graph.leaf(Operation::parameter, terms_.step), old = graph.leaf(Operation::state, number);
    const TermIndex end = graph.divide(graph.add(old, graph.multiply(h, copy_(state.open))),
                                       graph.add(graph.constant(1), graph.multiply(h, copy_(state.speed))));
    terms_.closed.push_back(number);
    terms_.closed_end.push_back(end);
    for (std::size_t k = 0; k < source_.terms().size(); ++k)
      if (source_.terms()[k].operation == Operation::state && source_.terms()[k].a == number)
        copy_.set(static_cast<TermIndex>(k), end);
  }

  void differentiate() {
    TermGraph& graph = terms_.graph;
    std::vector<TermIndex> of{terms_.current};
    of.insert(of.end(), terms_.rate.begin(), terms_.rate.end());
    const std::vector<TermIndex> by_potential = derivatives(graph, of, graph.leaf(Operation::potential));
    terms_.current_by_potential = by_potential.front();
    terms_.rate_by_potential.assign(by_potential.begin() + 1, by_potential.end());
    of.insert(of.end(), terms_.closed_end.begin(), terms_.closed_end.end());
    const std::size_t pools = terms_.pools.size();
    terms_.rate_by_pool.resize(pools * pools);
    terms_.closed_by_pool.resize(terms_.closed.size() * pools);
    for (std::size_t j = 0; j < pools; ++j) {
      const std::vector<TermIndex> by_pool = derivatives(graph, of, graph.leaf(Operation::state, terms_.pools[j]));
      terms_.current_by_pool.push_back(by_pool.front());
      for (std::size_t i = 0; i < pools; ++i) terms_.rate_by_pool[i * pools + j] = by_pool[1 + i];
      for (std::size_t i = 0; i < terms_.closed.size(); ++i)
        terms_.closed_by_pool[i * pools + j] = by_pool[1 + pools + i];
    }
  }

  std::vector<TermIndex*> roots() {
    std::vector<TermIndex*> all{&terms_.current, &terms_.current_by_potential};
    for (std::vector<TermIndex>* of : {&terms_.closed_end, &terms_.rate, &terms_.rate_by_potential,
                                       &terms_.current_by_pool, &terms_.rate_by_pool, &terms_.closed_by_pool})
      for (TermIndex& root : *of) all.push_back(&root);
    return all;
  }

  /// A division costs as much as some multiplications, and the derivatives of a quotient all have its denominator. So
  /// what divides more than once has its inverse computed, as has what is the same in all stages.
  void share_inverses() {
    const TermGraph graph = std::move(terms_.graph);
    std::vector<TermIndex> of_stage, wanted;
    for (std::size_t k = 0; k < graph.terms().size(); ++k) {
      const Operation operation = graph.terms()[k].operation;
      const bool is_step = operation == Operation::parameter && graph.terms()[k].a == terms_.step;
      if (is_step || operation == Operation::potential || operation == Operation::state)
        of_stage.push_back(static_cast<TermIndex>(k));
    }
    const std::vector<TermIndex*> all = roots();
    for (const TermIndex* root : all) wanted.push_back(*root);
    const std::vector<char> moves = dependent_terms(graph, of_stage), needed = needed_terms(graph, wanted);
    std::vector<int> divides(graph.terms().size(), 0);
    for (std::size_t k = 0; k < needed.size(); ++k)
      if (const Term& term = graph.terms()[k]; needed[k] != 0 && term.operation == Operation::divide)
        ++divides[static_cast<std::size_t>(term.b)];
    std::vector<char> inverted(divides.size(), 0);
    for (std::size_t k = 0; k < divides.size(); ++k) inverted[k] = divides[k] > 1 || moves[k] == 0 ? 1 : 0;
    terms_.graph = TermGraph();
    TermCopy copy(graph, terms_.graph);
    copy.invert(std::move(inverted));
    const std::vector<TermIndex> copies = copy(wanted);
    for (std::size_t k = 0; k < copies.size(); ++k) *all[k] = copies[k];
  }

  const CellMlModel& model_;
  const TermGraph& source_;
  StageTerms terms_;
  TermCopy copy_;
};

}  // namespace

StageTerms stage_terms(const CellMlModel& model) { return StageBuilder(model).build(); }

SplitTerms split_terms(const StageTerms& terms, const std::vector<TermIndex>& outputs,
                       const std::vector<int>& varying) {
  const TermGraph& graph = terms.graph;
  std::vector<TermIndex> of_pools, moving;
  for (std::size_t k = 0; k < graph.terms().size(); ++k) {
    const Term& term = graph.terms()[k];
    const auto index = static_cast<TermIndex>(k);
    const bool is_pool =
        term.operation == Operation::state && std::ranges::find(terms.pools, term.a) != terms.pools.end();
    if (is_pool) of_pools.push_back(index);
    if (term.operation == Operation::potential || term.operation == Operation::state ||
        (term.operation == Operation::parameter && std::ranges::find(varying, term.a) != varying.end()))
      moving.push_back(index);
  }
  const std::vector<char> with_pools = dependent_terms(graph, of_pools), moves = dependent_terms(graph, moving);
  const std::vector<char> needed = needed_terms(graph, outputs);
  SplitTerms split;
  split.first = terms.step + 1;
  TermCopy copy(graph, split.during);
  std::vector<char> is_before(graph.terms().size(), 0);
  const auto take = [&](TermIndex term) {
    if (term < 0) return;
    const auto k = static_cast<std::size_t>(term);
    if (is_before[k] != 0 || with_pools[k] != 0 || moves[k] == 0) return;
    is_before[k] = 1;
    copy.set(term, split.during.leaf(Operation::parameter, split.first + static_cast<int>(split.before.size())));
    split.before.push_back(term);
  };
  for (std::size_t k = 0; k < needed.size(); ++k) {
    const Term& term = graph.terms()[k];
    if (needed[k] == 0 || with_pools[k] == 0 || is_leaf(term.operation)) continue;
    for (const TermIndex argument : {term.a, term.b, term.c}) take(argument);
  }
  for (const TermIndex output : outputs) take(output);
  split.outputs = copy(outputs);
  return split;
}

std::vector<int> varying_parameters(std::span<const std::vector<double>> of_cells) {
  const std::vector<double>& first = of_cells.front();
  std::vector<int> numbers;
  for (std::size_t k = 0; k < first.size(); ++k)
    if (std::ranges::any_of(of_cells, [&](const auto& cell) { return cell[k] != first[k]; }))
      numbers.push_back(static_cast<int>(k));
  return numbers;
}

}  // namespace cardiowarp
