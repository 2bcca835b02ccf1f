#include "app/cell_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace cardiowarp {
namespace {

constexpr double width = 760, height = 380, left = 64, right = 16, top = 40, bottom = 48;

std::string escaped(const std::string& text) {
  std::string xml;
  for (const char c : text) xml += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return xml;
}

/// The distance of marks on an axis: 1, 2 or 5 times a power of ten, of which at most eight fit into `range`.
double mark_distance(double range) {
  const double power = std::pow(10, std::floor(std::log10(range / 8)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (range / (factor * power) <= 8) return factor * power;
  return 10 * power;
}

/// A range of values, and where on the picture they are.
struct Axis {
  double least, most, at_least, at_most;

  double place(double value) const { return at_least + (value - least) / (most - least) * (at_most - at_least); }
  std::vector<double> marks() const {
    const double distance = mark_distance(most - least);
    std::vector<double> values;
    for (double k = std::ceil(least / distance); k * distance <= most; ++k) values.push_back(k * distance);
    return values;
  }
};

void add_axes(std::string& svg, const Axis& time, const Axis& potential, const char* below, const char* beside) {
  const auto out = std::back_inserter(svg);
  for (const double value : time.marks()) {
    const double x = time.place(value);
    fmt::format_to(out, "<path d=\"M{0:.2f} {1:.2f}V{2:.2f}\" stroke=\"#dddddd\"/>\n", x, top, height - bottom);
    fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{:g}</text>\n", x, height - bottom + 16,
                   value);
  }
  for (const double value : potential.marks()) {
    const double y = potential.place(value);
    fmt::format_to(out, "<path d=\"M{0:.2f} {1:.2f}H{2:.2f}\" stroke=\"#dddddd\"/>\n", left, y, width - right);
    fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"end\">{:g}</text>\n", left - 6, y + 4, value);
  }
  fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n", (left + width - right) / 2,
                 height - 10, below);
  fmt::format_to(
      out, "<text x=\"16\" y=\"{0:.2f}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {0:.2f})\">{1}</text>\n",
      (top + height - bottom) / 2, beside);
}

/// With room above and below.
Axis vertical_axis(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  const double margin = std::max(0.05 * (most - least), 1e-3);
  return {least - margin, most + margin, height - bottom, top};
}

std::string beginning_of_figure(const std::string& title) {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  return svg + fmt::format("<text x=\"{:.2f}\" y=\"24\" font-weight=\"bold\">{}</text>\n", left, escaped(title));
}

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
  const Axis time{time_ms_.front(), time_ms_.back(), left, width - right};
  const Axis potential = vertical_axis(potential_mv_);
  std::string svg = beginning_of_figure(title);
  add_axes(svg, time, potential, "time in ms", "potential in mV");
  svg += "<polyline fill=\"none\" stroke=\"#0072B2\" stroke-width=\"1.5\" points=\"";
  for (std::size_t k = 0; k < time_ms_.size(); ++k)
    fmt::format_to(std::back_inserter(svg), "{:.2f},{:.2f} ", time.place(time_ms_[k]),
                   potential.place(potential_mv_[k]));
  return svg + "\"/>\n</svg>\n";
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
  std::vector<double> diastolic_ms, apd90_ms;
  for (const RestitutionPoint& point : points) {
    if (!point.diastolic_ms || !point.apd90_ms) continue;
    diastolic_ms.push_back(*point.diastolic_ms);
    apd90_ms.push_back(*point.apd90_ms);
  }
  if (apd90_ms.empty()) return "";
  const double longest = std::max(1.0, std::ranges::max(diastolic_ms));
  const Axis across{std::min(0.0, std::ranges::min(diastolic_ms)), 1.02 * longest, left, width - right};
  const Axis upwards = vertical_axis(apd90_ms);
  std::string svg = beginning_of_figure(title);
  add_axes(svg, across, upwards, "diastolic interval in ms", "APD90 in ms");
  for (std::size_t k = 0; k < apd90_ms.size(); ++k)
    fmt::format_to(std::back_inserter(svg), "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3\" fill=\"#0072B2\"/>\n",
                   across.place(diastolic_ms[k]), upwards.place(apd90_ms[k]));
  return svg + "</svg>\n";
}

}  // namespace cardiowarp
