#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "fem/cells/ionic_model.hpp"
#include "fem/cells/run_time_model.hpp"

namespace cardiowarp {

/// Some hundred ionic cells of one kind with a potential each, for short looks at a model before a run: potentials,
/// states, and stages of backward Euler of all of them (ionic_stage.hpp), in mV and ms. Cells of a model that is made
/// at run time are computed 32 at a time. Host memory, twice the states.
class MarchedCells {
 public:
  /// All begin where the set of `cell` does. `cell` must outlive this.
  MarchedCells(const IonicCell& cell, int number);

  Real& potential(int i) { return potential_mv_[static_cast<std::size_t>(i)]; }
  const IonicCurrent& current(int i) const { return currents_[static_cast<std::size_t>(i)]; }
  std::vector<Real>& potentials() { return potential_mv_; }

  /// The stage of length `h` ms of the first `number` cells from their states to the ends of the stage, at their
  /// present potentials; current() is NaN of a cell that has none. The others, which are taken to be at rest, have no
  /// current and stay.
  void evaluate(Real h, std::size_t number);
  void evaluate(Real h) { evaluate(h, states_.size()); }
  /// The states become `share` times those at the ends of the last stage and 1 − share times what they are. Cells
  /// without a solution stay.
  void move(Real share);
  /// The states become those at the ends of the last stage. Cells without a solution stay.
  void take_ends();
  std::vector<std::vector<Real>>& states() { return states_; }  ///< [cell][state]

 private:
  void evaluate_lanes(Real h, std::size_t cells);

  const IonicCell& cell_;
  std::vector<Real> potential_mv_;
  std::vector<IonicCurrent> currents_;
  std::vector<std::vector<Real>> states_, ends_;  ///< [cell][state]
  std::unique_ptr<LaneStage> lanes_;              ///< of a model that is made at run time
};

}  // namespace cardiowarp
