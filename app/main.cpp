// The command line: cardiowarp run | check | compare | laplace | mesh | bench | info. Exit codes: 0 done, 2 bad input
// (also a file or report that cannot be written), 3 did not converge, 4 device failure, 5 --stop-after, 130
// interrupted.

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

#include "app/bench/bench_command.hpp"
#include "app/check.hpp"
#include "app/compare/compare_command.hpp"
#include "app/config/config.hpp"
#include "app/files/result_file.hpp"
#include "app/laplace_command.hpp"
#include "app/mesh_command.hpp"
#include "app/output/measured_here.hpp"
#include "app/process/build_info.hpp"
#include "app/process/commit.hpp"
#include "app/process/freed_memory.hpp"
#include "app/process/memory_reserve.hpp"
#include "app/process/standard_streams.hpp"
#include "app/process/thread_supply.hpp"
#include "app/process/threads.hpp"
#include "app/process/wall_clock.hpp"
#include "app/run.hpp"
#include "app/simulation/flight.hpp"
#include "app/simulation/gpu.hpp"
#include "app/usage.hpp"
#include "fem/cells/models.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/device_error.hpp"
#include "kernels/backend/stop_request.hpp"

namespace cardiowarp {
namespace {

struct RunArguments {
  std::filesystem::path file;
  std::vector<std::string> settings;  // key.path=value
  std::optional<std::string> backend, output;
};

Config configuration(const RunArguments& arguments) {
  std::vector<Override> overrides;
  for (const std::string& setting : arguments.settings) overrides.push_back(parse_override(setting));
  if (arguments.backend) overrides.push_back({"backend", *arguments.backend, "--backend " + *arguments.backend});
  Config config = load_config(arguments.file, overrides);
  if (arguments.output) {
    if (arguments.output->empty()) throw InputError("--output: expected a directory, got ''");
    config.output.directory = canonical_path(*arguments.output);
  }
  return config;
}

/// The number of steps that --look-every means.
int steps_between_looks(const std::string& text) {
  int steps = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), steps);
  if (error != std::errc{} || end != text.data() + text.size() || steps < 1 || steps > longest_flight)
    throw InputError(
        fmt::format("--look-every: expected a whole number of steps from 1 to {}, got '{}'", longest_flight, text));
  return steps;
}

CLI::App* add_configured_command(CLI::App& app, const std::string& name, const std::string& text,
                                 RunArguments& arguments) {
  CLI::App* command = app.add_subcommand(name, text);
  command->add_option("FILE", arguments.file, "YAML configuration")->required();
  command->add_option("--set", arguments.settings, "Override a key: --set time.step='0.05 ms' (repeatable)")
      ->type_name("KEY.PATH=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--backend", arguments.backend, "cpu, gpu or auto")->type_name("NAME");
  return command;
}

void print_info() {
  const BuildInfo build = build_info();
  print_report("cardiowarp {} ({}, {})\n", build.version, build.build_type, build.compiler);
  print_report("  {:<9}{}\n", "commit", commit());
  for (const auto& [name, version] : build.libraries) print_report("  {:<9}{}\n", name, version);
  print_report("backends\n  cpu      {}\n", in_words(threads_in_use()));
  for (const std::string& gpu : describe_gpus()) print_report("  gpu      {}\n", gpu);
}

void set_up_logging(const std::string& level) {
  static const std::vector<std::string> levels{"trace", "debug", "info", "warning", "error", "off"};
  if (std::find(levels.begin(), levels.end(), level) == levels.end())
    throw InputError(fmt::format("--log-level: expected trace, debug, info, warning, error or off, got '{}'", level));
  spdlog::set_default_logger(spdlog::stderr_color_mt("cardiowarp"));
  spdlog::set_pattern("%^%l%$: %v");
  spdlog::set_level(spdlog::level::from_str(level));
}

/// The words of the command line with `~/` expanded where a shell leaves it: in quotes and after the = of an option. A
/// `--set` keeps its word, as its value is YAML.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::string& word : words) {
    const std::size_t begin = word.starts_with("--") && !word.starts_with("--set") ? word.find('=') + 1 : 0;
    if (word.compare(begin, 2, "~/") == 0) word = word.substr(0, begin) + expand_home(word.substr(begin)).string();
  }
  return words;
}

int run_command_line(int argc, char** argv) {
  CLI::App app{"cardiowarp: finite element simulation of the heart's electrical activity", "cardiowarp"};
  app.set_version_flag("--version", "cardiowarp " + build_info().version);
  app.require_subcommand(1);
  app.fallthrough();
  std::string log_level = "info";
  app.add_option("--log-level", log_level, "trace, debug, info, warning, error or off")->type_name("LEVEL");
  std::optional<std::string> threads;
  app.add_option("--threads", threads, "CPU threads; default: OMP_NUM_THREADS or all processors")->type_name("N");

  RunArguments arguments;
  CLI::App* run_app = add_configured_command(app, "run", "Run the simulation a YAML file describes", arguments);
  run_app->add_option("--output", arguments.output, "Instead of output.directory")->type_name("DIR");
  ErrorEstimates estimates;
  bool resume = false;
  std::optional<std::string> stop_after, from;
  run_app->add_flag("--estimate-error", estimates.in_time,
                    "Run once more with other steps, and write how wrong the maps are in time");
  run_app->add_flag(
      "--estimate-mesh-error", estimates.of_mesh,
      "Run once more on the refined mesh, 8 times the elements, and write how wrong the mesh makes the maps");
  run_app->add_flag("--resume", resume, "Go on from the newest checkpoint in the output directory");
  run_app
      ->add_option("--stop-after", stop_after,
                   "End the run after so much wall clock time, with a checkpoint and exit code 5")
      ->type_name("DURATION");
  std::optional<std::string> gpu_timeout, look_every;
  run_app
      ->add_option("--look-every", look_every,
                   "Let up to so many adaptive steps be made before the host looks at them, with the same results; "
                   "default: 8 on a GPU, 1 on a CPU")
      ->type_name("STEPS");
  run_app
      ->add_option("--gpu-timeout", gpu_timeout,
                   "End the run with exit code 4 where the GPU does not answer for so long; default: 10 min")
      ->type_name("DURATION");
  const auto add_from = [&](CLI::App& command) {
    command.add_option("--from", from, "Begin with the state of a checkpoint, or of the newest in a folder of results")
        ->type_name("CHECKPOINT");
  };
  add_from(*run_app);
  CLI::App* check_app = add_configured_command(
      app, "check", "Validate a YAML file and its mesh, say what would run, write nothing", arguments);
  add_from(*check_app);
  CompareCommand compare_command(*add_configured_command(
      app, "compare", "Run a YAML file on the CPU, the GPU and with PETSc: seconds, speed-up, differences", arguments));
  LaplaceCommand laplace_command(app);
  MeshCommand mesh_command(app);
  BenchCommand bench_command(app);
  CLI::App* info_app = app.add_subcommand("info", "Version, commit, build options, devices");
  bool only_csv_head = false;
  bool cell_models = false;
  info_app->add_flag("--cell-models", cell_models, "Only the states and parameters of the cell models, as Markdown");
  info_app->add_flag("--csv-head", only_csv_head, "Only what every --csv file begins with, for scripts that measure");

  const std::vector<std::string> words = words_of(argc, argv);
  if (const auto help = asked_help(app, words)) {
    write_report(*help);
    return static_cast<int>(ExitCode::done);
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as CLI11 takes them
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success)) {
      print_error(usage_message(app, error, words));
      return static_cast<int>(ExitCode::bad_input);
    }
    std::ostringstream text;  // --version
    app.exit(error, text, text);
    write_report(text.str());
    return static_cast<int>(ExitCode::done);
  }
  require_sensible_words(app);

  set_up_logging(log_level);
  choose_threads(threads);
  if (!*info_app && !mesh_command.chosen()) require_threads();
  ExitCode exit_code = ExitCode::done;
  if (*run_app) {
    RunOptions options{.estimates = estimates, .resume = resume, .from = from, .commit = commit()};
    if (stop_after) options.stop_after_seconds = wall_clock_seconds("--stop-after", *stop_after);
    if (look_every) options.steps_in_flight = steps_between_looks(*look_every);
    if (gpu_timeout) options.gpu_timeout_seconds = wall_clock_seconds("--gpu-timeout", *gpu_timeout);
    exit_code = run(configuration(arguments), options);
  }
  // What these two say needs no code from CUDA's cache, which would be a folder in the user's home.
  if (*check_app || *info_app) setenv("CUDA_CACHE_DISABLE", "1", 0);
  if (*check_app) check(configuration(arguments), {from, commit()});
  if (compare_command.chosen()) exit_code = compare_command.run(configuration(arguments));
  if (laplace_command.chosen()) exit_code = laplace_command.run();
  if (mesh_command.chosen()) mesh_command.run();
  if (bench_command.chosen()) bench_command.run();
  if (*info_app && only_csv_head) print_report("{}", csv_head(measured_here()));
  if (*info_app && cell_models) print_report("{}", cell_model_tables());
  if (*info_app && !only_csv_head && !cell_models) print_info();
  return static_cast<int>(exit_code);
}

/// The exit code, the reason said once.
int exit_code_of(int argc, char** argv) {
  try {
    return run_command_line(argc, argv);
  } catch (const InputError& error) {
    print_error(error.what());
    return static_cast<int>(ExitCode::bad_input);
  } catch (const DeviceError& error) {
    print_error(error.what());
    return static_cast<int>(ExitCode::device_failure);
  } catch (const StopRequest& request) {
    print_error(request.what());
    return static_cast<int>(ExitCode::interrupted);
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
    return static_cast<int>(ExitCode::device_failure);
  } catch (const std::exception& error) {
    for (const char* part : {"internal error: ", error.what(), "\n"}) write_message(part);  // without memory, too
    return 1;
  } catch (...) {
    write_message("internal error: an exception of a library\n");
    return 1;
  }
}

}  // namespace
}  // namespace cardiowarp

int main(int argc, char** argv) {
  cardiowarp::keep_freed_memory();
  cardiowarp::hold_memory_reserve();
  cardiowarp::end_in_words_where_memory_runs_out();
  cardiowarp::hold_standard_streams();
  cardiowarp::keep_vtk_to_one_thread();
  return cardiowarp::end_report(cardiowarp::exit_code_of(argc, argv));
}
