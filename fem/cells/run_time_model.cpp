#include "fem/cells/run_time_model.hpp"

#include <algorithm>
#include <utility>

#include "fem/cells/any_cell.hpp"

namespace cardiowarp {

void LaneStage::fill_from_first_lane(int begin) {
  std::fill(cell.begin() + begin, cell.end(), cell.front());
  std::fill(potential_mv.begin() + begin, potential_mv.end(), potential_mv.front());
  for (std::size_t state = 0; state < number_of_states_; ++state) {
    Real* const of_state = old.data() + state * lanes;
    std::fill(of_state + begin, of_state + lanes, *of_state);
  }
}

RunTimeModel::RunTimeModel(std::string name, std::vector<CellState> states,
                           std::vector<ParameterDescription> parameters, Set set, ModelOrigin origin)
    : IonicModel(std::move(name), std::move(states), std::move(parameters), {std::move(set)}),
      origin_(std::move(origin)) {}

IonicCurrent RunTimeModel::stage(const IonicCell& cell, Real V, const Real* old, Real h, Real* states) const {
  const std::lock_guard lock(mutex_);
  if (!last_stage_ || last_parameters_ != cell.parameters) {
    last_stage_ = lane_stage({&cell, 1});
    last_parameters_ = cell.parameters;
  }
  LaneStage& lanes = *last_stage_;
  lanes.potential_mv[0] = V;
  for (std::size_t k = 0; k < lanes.number_of_states(); ++k) lanes.old[k * LaneStage::lanes] = old[k];
  lanes.fill_from_first_lane();
  lanes.run(h);
  for (std::size_t k = 0; k < lanes.number_of_states(); ++k) states[k] = lanes.states[k * LaneStage::lanes];
  return {lanes.current[0], lanes.slope[0]};
}

const RunTimeModel* run_time_model(const IonicModel& model) { return dynamic_cast<const RunTimeModel*>(&model); }

const RunTimeModel* run_time_model_of(const AnyCell& cell) {
  const IonicCell* const ionic = as_ionic(cell);
  return ionic ? run_time_model(*ionic->model) : nullptr;
}

}  // namespace cardiowarp
