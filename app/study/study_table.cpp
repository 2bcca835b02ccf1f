#include "app/study/study_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "app/measure/curve_figure.hpp"

namespace cardiowarp {
namespace {

std::string status_of(const std::optional<StudyResult>& result) {
  if (!result) return "not run";
  return result->outcome ? result->outcome->status : "failed";
}

std::optional<double> activated_percent(const RunOutcome& outcome) {
  return outcome.nodes > 0 ? std::optional(100 * outcome.activated / outcome.nodes) : std::nullopt;
}

using NamedCells = std::vector<std::pair<std::string, TableCell>>;

NamedCells cells_of(const RunOutcome& outcome) {
  NamedCells cells{{"activated_percent", cell_of(activated_percent(outcome))},
                   {"first_ms", cell_of(outcome.first_ms)},
                   {"last_ms", cell_of(outcome.last_ms)}};
  for (const MapOutcome& map : outcome.maps) cells.emplace_back(map.name + "_median", cell_of(map.median));
  for (const PacedOutcome& stimulus : outcome.stimuli) {
    cells.emplace_back(stimulus.name + "_pulses", static_cast<std::int64_t>(stimulus.pulses));
    cells.emplace_back(stimulus.name + "_captured", static_cast<std::int64_t>(stimulus.captured_pulses));
  }
  for (const ProbeOutcome& probe : outcome.probes) {
    cells.emplace_back(probe.name + "_beats", static_cast<std::int64_t>(probe.beats));
    cells.emplace_back(probe.name + "_activation_time", cell_of(probe.activation_ms));
    cells.emplace_back(probe.name + "_apd90", cell_of(probe.apd90_ms));
  }
  cells.emplace_back("seconds", outcome.seconds);
  return cells;
}

/// `KEY = VALUE, ..` of the keys from one on.
std::string keys_in_words(const SweepTable& runs, std::size_t run, std::size_t first) {
  std::string words;
  for (std::size_t key = first; key < runs.keys.size(); ++key)
    words += fmt::format("{}{} = {}", words.empty() ? "" : ", ", runs.keys[key], runs.rows[run][key]);
  return words;
}

using Value = std::optional<double> (*)(const RunOutcome&);

std::optional<double> last_activation(const RunOutcome& outcome) { return outcome.last_ms; }

std::optional<double> median_apd90(const RunOutcome& outcome) {
  for (const MapOutcome& map : outcome.maps)
    if (map.name == "apd90") return map.median;
  return std::nullopt;
}

CurvePanel panel_of(const SweepTable& runs, const std::vector<std::optional<StudyResult>>& results, const char* beside,
                    Value value) {
  constexpr std::size_t most_curves = 7;
  std::map<std::string, std::vector<std::pair<double, double>>> points;
  for (std::size_t run = 0; run < runs.rows.size(); ++run) {
    if (!results[run] || !results[run]->outcome) continue;
    if (const auto y = value(*results[run]->outcome))
      points[keys_in_words(runs, run, 1)].emplace_back(number_with_unit(runs.rows[run].front())->number, *y);
  }
  const std::string unit = number_with_unit(runs.rows.front().front())->unit;
  CurvePanel panel{runs.keys.front() + (unit.empty() ? "" : " in " + unit), beside, {}};
  const bool has_lines = points.size() <= most_curves;
  for (auto& [name, places] : points) {
    std::ranges::stable_sort(places, {}, [](const auto& place) { return place.first; });
    if (has_lines || panel.curves.empty())
      panel.curves.push_back(
          {.name = has_lines ? name : "", .x = {}, .y = {}, .has_marks = true, .has_line = has_lines});
    for (const auto& [x, y] : places) {
      panel.curves.back().x.push_back(x);
      panel.curves.back().y.push_back(y);
    }
  }
  return panel;
}

}  // namespace

Table sweep_table(const SweepTable& runs, const std::vector<std::string>& names,
                  const std::vector<std::optional<StudyResult>>& results) {
  Table table{{"run"}, {}};
  table.columns.insert(table.columns.end(), runs.keys.begin(), runs.keys.end());
  table.columns.emplace_back("status");
  const auto column = [&](const std::string& name) {
    const auto at = static_cast<std::size_t>(std::ranges::find(table.columns, name) - table.columns.begin());
    if (at == table.columns.size()) table.columns.push_back(name);
    return at;
  };
  for (std::size_t run = 0; run < names.size(); ++run) {
    std::vector<TableCell> row{names[run]};
    for (const std::string& value : runs.rows[run]) row.emplace_back(value);
    row.emplace_back(status_of(results[run]));
    NamedCells cells = results[run] && results[run]->outcome ? cells_of(*results[run]->outcome) : NamedCells();
    if (results[run] && !results[run]->reason.empty()) cells.emplace_back("reason", results[run]->reason);
    for (auto& [name, cell] : cells) {
      const std::size_t at = column(name);
      row.resize(std::max(row.size(), at + 1));
      row[at] = std::move(cell);
    }
    table.rows.push_back(std::move(row));
  }
  for (std::vector<TableCell>& row : table.rows) row.resize(table.columns.size());
  return table;
}

Table short_table(const Table& table, const SweepTable& runs) {
  std::vector<std::string> columns{"run"};
  columns.insert(columns.end(), runs.keys.begin(), runs.keys.end());
  for (const char* name : {"status", "activated_percent", "last_ms", "apd90_median", "reason"})
    if (std::ranges::find(table.columns, name) != table.columns.end()) columns.emplace_back(name);
  return with_columns(table, columns);
}

std::string sweep_figure(const SweepTable& runs, const std::vector<std::optional<StudyResult>>& results) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const std::vector<std::string>& row : runs.rows) {
    const auto value = number_with_unit(row.front());
    if (!value || value->unit != number_with_unit(runs.rows.front().front())->unit) return "";
    least = std::min(least, value->number);
    most = std::max(most, value->number);
  }
  if (!(least < most)) return "";
  return curve_figure("sweep over " + runs.keys.front(),
                      {panel_of(runs, results, "last activation in ms", last_activation),
                       panel_of(runs, results, "median APD90 in ms", median_apd90)});
}

std::string in_words(const SweepTable& runs, std::size_t run) { return keys_in_words(runs, run, 0); }

}  // namespace cardiowarp
