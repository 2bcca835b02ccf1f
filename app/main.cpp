// The command line: cardiowarp run | check | compare | sweep | restitution | erp | report | cell | tune | export |
// laplace | mesh | serve | bench | info | explain | completion | man. program.hpp names the exit codes.

#include <cstdlib>
#include <string>
#include <vector>

#include "app/bench/bench_words.hpp"
#include "app/bench_launcher.hpp"
#include "app/cell_command.hpp"
#include "app/command_line/command_line.hpp"
#include "app/compare/compare_command.hpp"
#include "app/explain_command.hpp"
#include "app/export_command.hpp"
#include "app/info_command.hpp"
#include "app/laplace_command.hpp"
#include "app/mesh_command.hpp"
#include "app/process/thread_supply.hpp"
#include "app/program.hpp"
#include "app/report_command.hpp"
#include "app/restitution_command.hpp"
#include "app/run_command.hpp"
#include "app/serve_command.hpp"
#include "app/sweep_command.hpp"
#include "app/tune_command.hpp"

namespace cardiowarp {
namespace {

/// The command line with everything that it takes.
struct Commands {
  CommandLine line = program_command_line();
  ProgramOptions options{line.program()};
  RunCommand run{line.program()};
  CheckCommand check{line.program()};
  CompareCommand compare{line.program()};
  SweepCommand sweep{line.program()};
  RestitutionCommand restitution{line.program(), RestitutionCommand::Kind::restitution};
  RestitutionCommand erp{line.program(), RestitutionCommand::Kind::erp};
  CellCommand cell{line.program()};
  TuneCommand tune{line.program()};
  LaplaceCommand laplace{line.program()};
  ReportCommand report{line.program()};
  ServeCommand serve{line.program()};
  ExportCommand exports{line.program()};
  MeshCommand mesh{line.program()};
  BenchWords bench{line.program()};
  InfoCommand info{line.program()};
  ExplainCommands explain{line};
};

/// Lets the command run that was chosen.
ExitCode execute(const Commands& commands) {
  if (commands.explain.is_chosen()) {
    commands.explain.run();
    return ExitCode::done;
  }
  if (commands.exports.is_chosen()) return commands.exports.run();
  if (commands.report.is_chosen()) return commands.report.run();
  const bool needs_threads = !commands.info.is_chosen() && !commands.mesh.is_chosen() && !commands.cell.is_chosen();
  if (needs_threads) require_threads();
  // What these two say needs no code from CUDA's cache, which would be a folder in the user's home.
  if (commands.check.is_chosen() || commands.info.is_chosen()) setenv("CUDA_CACHE_DISABLE", "1", 0);
  if (commands.run.is_chosen()) return commands.run.run();
  if (commands.serve.is_chosen()) return commands.serve.run();
  if (commands.compare.is_chosen()) return commands.compare.run();
  if (commands.sweep.is_chosen()) return commands.sweep.run();
  for (const RestitutionCommand* paced : {&commands.restitution, &commands.erp})
    if (paced->is_chosen()) return paced->run();
  if (commands.cell.is_chosen()) return commands.cell.run();
  if (commands.tune.is_chosen()) commands.tune.run();
  if (commands.laplace.is_chosen()) return commands.laplace.run();
  if (commands.check.is_chosen()) commands.check.run();
  if (commands.mesh.is_chosen()) commands.mesh.run();
  if (commands.info.is_chosen()) commands.info.run();
  return ExitCode::done;
}

ExitCode run_command_line(const std::vector<std::string>& words) {
  Commands commands;
  if (const auto ended = parse_words(commands.line, words)) return *ended;
  if (commands.bench.is_chosen()) start_bench(words);
  apply(commands.options);
  return execute(commands);
}

}  // namespace
}  // namespace cardiowarp

int main(int argc, char** argv) { return cardiowarp::program_main(argc, argv, cardiowarp::run_command_line); }
