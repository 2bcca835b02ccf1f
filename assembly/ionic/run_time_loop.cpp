#include "assembly/ionic/run_time_loop.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

class RunTimeLoop::Borrowed {
 public:
  explicit Borrowed(const RunTimeLoop& loop) : loop_(loop) {
    const std::lock_guard lock(loop_.mutex_);
    if (loop_.idle_.empty()) {
      stage_ = loop_.first_->another();
    } else {
      stage_ = std::move(loop_.idle_.back());
      loop_.idle_.pop_back();
    }
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {
    const std::lock_guard lock(loop_.mutex_);
    loop_.idle_.push_back(std::move(stage_));
  }

  LaneStage& operator*() { return *stage_; }

 private:
  const RunTimeLoop& loop_;
  std::unique_ptr<LaneStage> stage_;
};

void RunTimeLoop::evaluate(CpuBackend& /*backend*/, const IonicPoints& points, const ElementState& state) const {
  constexpr Index lanes = LaneStage::lanes;
  const Index blocks = (points.number + lanes - 1) / lanes;
  parallel_ranges(blocks, 2, [&](std::int64_t begin, std::int64_t end) {
    Borrowed stage(*this);
    for (std::int64_t block = begin; block < end; ++block)
      evaluate_block(*stage, static_cast<Index>(block) * lanes, points, state);
  });
}

void RunTimeLoop::evaluate_block(LaneStage& stage, Index begin, const IonicPoints& points,
                                 const ElementState& state) const {
  constexpr Index lanes = LaneStage::lanes;
  const int number = static_cast<int>(std::min(lanes, points.number - begin)),
            states = static_cast<int>(stage.number_of_states());
  Index point[lanes];
  for (int lane = 0; lane < number; ++lane) {
    point[lane] = points.point ? points.point[begin + lane] : begin + lane;
    const auto of = static_cast<std::size_t>(lane);
    stage.cell[of] = points.cell_model[point[lane]];
    stage.potential_mv[of] = scaling_.mv_from_phi(state.phi[points.node[point[lane]]]);
  }
  for (int k = 0; k < states; ++k)
    for (int lane = 0; lane < number; ++lane)
      stage.old[static_cast<std::size_t>(k * lanes + lane)] = state.states_old[state.place(k, point[lane])];
  stage.fill_from_first_lane(number);
  const Real step = *state.step, inverse_step = 1 / step;
  stage.run(step);
  for (int k = 0; k < states; ++k)
    for (int lane = 0; lane < number; ++lane)
      state.states[state.place(k, point[lane])] = stage.states[static_cast<std::size_t>(k * lanes + lane)];
  for (int lane = 0; lane < number; ++lane) {
    const auto of = static_cast<std::size_t>(lane);
    const Index node = points.node[point[lane]];
    const Real volume = points.volume[point[lane]];
    points.adds[point[lane]] = {
        volume * (inverse_step + stage.slope[of]),
        volume * (state.phi[node] * inverse_step + stage.current[of] / scaling_.mv_per_phi - state.load[node])};
  }
}

}  // namespace cardiowarp
