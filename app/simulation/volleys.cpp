#include "app/simulation/volleys.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "app/simulation/tissue.hpp"

namespace cardiowarp {

StimulusInVolleys in_volleys(const Stimulus& stimulus) {
  const std::size_t count = stimulus.nodes.size();
  const std::vector<Real> share = stimulus.share.empty() ? std::vector<Real>(count, 1) : stimulus.share;
  if (stimulus.delay_ms.empty()) return {stimulus.nodes, share, {{stimulus.pulses, 0, static_cast<Index>(count)}}};
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return stimulus.delay_ms[i]; });
  StimulusInVolleys sorted;
  for (const std::size_t i : order) {
    const Real delay_ms = stimulus.delay_ms[i], start_ms = stimulus.pulses.start_ms + delay_ms;
    if (sorted.volleys.empty() || sorted.volleys.back().pulses.start_ms != start_ms) {
      PulseTrain pulses = stimulus.pulses;
      pulses.start_ms = start_ms;
      sorted.volleys.push_back({pulses, static_cast<Index>(sorted.nodes.size()), 0});
    }
    ++sorted.volleys.back().nodes;
    sorted.nodes.push_back(stimulus.nodes[i]);
    sorted.share.push_back(share[i]);
  }
  return sorted;
}

Real shortest_delay_ms(const Stimulus& stimulus) {
  return stimulus.delay_ms.empty() ? 0 : *std::ranges::min_element(stimulus.delay_ms);
}

Real longest_delay_ms(const Stimulus& stimulus) {
  return stimulus.delay_ms.empty() ? 0 : *std::ranges::max_element(stimulus.delay_ms);
}

}  // namespace cardiowarp
