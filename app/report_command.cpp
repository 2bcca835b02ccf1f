#include "app/report_command.hpp"

#include <fmt/format.h>

#include "app/files/result_file.hpp"
#include "app/process/standard_streams.hpp"
#include "app/report/report.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {

ReportCommand::ReportCommand(Command& program)
    : command_(program.add_command("report", "Make a page of the results of a run: pictures, curves, numbers")) {
  command_.add_option("DIR", folder_, "The folder that the run has written", {.is_required = true});
  command_.add_option("--output", output_, "The page, one HTML file (default: report.html in the folder)",
                      {.type = "FILE"});
}

ExitCode ReportCommand::run() const {
  const std::filesystem::path folder = canonical_path(folder_);
  const std::filesystem::path page = output_.empty() ? folder / "report.html" : output_;
  const std::string html = report_of(folder);
  require_writable("--output", page, {folder / "summary.json", folder / "maps.vtu"});
  write_file_atomically(page, html);
  print_report("{}: {:.3g} MB\n", page.string(), static_cast<double>(html.size()) * 1e-6);
  return ExitCode::done;
}

}  // namespace cardiowarp
