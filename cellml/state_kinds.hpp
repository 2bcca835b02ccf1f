#pragma once
#include <span>
#include <vector>

#include "cellml/term_graph.hpp"

namespace cardiowarp {

/// How a state's rate depends on it and on others, which decides how a time scheme can step it.
enum class StateKind {
  gate,      ///< ds/dt = open − speed · s, both of the potential alone
  follower,  ///< ds/dt = open − speed · s, both of the potential, gates, pools and what stands before it
  chain,     ///< one of several whose rates are linear in all of them: a Markov chain, or what exchanges linearly
  pool,      ///< anything else
};
constexpr const char* name_of(StateKind kind) {
  return kind == StateKind::gate       ? "gate"
         : kind == StateKind::follower ? "follower"
         : kind == StateKind::chain    ? "chain"
                                       : "pool";
}

/// The kind that is found for one state.
struct ClassifiedState {
  int state = 0;  ///< the number of its leaf
  StateKind kind = StateKind::pool;
  int chain = -1;  ///< the number of its chain
};

/// Sorts states into kinds by differentiating their rates. The result has the gates first, then followers and chains in
/// an order in which each needs nothing but gates, pools and what stands before it, and the pools last. `rates` is
/// [states]. A comparison, a step or an absolute value of a state counts as not linear
/// in it, and a state that does not act on its own rate is a pool. Time counts as a state
/// that is a pool.
std::vector<ClassifiedState> classify_states(TermGraph& graph, std::span<const TermIndex> rates);

}  // namespace cardiowarp
