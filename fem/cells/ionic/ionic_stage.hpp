#pragma once
#include <cmath>

#include "fem/cells/ionic/ionic_cell.hpp"

namespace cardiowarp {

// A stage of backward Euler at one cell of an ionic model: V at its end is given, the states at its end and the ionic
// current there come out, with the derivative of the current by V along the states that follow V. It is the inner of
// the two nested Newton iterations of a time step (paper 000 Table I): gates and followers are solved in closed form,
// so that only the pools are iterated. Nothing is thrown: a stage without a solution gives NaN, which the outer
// iteration reports, and which makes an adaptive step shorter.

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

/// The stage of length h, in ms, at the potential V, in mV, from the states `old`. All is NaN where the pools have no
/// solution or one of them would be negative.
template <IonicCellModel Cell>
CARDIOWARP_HD IonicStage<Cell> ionic_stage(const Cell& cell, Real V, const Real* old, Real h) {
  constexpr int gates = Cell::gates, followers = Cell::followers, pools = Cell::pools;
  constexpr auto room_for = [](int number) { return number > 0 ? number : 1; };
  // Newton's error squares from one iteration to the next, and what is left of the last change is taken linearly.
  constexpr Real near_enough = 1e-7;
  constexpr int most_iterations = 12;
  using InV = Duals<1>;            // derivatives by V
  using InAll = Duals<1 + pools>;  // by V and the pools
  IonicStage<Cell> stage;
  InAll gate[room_for(gates)], follower[room_for(followers)], pool[room_for(pools)];
  InAll rate[room_for(pools)];
  {
    InV target[room_for(gates)], speed[room_for(gates)];
    cell.gate(InV(V, 0), target, speed);
    for (int i = 0; i < gates; ++i) {
      const InV end = relaxed(old[i], target[i], speed[i], h);
      stage.state[i] = end.value;
      gate[i] = end.value;
      gate[i].slope[0] = end.slope[0];
    }
  }
  const InAll at(V, 0);
  for (int i = 0; i < pools; ++i) pool[i] = InAll(old[gates + followers + i], 1 + i);
  Real change[room_for(pools)] = {}, by_V[room_for(pools)] = {};
  InAll current(0);
  bool is_solved = false;
  for (int iteration = 0; iteration < most_iterations && !is_solved; ++iteration) {
    if constexpr (followers > 0) {
      InAll target[followers], speed[followers];
      cell.follower(at, gate, pool, target, speed);
      for (int i = 0; i < followers; ++i) follower[i] = relaxed(old[gates + i], target[i], speed[i], h);
    }
    current = cell.current(at, gate, follower, pool, rate);
    if constexpr (pools == 0) {
      is_solved = true;
    } else {
      Real A[pools][pools];
      for (int i = 0; i < pools; ++i) {
        for (int j = 0; j < pools; ++j) A[i][j] = (i == j) - h * rate[i].slope[1 + j];
        change[i] = old[gates + followers + i] + h * rate[i].value - pool[i].value;
        by_V[i] = h * rate[i].slope[0];
      }
      if (!solve_pools(A, change, by_V)) break;
      is_solved = true;
      for (int i = 0; i < pools; ++i)
        is_solved = is_solved && std::fabs(change[i]) <= near_enough * (std::fabs(pool[i].value) + 1e-12);
      if (!is_solved)
        for (int i = 0; i < pools; ++i) pool[i].value += change[i];
    }
  }
  // What the last change of the pools does to current and followers, and what V does through the pools.
  stage.current = current.value;
  stage.slope = current.slope[0];
  for (int i = 0; i < followers; ++i) stage.state[gates + i] = follower[i].value;
  for (int j = 0; j < pools; ++j) {
    stage.current += current.slope[1 + j] * change[j];
    stage.slope += current.slope[1 + j] * by_V[j];
    for (int i = 0; i < followers; ++i) stage.state[gates + i] += follower[i].slope[1 + j] * change[j];
    const Real end = pool[j].value + change[j];
    stage.state[gates + followers + j] = end;
    is_solved = is_solved && end >= 0;
  }
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
  return cell.current(V, state, follower, pool, rate + gates + followers);
}

}  // namespace cardiowarp
