#include "app/simulation/far_potential.hpp"

#include <algorithm>

namespace cardiowarp {

bool may_go_far(const Problem& problem) {
  const Scaling scaling = problem.scaling();
  const auto is_far = [&](Real phi) { return std::fabs(scaling.mv_from_phi(phi)) > largest_potential_mv; };
  if (std::ranges::any_of(problem.phi, is_far)) return true;
  Real change_mv = 0;  // what depolarizes acts on cells that have recovered, what hyperpolarizes adds up
  for (const Stimulus& stimulus : problem.stimuli) {
    const int pulses = stimulus.amplitude < 0 && stimulus.pulses.period_ms > 0 ? stimulus.pulses.count : 1;
    const Real tau = scaling.tau_from_ms(stimulus.pulses.duration_ms);
    change_mv += std::fabs(stimulus.amplitude) * tau * scaling.mv_per_phi * pulses;
  }
  return change_mv > largest_potential_mv;
}

}  // namespace cardiowarp
