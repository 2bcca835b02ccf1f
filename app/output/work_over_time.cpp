#include "app/output/work_over_time.hpp"

#include <algorithm>
#include <cmath>

namespace cardiowarp {
namespace {

constexpr std::size_t number_of_parts = 50;

}  // namespace

WorkOverTime::WorkOverTime(Real begin_ms, Real end_ms, const WorkCounts& before)
    : begin_ms_(begin_ms), end_ms_(end_ms), before_(before), parts_(number_of_parts) {}

void WorkOverTime::add(Real time_ms, const WorkCounts& so_far) {
  constexpr Real rounding = 1e-9;
  const Real share = end_ms_ > begin_ms_ ? (time_ms - begin_ms_) / (end_ms_ - begin_ms_) : 1;
  const Real last = std::ceil(static_cast<Real>(number_of_parts) * share - rounding) - 1;
  const auto part = static_cast<std::size_t>(std::clamp<Real>(last, 0, number_of_parts - 1));
  parts_[part].steps += so_far.steps - before_.steps;
  parts_[part].newton_iterations += so_far.newton_iterations - before_.newton_iterations;
  parts_[part].linear_iterations += so_far.linear_iterations - before_.linear_iterations;
  before_ = so_far;
}

Real WorkOverTime::until_ms(std::size_t part) const {
  return begin_ms_ + (end_ms_ - begin_ms_) * static_cast<Real>(part + 1) / static_cast<Real>(number_of_parts);
}

}  // namespace cardiowarp
