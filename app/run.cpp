#include "app/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/advice/extreme_potentials.hpp"
#include "app/advice/failure_place.hpp"
#include "app/advice/outcome.hpp"
#include "app/checkpoint/checkpoint_folder.hpp"
#include "app/checkpoint/configuration_difference.hpp"
#include "app/checkpoints.hpp"
#include "app/config/config_names.hpp"
#include "app/device_failure.hpp"
#include "app/files/folder_lock.hpp"
#include "app/files/regular_file.hpp"
#include "app/march.hpp"
#include "app/measure/setup_log.hpp"
#include "app/measure/stopwatch.hpp"
#include "app/output/frame_layout.hpp"
#include "app/output/recorder.hpp"
#include "app/output/summary.hpp"
#include "app/prepace.hpp"
#include "app/process/background.hpp"
#include "app/process/build_info.hpp"
#include "app/process/device_watch.hpp"
#include "app/process/interrupt.hpp"
#include "app/process/log.hpp"
#include "app/process/threads.hpp"
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

bool is_there(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::is_directory(folder, ignored);
}

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

std::string describe_failure(const Config& config, const Case& given, const March& march, Real time_ms) {
  const StepFailure& failure = *march.failure;
  const Vector3 at = given.mesh().nodes[failure.node];
  std::string reason =
      fmt::format("step {} (t = {:.6g} ms): {}; worst at node {} ({:.6g}, {:.6g}, {:.6g}) mm with {}",
                  march.steps().accepted + 1, march.last_attempt_ms(), failure.reason, failure.node, at.x, at.y, at.z,
                  std::isfinite(failure.potential_mv) ? fmt::format("{:.6g} mV", failure.potential_mv)
                                                      : "a potential that is no number");
  if (failure.left_range)
    reason += "; " + describe_failure_place(config, given.problem, failure, march.last_attempt_ms(),
                                            march.last_attempt_ms() - time_ms);
  return reason;
}

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
    ending = {RunStatus::failed, describe_failure(config, given, march, time_ms), ExitCode::not_converged};
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

/// Warns of potentials that no cell model describes, at the end of a run.
void tell_extremes(ExtremePotentials& extremes, Simulation& simulation) {
  extremes.look(simulation);
  if (const auto warning = extremes.warning()) log_warn("{}", *warning);
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

void tell_results(const RunSummary& summary, const Config& config) {
  const PhaseSeconds& seconds = summary.seconds;
  log_info(
      "{}, {} Newton and {} CG iterations in {:.3g} s (elements {:.3g}, assembly {:.3g}, CG {:.3g}, "
      "output {:.3g})",
      in_words(summary.steps), summary.newton_iterations, summary.linear_iterations, seconds.total, seconds.element,
      seconds.assembly, seconds.linear_solve, seconds.output);
  log_info("{}", in_words(summary.outcome));
  log_info("{} frames and the other results are in {}: open {} in ParaView", summary.frames,
           std::filesystem::absolute(config.output.directory).lexically_normal().string(),
           frame_layout(config)->list_file());
}

/// What --resume goes on from, and what a user should know about it.
void tell_resumption(const SavedRun& saved, const std::string& backend) {
  log_info("going on from '{}' at t = {:.6g} ms", saved.file().string(), saved.time_ms());
  const RunIdentity& before = saved.identity();
  if (before.backend != backend)
    log_warn("the checkpoint was written on {}: on {} the results agree within rounding, not bit for bit",
             before.backend, backend);
  if (before.version != build_info().version) log_warn("the checkpoint was written by version {}", before.version);
}

/// Throws InputError where a run that begins with the state of `start` is to tell the errors of its mesh.
void refuse_mesh_estimate(const RunOptions& options, const char* start) {
  if (options.estimates.of_mesh)
    throw InputError(
        fmt::format("--estimate-mesh-error: expected a run that begins with `initial`, got {}: that state "
                    "has no values on the refined mesh",
                    start));
}

/// Throws InputError where the options contradict each other, and warns of what --from replaces.
void require_start_possible(const Config& config, const RunOptions& options) {
  if (options.from && options.resume)
    throw InputError(
        "--from and --resume: expected one of them: a run that goes on knows the state that it began with");
  if (options.from || config.prepace) refuse_mesh_estimate(options, options.from ? "--from" : "prepace");
  if (options.from) warn_of_replaced_start(config);
}

/// Whether the run goes on from a checkpoint. One that was ended while its heart was paced has no results yet, and no
/// checkpoint; what was paced is in the cache.
bool resumes(const RunOptions& options, const Config& config) {
  if (!options.resume) return false;
  std::error_code ignored;
  const bool has_begun = std::filesystem::exists(config.output.directory / "resolved.yaml", ignored);
  if (has_begun || !config.prepace || !checkpoints_in(config.output.directory).empty()) return true;
  log_info("--resume: no results in '{}' yet: the run begins with prepace", config.output.directory.string());
  return false;
}

void tell_start(const StartOrigin& origin) {
  log_info("t = 0 is the state of '{}' at t = {:.6g} ms there (checksum {})", origin.file, origin.time_ms,
           origin.checksum_text());
}

/// Says where a run is about to replace results of another configuration.
void tell_replacement(const Config& config) {
  const std::filesystem::path file = config.output.directory / "resolved.yaml";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return;
  std::string before, differences;
  try {
    constexpr std::uint64_t longest = 1 << 20;
    RegularFile(file).read(longest, [&](std::string_view piece) { before += piece; });
    differences = differences_of_results(before, resolved_yaml(config));
  } catch (const InputError&) {
    differences = "its resolved.yaml cannot be read";
  }
  if (!differences.empty())
    log_warn("the results of another configuration in '{}' are replaced: {} (--output DIR keeps both)",
             config.output.directory.string(), differences);
}

/// Throws InputError where the run would replace its own configuration file by another one, as `run
/// result/resolved.yaml --set ...` would.
void require_configuration_kept(const Config& config) {
  const std::filesystem::path replaced = config.output.directory / "resolved.yaml";
  std::error_code ignored;
  if (!std::filesystem::equivalent(config.file, replaced, ignored)) return;
  std::string before;
  RegularFile(config.file).read(std::uint64_t{1} << 20, [&](std::string_view piece) { before += piece; });
  if (before != resolved_yaml(config))
    throw InputError(
        fmt::format("output.directory: the run would replace its own configuration file '{}' by another one: expected "
                    "another folder (--output DIR)",
                    config.file.string()));
}

/// A run from the start takes the place of an earlier one.
void forget_checkpoints(const std::filesystem::path& folder) {
  if (const std::size_t number = checkpoints_in(folder).size(); number > 0)
    log_info("{} checkpoint{} of an earlier run removed (--resume goes on from the last)", number,
             number == 1 ? "" : "s");
  remove_checkpoints(folder);
}

/// The whole march, from the start or from a checkpoint, with the results on disk but for the maps. `watch` runs since
/// the program was started.
Stop march_with_checkpoints(const RunOptions& options, const Stopwatch& watch, const InterruptGuard& interrupts,
                            Simulation& simulation, March& march, Recorder& recorder, Checkpoints& checkpoints,
                            const Config& config, SavedRun* saved) {
  saved ? checkpoints.load(*saved) : recorder.record();
  Stop stop;
  bool has_step = false;  // a budget that the preparation has spent leaves one, so that a run always gets on
  march_in_time(
      march, config.time.end_ms, simulation,
      [&] {
        return Outlook{options.steps_in_flight, std::min(recorder.next_look_ms(), checkpoints.next_look_ms())};
      },
      [&] {
        recorder.record();
        checkpoints.after_step();
        has_step = true;
      },
      [&] {
        if (interrupts.stop_requested()) return true;
        stop.by_budget = has_step && watch.seconds() >= options.stop_after_seconds.value_or(INFINITY);
        return stop.by_budget;
      });
  if (!march.failure && (!march.finished() || config.checkpoint)) stop.is_saved = checkpoints.save();
  return stop;
}

}  // namespace

ExitCode run(const Config& asked, const RunOptions& options) {
  const Stopwatch total;
  const std::string started_at = iso_time(std::chrono::system_clock::now());
  const std::filesystem::path& folder = asked.output.directory;
  require_output_possible(asked);
  require_estimates_possible(asked, options.estimates);
  require_start_possible(asked, options);
  if (!options.resume) require_configuration_kept(asked);
  std::optional<FolderLock> lock;  // a folder that is not there yet is made when the device is
  if (is_there(folder)) lock.emplace(folder);
  std::optional<SavedRun> saved;
  std::optional<SourceState> source;
  if (options.from) source = read_source_state(*options.from, asked);
  if (resumes(options, asked)) saved.emplace(asked);
  if (saved && saved->identity().start) refuse_mesh_estimate(options, "a checkpoint of one that began with --from");
  SavedRun* const resumed = saved && !saved->begins_anew() ? &*saved : nullptr;

  RunInProgress in_progress;
  std::optional<DeviceWatch> device_watch;
  if (asked.backend != BackendChoice::cpu)
    device_watch.emplace(options.gpu_timeout_seconds,
                         [&](GivenUp why) { end_without_device(why, options.gpu_timeout_seconds, in_progress); });
  Case given = load_case(asked, !source && !(saved && saved->identity().start), usual_tolerance_cache(options.commit));
  if (options.estimates.of_mesh) require_linear(given.mesh(), "--estimate-mesh-error");
  const Config& config = given.config;
  SetupLog log;
  std::future<RunIdentity> found_identity = in_background([&] { return identity_of(config, given.problem); });
  RunIdentity identity;
  const bool has_start = saved ? saved->identity().start.has_value() : source || config.prepace;
  if (has_start) {
    identity = found_identity.get();
    if (saved) require_same_tissue(saved->identity(), identity);
    if (!saved && !source) {
      Prepaced prepaced = prepaced_state(config, given.problem, {options.commit, options.stop_after_seconds, total});
      if (!prepaced.source) return prepaced.exit_code;
      source = std::move(prepaced.source);
    }
    identity.start = saved ? saved->identity().start : fitted(*std::exchange(source, {}), identity, given.problem);
    begin_with(*identity.start, given.problem);
    tell_start(identity.start->origin);
    log.ended("begin with a state");
  }
  StartedSimulation started = start_simulation(possible_backend(config), given.problem);
  if (started.backend == "cpu") device_watch.reset();
  Simulation& simulation = *started.simulation;
  log.ended("plan and fill the device");
  tell_methods(config, started);

  if (!lock) lock.emplace(folder);
  if (!has_start) identity = found_identity.get();
  identity.backend = started.backend;
  if (saved) require_same_tissue(saved->identity(), identity);
  if (resumed) {
    tell_resumption(*resumed, started.backend);
  } else {
    tell_replacement(config);
    forget_checkpoints(folder);
  }
  const InterruptGuard interrupts;  // before the recorder, which completes its frames when an error ends the run
  Recorder recorder(config, given.problem, simulation, frame_threads(started.backend, config, given.mesh()),
                    resumed != nullptr);
  log.ended("prepare files");
  const double setup_seconds = total.seconds();
  March march(TimeStepper(config.time, config.output.interval_ms, given.problem.stimuli));
  Checkpoints checkpoints(config, identity, simulation, march, recorder);
  std::optional<SecondRunBeside> beside;
  if (const std::optional<int> gpu = gpu_for_second_run(options.estimates, started.backend))
    beside.emplace(config, given.problem, interrupts, *gpu);
  const ShownRun shown(in_progress, {"", &simulation, &march, &recorder, &checkpoints});
  ExtremePotentials extremes(given.problem);
  if (extremes.expected()) recorder.after_frames([&] { extremes.look(simulation); });
  Ending ending;
  StepSeconds of_steps;
  const Outcome outcome = keeping_what_is_there(in_progress, [&] {
    const Stop stop =
        march_with_checkpoints(options, total, interrupts, simulation, march, recorder, checkpoints, config, resumed);
    recorder.finish();
    ending = end_of(march, stop, config, given, simulation.time_ms());
    tell_extremes(extremes, simulation);
    Outcome judged = judged_outcome(config, given, simulation);
    of_steps = simulation.seconds();
    return judged;
  });
  RunSummary summary{.status = ending.status,
                     .reason = ending.reason,
                     .build = build_info(),
                     .backend = started.backend,
                     .device = started.device,
                     .preconditioner = preconditioner_name(config),
                     .methods = simulation.methods(),
                     .threads = threads_in_use(),
                     .mesh = mesh_counts(*given.checked),
                     .components = static_cast<std::int64_t>(given.components.all.size()),
                     .prescribed_nodes = static_cast<std::int64_t>(given.problem.prescribed.size()),
                     .outcome = outcome,
                     .steps = march.steps(),
                     .newton_iterations = march.newton_iterations,
                     .linear_iterations = march.linear_iterations,
                     .frames = recorder.frames(),
                     .resumed_from_ms = resumed ? std::optional(resumed->time_ms()) : std::nullopt,
                     .from = has_start ? std::optional(identity.start->origin) : std::nullopt,
                     .started = started_at,
                     .seconds = {.setup = setup_seconds,
                                 .element = of_steps.element,
                                 .assembly = of_steps.assembly,
                                 .linear_solve = of_steps.linear_solve,
                                 .update = of_steps.update,
                                 .output = recorder.seconds(),
                                 .total = total.seconds()}};
  write_file_atomically(folder / "summary.json", summary_json(summary));
  tell_results(summary, config);
  if (!options.estimates.any() || ending.status != RunStatus::completed) return ending.exit_code;
  in_progress = {.phase = "after the run"};
  started.simulation.reset();  // a device need not hold two
  return add_estimates(options.estimates, config, given.problem, recorder, summary, interrupts,
                       beside ? &*beside : nullptr);
}

}  // namespace cardiowarp
