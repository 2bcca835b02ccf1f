#include "app/info_command.hpp"

#include "app/output/measured_here.hpp"
#include "app/process/build_info.hpp"
#include "app/process/commit.hpp"
#include "app/process/standard_streams.hpp"
#include "app/process/threads.hpp"
#include "app/simulation/gpu.hpp"
#include "fem/cells/any_cell.hpp"

namespace cardiowarp {
namespace {

void print_info() {
  const BuildInfo build = build_info();
  print_report("cardiowarp {} ({}, {})\n", build.version, build.build_type, build.compiler);
  print_report("  {:<9}{}\n", "commit", commit());
  for (const auto& [name, version] : build.libraries) print_report("  {:<9}{}\n", name, version);
  print_report("backends\n  cpu      {}\n", in_words(threads_in_use()));
  for (const std::string& gpu : describe_gpus()) print_report("  gpu      {}\n", gpu);
}

}  // namespace

InfoCommand::InfoCommand(Command& program)
    : command_(program.add_command("info", "Version, commit, build options, devices")) {
  command_.add_flag("--cell-models", cell_models_, "Only the states and parameters of the cell models, as Markdown");
  command_.add_flag("--csv-head", only_csv_head_, "Only what every --csv file begins with, for scripts that measure");
}

void InfoCommand::run() const {
  if (only_csv_head_) print_report("{}", csv_head(measured_here()));
  if (cell_models_) print_report("{}", cell_model_tables());
  if (!only_csv_head_ && !cell_models_) print_info();
}

}  // namespace cardiowarp
