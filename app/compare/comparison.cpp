#include "app/compare/comparison.hpp"

#include <fmt/format.h>
#include <ftw.h>
#include <omp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <thread>
#include <utility>

#include "app/compare/petsc_launcher.hpp"
#include "app/config/time_grid.hpp"
#include "app/measure/stopwatch.hpp"
#include "app/output/recorder.hpp"
#include "app/process/device_watch.hpp"
#include "app/process/exit_code.hpp"
#include "app/process/interrupt.hpp"
#include "app/process/log.hpp"
#include "app/process/standard_streams.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "app/simulation/time_stepper.hpp"
#include "app/start/backend.hpp"
#include "app/start/code_cache.hpp"
#include "app/start/load.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/device_error.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {
namespace {

/// An empty folder for as long as this lives.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    if (error) throw InputError(fmt::format("cannot make a temporary folder: TMPDIR: {}", error.message()));
    std::string pattern = folder / "cardiowarp_compare_XXXXXX";
    if (!mkdtemp(pattern.data())) throw InputError(fmt::format("cannot make a temporary folder '{}'", pattern));
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    // A helper of mpiexec may still be putting its own files away.
    for (int tries = 0; tries < 50 && !is_removed(); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::filesystem::path& path() const { return path_; }

  /// Removes it before its end. Without std::filesystem::remove_all, which may end the program where memory runs out.
  bool is_removed() const {
    const auto remove_one = [](const char* file, const struct stat*, int, struct FTW*) {
      return ::remove(file) == 0 || errno == ENOENT ? 0 : -1;  // the helper may have been faster
    };
    ::nftw(path_.c_str(), remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return ::access(path_.c_str(), F_OK) != 0;
  }

 private:
  std::filesystem::path path_;
};

/// OpenMP's threads for as long as this lives.
class Threads {
 public:
  explicit Threads(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { omp_set_num_threads(before_); }

 private:
  int before_;
};

/// What of a simulation a GPU does.
enum class GpuWork { nothing, linear_solves, everything };

/// Where a simulation runs.
struct Side {
  GpuWork gpu;
  int threads;                            ///< of the host
  std::string petsc_preconditioner = {};  ///< empty: not on PETSc
};

struct Interrupted {};

/// What the first run of the first side found.
struct Reference {
  FrameStore frames;
  std::vector<Real> activation_ms;    ///< [nodes] empty until that run is over
  std::vector<StepAttempt> attempts;  ///< with adaptive steps: all sides take the same
};

/// Runs one problem on one side after the other.
class Runner {
 public:
  Runner(const Config& config, const Problem& problem, std::int64_t steps, std::int64_t warm_up_steps,
         const std::optional<PetscLauncher>& petsc)
      : config_(config),
        problem_(problem),
        steps_(steps),
        warm_up_steps_(std::min(warm_up_steps, steps)),
        petsc_(petsc) {
    config_.output.directory = scratch_.path();
  }

  /// From here on a signal ends the program in a wait for a GPU that lasts, too.
  void watch_gpu() {
    watch_.emplace(std::numeric_limits<double>::infinity(), [this](GivenUp) {
      print_error(wait_given_up);
      scratch_.is_removed();
      std::_Exit(end_report(static_cast<int>(ExitCode::interrupted)));
    });
  }

  /// The first steps, thrown away: pages are touched, kernels loaded, clocks raised.
  void warm_up(const Side& side) {
    if (!side.petsc_preconditioner.empty()) {
      run_petsc(side.petsc_preconditioner, 1, 0);
      return;
    }
    const Threads threads(side.threads);
    const std::unique_ptr<Simulation> simulation = make(side).simulation;
    TimeStepper stepper = first_stepper();
    while (stepper.counts().accepted < warm_up_steps_ && !stepper.finished()) advance(*simulation, stepper);
  }

  /// All steps with their output; adds what they took and how far they are from the reference to the report.
  void run(const Side& side, SideReport& report) {
    if (!side.petsc_preconditioner.empty()) {
      add_run_of_petsc(run_petsc(side.petsc_preconditioner, steps_, warm_up_steps_), report);
      return;
    }
    const Threads threads(side.threads);
    const Stopwatch setup;
    const auto [simulation, bytes_over_bus] = make(side);
    Recorder recorder(config_, problem_, *simulation);
    PhaseSeconds seconds{.setup = setup.seconds()};
    report.newton_iterations = report.linear_iterations = 0;
    report.frames = 0;
    const bool is_reference = reference_.activation_ms.empty();
    recorder.after_frames([&, &simulation = *simulation] { add_frame(simulation, is_reference, report); });
    recorder.record();
    const bool replays = !is_reference && config_.time.adaptive.enabled;
    TimeStepper stepper = replays ? TimeStepper(reference_.attempts) : first_stepper();
    double stepping = make_steps(*simulation, stepper, recorder, report);
    const Stopwatch last;
    const StepSeconds phases = simulation->seconds();  // waits for the last step
    stepping += last.seconds();
    recorder.finish();

    seconds.element = phases.element;
    seconds.assembly = phases.assembly;
    seconds.linear_solve = phases.linear_solve;
    seconds.update = phases.update;
    seconds.output = recorder.seconds();
    seconds.total = seconds.setup + stepping + seconds.output;
    report.seconds.push_back(seconds);
    report.stepping.push_back(stepping);
    if (bytes_over_bus != nullptr) report.bus_bytes = *bytes_over_bus;
    report.format = simulation->methods().format;
    report.assembly = simulation->methods().assembly;
    if (is_reference)
      become_reference(*simulation, stepper);
    else
      report.activation.add_times(activation_of(*simulation), reference_.activation_ms);
  }

  std::int64_t steps() const { return steps_; }
  Real simulated_ms() const { return simulated_ms_; }

 private:
  TimeStepper first_stepper() const { return {config_.time, config_.output.interval_ms, problem_.stimuli}; }

  /// Keeps a frame of the reference, or adds how far one of another run is from it.
  void add_frame(Simulation& simulation, bool is_reference, SideReport& report) {
    std::vector<Real> potential_mv(problem_.mesh->nodes.size());
    simulation.potential_mv(potential_mv);
    if (is_reference)
      reference_.frames.append(potential_mv);
    else
      report.potential.add(potential_mv, reference_.frames.read(report.frames, potential_mv.size()));
    ++report.frames;
  }

  /// All steps, with their iterations and frames; returns their seconds without output.
  double make_steps(Simulation& simulation, TimeStepper& stepper, Recorder& recorder, SideReport& report) {
    double stepping = 0;
    while (stepper.counts().accepted < steps_ && !stepper.finished()) {
      const Stopwatch watch;
      const StepReport taken = advance(simulation, stepper);
      stepping += watch.seconds();
      report.newton_iterations += taken.newton_iterations;
      report.linear_iterations += taken.linear_iterations;
      recorder.record();
    }
    return stepping;
  }

  std::vector<Real> activation_of(Simulation& simulation) const {
    std::vector<Real> activation_ms(problem_.mesh->nodes.size());
    simulation.activation_time_ms(activation_ms);
    return activation_ms;
  }

  /// What other runs are held against, and the steps that they take.
  void become_reference(Simulation& simulation, const TimeStepper& stepper) {
    reference_.activation_ms = activation_of(simulation);
    reference_.attempts = stepper.attempts();
    steps_ = stepper.counts().accepted;
    simulated_ms_ = simulation.time_ms();
  }

  /// Each start of cardiowarp_petsc has its own warm-up steps.
  PetscResult run_petsc(const std::string& preconditioner, std::int64_t steps, std::int64_t warm_up_steps) {
    std::optional<PetscResult> result =
        petsc_->run(config_,
                    {preconditioner, steps, warm_up_steps,
                     config_.time.adaptive.enabled ? reference_.attempts : std::vector<StepAttempt>()},
                    scratch_.path(), [this] { return interrupts_.stop_requested(); });
    if (!result) throw Interrupted{};
    return *std::move(result);
  }

  void add_run_of_petsc(const PetscResult& result, SideReport& report) const {
    const int processes = petsc_->processes();
    report.device = fmt::format("{} process{}, PETSc {}", processes, processes == 1 ? "" : "es", result.version);
    report.format = "aij";
    report.assembly = result.insertion;
    report.newton_iterations = result.newton_iterations;
    report.linear_iterations = result.linear_iterations;
    report.resident_bytes = std::max(report.resident_bytes, result.resident_bytes);
    report.seconds.push_back(result.seconds);
    report.stepping.push_back(result.seconds.total - result.seconds.setup);
    report.frames = 1;
    report.potential.add(result.potential_mv,
                         reference_.frames.read(reference_.frames.frames() - 1, result.potential_mv.size()));
    report.activation.add_times(result.activation_ms, reference_.activation_ms);
  }

  SimulationWithGpuSolver make(const Side& side) const {
    if (side.gpu == GpuWork::linear_solves) return make_simulation_with_gpu_solver(problem_);
    return {side.gpu == GpuWork::everything ? make_gpu_simulation(problem_) : make_cpu_simulation(problem_), nullptr};
  }

  StepReport advance(Simulation& simulation, TimeStepper& stepper) {
    StepReport taken = stepper.advance(simulation);
    if (taken.failure)
      throw ComparisonFailure(fmt::format("step {} (t = {:.6g} ms): {}", stepper.counts().accepted + 1,
                                          stepper.attempts().back().end_ms, taken.failure->reason));
    if (interrupts_.stop_requested()) throw Interrupted{};
    return taken;
  }

  InterruptGuard interrupts_;  // outlives the folder, so that a signal lets it be removed
  TemporaryFolder scratch_;
  Config config_;
  const Problem& problem_;
  std::int64_t steps_, warm_up_steps_;
  Real simulated_ms_ = 0;
  const std::optional<PetscLauncher>& petsc_;
  Reference reference_;
  std::optional<DeviceWatch> watch_;  // last, as it uses the others
};

/// Why the GPU is left out, or nothing where it is not.
std::string without_gpu(const Config& config) {
  if (config.backend == BackendChoice::cpu) return "the backend is cpu";
  if (const std::string reason = why_not_on_gpu(config); !reason.empty()) return reason;
  if (const std::string reason = why_not_compiled(config); config.backend != BackendChoice::gpu && !reason.empty())
    return reason;
  use_code_cache();
  try {
    gpu_device();
  } catch (const DeviceError& error) {
    if (config.backend == BackendChoice::gpu) throw;
    return error.what();
  }
  return "";
}

/// The sides of a comparison, the reference first; each gets its report.
std::vector<Side> add_sides(const Problem& problem, const ComparisonOptions& options, Comparison& comparison) {
  const int all_threads = omp_get_max_threads();
  std::vector<Side> sides;
  const auto add_side = [&](const std::string& name, const std::string& device, const Side& side, std::size_t bytes) {
    sides.push_back(side);
    comparison.sides.push_back({.name = name, .device = device, .memory_bytes = bytes});
  };
  const std::size_t cpu_bytes = backend_bytes(plan_simulation(problem, cpu_device()));
  add_side("cpu", fmt::format("{} thread{}", all_threads, all_threads == 1 ? "" : "s"), {GpuWork::nothing, all_threads},
           cpu_bytes);
  if (all_threads > 1) add_side("cpu_1", "1 thread", {GpuWork::nothing, 1}, cpu_bytes);
  if (comparison.without_gpu.empty()) {
    const Device gpu = gpu_device();
    add_side("gpu", gpu.name, {GpuWork::everything, all_threads}, backend_bytes(plan_simulation(problem, gpu)));
    if (options.gpu_solver_only) add_side("gpu_solver_only", "1 thread, " + gpu.name, {GpuWork::linear_solves, 1}, 0);
  }
  if (options.petsc_processes)
    for (const std::string preconditioner : {"jacobi", "block_jacobi"}) {
      sides.push_back({GpuWork::nothing, 1, preconditioner});
      comparison.sides.push_back({.name = "petsc_" + preconditioner, .device = "", .has_output = false});
    }
  return sides;
}

/// Runs the sides one after the other, as often as asked. False where that was interrupted.
bool run_sides(Runner& runner, const std::vector<Side>& sides, int repeats, Comparison& comparison) {
  std::size_t at = 0;
  try {
    for (at = 0; at < sides.size(); ++at) runner.warm_up(sides[at]);
    for (int repeat = 1; repeat <= repeats; ++repeat)
      for (at = 0; at < sides.size(); ++at) {
        runner.run(sides[at], comparison.sides[at]);
        log_info("{}, run {} of {}: {:.3g} s", comparison.sides[at].name, repeat, repeats,
                 comparison.sides[at].seconds.back().total);
      }
  } catch (const Interrupted&) {
    return false;
  } catch (const ComparisonFailure& failure) {
    throw ComparisonFailure(comparison.sides[at].name + ", " + failure.what());
  }
  return true;
}

}  // namespace

void require_valid(const ComparisonOptions& options) {
  const auto require = [](bool valid, const char* option, const char* expected, auto got) {
    if (!valid) throw InputError(fmt::format("{}: expected {}, got {}", option, expected, got));
  };
  if (options.petsc_processes)
    require(*options.petsc_processes >= 1 && *options.petsc_processes <= 1024, "--petsc", "a number in [1, 1024]",
            *options.petsc_processes);
  if (options.steps) require(*options.steps >= 1, "--steps", "a number of at least 1", *options.steps);
  require(options.repeats >= 1 && options.repeats <= 1000, "--repeats", "a number in [1, 1000]", options.repeats);
  require(options.warm_up_steps >= 0, "--warm-up", "a number of at least 0", options.warm_up_steps);
  if (options.max_difference)
    require(*options.max_difference >= 0, "--max-difference", "a number of at least 0", *options.max_difference);
}

Real as_close_as_solved(const Problem& problem) {
  constexpr Real to_the_end = 1e-6;
  if (!problem.time.newton_follows && !problem.time.linear_follows) return to_the_end;
  const Scaling scaling = problem.scaling();
  const Real of_step_mv = scaling.mv_from_phi(problem.time.tolerance) - scaling.mv_from_phi(0);
  return std::max(to_the_end, of_step_mv);
}

bool SideReport::agrees(Real max_difference) const {
  return potential.largest() <= max_difference && activation.largest() <= max_difference;
}

std::optional<Spread> SideReport::of_phase(const Phase& phase) const {
  if (!has_output && phase.seconds == &PhaseSeconds::output) return std::nullopt;
  std::vector<double> of_repeats;
  for (const PhaseSeconds& repeat : seconds) of_repeats.push_back(repeat.*phase.seconds);
  return spread_of(std::move(of_repeats));
}

bool Comparison::agrees() const {
  return std::all_of(sides.begin(), sides.end(), [&](const SideReport& side) { return side.agrees(max_difference); });
}

std::optional<double> Comparison::speed_up(const SideReport& side, const Phase& phase) const {
  SideReport reference = sides.front();
  if (!side.has_output)
    for (PhaseSeconds& repeat : reference.seconds) repeat.total -= std::exchange(repeat.output, 0);
  const std::optional<Spread> fast = side.of_phase(phase), slow = reference.of_phase(phase);
  if (!side.agrees(max_difference) || !fast || !slow || !(fast->median > 0) || !(slow->median > 0)) return std::nullopt;
  return slow->median / fast->median;
}

std::optional<Comparison> compare_sides(Config config, const ComparisonOptions& options) {
  require_valid(options);
  if (config.backend == BackendChoice::gpu) possible_backend(config);  // refuses what runs on no GPU
  std::optional<PetscLauncher> petsc;
  if (options.petsc_processes) {
    if (!traits_of(config.time.scheme).solves_systems)
      throw InputError(fmt::format("--petsc: expected time.scheme with linear systems, got '{}'",
                                   traits_of(config.time.scheme).name));
    petsc.emplace(*options.petsc_processes);
  }
  config.output.phi_e = false;
  config.output.ecg.reset();  // sides are compared in what all of them compute
  config.output.beats = BeatChoice::first;
  config.output.more_maps.clear();
  const CheckedMesh checked = load_mesh(config);
  if (petsc) require_linear(checked.mesh, "--petsc");
  const Problem problem = load_problem(config, checked);
  const std::int64_t all_steps = config.time.meets_edges() ? std::numeric_limits<std::int64_t>::max()
                                                           : TimeGrid{config.time.end_ms, config.time.step_ms}.steps();

  Comparison comparison{.name = config.file.filename().string(),
                        .nodes = static_cast<std::int64_t>(checked.mesh.nodes.size()),
                        .elements = static_cast<std::int64_t>(checked.mesh.tetrahedra.size()),
                        .max_difference = options.max_difference.value_or(as_close_as_solved(problem)),
                        .without_gpu = without_gpu(config)};
  const std::vector<Side> sides = add_sides(problem, options, comparison);
  Runner runner(config, problem, std::min(options.steps.value_or(all_steps), all_steps), options.warm_up_steps, petsc);
  if (comparison.without_gpu.empty()) runner.watch_gpu();
  if (!run_sides(runner, sides, options.repeats, comparison)) return std::nullopt;
  comparison.steps = runner.steps();
  comparison.simulated_ms = runner.simulated_ms();
  return comparison;
}

}  // namespace cardiowarp
