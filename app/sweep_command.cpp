#include "app/sweep_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "app/files/result_file.hpp"
#include "app/process/log.hpp"
#include "app/process/standard_streams.hpp"
#include "app/study/study_table.hpp"
#include "fem/input_error.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

std::vector<StudyRun> study_runs(const SweepTable& table) {
  const std::size_t digits = std::max<std::size_t>(3, fmt::format("{}", table.rows.size()).size());
  std::vector<StudyRun> runs;
  for (std::size_t run = 0; run < table.rows.size(); ++run) {
    StudyRun added{fmt::format("{:0{}}", run + 1, digits), {}};
    for (std::size_t key = 0; key < table.keys.size(); ++key)
      added.settings.push_back({table.keys[key], table.rows[run][key]});
    runs.push_back(std::move(added));
  }
  return runs;
}

void tell(const StudyResult& result, const std::string& name, const std::string& words) {
  if (!result.outcome || !result.outcome->completed())
    log_warn("run {} ({}): {}", name, words, result.reason);
  else if (result.was_kept)
    log_info("run {} ({}) is kept", name, words);
  else
    log_info("run {} ({}): activated {} of {} nodes{}, {:.3g} s", name, words, result.outcome->activated,
             result.outcome->nodes,
             result.outcome->last_ms ? fmt::format(" by {:.6g} ms", *result.outcome->last_ms) : "",
             result.outcome->seconds);
}

}  // namespace

SweepCommand::SweepCommand(Command& program)
    : command_(program.add_command("sweep", "Run a YAML file with many values of some keys, and gather the results")) {
  words_.add_to(command_, "_sweep");
  command_.add_option("--over", over_, "A key and its values; several --over make all combinations (repeatable)",
                      {.type = "KEY.PATH=VALUE,VALUE", .is_repeatable = true});
  command_.add_option("--random", random_, "N runs, each key drawn from a range, --over KEY.PATH=0.5..2",
                      {.type = "N"});
  command_.add_option("--seed", seed_, "Of --random (default: 1)", {.type = "N"});
  command_.add_option("--table", table_, "CSV: keys in the first line, a run in each other one",
                      {.type = "FILE", .excludes = "--over"});
}

SweepTable SweepCommand::runs() const {
  if (!table_.empty() && random_) throw InputError("--random: expected --over, got --table");
  if (seed_ && !random_) throw InputError("--seed: expected --random N beside it");
  if (!table_.empty()) return table_of_file(table_);
  if (over_.empty()) throw InputError("sweep: expected --over KEY.PATH=VALUE,VALUE or --table FILE, got none");
  std::vector<SweepAxis> axes;
  for (const std::string& words : over_) axes.push_back(parse_axis(words));
  if (!random_) return grid_of(axes);
  constexpr int most = 100'000;
  if (*random_ < 1 || *random_ > most)
    throw InputError(fmt::format("--random: expected a number of runs from 1 to {}, got {}", most, *random_));
  return random_of(axes, *random_, static_cast<std::uint64_t>(seed_.value_or(1)));
}

ExitCode SweepCommand::run() const {
  const SweepTable table = runs();
  if (std::ranges::find(table.keys, "output.directory") != table.keys.end())
    throw InputError("output.directory: expected another key, as each run has a folder of its own under --output");
  const Study study = words_.study();
  const std::vector<StudyRun> named = study_runs(table);
  std::vector<std::string> names;
  for (const StudyRun& run : named) names.push_back(run.name);
  require_writable_folder("--output", study.folder, {"sweep.csv", "sweep.svg"}, {study.file, table_});

  std::error_code ignored;
  for (const char* name : {"sweep.csv", "sweep.svg"}) std::filesystem::remove(study.folder / name, ignored);
  std::vector<std::optional<StudyResult>> results(named.size());
  const bool is_whole = make_runs(study, named, [&](std::size_t run, const StudyResult& result) {
    tell(result, names[run], in_words(table, run));
    results[run] = result;
  });
  const Table gathered = sweep_table(table, names, results);
  write_file_atomically(study.folder / "sweep.csv", csv_text(gathered));
  const std::string figure = sweep_figure(table, results);
  if (!figure.empty()) write_file_atomically(study.folder / "sweep.svg", figure);
  constexpr std::size_t most_lines = 50;
  if (gathered.rows.size() <= most_lines) print_report("{}", aligned_text(short_table(gathered, table)));
  print_report("{}: sweep.csv{}\n", study.folder.string(), figure.empty() ? "" : ", sweep.svg");
  if (!is_whole) {
    log_warn("interrupted: --resume goes on with the sweep");
    return ExitCode::interrupted;
  }
  for (const auto& result : results)
    if (result && result->exit_code != 0) return ExitCode(result->exit_code);
  return ExitCode::done;
}

}  // namespace cardiowarp
