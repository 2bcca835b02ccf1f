#include "app/compare/compare_command.hpp"

#include <fmt/format.h>

#include "app/compare/comparison_report.hpp"
#include "app/compare/phase_figure.hpp"
#include "app/config/config.hpp"
#include "app/files/result_file.hpp"
#include "app/output/measured_here.hpp"
#include "app/process/log.hpp"
#include "app/process/standard_streams.hpp"
#include "fem/input_error.hpp"
#include "meshes/atomic_file.hpp"
#include "meshes/suffix.hpp"

namespace cardiowarp {

CompareCommand::CompareCommand(Command& program)
    : command_(program.add_command(
          "compare", "Run a YAML file on the CPU, the GPU and with PETSc: seconds, speed-up, differences")) {
  words_.add_to(command_);
  command_.add_option("--steps", options_.steps, "Only the first N steps of the run", {.type = "N"});
  command_.add_option("--repeats", options_.repeats, "Timed runs on each side", {.type = "N", .shows_default = true});
  command_.add_option("--warm-up", options_.warm_up_steps, "Steps on each side before the timed runs",
                      {.type = "N", .shows_default = true});
  command_.add_option(
      "--max-difference", options_.max_difference,
      "No speed-up is stated for fields that differ by more, mV and ms (default: 1e-6, or the tolerance of a "
      "step's error where those of the solvers follow from it)",
      {.type = "X"});
  command_.add_option("--petsc", options_.petsc_processes, "Run cardiowarp_petsc, too, on N processes of MPI",
                      {.type = "N"});
  command_.add_flag("--gpu-solver-only", options_.gpu_solver_only,
                    "Run with assembly by one thread and linear solves on the GPU, too");
  command_.add_option("--csv", csv_, "Write a line for each side and phase", {.type = "FILE"});
  command_.add_option("--json", json_, "Write an object for each side and phase", {.type = "FILE"});
  command_.add_option("--figure", figure_, "Draw the phases of each side, SVG", {.type = "FILE"});
}

ExitCode CompareCommand::run() const {
  const Config config = words_.configuration();
  const std::vector<std::filesystem::path> inputs{config.file, config.mesh.file};
  require_unlike({{"--csv", csv_}, {"--json", json_}, {"--figure", figure_}});
  require_writable("--csv", csv_, inputs);
  require_writable("--json", json_, inputs);
  if (!figure_.empty() && suffix_of(figure_) != ".svg")
    throw InputError(fmt::format("--figure: expected a file name that ends in .svg, got '{}'", figure_.string()));
  require_writable("--figure", figure_, inputs);
  if (config.prepace) log_warn("prepace has no effect on compare: all sides begin with `initial`");
  std::optional<Comparison> comparison;
  try {
    comparison = compare_sides(config, options_);
  } catch (const ComparisonFailure& failure) {
    log_error("{}", failure.what());
    return ExitCode::not_converged;
  }
  if (!comparison) {
    log_warn("interrupted: nothing is compared");
    return ExitCode::interrupted;
  }
  print_report("{}", comparison_text(*comparison));
  const Table table = comparison_table(*comparison);
  if (!csv_.empty()) write_file_atomically(csv_, csv_text(table, measured_here()));
  if (!json_.empty()) write_file_atomically(json_, json_text(table));
  if (!figure_.empty()) write_file_atomically(figure_, phase_figure(*comparison));
  return comparison->agrees() ? ExitCode::done : ExitCode::not_converged;
}

}  // namespace cardiowarp
