#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
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
