#include "app/cell_trace.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "app/measure/curve_figure.hpp"

namespace cardiowarp {
namespace {

std::vector<std::string> restitution_columns() {
  return {"interval_ms", "captured", "diastolic_ms", "APD50_ms", "APD90_ms"};
}

std::vector<TableCell> row_of(const RestitutionPoint& point) {
  return {point.interval_ms, point.captured, cell_of(point.diastolic_ms), cell_of(point.apd50_ms),
          cell_of(point.apd90_ms)};
}

std::span<const RestitutionPoint> last_two(const DynamicPeriod& period) {
  return std::span(period.beats).last(std::min<std::size_t>(2, period.beats.size()));
}

std::string_view name_of(Rhythm rhythm) {
  switch (rhythm) {
    case Rhythm::one_to_one:
      return "1:1";
    case Rhythm::alternans:
      return "alternans";
    case Rhythm::two_to_one:
      return "2:1";
    case Rhythm::blocked:
      return "blocked";
    case Rhythm::silent:
      return "silent";
    case Rhythm::unknown:
      break;
  }
  return "";
}

std::string_view sentence_of(Rhythm rhythm) {
  switch (rhythm) {
    case Rhythm::one_to_one:
      return "each pulse captures";
    case Rhythm::alternans:
      return "alternans (action potentials are long and short in turn)";
    case Rhythm::two_to_one:
      return "2:1 (every other pulse captures)";
    case Rhythm::blocked:
      return "some pulses are blocked";
    case Rhythm::silent:
      return "no pulse captures";
    case Rhythm::unknown:
      break;
  }
  return "rhythm unknown (--beats 5 or more tell it)";
}

/// APD90 over `at`, as dots; empty where there is none.
std::string dots(const std::string& title, const char* below, const std::vector<std::pair<double, double>>& points) {
  if (points.empty()) return "";
  Curve curve{.x = {}, .y = {}, .has_marks = true, .has_line = false};
  for (const auto& [at, apd90_ms] : points) {
    curve.x.push_back(at);
    curve.y.push_back(apd90_ms);
  }
  return curve_figure(title, {{below, "APD90 in ms", {curve}, true}});
}

}  // namespace

void CellTrace::add(double time_ms, double potential_mv, std::span<const double> states) {
  time_ms_.push_back(time_ms);
  potential_mv_.push_back(potential_mv);
  values_.insert(values_.end(), states.begin(), states.end());
}

void CellTrace::clear() {
  time_ms_.clear();
  potential_mv_.clear();
  values_.clear();
}

std::string CellTrace::csv() const {
  std::string text = "time_ms,potential_mV";
  for (const std::string& state : states_) text.append(",").append(state);
  text += '\n';
  for (std::size_t k = 0; k < time_ms_.size(); ++k) {
    fmt::format_to(std::back_inserter(text), "{:.10g},{:.8g}", time_ms_[k], potential_mv_[k]);
    for (std::size_t state = 0; state < states_.size(); ++state)
      fmt::format_to(std::back_inserter(text), ",{:.8g}", values_[k * states_.size() + state]);
    text += '\n';
  }
  return text;
}

std::string CellTrace::figure(const std::string& title) const {
  return curve_figure(title, {{"time in ms", "potential in mV", {{.x = time_ms_, .y = potential_mv_}}}});
}

Table beat_table(const std::vector<BeatReport>& beats) {
  Table table{{"beat", "rest_mV", "peak_mV", "dVdt_max_mV_per_ms", "upstroke_ms", "APD50_ms", "APD90_ms"}, {}};
  for (std::size_t k = 0; k < beats.size(); ++k) {
    const BeatReport& beat = beats[k];
    table.rows.push_back({static_cast<std::int64_t>(k + 1), beat.rest_mv, beat.peak_mv, beat.upstroke_mv_per_ms,
                          beat.upstroke_ms, cell_of(beat.apd50_ms), cell_of(beat.apd90_ms)});
  }
  return table;
}

Table restitution_table(const std::vector<RestitutionPoint>& points) {
  Table table{restitution_columns(), {}};
  for (const RestitutionPoint& point : points) table.rows.push_back(row_of(point));
  return table;
}

Table dynamic_table(const std::vector<DynamicPeriod>& periods) {
  Table table{restitution_columns(), {}};
  table.columns.emplace_back("rhythm");
  for (const DynamicPeriod& period : periods)
    for (const RestitutionPoint& beat : last_two(period)) {
      table.rows.push_back(row_of(beat));
      table.rows.back().push_back(std::string(name_of(period.rhythm())));
    }
  return table;
}

std::string in_words(const std::vector<RestitutionPoint>& points) {
  std::optional<double> shortest, blocked;
  for (const RestitutionPoint& point : points) {
    std::optional<double>& of = point.captured ? shortest : blocked;
    if (!of || (point.captured ? point.interval_ms < *of : point.interval_ms > *of)) of = point.interval_ms;
  }
  if (!shortest) return "S2 captures at none of these intervals\n";
  return fmt::format("S2 captures down to {:g} ms{}\n", *shortest,
                     blocked ? fmt::format(", and not at {:g} ms", *blocked) : " and may do so earlier");
}

std::string in_words(const std::vector<DynamicPeriod>& periods) {
  std::string lines;
  for (const Rhythm rhythm :
       {Rhythm::unknown, Rhythm::alternans, Rhythm::two_to_one, Rhythm::blocked, Rhythm::silent}) {
    std::vector<double> of;
    for (const DynamicPeriod& period : periods)
      if (period.rhythm() == rhythm) of.push_back(period.period_ms);
    if (!of.empty()) lines += fmt::format("{} at {:g} ms\n", sentence_of(rhythm), fmt::join(of, ", "));
  }
  return lines.empty() ? "each pulse captures, and beats do not alternate\n" : lines;
}

std::string restitution_figure(const std::string& title, const std::vector<RestitutionPoint>& points) {
  std::vector<std::pair<double, double>> found;
  for (const RestitutionPoint& point : points)
    if (point.diastolic_ms && point.apd90_ms) found.emplace_back(*point.diastolic_ms, *point.apd90_ms);
  return dots(title, "diastolic interval in ms", found);
}

std::string dynamic_figure(const std::string& title, const std::vector<DynamicPeriod>& periods) {
  std::vector<std::pair<double, double>> found;
  for (const DynamicPeriod& period : periods)
    for (const RestitutionPoint& beat : last_two(period))
      if (beat.apd90_ms) found.emplace_back(period.period_ms, *beat.apd90_ms);
  return dots(title, "period in ms", found);
}

}  // namespace cardiowarp
