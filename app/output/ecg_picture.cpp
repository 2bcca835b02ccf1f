#include "app/output/ecg_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "app/measure/xml_text.hpp"
#include "app/output/series_table.hpp"
#include "kernels/backend/types.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

/// 1, 2 or 5 times a power of ten: at most an `n`-th of `range`, or as little less as there is.
Real nice_step(Real range, int n) {
  const Real power = std::pow(Real(10), std::floor(std::log10(range / n)));
  for (const Real factor : {Real(5), Real(2)})
    if (factor * power <= range / n) return factor * power;
  return power;
}

/// The multiples of `step` from `least` to `most`; a few.
std::vector<Real> multiples(Real step, Real least, Real most) {
  std::vector<Real> values;
  for (Real k = std::ceil(least / step); k * step <= most; ++k) values.push_back(k * step + 0.0);  // no −0
  return values;
}

/// Where the traces are on the picture, in its units, and what they show.
struct Axes {
  static constexpr Real width = 440, height = 64, left = 56, top = 26, gap = 8;
  Real first_ms, last_ms, least, most;
  std::size_t rows;

  Real x(std::size_t trace, Real time_ms) const {
    return column_x(trace) + width * (time_ms - first_ms) / (last_ms - first_ms);
  }
  Real y(std::size_t trace, Real value) const { return top_y(trace) + height * (most - value) / (most - least); }
  Real column_x(std::size_t trace) const {
    const std::size_t column = trace / rows;
    return left + static_cast<Real>(column) * (width + left);
  }
  Real top_y(std::size_t trace) const { return top + static_cast<Real>(trace % rows) * (height + gap); }
};

/// The axes of the traces for which `has` is true.
template <class Has>
Axes axes_of(const SeriesTable& table, const Has& has) {
  Axes axes{.first_ms = table.time_ms.empty() ? 0 : table.time_ms.front(),
            .last_ms = table.time_ms.empty() ? 1 : table.time_ms.back(),
            .least = std::numeric_limits<Real>::max(),
            .most = std::numeric_limits<Real>::lowest(),
            .rows = table.names.size() > 6 ? (table.names.size() + 1) / 2 : table.names.size()};
  for (std::size_t trace = 0; trace < table.columns.size(); ++trace) {
    if (!has(trace)) continue;
    for (const Real value : table.columns[trace]) {
      axes.least = std::min(axes.least, value);
      axes.most = std::max(axes.most, value);
    }
  }
  if (!(axes.least < axes.most)) axes.least = -1, axes.most = 1;
  if (!(axes.first_ms < axes.last_ms)) axes.last_ms = axes.first_ms + 1;
  const Real margin = (axes.most - axes.least) / 20;
  axes.least -= margin;
  axes.most += margin;
  return axes;
}

/// The points of a trace; of samples that fall into the same half unit of the picture the least and the largest.
std::string points_of(const SeriesTable& table, const Axes& axes, std::size_t trace) {
  std::string points;
  const std::vector<Real>& values = table.columns[trace];
  for (std::size_t begin = 0; begin < values.size();) {
    const Real x = axes.x(trace, table.time_ms[begin]);
    std::size_t end = begin, least = begin, most = begin;
    for (; end < values.size() && axes.x(trace, table.time_ms[end]) < x + 0.5; ++end) {
      if (values[end] < values[least]) least = end;
      if (values[end] > values[most]) most = end;
    }
    const auto add = [&](std::size_t sample) {
      points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", axes.x(trace, table.time_ms[sample]),
                            axes.y(trace, values[sample]));
    };
    add(std::min(least, most));
    if (least != most) add(std::max(least, most));
    begin = end;
  }
  return points;
}

/// Lines at the nice times, zero and the step of the potential, with words at the edges.
std::string grid_of(const Axes& axes, std::size_t trace, bool is_last) {
  std::string svg;
  const Real left = axes.column_x(trace), top = axes.top_y(trace), bottom = top + Axes::height;
  const auto line = [&](Real x1, Real y1, Real x2, Real y2) {
    svg += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#ddd\"/>\n", x1, y1, x2, y2);
  };
  const Real step_ms = nice_step(axes.last_ms - axes.first_ms, 4), step = nice_step(axes.most - axes.least, 2);
  for (const Real time_ms : multiples(step_ms, axes.first_ms, axes.last_ms)) {
    const Real x = axes.x(trace, time_ms);
    line(x, top, x, bottom);
    if (is_last)
      svg +=
          fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:g}</text>\n", x, bottom + 14, time_ms);
  }
  for (const Real value : multiples(step, axes.least, axes.most)) {
    const Real y = axes.y(trace, value);
    line(left, y, left + Axes::width, y);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>\n", left - 4, y + 4, value);
  }
  return svg;
}

}  // namespace

std::string ecg_picture(std::string_view text, const std::vector<bool>& in_tissue) {
  const SeriesTable table = series_table(text);
  const auto is_inside = [&](std::size_t trace) { return trace < in_tissue.size() && in_tissue[trace]; };
  const Axes outside = axes_of(table, [&](std::size_t trace) { return !is_inside(trace); });
  const Axes inside = axes_of(table, is_inside);
  const std::size_t traces = table.names.size(), rows = std::max<std::size_t>(outside.rows, 1);
  const Real width = (traces > rows ? 2 : 1) * (Axes::left + Axes::width) + 16;
  const Real height = Axes::top + static_cast<Real>(rows) * (Axes::height + Axes::gap) + 24;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{2:.0f}\" y=\"16\">ECG, mV over ms</text>\n",
      width, height, Axes::left);
  for (std::size_t trace = 0; trace < traces; ++trace) {
    const Axes& axes = is_inside(trace) ? inside : outside;
    svg += grid_of(axes, trace, trace % rows == rows - 1 || trace == traces - 1);
    svg += fmt::format("<polyline fill=\"none\" stroke=\"#114488\" stroke-width=\"1.2\" points=\"{}\"/>\n",
                       points_of(table, axes, trace));
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-weight=\"bold\">{}</text>\n", axes.column_x(trace) + 4,
                       axes.top_y(trace) + 12, xml_text(table.names[trace]));
  }
  return svg + "</svg>\n";
}

void write_ecg_picture(const std::filesystem::path& table, const std::filesystem::path& picture,
                       const std::vector<bool>& in_tissue) {
  write_file_atomically(picture, ecg_picture(text_of_series(table), in_tissue));
}

}  // namespace cardiowarp
