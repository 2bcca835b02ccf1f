#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "fem/cells/ionic/ionic_cell.hpp"

namespace cardiowarp {

// A single ionic cell that is paced, by an integrator that shares nothing with those of the program: the exponential
// midpoint rule (Rush–Larsen of order 2), in which gates and followers are exact for frozen targets and speeds, and the
// rest takes explicit midpoint steps. With steps of 0.005 ms around the upstroke and 0.02 ms later, its peaks and
// durations are within 0.02 mV and 0.02 ms of the limit for the models of the program.

/// A current of `amplitude` mV/ms into the cell from the beginning of each beat. In the program it is charged to no
/// ion; where a reference charges it to potassium, `charge` mM/mV of it go to the state of the number `charged`.
struct ChargedPulse {
  Real amplitude, duration_ms;
  int charged = 0;
  Real charge = 0;
};

/// What a beat looks like: the potential before it, its peak, when 0 mV is crossed after the beginning of the beat, and
/// the times from the steepest upstroke to 50 % and 90 % of the way from peak to rest.
struct BeatShape {
  Real rest_mv, peak_mv, zero_ms, apd50_ms, apd90_ms;
};

template <class Cell>
class PacedCell {
 public:
  static constexpr int states = states_of_ionic<Cell>;

  explicit PacedCell(const IonicSet<Cell>& set)
      : cell_(set.parameters), potential_(set.potential_mv), states_(set.states) {}

  Real potential() const { return potential_; }
  const std::array<Real, states>& all_states() const { return states_; }

  /// dV/dt of the present state without stimuli, mV/ms.
  Real rate_of_potential() const { return evaluate(potential_, states_).potential; }

  /// A step that would more than halve a pool is made in two.
  void step(Real h, Real stimulus) {
    const Evaluation first = evaluate(potential_, states_);
    const Real middle_potential = potential_ + h / 2 * (first.potential + stimulus);
    const auto middle = moved(first, h / 2);
    const Evaluation second = evaluate(middle_potential, middle);
    const auto end = moved(second, h);
    if (h > 1e-20 && (empties(middle) || empties(end))) {
      step(h / 2, stimulus);
      step(h / 2, stimulus);
      return;
    }
    potential_ += h * (second.potential + stimulus);
    states_ = end;
  }

  /// A beat of `period` ms that begins with the pulse. `finer` divides the steps.
  BeatShape beat(const ChargedPulse& pulse, Real period, Real finer = 1) {
    std::vector<Real> times{0}, potentials{potential_};
    const Real rest = potential_;
    Real steepest = 0, upstroke = 0;
    const auto go_until = [&](Real end, Real at_most, Real stimulus) {
      const Real begin = times.back();
      const int steps = std::max(1, static_cast<int>(std::ceil((end - begin) / at_most * finer - 1e-6)));
      for (int i = 0; i < steps; ++i) {
        const Real h = (end - begin) / steps;
        step(h, stimulus);
        states_[static_cast<std::size_t>(pulse.charged)] += h * stimulus * pulse.charge;
        const Real slope = (potential_ - potentials.back()) / h;
        if (slope > steepest) {
          steepest = slope;
          upstroke = times.back() + h / 2;
        }
        times.push_back(begin + (i + 1) * h);
        potentials.push_back(potential_);
      }
    };
    go_until(pulse.duration_ms, 0.005, pulse.amplitude);
    go_until(20, 0.005, 0);
    go_until(period, 0.02, 0);
    const auto peak = std::max_element(potentials.begin(), potentials.end());
    const auto falls = [&](Real share) {
      const Real level = *peak - share * (*peak - rest);
      for (auto i = static_cast<std::size_t>(peak - potentials.begin()) + 1; i < potentials.size(); ++i)
        if (potentials[i] <= level) return crossing(times, potentials, i, level) - upstroke;
      return std::numeric_limits<Real>::quiet_NaN();
    };
    Real zero = std::numeric_limits<Real>::quiet_NaN();
    for (std::size_t i = 1; i < potentials.size() && std::isnan(zero); ++i)
      if (potentials[i - 1] < 0 && potentials[i] >= 0) zero = crossing(times, potentials, i, 0);
    return {rest, *peak, zero, falls(0.5), falls(0.9)};
  }

 private:
  struct Evaluation {
    std::array<Real, states> target{}, speed{};  // of gates and followers
    std::array<Real, states> rate{};             // of pools and chain, in their places
    Real potential = 0;
  };

  bool empties(const std::array<Real, states>& next) const {
    for (std::size_t i = Cell::gates + Cell::followers; i < states; ++i)
      if (next[i] < states_[i] / 2) return true;
    return false;
  }

  static Real crossing(const std::vector<Real>& times, const std::vector<Real>& potentials, std::size_t i, Real level) {
    const Real share = (level - potentials[i - 1]) / (potentials[i] - potentials[i - 1]);
    return times[i - 1] + share * (times[i] - times[i - 1]);
  }

  Evaluation evaluate(Real V, const std::array<Real, states>& s) const {
    constexpr int G = Cell::gates, P = Cell::gates + Cell::followers;
    Evaluation result;
    cell_.gate(V, result.target.data(), result.speed.data());
    if constexpr (Cell::followers > 0)
      cell_.follower(V, s.data(), s.data() + P, s.data() + P, result.target.data() + G, result.speed.data() + G);
    result.potential = -cell_.current(V, s.data(), s.data() + G, s.data() + P, s.data() + P, result.rate.data() + P);
    constexpr int C = P + Cell::pools;
    if constexpr (C < states) cell_.chain_rate(V, s.data() + C, result.rate.data() + C);
    return result;
  }

  std::array<Real, states> moved(const Evaluation& by, Real h) const {
    constexpr int closed_form = Cell::gates + Cell::followers;
    std::array<Real, states> result = states_;
    for (std::size_t i = 0; i < closed_form; ++i)
      result[i] = by.target[i] + (states_[i] - by.target[i]) * std::exp(-h * by.speed[i]);
    for (std::size_t i = closed_form; i < states; ++i) result[i] += h * by.rate[i];
    return result;
  }

  Cell cell_;
  Real potential_;
  std::array<Real, states> states_;
};

template <class Cell>
const IonicSet<Cell>& set_of(std::string_view name) {
  static const auto sets = Cell::parameter_sets();
  for (const auto& set : sets)
    if (set.name == name) return set;
  ADD_FAILURE() << Cell::name << " has no set " << name;
  return sets[0];
}

/// What a reference says of the beat of a number, 1 for the first.
struct ReferenceBeat {
  int number;
  BeatShape shape;
};

/// Paces a cell from its initial state and compares beats with a reference: potentials within 0.1 mV, times within 0.1
/// ms. Numbers that a reference lacks are NaN.
template <class Cell>
void expect_beats(std::string_view set, const ChargedPulse& pulse, const std::vector<ReferenceBeat>& reference,
                  Real period = 1000) {
  PacedCell<Cell> cell(set_of<Cell>(set));
  const auto expect_near = [](Real ours, Real theirs, const char* what, int beat) {
    if (!std::isnan(theirs)) {
      EXPECT_NEAR(ours, theirs, 0.1) << what << " of beat " << beat;
    }
  };
  int beats = 0;
  for (const ReferenceBeat& beat : reference) {
    BeatShape shape{};
    for (; beats < beat.number; ++beats)  // those that are not compared in steps of 0.01 and 0.04 ms
      shape = cell.beat(pulse, period, beats + 1 == beat.number ? 1 : 0.5);
    expect_near(shape.rest_mv, beat.shape.rest_mv, "rest", beats);
    expect_near(shape.peak_mv, beat.shape.peak_mv, "peak", beats);
    expect_near(shape.zero_ms, beat.shape.zero_ms, "time of 0 mV", beats);
    expect_near(shape.apd50_ms, beat.shape.apd50_ms, "APD50", beats);
    expect_near(shape.apd90_ms, beat.shape.apd90_ms, "APD90", beats);
  }
}

}  // namespace cardiowarp
