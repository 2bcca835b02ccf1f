#pragma once
#include <vector>

#include "fem/cells/beats/beat_curve.hpp"
#include "fem/cells/beats/single_cell.hpp"
#include "fem/cells/ionic_model.hpp"

namespace cardiowarp {

// A single cell that is integrated as a node of tissue is: by sdirk2, two stages of backward Euler a step
// (app/simulation/step_formula.hpp), in each of which the states of the cell are solved for the potential
// (IonicModel::stage()) within Newton's iteration for the potential, with adaptive steps by the law of
// `time.adaptive` (app/simulation/step_law.hpp). So its beats are those of tissue without neighbors, in the limit of
// small steps. It has no mesh and no linear solver, and takes 1 to 25 ms a beat. `cardiowarp cell` lets one beat, and
// `initial.steady` takes the state of one for tissue.

/// A single cell of a model of the program.
class Sdirk2Cell final : public SingleCell {
 public:
  /// The error that is estimated of the potential after a step is kept below `tolerance` times 100 mV. The usual one
  /// makes APD90 wrong by less than 0.1 ms, for most models by less than 0.02 ms.
  explicit Sdirk2Cell(IonicCell cell, Real tolerance = 1e-6);

  BeatReport beat(double period_ms, const CellPulse& pulse, const OnPoint& on_point = {}) override;
  SingleCellState state() const override { return {time_ms_, potential_mv_, states_}; }
  void set_state(const SingleCellState& state) override;

 private:
  /// The values at the end of a stage.
  struct Stage {
    Real potential_mv = 0;
    std::vector<Real> states;
  };

  void advance(Real end_ms, Real source, BeatCurve& curve, const OnPoint& on_point);
  /// A step of h ms from the present state; the state at its end is in second_. False where a stage has no solution.
  bool try_step(Real h, Real source);
  bool solve(Stage& stage, Real guess_mv, Real start_mv, const std::vector<Real>& start, Real length, Real source);
  Real rate_now();

  IonicCell cell_;
  Real tolerance_;
  Real time_ms_ = 0, potential_mv_;
  std::vector<Real> states_, start_, rates_;
  Real rate_ = 0, rate_at_end_ = 0;  ///< dV/dt without the pulse, now and at the end of the step that is tried
  Stage first_, second_;
};

}  // namespace cardiowarp
