#include "app/compare/phase_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/measure/xml_text.hpp"

namespace cardiowarp {
namespace {

// Okabe and Ito: told apart with any color vision. One for each phase before `total`, then what the phases leave out.
constexpr std::array<const char*, 7> colors{"#999999", "#0072B2", "#56B4E9", "#D55E00",
                                            "#F0E442", "#009E73", "#000000"};
constexpr double width = 760, left = 190, right = 130, top = 76, row = 40, bar = 26;

std::string rectangle(double x, double y, double w, double h, const char* color) {
  return fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", x, y, w, h,
                     color);
}

std::string label(double x, double y, const std::string& text, const char* more = "") {
  return fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\"{}>{}</text>\n", x, y, more, xml_text(text));
}

double median_of(const SideReport& side, const Phase& phase) { return side.of_phase(phase).value_or(Spread{}).median; }

}  // namespace

std::string phase_figure(const Comparison& comparison) {
  const Phase total = phases.back();
  double longest = 0;
  for (const SideReport& side : comparison.sides) longest = std::max(longest, median_of(side, total));
  const double scale = longest > 0 ? (width - left - right) / longest : 0;

  const double height = top + row * static_cast<double>(comparison.sides.size()) + 8;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  svg += label(12, 22,
               fmt::format("{}: {} nodes, {} steps, median seconds of {}", comparison.name, comparison.nodes,
                           comparison.steps, comparison.sides.front().seconds.size()),
               " font-weight=\"bold\"");
  double x = 12;
  for (std::size_t k = 0; k < colors.size(); ++k) {
    const std::string name = k + 1 < phases.size() ? phases[k].name : "rest";
    svg += rectangle(x, 38, 12, 12, colors[k]) + label(x + 17, 48, name);
    x += 32 + 7.5 * static_cast<double>(name.size());
  }
  double y = top;
  for (const SideReport& side : comparison.sides) {
    svg += label(left - 10, y + 12, side.name, " text-anchor=\"end\" font-weight=\"bold\"") +
           label(left - 10, y + 25, side.device, " text-anchor=\"end\" font-size=\"10\"");
    double begin = left, rest = median_of(side, total);
    const auto add_bar = [&](double seconds, const char* color) {
      svg += rectangle(begin, y, scale * seconds, bar, color);
      begin += scale * seconds;
    };
    for (std::size_t k = 0; k + 1 < phases.size(); ++k) {
      const double seconds = median_of(side, phases[k]);
      add_bar(seconds, colors[k]);
      rest -= seconds;
    }
    add_bar(std::max(0.0, rest), colors.back());
    const auto ratio = &side != &comparison.sides.front() ? comparison.speed_up(side, total) : std::nullopt;
    svg += label(begin + 6, y + 17,
                 fmt::format("{:.3g} s", median_of(side, total)) + (ratio ? fmt::format(" ({:.3g} ×)", *ratio) : ""));
    y += row;
  }
  return svg + "</svg>\n";
}

}  // namespace cardiowarp
