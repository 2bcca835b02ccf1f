#include "app/run.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <spdlog/spdlog.h>

#include <array>
#include <chrono>
#include <csignal>
#include <optional>

#include "app/atomic_file.hpp"
#include "app/build_info.hpp"
#include "app/gpu.hpp"
#include "app/probes.hpp"
#include "app/problem.hpp"
#include "app/progress.hpp"
#include "app/simulation.hpp"
#include "app/simulation_plan.hpp"
#include "app/summary.hpp"
#include "app/time_grid.hpp"
#include "app/vtk_output.hpp"
#include "fem/input_error.hpp"
#include "kernels/device_error.hpp"

namespace cardiowarp {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

/// While this lives, an interrupt asks the run to end after its step; a second one ends the program at once.
class InterruptGuard {
 public:
  InterruptGuard() {
    for (const int signal : signals) std::signal(signal, request_stop);
  }
  ~InterruptGuard() {
    for (const int signal : signals) std::signal(signal, SIG_DFL);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  static constexpr std::array<int, 2> signals{SIGINT, SIGTERM};
  static void request_stop(int signal) {
    stop_requested = 1;
    std::signal(signal, SIG_DFL);
  }
};

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

struct CheckedMesh {
  Mesh mesh;
  MeshReport report;
};

CheckedMesh load_mesh(const MeshConfig& config) {
  CheckedMesh checked{read_mesh(config.file, config.length_unit), {}};
  checked.report = check_mesh_of(config.file, checked.mesh);
  const MeshReport& report = checked.report;
  if (report.longest_edge_mm > 100 || report.longest_edge_mm < 0.001)
    spdlog::warn("{}: the longest edge is {:.3g} mm: is mesh.length_unit the unit of this file?", config.file.string(),
                 report.longest_edge_mm);
  if (report.inverted_elements > 0)
    spdlog::warn("{}: {} inverted tetrahedra were reoriented", config.file.string(), report.inverted_elements);
  if (report.unreferenced_nodes > 0)
    spdlog::warn("{}: {} nodes of no tetrahedron were dropped", config.file.string(), report.unreferenced_nodes);
  spdlog::info("mesh: {} nodes, {} tetrahedra, {:.4g} cm³, edges {:.3g} to {:.3g} mm, mean {:.3g} mm",
               checked.mesh.nodes.size(), checked.mesh.tetrahedra.size(), report.volume_mm3 / 1000,
               report.shortest_edge_mm, report.longest_edge_mm, report.mean_edge_mm);
  return checked;
}

Problem load_problem(const Config& config, const CheckedMesh& checked) {
  Problem problem = build_problem(config, checked.mesh);
  for (const std::string& warning : problem_warnings(config, problem, checked.report.mean_edge_mm))
    spdlog::warn("{}", warning);
  return problem;
}

/// What can be known of the output directory without writing: it can be made, and the mesh is none of the files that a
/// run replaces.
void require_output_possible(const Config& config) {
  namespace fs = std::filesystem;
  fs::path existing = fs::absolute(config.output.directory);
  while (!fs::exists(existing) && existing.has_relative_path()) existing = existing.parent_path();
  if (!fs::is_directory(existing))
    throw InputError(fmt::format("output.directory: '{}' cannot be made: '{}' is no directory",
                                 config.output.directory.string(), existing.string()));
  const fs::path within = config.mesh.file.lexically_relative(config.output.directory);
  if (within == "maps.vtu" || (!within.empty() && *within.begin() == "frames"))
    throw InputError(
        fmt::format("mesh.file: '{}' is a result that a run into '{}' replaces: choose another output.directory",
                    config.mesh.file.string(), config.output.directory.string()));
}

struct Started {
  std::string backend, device;
  std::unique_ptr<Simulation> simulation;
};

/// `auto` takes the GPU where it can be used and says why where it cannot.
Started start_simulation(BackendChoice choice, const Problem& problem) {
  if (choice != BackendChoice::cpu) {
    try {
      return {"gpu", gpu_name(), make_gpu_simulation(problem)};
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

bool runs_on_gpu(BackendChoice choice) {
  if (choice == BackendChoice::cpu) return false;
  try {
    gpu_name();
  } catch (const DeviceError&) {
    return choice == BackendChoice::gpu;
  }
  return true;
}

/// What `start_simulation` would choose, in words; nothing is started.
std::string describe_backend(BackendChoice choice) {
  if (choice == BackendChoice::cpu) return "cpu";
  try {
    return "gpu (" + gpu_name() + ")";
  } catch (const DeviceError& error) {
    return fmt::format("{} ({})", choice == BackendChoice::gpu ? "gpu, which this machine does not have" : "cpu",
                       error.what());
  }
}

/// The result files of one run and how often they are due.
class Recorder {
 public:
  Recorder(const Config& config, const Problem& problem, Simulation& simulation)
      : config_(config),
        simulation_(simulation),
        files_(*problem.mesh, fibers(problem), config.output),
        frame_clock_(config.output.interval_ms),
        nodal_(problem.mesh->nodes.size()),
        cell_(problem.mesh->tetrahedra.size()),
        probe_mv_(problem.probes.size()) {
    for (const char* earlier : {"probes.csv", "summary.json"})
      std::filesystem::remove(config.output.directory / earlier);
    write_file_atomically(config.output.directory / "resolved.yaml", resolved_yaml(config));
    if (!config.probes.empty()) probe_file_.emplace(config.output.directory / "probes.csv", config.probes);
  }

  /// The current state: probes always, a frame when one is due.
  void record() {
    const Stopwatch watch;
    if (probe_file_) {
      simulation_.probe_mv(probe_mv_);
      probe_file_->write(simulation_.time_ms(), probe_mv_);
    }
    if (frame_clock_.due(simulation_.time_ms())) write_frame();
    seconds_ += watch.seconds();
  }

  /// The last state, if it is not yet on disk, and the maps.
  void finish() {
    const Stopwatch watch;
    if (last_frame_ms_ != simulation_.time_ms()) write_frame();
    if (config_.output.activation_time || config_.output.apd90) {
      std::vector<Real> apd90(nodal_.size());
      simulation_.activation_time_ms(nodal_);
      simulation_.apd90_ms(apd90);
      files_.write_maps(nodal_, apd90);
    }
    if (probe_file_) probe_file_->flush();
    seconds_ += watch.seconds();
  }

  int frames() const { return files_.frames(); }
  double seconds() const { return seconds_; }

 private:
  static std::vector<Vector3> fibers(const Problem& problem) {
    std::vector<Vector3> fibers;
    fibers.reserve(problem.diffusivity.size());
    for (const Diffusivity& diffusivity : problem.diffusivity) fibers.push_back(diffusivity.fiber);
    return fibers;
  }

  void write_frame() {
    simulation_.potential_mv(nodal_);
    simulation_.recovery(cell_);
    files_.write_frame(simulation_.time_ms(), nodal_, cell_);
    if (probe_file_) probe_file_->flush();
    last_frame_ms_ = simulation_.time_ms();
  }

  const Config& config_;
  Simulation& simulation_;
  VtkOutput files_;
  FrameClock frame_clock_;
  std::optional<ProbeFile> probe_file_;
  std::vector<Real> nodal_, cell_, probe_mv_;
  Real last_frame_ms_ = -1;
  double seconds_ = 0;
};

}  // namespace

ExitCode run(const Config& config) {
  const Stopwatch total;
  RunSummary summary;
  summary.started = iso_time(std::chrono::system_clock::now());
  require_output_possible(config);
  const CheckedMesh checked = load_mesh(config.mesh);
  const auto& [mesh, mesh_report] = checked;
  const Problem problem = load_problem(config, checked);
  const auto [backend, device, simulation] = start_simulation(config.backend, problem);
  spdlog::info("running on {}: matrix {}, assembly {}",
               device.empty() ? fmt::format("{} CPU threads", omp_get_max_threads()) : device,
               simulation->methods().spmv, simulation->methods().assembly);
  Recorder recorder(config, problem, *simulation);
  summary.seconds.setup = total.seconds();

  const InterruptGuard interrupts;
  recorder.record();
  const TimeGrid time{config.time.end_ms, config.time.step_ms};
  std::optional<StepFailure> failure;
  {
    ProgressLine progress(time.end_ms, spdlog::should_log(spdlog::level::info));
    while (summary.steps < time.steps() && !stop_requested) {
      const StepReport step = simulation->step_to(time.time_ms(summary.steps + 1));
      summary.newton_iterations += step.newton_iterations;
      summary.linear_iterations += step.linear_iterations;
      failure = step.failure;
      if (failure) break;
      ++summary.steps;
      recorder.record();
      progress.update(simulation->time_ms(), step);
    }
  }
  recorder.finish();

  ExitCode exit_code = ExitCode::done;
  if (failure) {
    const Vector3 at = mesh.nodes[failure->node];
    summary.status = RunStatus::failed;
    summary.reason = fmt::format(
        "step {} (t = {:.6g} ms): {}; worst at node {} ({:.6g}, {:.6g}, {:.6g}) mm with {:.6g} mV", summary.steps + 1,
        time.time_ms(summary.steps + 1), failure->reason, failure->node, at.x, at.y, at.z, failure->potential_mv);
    spdlog::error("{}", summary.reason);
    exit_code = ExitCode::not_converged;
  } else if (summary.steps < time.steps()) {
    summary.status = RunStatus::interrupted;
    summary.reason = fmt::format("stopped after step {} of {}", summary.steps, time.steps());
    spdlog::warn("{} (t = {:.6g} ms)", summary.reason, simulation->time_ms());
    exit_code = ExitCode::interrupted;
  }

  const StepSeconds phases = simulation->seconds();
  const BuildInfo build = build_info();
  summary.version = build.version;
  summary.build_type = build.build_type;
  summary.compiler = build.compiler;
  summary.libraries = build.libraries;
  summary.backend = backend;
  summary.device = device;
  summary.spmv = simulation->methods().spmv;
  summary.assembly = simulation->methods().assembly;
  summary.assembly_order = simulation->methods().assembly_order;
  summary.threads = omp_get_max_threads();
  summary.mesh = {.nodes = static_cast<std::int64_t>(mesh.nodes.size()),
                  .elements = static_cast<std::int64_t>(mesh.tetrahedra.size()),
                  .nonzeros = simulation->methods().matrix_entries,
                  .inverted_elements = mesh_report.inverted_elements,
                  .unreferenced_nodes = mesh_report.unreferenced_nodes,
                  .volume_mm3 = mesh_report.volume_mm3};
  summary.simulated_ms = simulation->time_ms();
  summary.frames = recorder.frames();
  summary.seconds.element = phases.element;
  summary.seconds.assembly = phases.assembly;
  summary.seconds.linear_solve = phases.linear_solve;
  summary.seconds.update = phases.update;
  summary.seconds.output = recorder.seconds();
  summary.seconds.total = total.seconds();
  write_file_atomically(config.output.directory / "summary.json", summary_json(summary));

  spdlog::info(
      "{} steps, {} Newton and {} CG iterations in {:.3g} s (elements {:.3g}, assembly {:.3g}, CG {:.3g}, "
      "output {:.3g})",
      summary.steps, summary.newton_iterations, summary.linear_iterations, summary.seconds.total, phases.element,
      phases.assembly, phases.linear_solve, recorder.seconds());
  spdlog::info("{} frames and the other results are in {}: open potential.pvd in ParaView", summary.frames,
               std::filesystem::absolute(config.output.directory).lexically_normal().string());
  return exit_code;
}

void check(const Config& config) {
  require_output_possible(config);
  const CheckedMesh checked = load_mesh(config.mesh);
  const Problem problem = load_problem(config, checked);
  const TimeGrid time{config.time.end_ms, config.time.step_ms};

  for (std::size_t k = 0; k < problem.stimuli.size(); ++k)
    fmt::print("stimulus {}: {} nodes, from {:.6g} ms, {} × {:.6g} ms\n", config.stimuli[k].name,
               problem.stimuli[k].nodes.size(), config.stimuli[k].start_ms, config.stimuli[k].count,
               config.stimuli[k].duration_ms);
  fmt::print("cell model: {} with {} parameter set{}\n", config.cell_model.name, problem.cell_models.size(),
             problem.cell_models.size() == 1 ? "" : "s");
  const auto [thinnest, thickest] = front_thickness_mm(problem);
  fmt::print("front: {:.3g} to {:.3g} mm thick (tanh profile), mean edge {:.3g} mm\n", thinnest, thickest,
             checked.report.mean_edge_mm);
  fmt::print("time: {} steps of {:.6g} ms to {:.6g} ms, a frame every {:.6g} ms\n", time.steps(), time.step_ms,
             time.end_ms, config.output.interval_ms);
  fmt::print("backend: {}\n", describe_backend(config.backend));
  const bool on_gpu = runs_on_gpu(config.backend);
  const SimulationPlan plan = plan_simulation(problem, on_gpu);
  fmt::print("matrix: {}, {} entries; assembly: {}\n", format_name(plan.matrix.options), plan.sparsity.entries(),
             strategy_name(plan.problem().assembly));
  if (on_gpu) fmt::print("device memory: {:.0f} MiB\n", static_cast<double>(device_bytes(plan)) / (1 << 20));
  fmt::print("output: {} (nothing written now)\n", config.output.directory.string());
  fmt::print("{}: valid\n", config.file.string());
}

}  // namespace cardiowarp
