// cardiowarp_petsc: the simulation of `cardiowarp run` as a program on top of PETSc computes it, to be timed beside it.
//   mpiexec -n 2 cardiowarp_petsc FILE.yaml --preconditioner block_jacobi --steps 20 --json OUT.json --fields OUT.bin
// Exit codes: 0 done, 2 bad input, 3 did not converge, 4 PETSc or memory failed. PETSc's own options are read from
// PETSC_OPTIONS.

#include <fmt/format.h>
#include <omp.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command_line.hpp"
#include "app/config/config.hpp"
#include "app/files/result_file.hpp"
#include "app/petsc/measurement.hpp"
#include "app/process/build_info.hpp"
#include "app/process/exit_code.hpp"
#include "app/process/standard_streams.hpp"
#include "app/start/load.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"
#include "meshes/atomic_file.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {
namespace {

struct Arguments {
  std::filesystem::path file;
  std::vector<std::string> settings;  // key.path=value
  std::string preconditioner = "jacobi", insertion = "set_values", numbering = "locality";
  std::optional<std::int64_t> steps;
  int repeats = 1, warm_up_steps = 0;
  std::filesystem::path attempts, json, fields;
};

/// Runs `task` on every process. Where it throws InputError on some, all throw: the first of these with the message,
/// the others with an empty one.
template <class Task>
auto agreed(const Task& task) {
  int processes = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &processes);
  int first_refusal = processes;
  std::string message;
  std::optional<decltype(task())> result;
  try {
    result.emplace(task());
  } catch (const InputError& error) {
    first_refusal = process();
    message = error.what();
  }
  MPI_Allreduce(MPI_IN_PLACE, &first_refusal, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD);
  if (first_refusal < processes) throw InputError(process() == first_refusal ? message : "");
  return std::move(*result);
}

/// Which of `names` an option's value is.
std::size_t position_of(const char* option, const std::string& value, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), value);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw InputError(
      fmt::format("{}: expected {}, got '{}'{}", option, fmt::join(names, " or "), value, suggestion(value, names)));
}

PetscMethods methods_of(const Arguments& arguments) {
  using enum PetscPreconditioner;
  using enum PetscInsertion;
  using enum PetscNumbering;
  return {
      std::array{jacobi,
                 block_jacobi}[position_of("--preconditioner", arguments.preconditioner, {"jacobi", "block_jacobi"})],
      std::array{set_values, coo}[position_of("--insertion", arguments.insertion, {"set_values", "coo"})],
      std::array{locality, row_lengths}[position_of("--numbering", arguments.numbering, {"locality", "row_lengths"})]};
}

Config configuration(const Arguments& arguments) {
  std::vector<Override> overrides;
  for (const std::string& setting : arguments.settings) overrides.push_back(parse_override(setting));
  Config config = load_config(arguments.file, overrides);
  if (config.time.scheme == TimeScheme::rkc2)
    throw InputError(fmt::format("{}: time.scheme: expected a scheme with linear systems for PETSc, got 'rkc2'",
                                 config.file.string()));
  return config;
}

PetscOptions checked_options(const Arguments& arguments, const Config& config) {
  const auto require_at_least = [](const char* option, std::int64_t least, std::int64_t value) {
    if (value < least)
      throw InputError(fmt::format("{}: expected a number of at least {}, got {}", option, least, value));
  };
  const std::int64_t steps = arguments.steps.value_or(std::numeric_limits<std::int64_t>::max());
  require_at_least("--steps", 1, steps);
  require_at_least("--repeats", 1, arguments.repeats);
  require_at_least("--warm-up", 0, arguments.warm_up_steps);
  require_writable("--json", arguments.json, {config.file, config.mesh.file});
  require_writable("--fields", arguments.fields, {config.file, config.mesh.file});
  return {methods_of(arguments), steps, arguments.repeats, arguments.warm_up_steps};
}

/// Every process reads the mesh.
CheckedMesh mesh_for_all_processes(const Config& config) {
  CheckedMesh checked = load_mesh(config);
  require_linear(checked.mesh, "cardiowarp_petsc");
  int processes = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &processes);
  if (checked.mesh.nodes.size() < static_cast<std::size_t>(processes))
    throw InputError(fmt::format("{}: {} nodes are too few for {} processes", config.mesh.file.string(),
                                 checked.mesh.nodes.size(), processes));
  return checked;
}

/// The attempts of another run, a JSON list of [end in ms, whether it was accepted].
std::vector<StepAttempt> attempts_in(const std::filesystem::path& file) {
  const auto require = [&](bool valid, const std::string& got) {
    if (!valid)
      throw InputError(
          fmt::format("--attempts: '{}': expected a list [[end_ms, accepted], ..], got {}", file.string(), got));
  };
  std::ifstream stream(file);
  require(stream.is_open(), "no file that can be read");
  const auto list = nlohmann::json::parse(stream, nullptr, false);
  require(list.is_array() && !list.empty(), "none");
  std::vector<StepAttempt> attempts;
  for (const auto& attempt : list) {
    require(attempt.is_array() && attempt.size() == 2 && attempt[0].is_number() && attempt[1].is_boolean(),
            attempt.dump());
    attempts.push_back({attempt[0], attempt[1]});
  }
  return attempts;
}

TimeStepper stepper_of(const Arguments& arguments, const Config& config, const Problem& problem) {
  if (!arguments.attempts.empty()) return TimeStepper(attempts_in(arguments.attempts));
  return {config.time, config.output.interval_ms, problem.stimuli};
}

void run(const Arguments& arguments) {
  Config config = agreed([&] { return configuration(arguments); });
  const PetscOptions options = agreed([&] { return checked_options(arguments, config); });
  const CheckedMesh checked = agreed([&] { return mesh_for_all_processes(config); });
  const Problem problem = agreed([&] { return load_problem(config, checked); });
  const TimeStepper steps = agreed([&] { return stepper_of(arguments, config, problem); });
  const PetscMeasurement measurement = measure(problem, steps, options);
  const std::string json = json_of(measurement, problem, options);
  agreed([&] {
    if (process() != 0) return true;
    print_report("{}", json);
    if (!arguments.json.empty()) write_file_atomically(arguments.json, json);
    if (!arguments.fields.empty()) write_file_atomically(arguments.fields, bytes_of(measurement.fields));
    return true;
  });
}

void add_options(Command& program, Arguments& arguments) {
  const OptionTraits name{.type = "NAME", .shows_default = true}, number{.type = "N", .shows_default = true};
  program.add_option("FILE", arguments.file, "YAML configuration", {.is_required = true});
  program.add_option("--set", arguments.settings, "Override a key (repeatable)",
                     {.type = "KEY.PATH=VALUE", .is_repeatable = true});
  program.add_option("--preconditioner", arguments.preconditioner, "jacobi or block_jacobi: ILU(0) a process", name);
  program.add_option("--insertion", arguments.insertion, "set_values (MatSetValues) or coo (MatSetValuesCOO)", name);
  program.add_option("--numbering", arguments.numbering, "locality, or row_lengths as in the CPU reference", name);
  program.add_option("--steps", arguments.steps, "Only the first N steps of the run", {.type = "N"});
  program.add_option("--attempts", arguments.attempts, "Take the steps of a JSON list [[end_ms, accepted], ..]",
                     {.type = "FILE"});
  program.add_option("--repeats", arguments.repeats, "Timed runs", number);
  program.add_option("--warm-up", arguments.warm_up_steps, "Steps before the timed runs", number);
  program.add_option("--json", arguments.json, "Write what is printed: iterations, seconds, memory", {.type = "FILE"});
  program.add_option("--fields", arguments.fields,
                     "Write potential [mV], then activation time [ms], of all nodes as reals", {.type = "FILE"});
}

void run_command_line(int argc, char** argv) {
  CommandLine line("cardiowarp_petsc", "The simulation of cardiowarp run, computed with PETSc",
                   "cardiowarp_petsc " + build_info().version);
  Arguments arguments;
  add_options(line.program(), arguments);
  std::string text;  // of --help and --version
  const auto refused = line.parse(std::vector<std::string>(argv + 1, argv + argc), text);
  if (refused) throw InputError(process() == 0 ? fmt::format("{} (see cardiowarp_petsc --help)", refused->said) : "");
  if (text.empty())
    run(arguments);
  else if (process() == 0)
    write_report(text);
}

void set_up_logging() {
  spdlog::set_default_logger(spdlog::stderr_color_mt("cardiowarp_petsc"));
  spdlog::set_pattern("%^%l%$: %v");
  spdlog::set_level(process() == 0 ? spdlog::level::warn : spdlog::level::off);
}

/// Ends all processes for what went wrong on this one alone: the others would wait for it.
int end_all(const char* message, ExitCode code) {
  print_error(message);
  MPI_Abort(PETSC_COMM_WORLD, static_cast<int>(code));
  return static_cast<int>(code);
}

/// The exit code, the reason said once.
int exit_code_of(int argc, char** argv) {
  try {
    set_up_logging();
    run_command_line(argc, argv);
    return static_cast<int>(ExitCode::done);
  } catch (const InputError& error) {
    if (*error.what()) print_error(error.what());
    return static_cast<int>(ExitCode::bad_input);
  } catch (const StepNotConverged& error) {
    if (process() == 0) print_error(error.what());
    return static_cast<int>(ExitCode::not_converged);
  } catch (const std::exception& error) {
    return end_all(error.what(), ExitCode::device_failure);
  }
}

}  // namespace
}  // namespace cardiowarp

int main(int argc, char** argv) {
  cardiowarp::hold_standard_streams();
  if (PetscInitializeNoArguments() != 0) return static_cast<int>(cardiowarp::ExitCode::device_failure);
  omp_set_num_threads(1);  // processes are the cores
  const int code = cardiowarp::exit_code_of(argc, argv);
  PetscFinalize();
  return cardiowarp::end_report(code);
}
