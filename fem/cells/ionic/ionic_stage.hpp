#pragma once
#include <cmath>

#include "fem/cells/ionic/ionic_cell.hpp"

namespace cardiowarp {

// A stage of backward Euler at one cell of an ionic model: V at its end is given, the states at its end and the ionic
// current there come out, with the derivative of the current by V along the states that follow V. It is the inner of
// the two nested Newton iterations of a time step (paper 000 Table I): gates and followers are solved in closed form
// and a chain by a linear system, so that only the pools are iterated: the coupled ones by Newton's method, the others
// by what their rates give with the coupled ones as they will be, divided by 1 + h decay. Nothing is thrown: a stage
// without a solution gives NaN, which the outer iteration reports, and which makes an adaptive step shorter.
//
// The equations are evaluated in numbers of the type Number, double or float. States are in double in either case: what
// is computed in float is what a stage changes of them, so that slow concentrations, whose changes are below the
// rounding of a float, add up over beats.

/// A cell at the end of a stage.
template <IonicCellModel Cell>
struct IonicStage {
  Real current;  ///< I in mV/ms
  Real slope;    ///< dI/dV in 1/ms, with states that follow V
  Real state[states_of_ionic<Cell>];
};

/// The change of s where s − s_old − h (target − s) speed = 0.
template <class T>
CARDIOWARP_HD T relaxation(Real old, const T& target, const T& speed, Real h) {
  const T pace = h * speed;
  return pace * (target - old) / (1 + pace);
}

/// Gaussian elimination of A in place: above the diagonal what is left of A, on it the inverses of the pivots, below it
/// the factors. False where a pivot is not positive. The matrix is 1 − h ∂g/∂s, which is near the identity for a stage
/// that resolves the states.
template <int N, class Number>
CARDIOWARP_HD bool eliminate(Number (&A)[N][N]) {
  for (int k = 0; k < N; ++k) {
    if (!(A[k][k] > 0)) return false;
    A[k][k] = reciprocal(A[k][k]);
    for (int i = k + 1; i < N; ++i) {
      A[i][k] *= A[k][k];
      for (int j = k + 1; j < N; ++j) A[i][j] -= A[i][k] * A[k][j];
    }
  }
  return true;
}

/// Solves A x = b in place, of which eliminate() has been through A.
template <int N, class Number>
CARDIOWARP_HD void substitute(const Number (&A)[N][N], Number (&b)[N]) {
  for (int i = 1; i < N; ++i)
    for (int k = 0; k < i; ++k) b[i] -= A[i][k] * b[k];
  for (int k = N - 1; k >= 0; --k) {
    for (int j = k + 1; j < N; ++j) b[k] -= A[k][j] * b[j];
    b[k] *= A[k][k];
  }
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

/// The change of the states of a chain where x − old − h A(V) x = 0, with (1 − h A) x' = h A' x for its derivative by
/// V. The states at the end are `end`.
template <class Number, IonicCellModel Cell>
CARDIOWARP_HD void solve_chain(const Cell& cell, Real V, const Real* old, Real h, Duals<1, Number>* end,
                               Number (&change)[chain_of<Cell>]) {
  constexpr int n = chain_of<Cell>;
  const auto length = static_cast<Number>(h);
  Duals<n, Number> at_old[n], rate[n];
  for (int i = 0; i < n; ++i) at_old[i] = Duals<n, Number>(old[i], i);
  cell.chain_rate(Duals<1, Number>(V), at_old, rate);
  Number A[n][n], per_mv[n];
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) A[i][k] = Number(i == k) - length * rate[i].slope[k];
    change[i] = length * rate[i].value;
  }
  eliminate(A);
  substitute(A, change);
  // Shares add up to 1 whatever is rounded.
  Number sum = 0;
  for (int i = 0; i < n; ++i) sum += change[i];
  for (int i = 0; i < n; ++i) change[i] -= sum * static_cast<Number>(old[i]);
  Duals<1, Number> end_rate[n];
  for (int i = 0; i < n; ++i) end[i] = Duals<1, Number>(old[i] + change[i]);
  cell.chain_rate(Duals<1, Number>(V, 0), end, end_rate);
  for (int i = 0; i < n; ++i) per_mv[i] = length * end_rate[i].slope[0];
  substitute(A, per_mv);
  for (int i = 0; i < n; ++i) end[i].slope[0] = per_mv[i];
}

/// The iteration for the pools at the end of a stage, with derivatives by V and the coupled pools.
template <class Number, IonicCellModel Cell>
struct PoolIteration {
  static constexpr int gates = Cell::gates, followers = Cell::followers, pools = Cell::pools, chain = chain_of<Cell>,
                       coupled = coupled_of<Cell>;
  using InV = Duals<1, Number>;
  using T = Duals<1 + coupled, Number>;

  InV gate[room_for(gates)], slow[room_for(pools + chain)];  ///< slow: pools that are not coupled, and the chain
  T follower[room_for(followers)], pool[room_for(coupled)], rate[room_for(pools)], current;
  Real at_end[room_for(pools)];  ///< the present pools
  Number change[room_for(pools)], per_mv[room_for(coupled)];
  T follower_change[room_for(followers)];

  /// Computes the numbers that depend on V alone, and the pools as they begin. `end` gets gates and chain.
  CARDIOWARP_HD void begin(const Cell& cell, Real V, const Real* old, Real h, Real* end) {
    InV target[room_for(gates)], speed[room_for(gates)];
    cell.gate(InV(V, 0), target, speed);
    for (int i = 0; i < gates; ++i) {
      const InV changed = relaxation(old[i], target[i], speed[i], h);
      end[i] = old[i] + changed.value;
      gate[i] = with_value(end[i], changed);
    }
    for (int i = 0; i < pools; ++i) at_end[i] = first_guess(old, i);
    if constexpr (chain > 0) {
      constexpr int before = gates + followers + pools;
      InV at[chain];
      Number changed[chain];
      solve_chain(cell, V, old + before, h, at, changed);
      for (int i = 0; i < chain; ++i) {
        end[before + i] = old[before + i] + changed[i];
        slow[pools + i] = with_value(end[before + i], at[i]);
      }
    }
  }

  /// Followers, current and rates for the present pools, and the change that Newton's method would make of these; false
  /// where it has none.
  CARDIOWARP_HD bool evaluate(const Cell& cell, Real V, const Real* old, Real h) {
    const InV at(V, 0);
    const auto length = static_cast<Number>(h);
    for (int i = 0; i < coupled; ++i) pool[i] = T(at_end[i], 1 + i);
    for (int i = coupled; i < pools; ++i) slow[i] = InV(at_end[i]);
    if constexpr (followers > 0) {
      T target[followers], speed[followers];
      cell.follower(at, gate, pool, slow, target, speed);
      for (int i = 0; i < followers; ++i) {
        follower_change[i] = relaxation(old_follower(old, i), target[i], speed[i], h);
        follower[i] = follower_change[i] + old_follower(old, i);
      }
    }
    current = cell.current(at, gate, follower, pool, slow, rate);
    for (int i = 0; i < pools; ++i)
      change[i] = static_cast<Number>(old_pool(old, i) - at_end[i]) + length * rate[i].value;
    if constexpr (coupled > 0) {
      Number A[coupled][coupled], newton[coupled];
      for (int i = 0; i < coupled; ++i) {
        for (int j = 0; j < coupled; ++j) A[i][j] = Number(i == j) - length * rate[i].slope[1 + j];
        newton[i] = change[i];
        per_mv[i] = length * rate[i].slope[0];
      }
      if (!eliminate(A)) return false;
      substitute(A, newton);
      substitute(A, per_mv);
      for (int i = 0; i < coupled; ++i) change[i] = newton[i];
    }
    if constexpr (coupled < pools)
      for (int i = coupled; i < pools; ++i) {
        for (int j = 0; j < coupled; ++j) change[i] += length * rate[i].slope[1 + j] * change[j];
        change[i] *= reciprocal(1 + length * Cell::decay(i, gate).value);
      }
    return true;
  }

  /// Whether what the last changes leave is small. The coupled pools leave the square of their changes, as the current
  /// takes the changes themselves linearly; the others leave what their change does to the current.
  CARDIOWARP_HD bool is_solved() const {
    bool is_near = true;
    for (int i = 0; i < pools; ++i) {
      const Number near_enough = i < coupled ? Number(1e-3) : Number(1e-5);
      is_near = is_near && std::fabs(change[i]) <= near_enough * (static_cast<Number>(at_end[i]) + Number(1e-12));
    }
    return is_near;
  }

  /// No pool falls below a tenth of what it is: a store that runs empty has its solution just above 0, and Newton's
  /// method, which comes from above too far, goes up to it from below.
  CARDIOWARP_HD void move() {
    for (int i = 0; i < pools; ++i) {
      const Real end = at_end[i] + change[i], least = 0.1 * at_end[i];
      at_end[i] = end > least ? end : least;
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
  /// A state of this value, with the derivative by V of another number.
  CARDIOWARP_HD static InV with_value(Real value, const InV& of) {
    InV result(value);
    result.slope[0] = of.slope[0];
    return result;
  }
};

/// The stage of length h, in ms, at the potential V, in mV, from the states `old`. All is NaN where the pools have no
/// solution or one of them would be negative.
template <class Number = Real, IonicCellModel Cell>
CARDIOWARP_HD IonicStage<Cell> ionic_stage(const Cell& cell, Real V, const Real* old, Real h) {
  using Local = PoolIteration<Number, Cell>;
  constexpr int most_iterations = 20;
  IonicStage<Cell> stage;
  Local local;
  local.begin(cell, V, old, h, stage.state);
  bool is_solved = false;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    if (!local.evaluate(cell, V, old, h)) break;
    is_solved = local.is_solved();
    if (is_solved) break;
    local.move();
  }
  // The effect of the last change of the pools on current and followers, and of V through the coupled pools.
  Number current = local.current.value, slope = local.current.slope[0];
  for (int j = 0; j < Local::coupled; ++j) {
    current += local.current.slope[1 + j] * local.change[j];
    slope += local.current.slope[1 + j] * local.per_mv[j];
  }
  Real* const follower = stage.state + Local::gates;
  for (int i = 0; i < Local::followers; ++i) {
    Number change = local.follower_change[i].value;
    for (int j = 0; j < Local::coupled; ++j) change += local.follower_change[i].slope[1 + j] * local.change[j];
    follower[i] = Local::old_follower(old, i) + change;
  }
  Real* const pool = follower + Local::followers;
  for (int i = 0; i < Local::pools; ++i) {
    pool[i] = local.at_end[i] + local.change[i];
    is_solved = is_solved && pool[i] >= 0;
  }
  stage.current = is_solved ? current : NAN;
  stage.slope = is_solved ? slope : NAN;
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
    cell.follower(V, state, pool, pool, target, speed);
    for (int i = 0; i < followers; ++i) rate[gates + i] = (target[i] - follower[i]) * speed[i];
  }
  if constexpr (chain_of < Cell >> 0) {
    constexpr int before = gates + followers + Cell::pools;
    cell.chain_rate(V, state + before, rate + before);
  }
  return cell.current(V, state, follower, pool, pool, rate + gates + followers);
}

}  // namespace cardiowarp
