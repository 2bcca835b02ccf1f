#include "cellml/state_kinds.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace cardiowarp {
namespace {

/// A set of leaves: states by their number, then the potential and time.
class LeafSet {
 public:
  explicit LeafSet(std::size_t leaves) : words_((leaves + 63) / 64) {}
  void insert(std::size_t leaf) { words_[leaf / 64] |= std::uint64_t{1} << leaf % 64; }
  void erase(std::size_t leaf) { words_[leaf / 64] &= ~(std::uint64_t{1} << leaf % 64); }
  bool contains(std::size_t leaf) const { return (words_[leaf / 64] >> leaf % 64 & 1) != 0; }
  bool is_empty() const {
    return std::ranges::all_of(words_, [](std::uint64_t word) { return word == 0; });
  }
  void join(const LeafSet& other) {
    for (std::size_t k = 0; k < words_.size(); ++k) words_[k] |= other.words_[k];
  }
  bool meets(const LeafSet& other) const {
    for (std::size_t k = 0; k < words_.size(); ++k)
      if ((words_[k] & other.words_[k]) != 0) return true;
    return false;
  }

 private:
  std::vector<std::uint64_t> words_;
};

bool is_step(Operation operation) {
  return operation == Operation::abs || operation == Operation::floor || operation == Operation::ceiling ||
         (operation >= Operation::less && operation <= Operation::logical_not);
}

class Classification {
 public:
  Classification(TermGraph& graph, std::span<const TermIndex> rates)
      : graph_(graph), rates_(rates), states_(rates.size()), kinds_(states_, StateKind::pool), chain_of_(states_, -1) {
    for (std::size_t k = 0; k < states_; ++k)
      slopes_.push_back(derivatives(graph, rates, graph.leaf(Operation::state, static_cast<int>(k))));
    find_leaves();
  }

  std::vector<ClassifiedState> run() {
    for (std::size_t k = 0; k < states_; ++k)
      if (is_linear(k, k) && !graph_.is_constant(slope(k, k), 0))
        kinds_[k] = depends_on_potential_alone(k) ? StateKind::gate : StateKind::follower;
    find_chains();
    std::vector<ClassifiedState> result;
    const auto take = [&](std::size_t state) {
      result.push_back({static_cast<int>(state), kinds_[state], chain_of_[state]});
    };
    std::vector<std::vector<std::size_t>> groups = ordered_groups();
    for (std::size_t k = 0; k < states_; ++k)
      if (kinds_[k] == StateKind::gate) take(k);
    for (const std::vector<std::size_t>& group : groups) std::ranges::for_each(group, take);
    for (std::size_t k = 0; k < states_; ++k)
      if (kinds_[k] == StateKind::pool) take(k);
    return result;
  }

 private:
  const LeafSet& leaves_of(TermIndex term) const { return leaves_[static_cast<std::size_t>(term)]; }
  const LeafSet& compared_in(TermIndex term) const { return compared_[static_cast<std::size_t>(term)]; }

  /// For each term, the leaves that it depends on, and those that are compared in it.
  void find_leaves() {
    const std::size_t potential = states_, time = states_ + 1;
    leaves_.assign(graph_.terms().size(), LeafSet(states_ + 2));
    compared_ = leaves_;
    for (std::size_t k = 0; k < leaves_.size(); ++k) {
      const Term& term = graph_.terms()[k];
      if (term.operation == Operation::state) leaves_[k].insert(static_cast<std::size_t>(term.a));
      if (term.operation == Operation::potential) leaves_[k].insert(potential);
      if (term.operation == Operation::time) leaves_[k].insert(time);
      if (is_leaf(term.operation)) continue;
      for (const TermIndex argument : {term.a, term.b, term.c}) {
        if (argument < 0) continue;
        leaves_[k].join(leaves_of(argument));
        compared_[k].join(compared_in(argument));
      }
      if (is_step(term.operation)) compared_[k].join(leaves_[k]);
      if (term.operation == Operation::select) compared_[k].join(leaves_of(term.a));
    }
  }

  /// d rate / d state
  TermIndex slope(std::size_t rate, std::size_t state) const { return slopes_[state][rate]; }
  bool needs(std::size_t rate, std::size_t state) const { return leaves_of(rates_[rate]).contains(state); }
  bool is_linear(std::size_t rate, std::size_t state) const {
    return !leaves_of(slope(rate, state)).contains(state) && !compared_in(rates_[rate]).contains(state);
  }
  bool depends_on_potential_alone(std::size_t state) const {
    LeafSet others = leaves_of(rates_[state]);
    others.erase(state);
    others.erase(states_);
    return others.is_empty();
  }

  /// Whether each of two states feeds the other, linearly in both.
  bool exchange(std::size_t a, std::size_t b) const {
    const auto is_free = [&](std::size_t rate, std::size_t state) {
      const LeafSet& leaves = leaves_of(slope(rate, state));
      return !leaves.contains(a) && !leaves.contains(b) && !compared_in(rates_[rate]).contains(state);
    };
    return needs(a, b) && needs(b, a) && is_free(a, b) && is_free(b, a);
  }

  bool is_jointly_linear(const std::vector<std::size_t>& members) const {
    LeafSet all(states_ + 2);
    for (const std::size_t state : members) all.insert(state);
    for (const std::size_t rate : members) {
      if (compared_in(rates_[rate]).meets(all)) return false;
      for (const std::size_t state : members)
        if (leaves_of(slope(rate, state)).meets(all)) return false;
    }
    return true;
  }

  void find_chains() {
    std::vector<char> is_seen(states_, 0);
    for (std::size_t first = 0; first < states_; ++first) {
      if (is_seen[first] != 0 || kinds_[first] != StateKind::follower) continue;
      std::vector<std::size_t> members{first};
      is_seen[first] = 1;
      for (std::size_t k = 0; k < members.size(); ++k)
        for (std::size_t other = 0; other < states_; ++other)
          if (is_seen[other] == 0 && kinds_[other] == StateKind::follower && exchange(members[k], other)) {
            is_seen[other] = 1;
            members.push_back(other);
          }
      if (members.size() < 2 || !is_jointly_linear(members)) continue;
      std::ranges::sort(members);
      for (const std::size_t state : members) {
        kinds_[state] = StateKind::chain;
        chain_of_[state] = chains_;
      }
      ++chains_;
    }
  }

  std::vector<std::vector<std::size_t>> groups() const {
    std::vector<std::vector<std::size_t>> result(static_cast<std::size_t>(chains_));
    for (std::size_t k = 0; k < states_; ++k) {
      if (kinds_[k] == StateKind::chain) result[static_cast<std::size_t>(chain_of_[k])].push_back(k);
      if (kinds_[k] == StateKind::follower) result.push_back({k});
    }
    return result;
  }

  bool group_needs(const std::vector<std::size_t>& group, const std::vector<std::size_t>& other) const {
    for (const std::size_t rate : group)
      for (const std::size_t state : other)
        if (needs(rate, state)) return true;
    return false;
  }

  /// Followers and chains, each behind those that it needs. What needs itself through others becomes a pool: the last
  /// follower that is left, or a chain where none is.
  std::vector<std::vector<std::size_t>> ordered_groups() {
    std::vector<std::vector<std::size_t>> left = groups(), ordered;
    while (!left.empty()) {
      const auto is_ready = [&](const std::vector<std::size_t>& group) {
        return std::ranges::none_of(
            left, [&](const std::vector<std::size_t>& other) { return other != group && group_needs(group, other); });
      };
      if (const auto ready = std::ranges::find_if(left, is_ready); ready != left.end()) {
        ordered.push_back(*ready);
        left.erase(ready);
        continue;
      }
      for (const std::size_t state : left.back()) {
        kinds_[state] = StateKind::pool;
        chain_of_[state] = -1;
      }
      left.pop_back();
    }
    return ordered;
  }

  TermGraph& graph_;
  std::span<const TermIndex> rates_;
  std::size_t states_;
  std::vector<std::vector<TermIndex>> slopes_;  ///< [state][rate]
  std::vector<LeafSet> leaves_, compared_;      ///< [term]
  std::vector<StateKind> kinds_;
  std::vector<int> chain_of_;
  int chains_ = 0;
};

}  // namespace

std::vector<ClassifiedState> classify_states(TermGraph& graph, std::span<const TermIndex> rates) {
  return Classification(graph, rates).run();
}

}  // namespace cardiowarp
