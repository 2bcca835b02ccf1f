#include "app/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <optional>

#include "app/advice/extreme_potentials.hpp"
#include "app/advice/outcome.hpp"
#include "app/advice/resolution.hpp"
#include "app/beginning.hpp"
#include "app/checkpoints.hpp"
#include "app/config/config_names.hpp"
#include "app/device_failure.hpp"
#include "app/march.hpp"
#include "app/measure/setup_log.hpp"
#include "app/measure/stopwatch.hpp"
#include "app/output/frame_layout.hpp"
#include "app/output/recorder.hpp"
#include "app/output/summary.hpp"
#include "app/output/work_over_time.hpp"
#include "app/prepace.hpp"
#include "app/process/background.hpp"
#include "app/process/build_info.hpp"
#include "app/process/device_watch.hpp"
#include "app/process/interrupt.hpp"
#include "app/process/kept_warnings.hpp"
#include "app/process/log.hpp"
#include "app/process/threads.hpp"
#include "app/report/report.hpp"
#include "app/simulation/cell_precision.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/time_stepper.hpp"
#include "app/start/backend.hpp"
#include "app/start/load.hpp"
#include "app/start/tolerance_cache.hpp"
#include "app/start_from.hpp"
#include "fem/input_error.hpp"
#include "meshes/atomic_file.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {
namespace {

std::string preconditioner_name(const Config& config) {
  return in_words(config.linear_solver.preconditioner, config.linear_solver.polynomial);
}

void tell_methods(const Config& config, const StartedSimulation& started) {
  const SimulationMethods methods = started.simulation->methods();
  log_info("running on {}: matrix {}, preconditioner {}, assembly {}",
           started.device.empty() ? in_words(threads_in_use()) : started.device, methods.format,
           preconditioner_name(config), methods.assembly);
  if (!methods.repeatable)
    log_warn(
        "assembly {} adds in another order in every run: the last bits of the results differ from run to run, "
        "and from a run that is resumed",
        methods.assembly);
  if (!methods.precision_reason.empty())
    log_info("linear systems are solved in {} precision: {}", methods.precision, methods.precision_reason);
}

/// How a run ended, for its summary and its caller.
struct Ending {
  RunStatus status = RunStatus::completed;
  std::string reason;
  ExitCode exit_code = ExitCode::done;
};

/// Why a march that could go on has ended, and whether it can from a checkpoint.
struct Stop {
  bool by_budget = false, is_saved = false;
};

Ending stopped_ending(const March& march, const Stop& stop) {
  Ending ending{RunStatus::interrupted, fmt::format("stopped after step {}", march.steps().accepted),
                ExitCode::interrupted};
  if (stop.by_budget) {
    ending.reason += " by --stop-after";
    ending.exit_code = stop.is_saved ? ExitCode::stopped : ExitCode::bad_input;
  }
  return ending;
}

/// The ending of a march, which is told.
Ending end_of(const March& march, const Stop& stop, const Config& config, const Case& given, Real time_ms) {
  Ending ending;
  if (march.failure) {
    ending = {RunStatus::failed, failure_in_words(march, config, given.problem, time_ms), ExitCode::not_converged};
    log_error("{}", ending.reason);
  } else if (!march.finished()) {
    ending = stopped_ending(march, stop);
    log_warn("{} (t = {:.6g} ms){}", ending.reason, time_ms, stop.is_saved ? "; --resume goes on from there" : "");
  }
  if (march.steps().above_tolerance > 0)
    log_warn("{} steps of time.adaptive.min_step have a larger error than time.adaptive.tolerance",
             march.steps().above_tolerance);
  return ending;
}

/// What was activated, with warnings where that may not be what was wanted.
Outcome judged_outcome(const Config& config, const Case& given, Simulation& simulation) {
  Outcome outcome = outcome_of(simulation, config, given.problem, given.components);
  for (const std::string& warning : outcome_warnings(outcome, config, given.problem, given.components))
    log_warn("{}", warning);
  return outcome;
}

RunSummary::MeshCounts mesh_counts(const CheckedMesh& checked) {
  return {.nodes = static_cast<std::int64_t>(checked.mesh.nodes.size()),
          .elements = static_cast<std::int64_t>(checked.mesh.tetrahedra.size()),
          .inverted_elements = checked.report.inverted_elements,
          .unreferenced_nodes = checked.report.unreferenced_nodes,
          .volume_mm3 = checked.report.volume_mm3};
}

std::string in_words(const StepCounts& steps) {
  if (steps.rejected + steps.above_tolerance == 0 && steps.shortest_ms == steps.longest_ms)
    return fmt::format("{} steps", steps.accepted);
  std::string words =
      fmt::format("{} steps of {:.3g} to {:.3g} ms", steps.accepted, steps.shortest_ms, steps.longest_ms);
  if (steps.rejected > 0) words += fmt::format(" and {} rejected ones", steps.rejected);
  return words;
}

/// The maps of the first and of the last beats in numbers, those between them by the name of the file.
void tell_maps(const BeatResults& beats, const Config& config) {
  for (const MapSummary& map : beats.maps)
    if (map.beat == 0 || map.beat == beats.maps.back().beat) log_info("{}", in_words(map));
  if (!beats.maps.empty() && beats.maps.back().beat > 1)
    log_info("the maps of all {} beats are in beats.csv in numbers", beats.maps.back().beat + 1);
  if (config.output.beats == BeatChoice::first) return;
  for (const std::string& warning :
       {unfinished_warning(beats.records, config.time.end_ms), too_many_warning(beats.records)})
    if (!warning.empty()) log_warn("{}", warning);
}

void tell_results(const RunSummary& summary, const Config& config) {
  const PhaseSeconds& seconds = summary.seconds;
  log_info(
      "{}, {} Newton and {} CG iterations in {:.3g} s (elements {:.3g}, assembly {:.3g}, CG {:.3g}, "
      "output {:.3g})",
      in_words(summary.steps), summary.newton_iterations, summary.linear_iterations, seconds.total, seconds.element,
      seconds.assembly, seconds.linear_solve, seconds.output);
  log_info("{}", in_words(summary.outcome));
  if (const std::string words = velocity_in_words(config, summary.resolution); !words.empty()) log_info("{}", words);
  tell_maps(summary.beats, config);
  log_info("{} frames and the other results are in {}: open {} in ParaView", summary.frames,
           std::filesystem::absolute(config.output.directory).lexically_normal().string(),
           frame_layout(config)->list_file());
}

/// A run whose simulation is there: its march in time with all that is written of it. What the constructor is given
/// outlives this; `watch` runs since the program was started.
class RunInTime {
 public:
  RunInTime(const RunOptions& options, const KeptWarnings& warnings, const Stopwatch& watch, Case& given,
            Beginning& beginning, StartedSimulation& started)
      : options_(options),
        warnings_(warnings),
        watch_(watch),
        given_(given),
        beginning_(beginning),
        started_(started),
        recorder_(config_, given.problem, simulation_, frame_threads(started.backend, config_, given.mesh()),
                  beginning.resumed() != nullptr) {}

  /// To the end of the time, or to what ends it before, with all files of the results complete.
  void march(RunInProgress& in_progress) {
    if (const std::optional<int> gpu = gpu_for_second_run(options_.estimates, started_.backend))
      beside_.emplace(config_, given_.problem, interrupts_, *gpu);
    shown_.emplace(in_progress, RunInProgress{"", &simulation_, &march_, &recorder_, &checkpoints_});
    keeping_what_is_there(in_progress, [&] {
      const Stop stop = march_with_checkpoints();
      recorder_.finish();
      ending_ = end_of(march_, stop, config_, given_, simulation_.time_ms());
      if (const auto warning = warning_of_extremes(given_.problem, simulation_)) log_warn("{}", *warning);
      outcome_ = judged_outcome(config_, given_, simulation_);
      of_steps_ = simulation_.seconds();
    });
  }

  const Ending& ending() const { return ending_; }

  RunSummary summary(const std::string& started_at) const {
    return {.status = ending_.status,
            .reason = ending_.reason,
            .build = build_info(),
            .backend = started_.backend,
            .device = started_.device,
            .preconditioner = preconditioner_name(config_),
            .cell_precision = cell_precision_in_use(given_.problem.cell_models, started_.backend == "gpu"),
            .methods = simulation_.methods(),
            .threads = threads_in_use(),
            .mesh = mesh_counts(*given_.checked),
            .components = static_cast<std::int64_t>(given_.components.all.size()),
            .prescribed_nodes = static_cast<std::int64_t>(given_.problem.prescribed.size()),
            .outcome = outcome_,
            .resolution = front_resolution(given_.problem),
            .beats = recorder_.beats(),
            .steps = march_.steps(),
            .newton_iterations = march_.newton_iterations,
            .linear_iterations = march_.linear_iterations,
            .frames = recorder_.frames(),
            .resumed_from_ms =
                beginning_.resumed() != nullptr ? std::optional(beginning_.resumed()->time_ms()) : std::nullopt,
            .from = beginning_.identity.start ? std::optional(beginning_.identity.start->origin) : std::nullopt,
            .started = started_at,
            .seconds = {.setup = setup_seconds_,
                        .element = of_steps_.element,
                        .assembly = of_steps_.assembly,
                        .linear_solve = of_steps_.linear_solve,
                        .update = of_steps_.update,
                        .output = recorder_.seconds(),
                        .total = watch_.seconds()},
            .work = *work_,
            .warnings = warnings_.texts()};
  }

  /// The second runs, and the exit code of the last. The simulation goes first: a device need not hold two.
  ExitCode estimate_errors(RunSummary& summary) {
    started_.simulation.reset();
    return add_estimates(options_.estimates, {config_, given_.problem, recorder_, summary, interrupts_},
                         beside_ ? &*beside_ : nullptr);
  }

 private:
  /// The whole march, from the start or from a checkpoint, with the results on disk but for the maps.
  Stop march_with_checkpoints() {
    beginning_.resumed() != nullptr ? checkpoints_.load(*beginning_.resumed()) : recorder_.record();
    work_.emplace(simulation_.time_ms(), config_.time.end_ms, work_so_far());
    Stop stop;
    bool has_step = false;  // a budget that the preparation has spent leaves one, so that a run always gets on
    march_in_time(
        march_, config_.time.end_ms, simulation_,
        {[&] {
           return Outlook{options_.steps_in_flight, std::min(recorder_.next_look_ms(), checkpoints_.next_look_ms())};
         },
         [&] {
           recorder_.record();
           checkpoints_.after_step();
           work_->add(simulation_.time_ms(), work_so_far());
           has_step = true;
         },
         [&] {
           if (interrupts_.stop_requested()) return true;
           stop.by_budget = has_step && watch_.seconds() >= options_.stop_after_seconds.value_or(INFINITY);
           return stop.by_budget;
         }});
    if (!march_.failure && (!march_.finished() || config_.checkpoint)) stop.is_saved = checkpoints_.save();
    return stop;
  }

  WorkCounts work_so_far() const {
    return {march_.steps().accepted, march_.newton_iterations, march_.linear_iterations};
  }

  const RunOptions& options_;
  const KeptWarnings& warnings_;
  const Stopwatch& watch_;
  Case& given_;
  const Config& config_ = given_.config;
  Beginning& beginning_;
  StartedSimulation& started_;
  Simulation& simulation_ = *started_.simulation;
  const InterruptGuard interrupts_;  // before the recorder, which completes its frames when an error ends the run
  Recorder recorder_;
  double setup_seconds_ = watch_.seconds();
  March march_{TimeStepper(config_.time, config_.output.interval_ms, given_.problem.stimuli)};
  Checkpoints checkpoints_{config_, beginning_.identity, simulation_, march_, recorder_};
  std::optional<SecondRunBeside> beside_;
  std::optional<ShownRun> shown_;
  std::optional<WorkOverTime> work_;  ///< of the march
  Ending ending_;
  Outcome outcome_;
  StepSeconds of_steps_;
};

}  // namespace

ExitCode run(const Config& asked, const RunOptions& options) {
  const Stopwatch total;
  const KeptWarnings warnings;
  const std::string started_at = iso_time(std::chrono::system_clock::now());
  Beginning beginning(asked, options);
  RunInProgress in_progress;
  std::optional<DeviceWatch> device_watch;
  if (asked.backend != BackendChoice::cpu)
    device_watch.emplace(options.gpu_timeout_seconds,
                         [&](GivenUp why) { end_without_device(why, options.gpu_timeout_seconds, in_progress); });
  Case given =
      load_case(asked, !beginning.has_state(), usual_tolerance_cache(options.commit), SteadyCache{options.commit});
  if (options.estimates.of_mesh) require_linear(given.mesh(), "--estimate-mesh-error");
  const Config& config = given.config;
  SetupLog log;
  std::future<RunIdentity> identity = in_background([&] { return identity_of(config, given.problem); });
  if (beginning.has_state() || (!beginning.saved && config.prepace)) {
    beginning.identity = identity.get();
    const std::optional<ExitCode> ended =
        begin_with_state(beginning, given, {options.commit, options.stop_after_seconds, total});
    if (ended) return *ended;
    log.ended("begin with a state");
  }
  StartedSimulation started = start_simulation(possible_backend(config), given.problem);
  if (started.backend == "cpu") device_watch.reset();
  if (device_watch && gpu_for_second_run(options.estimates, started.backend)) device_watch->ignore_requests();
  log.ended("plan and fill the device");
  tell_methods(config, started);
  if (identity.valid()) beginning.identity = identity.get();
  take_folder(beginning, config, started.backend);

  RunInTime in_time(options, warnings, total, given, beginning, started);
  log.ended("prepare files");
  in_time.march(in_progress);
  RunSummary summary = in_time.summary(started_at);
  write_file_atomically(config.output.directory / "summary.json", summary_json(summary));
  tell_results(summary, config);
  ExitCode exit_code = in_time.ending().exit_code;
  if (options.estimates.any() && in_time.ending().status == RunStatus::completed) {
    in_progress = {.phase = "after the run"};
    exit_code = in_time.estimate_errors(summary);
  }
  if (config.output.report && in_time.ending().status != RunStatus::interrupted)
    write_file_atomically(config.output.directory / "report.html", report_of(config.output.directory));
  return exit_code;
}

}  // namespace cardiowarp
