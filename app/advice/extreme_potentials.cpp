#include "app/advice/extreme_potentials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/simulation/problem.hpp"
#include "app/simulation/simulation.hpp"
#include "fem/scaling.hpp"
#include "fem/vector3.hpp"

namespace cardiowarp {
namespace {

bool goes_far(const Problem& problem) {
  const Scaling scaling = problem.scaling();
  const auto is_far = [&](Real phi) { return std::fabs(scaling.mv_from_phi(phi)) > largest_potential_mv; };
  if (std::ranges::any_of(problem.phi, is_far)) return true;
  Real change_mv = 0;  // what depolarises acts on cells that have recovered, what hyperpolarises adds up
  for (const Stimulus& stimulus : problem.stimuli) {
    const int pulses = stimulus.amplitude < 0 && stimulus.pulses.period_ms > 0 ? stimulus.pulses.count : 1;
    const Real tau = scaling.tau_from_ms(stimulus.pulses.duration_ms);
    change_mv += std::fabs(stimulus.amplitude) * tau * scaling.mv_per_phi * pulses;
  }
  return change_mv > largest_potential_mv;
}

}  // namespace

ExtremePotentials::ExtremePotentials(const Problem& problem) : problem_(problem), expected_(goes_far(problem)) {}

void ExtremePotentials::look(Simulation& simulation) {
  potential_mv_.resize(problem_.mesh->nodes.size());
  simulation.potential_mv(potential_mv_);
  const auto farthest = std::ranges::max_element(potential_mv_, {}, [](Real mv) { return std::fabs(mv); });
  if (farthest == potential_mv_.end() || std::fabs(*farthest) <= std::fabs(most_mv_)) return;
  most_mv_ = *farthest;
  time_ms_ = simulation.time_ms();
  node_ = static_cast<Index>(farthest - potential_mv_.begin());
}

std::optional<std::string> ExtremePotentials::warning() const {
  if (std::fabs(most_mv_) <= largest_potential_mv) return std::nullopt;
  const Vector3 at = problem_.mesh->nodes[static_cast<std::size_t>(node_)];
  return fmt::format(
      "the potential reached {:.4g} mV at node {} ({:.6g}, {:.6g}, {:.6g}) mm by t = {:.6g} ms: beyond ±{:g} mV no "
      "cell "
      "model describes tissue; expected are smaller amplitudes or durations of stimuli (mV/ms, ms) or, without such a "
      "stimulus, shorter time steps",
      most_mv_, node_, at.x, at.y, at.z, time_ms_, largest_potential_mv);
}

}  // namespace cardiowarp
