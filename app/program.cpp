#include "app/program.hpp"

#include <fmt/format.h>

#include <exception>
#include <new>

#include "app/command_line/usage.hpp"
#include "app/files/result_file.hpp"
#include "app/process/build_info.hpp"
#include "app/process/freed_memory.hpp"
#include "app/process/log.hpp"
#include "app/process/memory_reserve.hpp"
#include "app/process/standard_streams.hpp"
#include "app/process/thread_supply.hpp"
#include "app/process/threads.hpp"
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

/// The exit code, the reason said once.
int exit_code_of(int argc, char** argv, ExitCode (*run)(const std::vector<std::string>& words)) {
  try {
    return static_cast<int>(run(words_of(argc, argv)));
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

CommandLine program_command_line() {
  return {"cardiowarp", "cardiowarp: finite element simulation of the heart's electrical activity",
          "cardiowarp " + build_info().version};
}

ProgramOptions::ProgramOptions(Command& program) {
  program.add_option("--log-level", log_level, "trace, debug, info, warning, error or off", {.type = "LEVEL"});
  program.add_flag("--quiet", quiet, "Say nothing but warnings and errors");
  program.add_option("--threads", threads, "CPU threads; default: OMP_NUM_THREADS or all processors", {.type = "N"});
}

std::optional<ExitCode> parse_words(CommandLine& line, const std::vector<std::string>& words) {
  if (const auto help = asked_help(line.description(), words)) {
    write_report(*help);
    return ExitCode::done;
  }
  std::string text_to_print;
  if (const auto refused = line.parse(words, text_to_print)) {
    print_error(usage_message(line.description(), *refused, words));
    return ExitCode::bad_input;
  }
  if (!text_to_print.empty()) {
    write_report(text_to_print);
    return ExitCode::done;
  }
  require_sensible_words(line.description());
  return std::nullopt;
}

void apply(const ProgramOptions& options) {
  const bool is_quiet = options.quiet && options.log_level == "info";
  if (options.quiet && !is_quiet)
    throw InputError(fmt::format("--quiet: expected no --log-level beside it, got '{}'", options.log_level));
  begin_to_log(is_quiet ? "warning" : options.log_level);
  choose_threads(options.threads);
}

int program_main(int argc, char** argv, ExitCode (*run)(const std::vector<std::string>& words)) {
  keep_freed_memory();
  hold_memory_reserve();
  end_in_words_where_memory_runs_out();
  hold_standard_streams();
  keep_vtk_to_one_thread();
  return end_report(exit_code_of(argc, argv, run));
}

}  // namespace cardiowarp
