// The command line: cardiowarp run | check | compare | laplace | mesh | bench | info. Exit codes: 0 done, 2 bad input
// (also a file or report that cannot be written), 3 did not converge, 4 device failure, 5 --stop-after, 130
// interrupted.

#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/bench_command.hpp"
#include "app/command_line/command_line.hpp"
#include "app/command_line/usage.hpp"
#include "app/compare/compare_command.hpp"
#include "app/files/result_file.hpp"
#include "app/info_command.hpp"
#include "app/laplace_command.hpp"
#include "app/mesh_command.hpp"
#include "app/process/build_info.hpp"
#include "app/process/exit_code.hpp"
#include "app/process/freed_memory.hpp"
#include "app/process/log.hpp"
#include "app/process/memory_reserve.hpp"
#include "app/process/standard_streams.hpp"
#include "app/process/thread_supply.hpp"
#include "app/process/threads.hpp"
#include "app/run_command.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/device_error.hpp"
#include "kernels/backend/stop_request.hpp"

namespace cardiowarp {
namespace {

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

/// The options of the program, which may stand before and behind those of any command.
struct ProgramOptions {
  explicit ProgramOptions(Command& program) {
    program.add_option("--log-level", log_level, "trace, debug, info, warning, error or off", {.type = "LEVEL"});
    program.add_option("--threads", threads, "CPU threads; default: OMP_NUM_THREADS or all processors", {.type = "N"});
  }

  std::string log_level = "info";
  std::optional<std::string> threads;
};

/// The command line with everything that it takes.
struct Commands {
  CommandLine line{"cardiowarp", "cardiowarp: finite element simulation of the heart's electrical activity",
                   "cardiowarp " + build_info().version};
  ProgramOptions options{line.program()};
  RunCommand run{line.program()};
  CheckCommand check{line.program()};
  CompareCommand compare{line.program()};
  LaplaceCommand laplace{line.program()};
  MeshCommand mesh{line.program()};
  BenchCommand bench{line.program().parser()};
  InfoCommand info{line.program()};
};

/// Lets the command run that was chosen.
ExitCode execute(const Commands& commands) {
  if (!commands.info.is_chosen() && !commands.mesh.is_chosen()) require_threads();
  // What these two say needs no code from CUDA's cache, which would be a folder in the user's home.
  if (commands.check.is_chosen() || commands.info.is_chosen()) setenv("CUDA_CACHE_DISABLE", "1", 0);
  if (commands.run.is_chosen()) return commands.run.run();
  if (commands.compare.is_chosen()) return commands.compare.run();
  if (commands.laplace.is_chosen()) return commands.laplace.run();
  if (commands.check.is_chosen()) commands.check.run();
  if (commands.mesh.is_chosen()) commands.mesh.run();
  if (commands.bench.chosen()) commands.bench.run();
  if (commands.info.is_chosen()) commands.info.run();
  return ExitCode::done;
}

ExitCode run_command_line(int argc, char** argv) {
  Commands commands;
  const std::vector<std::string> words = words_of(argc, argv);
  if (const auto help = asked_help(commands.line.description(), words)) {
    write_report(*help);
    return ExitCode::done;
  }
  std::string text_to_print;
  if (const auto refused = commands.line.parse(words, text_to_print)) {
    print_error(usage_message(commands.line.description(), *refused, words));
    return ExitCode::bad_input;
  }
  if (!text_to_print.empty()) {
    write_report(text_to_print);
    return ExitCode::done;
  }
  require_sensible_words(commands.line.description());
  begin_to_log(commands.options.log_level);
  choose_threads(commands.options.threads);
  return execute(commands);
}

/// The exit code, the reason said once.
int exit_code_of(int argc, char** argv) {
  try {
    return static_cast<int>(run_command_line(argc, argv));
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
