#include "app/cell_trace.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "app/measure/curve_figure.hpp"

namespace cardiowarp {
namespace {

TableCell cell_of(const std::optional<double>& value) { return value ? TableCell(*value) : TableCell(); }

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
  Table table{{"interval_ms", "captured", "diastolic_ms", "APD50_ms", "APD90_ms"}, {}};
  for (const RestitutionPoint& point : points)
    table.rows.push_back({point.interval_ms, point.captured, cell_of(point.diastolic_ms), cell_of(point.apd50_ms),
                          cell_of(point.apd90_ms)});
  return table;
}

std::string restitution_figure(const std::string& title, const std::vector<RestitutionPoint>& points) {
  Curve curve{.x = {}, .y = {}, .has_marks = true, .has_line = false};
  for (const RestitutionPoint& point : points) {
    if (!point.diastolic_ms || !point.apd90_ms) continue;
    curve.x.push_back(*point.diastolic_ms);
    curve.y.push_back(*point.apd90_ms);
  }
  if (curve.x.empty()) return "";
  return curve_figure(title, {{"diastolic interval in ms", "APD90 in ms", {curve}, true}});
}

}  // namespace cardiowarp
