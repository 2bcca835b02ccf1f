#include "app/second_run.hpp"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "app/advice/outcome.hpp"
#include "app/config/config.hpp"
#include "app/march.hpp"
#include "app/measure/stopwatch.hpp"
#include "app/output/recorder.hpp"
#include "app/output/summary.hpp"
#include "app/process/background.hpp"
#include "app/process/interrupt.hpp"
#include "app/process/log.hpp"
#include "app/simulation/error_estimate.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/refined_problem.hpp"
#include "app/simulation/time_stepper.hpp"
#include "app/start/backend.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/device_error.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

/// Throws InputError where the steps cannot be those of a second run.
void require_second_steps_possible(const Config& config) {
  const SecondSteps steps = second_steps(config.time, config.output.interval_ms);
  // An accuracy leads to a tolerance that is small enough.
  if (config.time.adaptive.enabled && !config.accuracy && steps.time.adaptive.tolerance >= 1)
    throw InputError(fmt::format(
        "--estimate-error: expected time.adaptive.tolerance below {:g}, as a second run takes {:g} times as much, "
        "got {:g}",
        1 / steps.tolerance_factor, steps.tolerance_factor, config.time.adaptive.tolerance));
  if (steps.time.step_ms > config.time.end_ms)
    throw InputError(fmt::format(
        "--estimate-error: expected time.step to be at most half of time.end, as a second run takes twice as long "
        "steps, got {:g} ms",
        config.time.step_ms));
}

constexpr const char *in_time = "in time", *by_the_mesh = "by the mesh";

/// A run of the same beat in another way.
struct SecondRun {
  const char* source;  ///< of the errors that it tells, for messages: `in_time` or `by_the_mesh`
  std::string how;     ///< for messages: `steps of 0.2 ms`
  Problem problem;
  TimeConfig time;
  Real output_interval_ms = 0;
};

SecondRun with_second_steps(const Config& config, const Problem& problem) {
  const SecondSteps steps = second_steps(config.time, config.output.interval_ms);
  const AdaptiveConfig& adaptive = steps.time.adaptive;
  return {.source = in_time,
          .how = adaptive.enabled ? fmt::format("a tolerance of {:.3g} and steps up to {:.6g} ms", adaptive.tolerance,
                                                adaptive.max_step_ms)
                                  : fmt::format("steps of {:.6g} ms", steps.time.step_ms),
          .problem = with_tolerance_of(steps, problem),
          .time = steps.time,
          .output_interval_ms = steps.output_interval_ms};
}

SecondRun on_refined_mesh(const Config& config, const Problem& problem) {
  Problem fine = refined_problem(config, problem);
  std::string how = fmt::format("the mesh refined, {} nodes and {} tetrahedra", fine.mesh->nodes.size(),
                                fine.mesh->tetrahedra.size());
  return {.source = by_the_mesh,
          .how = std::move(how),
          .problem = std::move(fine),
          .time = config.time,
          .output_interval_ms = config.output.interval_ms};
}

/// `started` simulates its problem, and `watch` runs since that was begun. `nodes` is the number of nodes of the first
/// run, which come first in the second.
SecondAnswer answer_of(const SecondRun& second, const StartedSimulation& started, const Stopwatch& watch,
                       std::size_t nodes, const std::function<bool()>& stop, Progress progress) {
  March march(TimeStepper(second.time, second.output_interval_ms, second.problem.stimuli));
  march_in_time(march, second.time.end_ms, *started.simulation,
                {[] { return Outlook{.steps = 0}; }, [] {}, stop, progress});
  SecondAnswer answer;
  answer.steps = march.steps().accepted;
  answer.seconds = watch.seconds();
  if (march.finished()) {
    answer.times = beat_times(*started.simulation, second.problem.mesh->nodes.size());
    answer.times->activation_ms.resize(nodes);
    answer.times->apd90_ms.resize(nodes);
  } else if (march.failure) {
    answer.reason = fmt::format("no errors are estimated, as step {} of the second run failed (t = {:.6g} ms): {}",
                                march.steps().accepted + 1, march.last_attempt_ms(), march.failure->reason);
    answer.exit_code = ExitCode::not_converged;
  } else {
    answer.reason = fmt::format("no errors are estimated, as the second run was stopped at t = {:.6g} ms",
                                started.simulation->time_ms());
    answer.exit_code = ExitCode::interrupted;
  }
  return answer;
}

void tell_beginning(const SecondRun& second, const char* where) {
  log_info("estimating the errors {} by a second run with {}{}", second.source, second.how, where);
}

void tell_why_there_is_none(const SecondAnswer& answer) {
  if (answer.exit_code == ExitCode::interrupted)
    log_warn("{}", answer.reason);
  else
    log_error("{}", answer.reason);
}

void tell(const char* source, const ErrorEstimate& estimate, const SecondAnswer& answer, const Mesh& mesh) {
  if (estimate.in_one_run > 0)
    log_warn("{} nodes were activated in one of the two runs alone: their errors are not known", estimate.in_one_run);
  log_info("estimated largest errors {}: {} (a second run of {} steps, {:.3g} s)", source,
           in_words(estimate, mesh.nodes), answer.steps, answer.seconds);
}

}  // namespace

void require_estimates_possible(const Config& config, const ErrorEstimates& wanted) {
  if (wanted.any() && !config.output.activation_time && !config.output.apd90)
    throw InputError(fmt::format("{}: expected activation_time or apd90 in output.maps, whose errors are estimated",
                                 wanted.in_time ? "--estimate-error" : "--estimate-mesh-error"));
  if (wanted.in_time) require_second_steps_possible(config);
}

SecondRunBeside::SecondRunBeside(const Config& config, const Problem& problem, const InterruptGuard& interrupts,
                                 int gpu) {
  const auto second = std::make_shared<const SecondRun>(with_second_steps(config, problem));
  tell_beginning(*second, ", beside the run on another GPU");
  const auto stop = [this, &interrupts] { return is_given_up_ || interrupts.stop_requested(); };
  answer_ = in_background([second, nodes = problem.mesh->nodes.size(), stop, gpu] {
    use_gpu(gpu);
    const Stopwatch watch;
    return answer_of(*second, start_simulation(BackendChoice::gpu, second->problem), watch, nodes, stop,
                     Progress::hidden);
  });
}

SecondRunBeside::~SecondRunBeside() { is_given_up_ = true; }

std::optional<SecondAnswer> SecondRunBeside::answer() {
  const auto without = [](const char* reason) {
    log_info("the second run is made after the run: {}", reason);
    return std::nullopt;
  };
  try {
    return answer_.get();
  } catch (const DeviceError& error) {
    return without(error.what());
  } catch (const std::bad_alloc&) {
    return without("out of memory");
  }
}

std::optional<int> gpu_for_second_run(const ErrorEstimates& wanted, const std::string& backend) {
  return wanted.in_time && backend == "gpu" ? another_gpu() : std::nullopt;
}

ExitCode add_estimates(const ErrorEstimates& wanted, const FirstRun& first, SecondRunBeside* beside) {
  const Config& config = first.config;
  const Problem& problem = first.problem;
  RunSummary& summary = first.summary;
  MapErrors errors;
  const auto stop = [&] { return first.interrupts.stop_requested(); };
  const auto made_now = [&](const auto& make_second) {
    if (stop()) {
      SecondAnswer none;
      none.reason = "no errors are estimated, as the second run was stopped before it began";
      none.exit_code = ExitCode::interrupted;
      return none;
    }
    std::optional<InterruptPause> at_once(  // all other results are written
        std::in_place, first.interrupts,
        "warning: no errors are estimated, as the second run was stopped before it began\n");
    const SecondRun second = make_second();
    tell_beginning(second, "");
    const Stopwatch watch;
    const StartedSimulation started =
        start_simulation(summary.backend == "gpu" ? BackendChoice::gpu : BackendChoice::cpu, second.problem);
    at_once.reset();
    return answer_of(second, started, watch, problem.mesh->nodes.size(), stop, Progress::shown);
  };
  const auto add = [&](const char* source, const SecondAnswer& answer, Real divisor, std::optional<BeatTimes>& of_maps,
                       std::optional<ErrorSummary>& of_summary) {
    if (!answer.times) {
      tell_why_there_is_none(answer);
      return answer.exit_code;
    }
    const ErrorEstimate estimate = estimate_error(first.recorder.maps(), *answer.times, divisor);
    of_maps = estimate.errors;
    of_summary = {.activation_percent = estimate.activation_percent,
                  .activation_ms = estimate.activation_ms,
                  .apd90_ms = estimate.apd90_ms,
                  .steps = answer.steps,
                  .seconds = answer.seconds};
    first.recorder.write_errors(errors);
    write_file_atomically(config.output.directory / "summary.json", summary_json(summary));
    tell(source, estimate, answer, *problem.mesh);
    return ExitCode::done;
  };
  ExitCode exit_code = ExitCode::done;
  if (wanted.in_time) {
    std::optional<SecondAnswer> answer = beside ? beside->answer() : std::nullopt;
    if (!answer) answer = made_now([&] { return with_second_steps(config, problem); });
    const Real divisor = second_steps(config.time, config.output.interval_ms).divisor;
    exit_code = add(in_time, *answer, divisor, errors.in_time, summary.estimated_error);
  }
  if (wanted.of_mesh && exit_code == ExitCode::done)
    exit_code = add(by_the_mesh, made_now([&] { return on_refined_mesh(config, problem); }), of_halved_edges,
                    errors.of_mesh, summary.estimated_mesh_error);
  return exit_code;
}

}  // namespace cardiowarp
