// The program cardiowarp-bench, which `cardiowarp bench` starts (bench_launcher.hpp): what is measured for papers
// and comparisons, with the rivals of the program's kernels. Its command line is that of cardiowarp with one command.

#include "app/bench/bench_command.hpp"
#include "app/process/thread_supply.hpp"
#include "app/program.hpp"

namespace cardiowarp {
namespace {

ExitCode run_command_line(const std::vector<std::string>& words) {
  CommandLine line = program_command_line();
  const ProgramOptions options{line.program()};
  const BenchWords bench{line.program()};
  if (const auto ended = parse_words(line, words)) return *ended;
  apply(options);
  require_threads();
  run_bench(bench.values());
  return ExitCode::done;
}

}  // namespace
}  // namespace cardiowarp

int main(int argc, char** argv) { return cardiowarp::program_main(argc, argv, cardiowarp::run_command_line); }
