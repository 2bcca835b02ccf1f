#include "app/measure/curve_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

#include "app/measure/xml_text.hpp"

namespace cardiowarp {
namespace {

constexpr double width = 760, panel_height = 356, head = 32, left = 64, right = 16, top = 8, bottom = 48;
/// Told apart by those who see few colors (Okabe and Ito 2008).
constexpr std::array colors{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};

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
    for (double k = std::ceil(least / distance); k * distance <= most; ++k) values.push_back(k * distance + 0.0);
    return values;
  }
};

struct Extent {
  double least = std::numeric_limits<double>::infinity(), most = -least;

  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  bool empty() const { return least > most; }
  /// With room on both sides.
  Axis axis(double at_least, double at_most) const {
    const double margin = std::max(0.05 * (most - least), 1e-3 * std::max(1.0, std::fabs(most)));
    return {least - margin, most + margin, at_least, at_most};
  }
};

struct PanelAxes {
  Axis x, y;
};

void add_axes(std::string& svg, const PanelAxes& axes, const CurvePanel& panel) {
  const auto out = std::back_inserter(svg);
  const double floor = axes.y.at_least, ceiling = axes.y.at_most;
  for (const double value : axes.x.marks()) {
    const double x = axes.x.place(value);
    fmt::format_to(out, "<path d=\"M{0:.2f} {1:.2f}V{2:.2f}\" stroke=\"#dddddd\"/>\n", x, ceiling, floor);
    fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{:g}</text>\n", x, floor + 16, value);
  }
  for (const double value : axes.y.marks()) {
    const double y = axes.y.place(value);
    fmt::format_to(out, "<path d=\"M{0:.2f} {1:.2f}H{2:.2f}\" stroke=\"#dddddd\"/>\n", left, y, width - right);
    fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"end\">{:g}</text>\n", left - 6, y + 4, value);
  }
  fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n", (left + width - right) / 2,
                 floor + 36, xml_text(panel.below));
  fmt::format_to(
      out, "<text x=\"16\" y=\"{0:.2f}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {0:.2f})\">{1}</text>\n",
      (ceiling + floor) / 2, xml_text(panel.beside));
}

void add_curve(std::string& svg, const PanelAxes& axes, const Curve& curve, const char* color) {
  std::string line, marks;
  bool is_down = false;
  for (std::size_t k = 0; k < curve.x.size(); ++k) {
    if (std::isnan(curve.y[k])) {
      is_down = false;
      continue;
    }
    const double x = axes.x.place(curve.x[k]), y = axes.y.place(curve.y[k]);
    fmt::format_to(std::back_inserter(line), "{}{:.2f} {:.2f}", is_down ? "L" : "M", x, y);
    if (curve.has_marks)
      fmt::format_to(std::back_inserter(marks), "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3\" fill=\"{}\"/>\n", x, y,
                     color);
    is_down = true;
  }
  if (curve.has_line)
    svg += fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" d=\"{}\"/>\n", color, line);
  svg += marks;
}

void add_legend(std::string& svg, const PanelAxes& axes, const std::vector<Curve>& curves) {
  double y = axes.y.at_most + 16;
  for (std::size_t k = 0; k < curves.size(); ++k) {
    if (curves[k].name.empty()) continue;
    svg += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"end\" fill=\"{}\">{}</text>\n", width - right - 6,
                       y, colors[k % colors.size()], xml_text(curves[k].name));
    y += 16;
  }
}

void add_panel(std::string& svg, const CurvePanel& panel, double above) {
  Extent x, y;
  for (const Curve& curve : panel.curves)
    for (std::size_t k = 0; k < curve.x.size(); ++k) {
      if (std::isnan(curve.y[k])) continue;
      x.add(curve.x[k]);
      y.add(curve.y[k]);
    }
  const double floor = above + panel_height - bottom, ceiling = above + top;
  if (x.empty()) {
    svg += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">no {}</text>\n", width / 2,
                       (floor + ceiling) / 2, xml_text(panel.beside));
    return;
  }
  PanelAxes axes{x.axis(left, width - right), y.axis(floor, ceiling)};
  if (panel.begins_at_zero && x.least >= 0) axes.x.least = 0;
  add_axes(svg, axes, panel);
  for (std::size_t k = 0; k < panel.curves.size(); ++k)
    add_curve(svg, axes, panel.curves[k], colors[k % colors.size()]);
  add_legend(svg, axes, panel.curves);
}

}  // namespace

std::string curve_figure(const std::string& title, const std::vector<CurvePanel>& panels) {
  const double height = head + static_cast<double>(panels.size()) * panel_height;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  svg += fmt::format("<text x=\"{:.2f}\" y=\"24\" font-weight=\"bold\">{}</text>\n", left, xml_text(title));
  for (std::size_t k = 0; k < panels.size(); ++k)
    add_panel(svg, panels[k], head + static_cast<double>(k) * panel_height);
  return svg + "</svg>\n";
}

}  // namespace cardiowarp
