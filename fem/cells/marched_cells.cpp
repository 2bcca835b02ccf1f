#include "fem/cells/marched_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace cardiowarp {

MarchedCells::MarchedCells(const IonicCell& cell, int number)
    : cell_(cell),
      potential_mv_(static_cast<std::size_t>(number), cell.start().potential_mv),
      currents_(potential_mv_.size()),
      states_(potential_mv_.size(), cell.start().states),
      ends_(states_) {
  if (const RunTimeModel* made = run_time_model(*cell.model)) lanes_ = made->lane_stage({&cell, 1});
}

void MarchedCells::evaluate(Real h, std::size_t number) {
  for (std::size_t i = number; i < states_.size(); ++i) {
    currents_[i] = {0, 0};
    ends_[i] = states_[i];
  }
  if (lanes_) return evaluate_lanes(h, number);
  for (std::size_t i = 0; i < number; ++i)
    currents_[i] = cell_.model->stage(cell_, potential_mv_[i], states_[i].data(), h, ends_[i].data());
}

void MarchedCells::evaluate_lanes(Real h, std::size_t cells) {
  constexpr std::size_t lanes = LaneStage::lanes;
  const std::size_t states = ends_.front().size();
  for (std::size_t begin = 0; begin < cells; begin += lanes) {
    const std::size_t number = std::min(lanes, cells - begin);
    for (std::size_t lane = 0; lane < number; ++lane) {
      lanes_->potential_mv[lane] = potential_mv_[begin + lane];
      for (std::size_t k = 0; k < states; ++k) lanes_->old[k * lanes + lane] = states_[begin + lane][k];
    }
    lanes_->fill_from_first_lane(static_cast<int>(number));
    lanes_->run(h);
    for (std::size_t lane = 0; lane < number; ++lane) {
      currents_[begin + lane] = {lanes_->current[lane], lanes_->slope[lane]};
      for (std::size_t k = 0; k < states; ++k) ends_[begin + lane][k] = lanes_->states[k * lanes + lane];
    }
  }
}

void MarchedCells::move(Real share) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (!std::isfinite(currents_[i].current)) continue;
    for (std::size_t k = 0; k < states_[i].size(); ++k) states_[i][k] += share * (ends_[i][k] - states_[i][k]);
  }
}

void MarchedCells::take_ends() {
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (std::isfinite(currents_[i].current)) states_[i].swap(ends_[i]);
}

}  // namespace cardiowarp
