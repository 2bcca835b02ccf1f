#include "app/advice/problem_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "app/advice/resolution.hpp"
#include "app/advice/tissue.hpp"
#include "app/config/config.hpp"
#include "app/config/time_grid.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/volleys.hpp"
#include "fem/stimulus.hpp"

namespace cardiowarp {
namespace {

/// The place in the configuration that asks for anisotropic diffusivity. Empty if only the default has it, or if no
/// diffusivity has it.
std::string place_of_anisotropy(const Config& config) {
  std::vector<const DiffusivityConfig*> given{&config.diffusivity};
  for (const RegionConfig& region : config.regions)
    if (region.diffusivity) given.push_back(&*region.diffusivity);
  for (const DiffusivityConfig* diffusivity : given)
    if (diffusivity->anisotropic_mm2_per_ms != 0 && !diffusivity->place.empty()) return diffusivity->place;
  return "";
}

/// What changes the potential by less does nothing that differs from rest.
constexpr Real least_effect_mv = 0.1;

}  // namespace

std::vector<std::string> problem_warnings(const Config& config, const Problem& problem, bool begins_with_initial) {
  std::vector<std::string> warnings = resolution_warnings(config, problem);
  for (std::string& line : covered_regions(config, *problem.mesh)) warnings.push_back(std::move(line));
  const TimeConfig& time = config.time;
  for (std::size_t k = 0; k < problem.stimuli.size(); ++k) {
    if (problem.stimuli[k].nodes.empty())
      warnings.push_back(fmt::format(
          "{}: stimulus '{}' does nothing: the potential of all its nodes is prescribed by boundary, or they are "
          "in tissue that does not conduct",
          config.stimuli[k].where.place, config.stimuli[k].name));
    PulseTrain pulses = problem.stimuli[k].pulses;
    pulses.start_ms += shortest_delay_ms(problem.stimuli[k]);
    const Real asked = std::min(pulses.duration_ms, time.end_ms - pulses.start_ms), on = first_pulse_ms(pulses, time);
    if (on == 0)  // begins after the end: build_problem has refused a pulse between two steps
      warnings.push_back(fmt::format(
          "stimulus '{}' is on in no step: start {:.6g} ms, duration {:.6g} ms, steps of {:.6g} ms to {:.6g} ms",
          config.stimuli[k].name, pulses.start_ms, pulses.duration_ms, time.step_ms, time.end_ms));
    else if (std::abs(on - asked) > 1e-3 * asked)
      warnings.push_back(fmt::format("stimulus '{}' of {:.6g} ms is on for {:.6g} ms: whole steps of {:.6g} ms",
                                     config.stimuli[k].name, pulses.duration_ms, on, time.step_ms));
    if (const Real mv = std::abs(config.stimuli[k].amplitude_mv_per_ms) * on; on > 0 && mv < least_effect_mv)
      warnings.push_back(fmt::format(
          "stimulus '{}' changes the potential by {:.2g} mV at most, {:.4g} mV/ms for {:.3g} ms, and has no "
          "effect that could be seen: give a longer duration or a larger amplitude",
          config.stimuli[k].name, mv, config.stimuli[k].amplitude_mv_per_ms, on));
  }
  const Real steps_a_frame = config.output.interval_ms / time.step_ms;
  if (!time.adaptive.enabled && !time.interpolates() && config.output.interval_ms < time.end_ms &&
      (steps_a_frame < 1 - TimeGrid::rounding ||
       std::abs(steps_a_frame - std::round(steps_a_frame)) > TimeGrid::rounding * steps_a_frame))
    warnings.push_back(fmt::format(
        "output.interval of {:.6g} ms is no multiple of time.step, {:.6g} ms: frames are at the end of the steps that "
        "reach its multiples",
        config.output.interval_ms, time.step_ms));
  if (config.fibers.source == FiberSource::none)
    if (const std::string place = place_of_anisotropy(config); !place.empty())
      warnings.push_back(
          fmt::format("{}: the anisotropic part has no effect, as fibers.source is none (constant with a "
                      "fibers.direction, or mesh, gives fibers)",
                      place));
  const bool uniform_start =
      std::adjacent_find(problem.phi.begin(), problem.phi.end(), std::not_equal_to<>()) == problem.phi.end();
  if (begins_with_initial && problem.stimuli.empty() && uniform_start)
    warnings.push_back("no stimulus and a uniform start: nothing will propagate");
  return warnings;
}

}  // namespace cardiowarp
