#include "app/start/step_tolerance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "app/measure/stopwatch.hpp"
#include "app/process/log.hpp"
#include "app/simulation/error_estimate.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/time_stepper.hpp"
#include "app/start/cable.hpp"
#include "app/start/tolerance_cache.hpp"
#include "fem/cells/any_cell.hpp"
#include "fem/cells/cell_model.hpp"
#include "fem/cells/front.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {
namespace {

constexpr Real infinity = std::numeric_limits<Real>::infinity();
constexpr Real share_for_a_cable = 0.8;  ///< of the errors that are allowed
constexpr Real first_tolerance = 1e-2, largest_tolerance = 0.05, smallest_tolerance = 1e-9;

/// With two digits, as what follows says no more about the errors, and rounding errors should not change it.
Real rounded_down(Real tolerance) {
  const Real scale = std::pow(Real(10), 1 - std::floor(std::log10(tolerance)));
  return std::floor(tolerance * scale * (1 + 1e-9)) / scale;
}

/// A straight piece of tissue of one kind of cell, as long as a front needs to show its speed: 36 times its thickness δ
/// or 30 ms. Its diffusivity makes δ 1 mm, and its edges are half of that. One end is excited: the potential begins as
/// the profile of a front that is on its way.
struct Cable {
  AnyCell cell;
  Config config;  ///< of the run, with the cable in place of its tissue
  Mesh mesh;

  Cable(const Config& run, const AnyCell& given, const Front& front)
      : cell(given), config(config_of_cable(run, given, 1 / (front.thickness_square * scaling_of(given).ms_per_tau))) {
    const Real speed =
        front.speed / std::sqrt(front.thickness_square) / scaling_of(cell).ms_per_tau;  // mm/ms: δ is 1 mm
    constexpr Real fronts = 36, travel_ms = 20, edge_mm = 0.5, repolarized_ms = 2000, longest_ms = 20000;
    const Real length_mm = std::max(fronts, travel_ms * speed);
    mesh = slab_mesh({length_mm, edge_mm, edge_mm}, edge_mm, true);
    config.time.end_ms = std::min(longest_ms, 2 * length_mm / speed + (config.accuracy->apd90_ms ? repolarized_ms : 0));
    config.time.step_ms = std::min(config.time.step_ms, config.time.end_ms / 2);
  }

  /// The beat with a tolerance, up to where all that is asked for has happened; nothing where a step failed.
  std::optional<BeatTimes> beat(const TimeConfig& time) const {
    Config with_steps = config;
    with_steps.time = time;
    const Problem problem = cable_problem(with_steps, mesh, 4, 1);
    const auto simulation = make_cpu_simulation(problem);
    TimeStepper stepper(time, time.end_ms, {});
    BeatTimes times = beat_times(*simulation, mesh.nodes.size());
    while (!stepper.finished() && !is_over(times)) {
      if (stepper.advance(*simulation).failure) return std::nullopt;
      times = beat_times(*simulation, mesh.nodes.size());
    }
    return times;
  }

  bool is_over(const BeatTimes& times) const {
    const std::vector<Real>& last = config.accuracy->apd90_ms ? times.apd90_ms : times.activation_ms;
    // What began excited has no upward crossing.
    constexpr Real on_its_way_mm = 10;
    for (std::size_t node = 0; node < last.size(); ++node)
      if (mesh.nodes[node].x > on_its_way_mm && last[node] < 0) return false;
    return true;
  }

  /// The longest step with a tolerance: the one of the configuration belongs to the tolerance there, the default.
  Real max_step_ms(Real tolerance) const {
    const AdaptiveConfig& usual = config.time.adaptive;
    if (!config.accuracy->finds_max_step) return usual.max_step_ms;
    const Real scale = std::pow(tolerance / usual.tolerance, Real(1) / (config.time.order() + 1));
    return std::max(rounded_down(scale * usual.max_step_ms), config.time.step_ms);
  }

  /// Estimated by a run with steps half as long; infinite where the equations were not solved.
  CableErrors errors(Real tolerance) const {
    TimeConfig half = config.time;
    const Real growth = 2 << half.order();  // 2^(p+1), of the error of a step that is twice as long
    half.step_ms /= 2;
    half.adaptive = {true, tolerance / growth, half.adaptive.min_step_ms / 2, max_step_ms(tolerance) / 2};
    const SecondSteps whole = second_steps(half, half.end_ms);
    const std::optional<BeatTimes> fine = beat(half), coarse = beat(whole.time);
    if (!fine || !coarse) return {infinity, config.accuracy->apd90_ms ? std::optional(infinity) : std::nullopt};
    const ErrorEstimate estimate = estimate_error(*fine, *coarse, whole.divisor / (whole.divisor + 1));
    if (config.accuracy->apd90_ms && !estimate.apd90_ms)
      throw InputError(
          fmt::format("accuracy.apd90: expected cells that repolarize, but a front in a cable of them has no APD90 "
                      "within {:.6g} ms",
                      config.time.end_ms));
    return {estimate.activation_percent.value_or(infinity),
            config.accuracy->apd90_ms ? estimate.apd90_ms : std::nullopt};
  }
};

std::vector<std::pair<AnyCell, Front>> cells_with_fronts(const TissueCells& cells) {
  std::vector<std::pair<AnyCell, Front>> result;
  for (std::size_t kind = 0; kind < cells.size(); ++kind)
    if (const Front front = front_of(cells[kind]); front.speed > 0) result.push_back({cells[kind], front});
  return result;
}

/// The larger error in the unit of what a cable may have.
Real used_up(const CableErrors& errors, const AccuracyConfig& asked) {
  Real used = 0;
  if (asked.activation_percent)
    used = std::max(used, errors.activation_percent / (share_for_a_cable * *asked.activation_percent));
  if (asked.apd90_ms) used = std::max(used, *errors.apd90_ms / (share_for_a_cable * *asked.apd90_ms));
  return used;
}

std::string in_words(const AccuracyConfig& asked, const CableErrors& errors) {
  std::string words;
  if (asked.activation_percent) words += fmt::format("activation times {:.2g} %", errors.activation_percent);
  if (asked.apd90_ms) words += fmt::format("{}APD90 {:.2g} ms", words.empty() ? "" : ", ", *errors.apd90_ms);
  return words;
}

/// The tolerance for one cable, at most `largest`: by the law of the errors from one that was tried to the next, with
/// aim below what is allowed, until one keeps it.
StepTolerance search(const Cable& cable, Real largest) {
  const TimeConfig& time = cable.config.time;
  const AccuracyConfig& asked = *cable.config.accuracy;
  const Real power = Real(time.order() + 1) / time.order();
  constexpr Real aim = 0.85, longest_stride = 1000;
  StepTolerance tried{std::min(first_tolerance, largest), 0, {}};
  for (bool first = true;; first = false) {
    tried.max_step_ms = cable.max_step_ms(tried.tolerance);
    tried.errors = cable.errors(tried.tolerance);
    const Real used = used_up(tried.errors, asked);
    log_debug("a cable with a tolerance of {:.2g}: {}", tried.tolerance, in_words(asked, tried.errors));
    const bool is_largest = tried.tolerance >= largest;
    if (used <= 1 && (!first || is_largest)) return tried;
    const Real factor = std::clamp(std::pow(aim / used, power), 1 / longest_stride, longest_stride);
    const Real next = std::min(rounded_down((first ? factor : std::min(factor, aim)) * tried.tolerance), largest);
    if (next < smallest_tolerance)
      throw InputError(
          fmt::format("accuracy: expected errors that adaptive steps can keep below, but with a tolerance "
                      "of {:.2g} the errors of a front in a cable are {}",
                      tried.tolerance, in_words(asked, tried.errors)));
    tried.tolerance = next;
  }
}

/// All that decides about the tolerance: what the cables of the cells are and how they are computed.
std::string text_of(const std::vector<Cable>& cables) {
  std::string text;
  for (const Cable& cable : cables) {
    Config config = cable.config;
    config.mesh = {};
    config.mesh.file = "/";
    config.output = {};
    config.output.directory = "/";
    config.checkpoint.reset();
    config.prepace.reset();
    config.backend = BackendChoice::cpu;
    text += resolved_yaml(config);
  }
  return text;
}

}  // namespace

StepTolerance find_step_tolerance(const Config& config, const TissueCells& cells,
                                  const std::optional<ToleranceCache>& cache) {
  const Stopwatch watch;
  std::vector<Cable> cables;
  for (const auto& [cell, front] : cells_with_fronts(cells)) cables.emplace_back(config, cell, front);
  if (cables.empty())
    throw InputError(
        "accuracy: expected cells through which a front travels, whose errors a tolerance is chosen by; give "
        "time.adaptive.tolerance instead");
  const std::string text = cache ? text_of(cables) : "";
  const std::optional<StepTolerance> kept = cache ? read_tolerance(*cache, text) : std::nullopt;
  StepTolerance found = kept.value_or(StepTolerance{largest_tolerance, 0, {}});
  if (!kept) {
    for (const Cable& cable : cables) found = search(cable, found.tolerance);
    if (cache && !cache->is_only_read) keep_tolerance(*cache, text, found);
  }
  log_info("accuracy: a tolerance of {:.2g} and steps up to {:.2g} ms, which on a cable make errors of {} ({})",
           found.tolerance, found.max_step_ms, in_words(*config.accuracy, found.errors),
           kept ? "as found before" : fmt::format("{:.2g} s", watch.seconds()));
  return found;
}

}  // namespace cardiowarp
