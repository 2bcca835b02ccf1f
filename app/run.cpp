#include "app/run.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "app/advice/failure_place.hpp"
#include "app/advice/frame_estimate.hpp"
#include "app/advice/outcome.hpp"
#include "app/advice/resolution.hpp"
#include "app/advice/tissue.hpp"
#include "app/config/config_names.hpp"
#include "app/config/time_grid.hpp"
#include "app/files/folder_lock.hpp"
#include "app/files/result_file.hpp"
#include "app/measure/stopwatch.hpp"
#include "app/output/progress.hpp"
#include "app/output/recorder.hpp"
#include "app/output/summary.hpp"
#include "app/process/build_info.hpp"
#include "app/process/interrupt.hpp"
#include "app/process/standard_streams.hpp"
#include "app/process/threads.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "app/simulation/time_stepper.hpp"
#include "app/start/load.hpp"
#include "fem/components.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/device_error.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

struct Started {
  std::string backend, device;
  std::unique_ptr<Simulation> simulation;
};

/// `auto` takes the GPU where it can be used and says why where it cannot.
Started start_simulation(BackendChoice choice, const Problem& problem) {
  if (choice != BackendChoice::cpu) {
    try {
      return {"gpu", gpu_device().name, make_gpu_simulation(problem)};
    } catch (const MissingLibrary&) {
      throw;  // what was asked for by name is not replaced by something slower
    } catch (const DeviceError& error) {
      if (choice == BackendChoice::gpu) throw;
      spdlog::info("running on the CPU: {}", error.what());
      if (problem.matrix.format == MatrixFormat::cusparse)
        spdlog::info("linear_solver.spmv: cusparse needs a GPU; the CPU uses csr");
    }
  }
  return {"cpu", "", make_cpu_simulation(problem)};
}

/// The device that `check` plans for: where a GPU is asked for and there is none, the one this program is measured on.
Device planned_device(BackendChoice choice) {
  if (choice == BackendChoice::cpu) return cpu_device();
  try {
    return gpu_device();
  } catch (const DeviceError&) {
    return choice == BackendChoice::gpu ? nvidia_h200() : cpu_device();
  }
}

/// `auto` is the CPU for what only that has.
BackendChoice possible_backend(const Config& config) {
  if (config.backend != BackendChoice::automatic ||
      config.linear_solver.preconditioner != PreconditionerChoice::block_jacobi)
    return config.backend;
  spdlog::info("running on the CPU: linear_solver.preconditioner: block_jacobi is not for a GPU");
  return BackendChoice::cpu;
}

/// What TimeStepper would do.
std::string describe_steps(const TimeConfig& time) {
  const AdaptiveConfig& adaptive = time.adaptive;
  if (!adaptive.enabled)
    return fmt::format("{} steps of {:.6g} ms", TimeGrid{time.end_ms, time.step_ms}.steps(), time.step_ms);
  return fmt::format("adaptive steps of {:.6g} to {:.6g} ms, the first of {:.6g} ms, with local errors up to {:.3g},",
                     adaptive.min_step_ms, adaptive.max_step_ms, time.step_ms, adaptive.tolerance);
}

std::string in_words(const StepCounts& steps) {
  if (steps.rejected + steps.above_tolerance == 0 && steps.shortest_ms == steps.longest_ms)
    return fmt::format("{} steps", steps.accepted);
  std::string words =
      fmt::format("{} steps of {:.3g} to {:.3g} ms", steps.accepted, steps.shortest_ms, steps.longest_ms);
  if (steps.rejected > 0) words += fmt::format(" and {} rejected ones", steps.rejected);
  return words;
}

/// Threads that write frames while a GPU computes: one fewer than OpenMP's, as the run has one; at most 64, or as many
/// frames as have 2 GiB of values; at least one. On the CPU every core computes, and frames are written in between.
int frame_threads(const std::string& backend, const Mesh& mesh) {
  if (backend == "cpu") return 0;
  const std::size_t bytes = sizeof(Real) * (mesh.nodes.size() + mesh.tetrahedra.size());
  const auto most = static_cast<int>(std::clamp<std::size_t>((std::size_t(2) << 30) / bytes, 1, 64));
  return std::clamp(omp_get_max_threads() - 1, 1, most);
}

void warn_of_frames(const Config& config, const Mesh& mesh) {
  if (const std::string warning = frame_warning(estimate_frames(config, mesh), free_bytes(config.output.directory));
      !warning.empty())
    spdlog::warn("{}", warning);
}

/// What `start_simulation` would choose, in words; nothing is started.
std::string describe_backend(BackendChoice choice) {
  if (choice == BackendChoice::cpu) return "cpu";
  try {
    return "gpu (" + gpu_device().name + ")";
  } catch (const DeviceError& error) {
    return fmt::format("{} ({})", choice == BackendChoice::gpu ? "gpu, which this machine does not have" : "cpu",
                       error.what());
  }
}

}  // namespace

ExitCode run(const Config& config) {
  const Stopwatch total;
  RunSummary summary;
  summary.started = iso_time(std::chrono::system_clock::now());
  require_output_possible(config);
  std::optional<FolderLock> lock;  // a folder that is not there yet is made when the device is
  if (std::error_code ignored; std::filesystem::is_directory(config.output.directory, ignored))
    lock.emplace(config.output.directory);
  const CheckedMesh checked = load_mesh(config.mesh);
  const auto& [mesh, mesh_report] = checked;
  warn_of_frames(config, mesh);
  const Problem problem = load_problem(config, checked);
  const Components components = connected_components(mesh);
  for (const std::string& warning : start_warnings(config, problem, components)) spdlog::warn("{}", warning);
  const auto [backend, device, simulation] = start_simulation(possible_backend(config), problem);
  const std::string preconditioner = name_of(config.linear_solver.preconditioner, preconditioner_names);
  spdlog::info("running on {}: matrix {}, preconditioner {}, assembly {}",
               device.empty() ? in_words(threads_in_use()) : device, simulation->methods().spmv, preconditioner,
               simulation->methods().assembly);
  if (!lock) lock.emplace(config.output.directory);
  const InterruptGuard interrupts;  // before the recorder, which completes its frames when an error ends the run
  Recorder recorder(config, problem, *simulation, frame_threads(backend, mesh));
  summary.seconds.setup = total.seconds();

  recorder.record();
  TimeStepper stepper(config.time, config.output.interval_ms, problem.stimuli);
  std::optional<StepFailure> failure;
  {
    ProgressLine progress(config.time.end_ms, spdlog::should_log(spdlog::level::info));
    while (!stepper.finished() && !interrupts.stop_requested()) {
      const StepReport step = stepper.advance(*simulation);
      summary.newton_iterations += step.newton_iterations;
      summary.linear_iterations += step.linear_iterations;
      failure = step.failure;
      if (failure) break;
      recorder.record();
      progress.update(simulation->time_ms(), step);
    }
  }
  summary.steps = stepper.counts();
  recorder.finish();

  ExitCode exit_code = ExitCode::done;
  if (failure) {
    const Vector3 at = mesh.nodes[failure->node];
    summary.status = RunStatus::failed;
    summary.reason =
        fmt::format("step {} (t = {:.6g} ms): {}; worst at node {} ({:.6g}, {:.6g}, {:.6g}) mm with {:.6g} mV",
                    summary.steps.accepted + 1, stepper.attempts().back().end_ms, failure->reason, failure->node, at.x,
                    at.y, at.z, failure->potential_mv);
    const Real failed_ms = stepper.attempts().back().end_ms;
    if (failure->left_range)
      summary.reason +=
          "; " + describe_failure_place(config, problem, *failure, failed_ms, failed_ms - simulation->time_ms());
    spdlog::error("{}", summary.reason);
    exit_code = ExitCode::not_converged;
  } else if (!stepper.finished()) {
    summary.status = RunStatus::interrupted;
    summary.reason = fmt::format("stopped after step {}", summary.steps.accepted);
    spdlog::warn("{} (t = {:.6g} ms)", summary.reason, simulation->time_ms());
    exit_code = ExitCode::interrupted;
  }

  if (summary.steps.above_tolerance > 0)
    spdlog::warn("{} steps of time.adaptive.min_step have a larger error than time.adaptive.tolerance",
                 summary.steps.above_tolerance);

  const Outcome outcome = outcome_of(*simulation, config, problem, components);
  for (const std::string& warning : outcome_warnings(outcome, config, problem, components)) spdlog::warn("{}", warning);

  const StepSeconds of_steps = simulation->seconds();
  const BuildInfo build = build_info();
  summary.version = build.version;
  summary.build_type = build.build_type;
  summary.compiler = build.compiler;
  summary.libraries = build.libraries;
  summary.backend = backend;
  summary.device = device;
  const SimulationMethods methods = simulation->methods();
  summary.spmv = methods.spmv;
  summary.preconditioner = preconditioner;
  summary.solver = methods.solver;
  summary.solver_reason = methods.solver_reason;
  summary.assembly = methods.assembly;
  summary.assembly_order = methods.assembly_order;
  const ThreadChoice threads = threads_in_use();
  summary.threads = threads.number;
  summary.threads_from = threads.from;
  summary.mesh = {.nodes = static_cast<std::int64_t>(mesh.nodes.size()),
                  .elements = static_cast<std::int64_t>(mesh.tetrahedra.size()),
                  .nonzeros = methods.matrix_entries,
                  .inverted_elements = mesh_report.inverted_elements,
                  .unreferenced_nodes = mesh_report.unreferenced_nodes,
                  .volume_mm3 = mesh_report.volume_mm3};
  summary.components = static_cast<std::int64_t>(components.parts.size());
  summary.activation = outcome.activation;
  summary.stimuli = outcome.stimuli;
  summary.simulated_ms = simulation->time_ms();
  summary.frames = recorder.frames();
  summary.seconds.element = of_steps.element;
  summary.seconds.assembly = of_steps.assembly;
  summary.seconds.linear_solve = of_steps.linear_solve;
  summary.seconds.update = of_steps.update;
  summary.seconds.output = recorder.seconds();
  summary.seconds.total = total.seconds();
  write_file_atomically(config.output.directory / "summary.json", summary_json(summary));

  spdlog::info(
      "{}, {} Newton and {} CG iterations in {:.3g} s (elements {:.3g}, assembly {:.3g}, CG {:.3g}, "
      "output {:.3g})",
      in_words(summary.steps), summary.newton_iterations, summary.linear_iterations, summary.seconds.total,
      of_steps.element, of_steps.assembly, of_steps.linear_solve, recorder.seconds());
  spdlog::info("{}", in_words(outcome));
  spdlog::info("{} frames and the other results are in {}: open potential.pvd in ParaView", summary.frames,
               std::filesystem::absolute(config.output.directory).lexically_normal().string());
  return exit_code;
}

void check(const Config& config) {
  require_output_possible(config);
  const CheckedMesh checked = load_mesh(config.mesh);
  warn_of_frames(config, checked.mesh);
  const Problem problem = load_problem(config, checked);
  const Components components = connected_components(checked.mesh);
  for (const std::string& warning : start_warnings(config, problem, components)) spdlog::warn("{}", warning);

  print_report("mesh: {} connected part{}\n", components.parts.size(), components.parts.size() == 1 ? "" : "s");
  for (std::size_t k = 0; k < problem.stimuli.size(); ++k)
    print_report("stimulus {}: {} node{}, from {:.6g} ms, {} × {:.6g} ms\n", config.stimuli[k].name,
                 problem.stimuli[k].nodes.size(), problem.stimuli[k].nodes.size() == 1 ? "" : "s",
                 config.stimuli[k].start_ms, config.stimuli[k].count, config.stimuli[k].duration_ms);
  for (const std::string& line : describe_tissue(config, problem)) print_report("{}\n", line);
  print_report("cell model: {} with {} parameter set{}\n", config.cell_model.name, problem.cell_models.size(),
               problem.cell_models.size() == 1 ? "" : "s");
  const auto [thinnest, thickest] = front_thickness_mm(problem);
  print_report("front: {:.3g} to {:.3g} mm thick (tanh profile); the mesh makes it {}\n", thinnest, thickest,
               describe(front_resolution(problem)));
  print_report("time: {} to {:.6g} ms, a frame every {:.6g} ms: {}\n", describe_steps(config.time), config.time.end_ms,
               config.output.interval_ms, describe(estimate_frames(config, checked.mesh)));
  const BackendChoice backend = possible_backend(config);
  print_report("backend: {}\n", describe_backend(backend));
  print_report("threads: {}\n", in_words(threads_in_use()));
  const Device planned = planned_device(backend);
  const SimulationPlan plan = plan_simulation(problem, planned);
  print_report("matrix: {}, {} entries; preconditioner: {}; assembly: {}\n", format_name(plan.matrix.options),
               plan.sparsity.entries(), name_of(problem.preconditioner, preconditioner_names),
               strategy_name(plan.problem().assembly));
  print_report("solver: {} ({})\n", name_of(plan.solver.path), plan.solver.reason);
  if (planned.is_gpu) print_report("device memory: {:.0f} MiB\n", static_cast<double>(backend_bytes(plan)) / (1 << 20));
  print_report("output: {} (nothing written now)\n", config.output.directory.string());
  print_report("{}: valid\n", config.file.string());
}

}  // namespace cardiowarp
