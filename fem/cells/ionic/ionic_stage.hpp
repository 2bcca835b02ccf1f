#pragma once
#include <cmath>

#include "fem/cells/ionic/ionic_cell.hpp"

namespace cardiowarp {

// A stage of backward Euler at one cell of an ionic model: V at its end is given, the states at its end and the ionic
// current there come out, with the derivative of the current by V along the states that follow V. It is the inner of
// the two nested Newton iterations of a time step (paper 000 Table I): gates and followers are solved in closed form
// and a chain by a linear system, so that only the pools are iterated: the coupled ones by Newton's method, the others
// by what their rates give, divided by 1 + h decay. Nothing is thrown: a stage without a solution gives NaN, which the
// outer iteration reports, and which makes an adaptive step shorter.

/// A cell at the end of a stage.
template <IonicCellModel Cell>
struct IonicStage {
  Real current;  ///< I in mV/ms
  Real slope;    ///< dI/dV in 1/ms, with states that follow V
  Real state[states_of_ionic<Cell>];
};

/// s − s_old − h (target − s) speed = 0 solved for s.
template <class T>
CARDIOWARP_HD T relaxed(Real old, const T& target, const T& speed, Real h) {
  const T pace = h * speed;
  return (old + pace * target) / (1 + pace);
}

/// Solves A x = b for two right-hand sides in place by Gaussian elimination; false where a pivot is not positive. The
/// matrix is 1 − h ∂g/∂s, which is near the identity for a stage that resolves the states.
template <int N>
CARDIOWARP_HD bool solve_pools(Real (&A)[N][N], Real (&b)[N], Real (&c)[N]) {
  for (int k = 0; k < N; ++k) {
    if (!(A[k][k] > 0)) return false;
    const Real inverse = 1 / A[k][k];
    for (int i = k + 1; i < N; ++i) {
      const Real factor = A[i][k] * inverse;
      if (factor == 0) continue;
      for (int j = k + 1; j < N; ++j) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
      c[i] -= factor * c[k];
    }
  }
  for (int k = N - 1; k >= 0; --k) {
    for (int j = k + 1; j < N; ++j) {
      b[k] -= A[k][j] * b[j];
      c[k] -= A[k][j] * c[j];
    }
    b[k] /= A[k][k];
    c[k] /= A[k][k];
  }
  return true;
}

/// An array may not be empty.
constexpr int room_for(int number) { return number > 0 ? number : 1; }

/// The pool that cells of a model may use up, or −1.
template <class Cell>
inline constexpr int emptied_of = [] {
  if constexpr (requires { Cell::emptied; })
    return static_cast<int>(Cell::emptied);
  else
    return -1;
}();

/// x − old − h A(V) x = 0 solved for the states of a chain, with (1 − h A) x' = h A' x for its derivative by V.
template <IonicCellModel Cell>
CARDIOWARP_HD void solve_chain(const Cell& cell, Real V, const Real* old, Real h, Duals<1>* end) {
  constexpr int n = chain_of<Cell>;
  Duals<n> at_old[n], rate[n];
  for (int i = 0; i < n; ++i) at_old[i] = Duals<n>(old[i], i);
  cell.chain_rate(Duals<n>(V), at_old, rate);
  Real A[n][n], again[n][n], change[n], per_mv[n], none[n] = {};
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) A[i][k] = again[i][k] = (i == k) - h * rate[i].slope[k];
    change[i] = h * rate[i].value;
  }
  solve_pools(A, change, none);
  Duals<1> end_rate[n];
  for (int i = 0; i < n; ++i) end[i] = Duals<1>(old[i] + change[i]);
  cell.chain_rate(Duals<1>(V, 0), end, end_rate);
  for (int i = 0; i < n; ++i) per_mv[i] = h * end_rate[i].slope[0];
  solve_pools(again, per_mv, none);
  for (int i = 0; i < n; ++i) end[i].slope[0] = per_mv[i];
}

/// The iteration for the pools at the end of a stage, with derivatives by V and the coupled pools.
template <IonicCellModel Cell>
struct PoolIteration {
  static constexpr int gates = Cell::gates, followers = Cell::followers, pools = Cell::pools, chain = chain_of<Cell>,
                       coupled = coupled_of<Cell>;
  using InV = Duals<1>;
  using T = Duals<1 + coupled>;

  T gate[room_for(gates)], follower[room_for(followers)], pool[room_for(pools + chain)], rate[room_for(pools)], current;
  Real change[room_for(pools)], per_mv[room_for(coupled)];

  /// What depends on V alone, and the pools as they begin.
  CARDIOWARP_HD void begin(const Cell& cell, Real V, const Real* old, Real h) {
    InV target[room_for(gates)], speed[room_for(gates)];
    cell.gate(InV(V, 0), target, speed);
    for (int i = 0; i < gates; ++i) gate[i] = by_potential(relaxed(old[i], target[i], speed[i], h));
    for (int i = 0; i < pools; ++i) pool[i] = i < coupled ? T(first_guess(old, i), 1 + i) : T(first_guess(old, i));
    if constexpr (chain > 0) {
      InV end[chain];
      solve_chain(cell, V, old + gates + followers + pools, h, end);
      for (int i = 0; i < chain; ++i) pool[pools + i] = by_potential(end[i]);
    }
  }

  /// Followers, current and rates for the present pools, and the change that Newton's method would make of these; false
  /// where it has none.
  CARDIOWARP_HD bool evaluate(const Cell& cell, Real V, const Real* old, Real h) {
    const T at(V, 0);
    if constexpr (followers > 0) {
      T target[followers], speed[followers];
      cell.follower(at, gate, pool, target, speed);
      for (int i = 0; i < followers; ++i) follower[i] = relaxed(old_follower(old, i), target[i], speed[i], h);
    }
    current = cell.current(at, gate, follower, pool, rate);
    for (int i = 0; i < pools; ++i) change[i] = old_pool(old, i) + h * rate[i].value - pool[i].value;
    if constexpr (coupled > 0) {
      Real A[coupled][coupled], newton[coupled];
      for (int i = 0; i < coupled; ++i) {
        for (int j = 0; j < coupled; ++j) A[i][j] = (i == j) - h * rate[i].slope[1 + j];
        newton[i] = change[i];
        per_mv[i] = h * rate[i].slope[0];
      }
      if (!solve_pools(A, newton, per_mv)) return false;
      for (int i = 0; i < coupled; ++i) change[i] = newton[i];
    }
    if constexpr (coupled < pools)
      for (int i = coupled; i < pools; ++i) change[i] *= 1 / (1 + h * Cell::decay(i));
    return true;
  }

  CARDIOWARP_HD bool is_solved(Real near_enough) const {
    bool is_near = true;
    for (int i = 0; i < pools; ++i)
      is_near = is_near && std::fabs(change[i]) <= near_enough * (std::fabs(pool[i].value) + 1e-12);
    return is_near;
  }

  /// No pool falls below a tenth of what it is: a store that runs empty has its solution just above 0, and Newton's
  /// method, which comes from above too far, goes up to it from below.
  CARDIOWARP_HD void move() {
    for (int i = 0; i < pools; ++i) {
      const Real end = pool[i].value + change[i], least = 0.1 * pool[i].value;
      pool[i].value = end > least ? end : least;
    }
  }

  /// What fills or empties a store that runs empty ends at once, so that a second stage may begin far below 0.
  CARDIOWARP_HD static Real old_follower(const Real* old, int i) {
    const Real value = old[gates + i];
    return emptied_of<Cell> >= 0 && value < 0 ? 0 : value;
  }
  CARDIOWARP_HD static Real old_pool(const Real* old, int i) {
    const Real value = old[gates + followers + i];
    return i == emptied_of<Cell> && value < 0 ? 0 : value;
  }

 private:
  CARDIOWARP_HD static Real first_guess(const Real* old, int i) {
    const Real value = old_pool(old, i);
    return i == emptied_of<Cell> && value < 1e-6 ? 1e-6 : value;
  }
  CARDIOWARP_HD static T by_potential(const InV& value) {
    T result(value.value);
    result.slope[0] = value.slope[0];
    return result;
  }
};

/// The stage of length h, in ms, at the potential V, in mV, from the states `old`. All is NaN where the pools have no
/// solution or one of them would be negative.
template <IonicCellModel Cell>
CARDIOWARP_HD IonicStage<Cell> ionic_stage(const Cell& cell, Real V, const Real* old, Real h) {
  using Local = PoolIteration<Cell>;
  // Newton's error squares from one iteration to the next, and what is left of the last change is taken linearly.
  constexpr Real near_enough = 1e-5;
  constexpr int most_iterations = 20;
  Local local;
  local.begin(cell, V, old, h);
  bool is_solved = false;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    if (!local.evaluate(cell, V, old, h)) break;
    is_solved = local.is_solved(near_enough);
    if (is_solved) break;
    local.move();
  }
  // What the last change of the pools does to current and followers, and what V does through the coupled pools.
  IonicStage<Cell> stage;
  stage.current = local.current.value;
  stage.slope = local.current.slope[0];
  for (int i = 0; i < Local::gates; ++i) stage.state[i] = local.gate[i].value;
  Real* const follower = stage.state + Local::gates;
  for (int i = 0; i < Local::followers; ++i) follower[i] = local.follower[i].value;
  for (int j = 0; j < Local::coupled; ++j) {
    stage.current += local.current.slope[1 + j] * local.change[j];
    stage.slope += local.current.slope[1 + j] * local.per_mv[j];
    for (int i = 0; i < Local::followers; ++i) follower[i] += local.follower[i].slope[1 + j] * local.change[j];
  }
  Real* const pool = follower + Local::followers;
  for (int i = 0; i < Local::pools; ++i) {
    pool[i] = local.pool[i].value + local.change[i];
    is_solved = is_solved && pool[i] >= 0;
  }
  for (int i = 0; i < Local::chain; ++i) pool[Local::pools + i] = local.pool[Local::pools + i].value;
  if (!is_solved) stage.current = stage.slope = NAN;
  return stage;
}

/// The ionic current in mV/ms at V and the states, and the rates of the states per ms in `rate`.
template <IonicCellModel Cell>
CARDIOWARP_HD Real ionic_rates(const Cell& cell, Real V, const Real* state, Real* rate) {
  constexpr int gates = Cell::gates, followers = Cell::followers;
  Real target[gates + followers + 1], speed[gates + followers + 1];
  cell.gate(V, target, speed);
  for (int i = 0; i < gates; ++i) rate[i] = (target[i] - state[i]) * speed[i];
  const Real *follower = state + gates, *pool = follower + followers;
  if constexpr (followers > 0) {
    cell.follower(V, state, pool, target, speed);
    for (int i = 0; i < followers; ++i) rate[gates + i] = (target[i] - follower[i]) * speed[i];
  }
  if constexpr (chain_of < Cell >> 0) {
    constexpr int before = gates + followers + Cell::pools;
    cell.chain_rate(V, state + before, rate + before);
  }
  return cell.current(V, state, follower, pool, rate + gates + followers);
}

}  // namespace cardiowarp
