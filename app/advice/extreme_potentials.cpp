#include "app/advice/extreme_potentials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/simulation/far_potential.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/simulation.hpp"
#include "fem/mesh.hpp"
#include "fem/scaling.hpp"
#include "fem/vector3.hpp"

namespace cardiowarp {
namespace {

/// The potential that is farthest from 0 mV now. A simulation watches all steps only where it may go far.
FarPotential farthest_now(const Problem& problem, Simulation& simulation) {
  std::vector<Real> potential_mv(problem.mesh->nodes.size());
  simulation.potential_mv(potential_mv);
  const auto farthest = std::ranges::max_element(potential_mv, {}, [](Real mv) { return std::fabs(mv); });
  return {*farthest, simulation.time_ms(), static_cast<Index>(farthest - potential_mv.begin())};
}

}  // namespace

std::optional<std::string> warning_of_extremes(const Problem& problem, Simulation& simulation) {
  FarPotential far = farthest_now(problem, simulation);
  if (const auto before = simulation.farthest_potential())
    if (std::fabs(before->potential_mv) >= std::fabs(far.potential_mv)) far = *before;
  if (!(std::fabs(far.potential_mv) > largest_potential_mv)) return std::nullopt;
  const Vector3 at = problem.mesh->nodes[static_cast<std::size_t>(far.node)];
  return fmt::format(
      "the potential reached {:.4g} mV at node {} ({:.6g}, {:.6g}, {:.6g}) mm by t = {:.6g} ms: beyond ±{:g} mV no "
      "cell model describes tissue; expected are smaller amplitudes or durations of stimuli (mV/ms, ms) or, without "
      "such a "
      "stimulus, shorter time steps",
      far.potential_mv, far.node, at.x, at.y, at.z, far.by_ms, largest_potential_mv);
}

}  // namespace cardiowarp
