#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <vector>

#include "cellml/model.hpp"
#include "cellml/tissue/cellml_lanes.hpp"

namespace cardiowarp::test {

/// Current and rates of a model in the plain way, at V and the states of a lane.
struct PlainRates {
  PlainRates(const CellMlModel& model, const std::vector<double>& parameters, double V, const LaneStage& at, int lane) {
    std::vector<double> states;
    for (std::size_t k = 0; k < model.states.size(); ++k)
      states.push_back(at.states[k * LaneStage::lanes + static_cast<std::size_t>(lane)]);
    const std::vector<double> values =
        evaluate(model.graph, {.potential_mv = V, .states = states, .parameters = parameters});
    current = -values[static_cast<std::size_t>(model.potential_rate)];
    for (const CellMlState& state : model.states) rates.push_back(values[static_cast<std::size_t>(state.rate)]);
  }

  double current;
  std::vector<double> rates;
};

/// The lanes of `stage` at where the model begins, at potentials from `first_mv` in steps of `by_mv`.
inline void set_lanes(LaneStage& stage, const CellMlModel& model, double first_mv, double by_mv) {
  for (std::size_t lane = 0; lane < LaneStage::lanes; ++lane) {
    stage.potential_mv[lane] = first_mv + static_cast<double>(lane) * by_mv;
    for (std::size_t k = 0; k < model.states.size(); ++k)
      stage.old[k * LaneStage::lanes + lane] = model.states[k].initial;
  }
}

/// The lanes of a stage of ToRORd in an upstroke, with 2e-5 mM of calcium in the junctional reticulum: stages of
/// 0.00292893 and 0.00375374 ms end at a kink of the rate of release.
inline void set_lanes_with_a_nearly_empty_store(LaneStage& stage, const CellMlModel& model) {
  constexpr double old[] = {
      0.999417,  4.97148e-11, 0.000309612, 1.00265e-11, 0.00377346,  0.999988,    0.573831, 0.344805,  0.488278,
      0.320591,  0.835901,    0.33868,     0.593155,    0.924064,    0.836135,    0.667596, 0.948888,  0.622899,
      0.993801,  0.928961,    0.850756,    0.827495,    0.226338,    0.0163589,   0.127992, 0.318458,  0.48499,
      0.0378746, 0.0306851,   1.79974,     0.986861,    0.173608,    0.20386,     0.296265, 0.0132195, 0.0588379,
      13.4076,   13.4439,     152.362,     152.36,      1.95497e-05, 0.000444164, 34.3178,  34.3392};
  ASSERT_EQ(std::size(old), model.states.size());
  set_lanes(stage, model, 16.6, 0.005);
  for (std::size_t k = 0; k < std::size(old); ++k)
    std::fill_n(stage.old.begin() + static_cast<std::ptrdiff_t>(k * LaneStage::lanes), LaneStage::lanes, old[k]);
}

/// Whether current and states of all lanes satisfy backward Euler over h ms, within the error that is left of Newton's
/// method: 2e-6 of each.
inline void expect_backward_euler(const CellMlModel& model, const LaneStage& stage, double h) {
  const std::vector<double> parameters = model.parameter_values();
  for (std::size_t lane = 0; lane < LaneStage::lanes; ++lane) {
    const double V = stage.potential_mv[lane];
    const PlainRates plain(model, parameters, V, stage, static_cast<int>(lane));
    ASSERT_NEAR(stage.current[lane], plain.current, 1e-6 * (1 + std::abs(plain.current))) << "at " << V << " mV";
    for (std::size_t k = 0; k < model.states.size(); ++k) {
      const double state = stage.states[k * LaneStage::lanes + lane], old = stage.old[k * LaneStage::lanes + lane];
      ASSERT_NEAR(state, old + h * plain.rates[k], 2e-6 * (1e-3 + std::abs(state)))
          << model.states[k].name << " at " << V << " mV after " << h << " ms";
    }
  }
}

}  // namespace cardiowarp::test
