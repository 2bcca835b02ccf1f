#include "fem/anatomy/level_scale.hpp"

#include <algorithm>
#include <cstddef>

namespace cardiowarp {

LevelScale::LevelScale(std::span<const Piece> pieces) : at_(steps + 1, 0) {
  // A piece is spread evenly between its lowest and its highest value.
  for (const auto& [low, high, weight] : pieces) {
    if (!(high > low)) continue;
    const auto first = static_cast<int>(std::clamp<Real>(low * steps, 0, steps - 1));
    const auto last = static_cast<int>(std::clamp<Real>(high * steps, 0, steps - 1));
    for (int step = first; step <= last; ++step) {
      const Real from = step == first ? low : static_cast<Real>(step) / steps;
      const Real to = step == last ? high : static_cast<Real>(step + 1) / steps;
      at_[static_cast<std::size_t>(step) + 1] += weight * std::max<Real>(0, to - from) / (high - low);
    }
  }
  for (std::size_t step = 1; step < at_.size(); ++step) at_[step] += at_[step - 1];
  for (std::size_t step = 0; step < at_.size(); ++step)
    at_[step] = at_.back() > 0 && step + 1 < at_.size() ? at_[step] / at_.back() : static_cast<Real>(step) / steps;
}

Real LevelScale::operator()(Real value) const {
  const Real at = std::clamp<Real>(value, 0, 1) * steps;
  const auto step = std::min<std::size_t>(static_cast<std::size_t>(at), steps - 1);
  const Real share = at - static_cast<Real>(step);
  return (1 - share) * at_[step] + share * at_[step + 1];
}

}  // namespace cardiowarp
