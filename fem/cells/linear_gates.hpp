#pragma once
#include "fem/cells/cell_model.hpp"
#include "fem/cells/dual.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// Gates that open and close linearly, ds/dτ = opening(φ) − speed(φ) s, with two functions of the potential that depend
// on no other state. For a model whose states are all such gates, this header gives what CellModel (cell_model.hpp)
// asks for them: their rates with all derivatives, and their step of backward Euler. The equation of that step is
// linear in s and is solved in closed form, where other states take Newton iterations (state_step.hpp). The functions
// of φ are given as Dual numbers (dual.hpp), which carry their derivative. MitchellSchaeffer and BuenoOrovio use this.

/// The values that half the width of a gate's switch may have, in φ: wider ones would reach into rest.
inline constexpr Range narrow_switch{0, 0.005, false, true};

/// A gate s with ds/dτ = opening(φ) − speed(φ) s.
struct LinearGate {
  Dual opening, speed;
};

/// Sets the rates g of a model whose N states are such gates, and the derivatives of g. The model sets f itself.
template <int N>
CARDIOWARP_HD void set_gate_rates(const LinearGate (&gate)[N], const Real* state, CellRates<N>& rates) {
  for (int i = 0; i < N; ++i) {
    const Dual rate = gate[i].opening - gate[i].speed * state[i];
    rates.g[i] = rate.value;
    rates.dg_dphi[i] = rate.slope;
    for (int j = 0; j < N; ++j) rates.dg_dstate[i][j] = i == j ? -gate[i].speed.value : 0;
  }
}

/// The step of backward Euler: s = (s_old + h opening) / (1 + h speed).
template <int N>
CARDIOWARP_HD StateStep<N> step_gates(const LinearGate (&gate)[N], const Real* old, Real h) {
  StateStep<N> step;
  for (int i = 0; i < N; ++i) {
    const Dual state = (old[i] + h * gate[i].opening) / (1 + h * gate[i].speed);
    step.state[i] = state.value;
    step.slope[i] = state.slope;
  }
  return step;
}

}  // namespace cardiowarp
