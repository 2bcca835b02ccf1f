#include "app/explain_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "app/command_line/completion.hpp"
#include "app/command_line/man_page.hpp"
#include "app/config/config_names.hpp"
#include "app/config/explain.hpp"
#include "app/process/build_info.hpp"
#include "app/process/log_levels.hpp"
#include "app/process/standard_streams.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"

namespace cardiowarp {
namespace {

const std::vector<std::string> pages{"cardiowarp", "cardiowarp.yaml"};

CompletionWords completion_words() {
  std::vector<std::string> backends;
  for (const auto& [name, backend] : backend_names) backends.push_back(name);
  return {full_names_of_keys(), {{"--backend", backends}, {"--log-level", log_levels()}}};
}

std::string man_page(const CommandDescription& program, const std::string& page) {
  const std::string version = build_info().version;
  if (page == pages[0]) return man_page_of_program(program, version);
  if (page == pages[1]) return man_page_of_keys(configuration_keys(), version);
  throw InputError(
      fmt::format("PAGE: expected {}, got '{}'{}", fmt::join(pages, " or "), page, suggestion(page, pages)));
}

}  // namespace

ExplainCommands::ExplainCommands(CommandLine& line)
    : line_(line),
      explain_(line.program().add_command("explain", "Say what a key of the YAML file means and takes")),
      completion_(line.program().add_command("completion", "Print a script by which a shell completes words")),
      man_(line.program().add_command("man", "Print a manual page, for man -l")) {
  explain_.add_option("KEY", key_, "A key or a section, time.step or time; without it all sections");
  explain_.add_flag("--markdown", as_markdown_, "The table of a section, as docs/configuration.md has it");
  completion_.add_option("SHELL", shell_, fmt::format("{}", fmt::join(completion_shells(), ", ")),
                         {.is_required = true});
  man_.add_option("PAGE", page_, fmt::format("{}", fmt::join(pages, " or ")), {.shows_default = true});
}

void ExplainCommands::explain() const {
  if (as_markdown_ && key_.empty()) throw InputError("KEY: expected a section with --markdown, got nothing");
  if (as_markdown_)
    write_report(key_table(key_));
  else
    write_report(key_.empty() ? explained_sections() : explained_key(key_));
}

void ExplainCommands::run() const {
  if (explain_.is_chosen()) explain();
  if (completion_.is_chosen()) write_report(completion_script(line_.description(), completion_words(), shell_));
  if (man_.is_chosen()) write_report(man_page(line_.description(), page_));
}

}  // namespace cardiowarp
