#pragma once
#include <array>
#include <concepts>
#include <span>
#include <string_view>
#include <type_traits>

#include "fem/cells/cell_model.hpp"
#include "fem/cells/ionic/duals.hpp"

namespace cardiowarp {

// The contract of an ionic cell model: a potential V in mV, ionic currents, and up to some fifty further states, by
//   dV/dt = −I(V, states) + what neighbors and stimuli add,
// time in ms, I in mV/ms (for a capacitance of 1 µF/cm² that is µA/cm²; 1 pA/pF), positive outward. The states are of
// four kinds, which stand in this order wherever states are listed:
//   gates      ds/dt = (target(V) − s) speed(V), which a step takes in closed form
//   followers  ds/dt = (target − s) speed with functions of V, gates and pools, in closed form once the pools are known
//   pools      everything else: concentrations above all; a small Newton iteration at each cell. None may turn negative
//   chain      a Markov chain, ds/dt = A(V) s, by a linear system; few models have one
// The equations are written once, as templates on the number type T: with T = Real they give values, with T = Duals<N>
// (duals.hpp) derivatives besides, on the host and on a GPU. Within them `exp`, `log` and the like are called without a
// namespace after `using std::exp;`.

/// How many states of a Markov chain a model has: its member `chain`, or 0.
template <class Cell>
inline constexpr int chain_of = [] {
  if constexpr (requires { Cell::chain; })
    return Cell::chain;
  else
    return 0;
}();

/// How many of the pools, the first ones, are coupled (see `coupled` below): all where a model does not say.
template <class Cell>
inline constexpr int coupled_of = [] {
  if constexpr (requires { Cell::coupled; })
    return Cell::coupled;
  else
    return Cell::pools;
}();

template <class Cell>
inline constexpr int states_of_ionic = Cell::gates + Cell::followers + Cell::pools + chain_of<Cell>;

/// A kind of cell of a model, for example the epicardial one: its parameters, and the state in which it begins.
template <class Cell>
struct IonicSet {
  std::string_view name;
  Cell parameters;
  Real potential_mv;
  std::array<Real, states_of_ionic<Cell>> states;
};

/// A model is a plain struct whose members are its parameters, with the defaults of its first set. Static members:
///   name                      in the YAML file: `cell_model: {name: ...}`
///   gates, followers, pools   how many states of each kind there are
///   state_table()             names, meanings and ranges of all states; CellState::rest is not used
///   parameter_table()         names, units, ranges and meanings of the parameters that a user can set
///   parameter_sets()          the kinds of cell; the first is the default
/// Members that depend on the parameters; all are for the host and for a GPU and are templates on T. Arrays have one
/// number for each state of their kind:
///   gate(V, target, speed)                                  out: target and speed (1/ms) of each gate
///   follower(V, gates, pools, slow, target, speed)          likewise; only where there are followers
///   current(V, gates, followers, pools, slow, pool_rate)    -> T: I in mV/ms; out: the rates of the pools per ms
///   chain_rate(V, chain, rate)                              out: those of the chain; only where there is one
/// A model with many pools can say which of them a step solves together:
///   coupled                the first so many pools (static): those that change within a millisecond and act on each
///                          other. The others are iterated one by one, each with a rate that falls by
///   decay(pool, gates)     per ms with the pool itself, or 0 for a slow one (static)
///   emptied                a coupled pool (static) that cells may use up, so that a step may round it, and followers
///                          below 0, to 0
/// `pools` has the coupled pools alone, and `slow` the others, with the states of the chain behind them; both are
/// indexed by the number of the pool. V, gates and `slow` may be of a type U that has the derivative by V alone, while
/// followers and pools are of T: what is computed from the former stays of type U, which costs less.
template <class Cell>
concept IonicCellModel = std::is_trivially_copyable_v<Cell> && std::equality_comparable<Cell> &&
    std::default_initializable<Cell> && requires(const Cell cell, Duals<2> V, const Duals<2>* in, Duals<2>* out) {
  { Cell::name } -> std::convertible_to<std::string_view>;
  { Cell::gates } -> std::convertible_to<int>;
  { Cell::followers } -> std::convertible_to<int>;
  { Cell::pools } -> std::convertible_to<int>;
  { Cell::parameter_table() } -> std::convertible_to<std::span<const CellParameter<Cell>>>;
  { Cell::parameter_sets() } -> std::convertible_to<std::span<const IonicSet<Cell>>>;
  cell.gate(V, out, out);
  { cell.current(V, in, in, in, in, out) } -> std::same_as<Duals<2>>;
};

}  // namespace cardiowarp
