#include "app/measure/curve_figure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

namespace cardiowarp {
namespace {

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t number = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++number;
  return number;
}

/// The path of the first curve.
std::string line_of(const std::string& svg) {
  const std::size_t begin = svg.find(" d=\"", svg.find("stroke-width=\"1.5\"")) + 4;
  return svg.substr(begin, svg.find('"', begin) - begin);
}

TEST(CurveFigure, HasALineThroughAllPointsAndAMarkAtEach) {
  const std::string svg = curve_figure("three", {{"x", "y", {{.x = {1, 2, 4}, .y = {-1, 0, 7}, .has_marks = true}}}});
  EXPECT_EQ(count(svg, "<circle"), 3);
  EXPECT_EQ(count(line_of(svg), "L"), 2);
  // x from 0.85 to 4.15 on 680 units from 64 on, y from -1.4 to 7.4 on 300 units up from 340.
  EXPECT_TRUE(line_of(svg).starts_with("M94.91 326.36L")) << line_of(svg);
}

TEST(CurveFigure, InterruptsALineWhereAValueIsMissing) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::string svg =
      curve_figure("gap", {{"x", "y", {{.x = {0, 1, 2, 3, 4}, .y = {5, 6, none, 6, 5}, .has_marks = true}}}});
  EXPECT_EQ(count(svg, "<circle"), 4);
  EXPECT_EQ(count(line_of(svg), "M"), 2);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(CurveFigure, SaysWhereAPanelHasNoPoint) {
  const std::string svg = curve_figure("none", {{"x", "speed", {{.x = {1}, .y = {NAN}}}}, {"x", "APD90", {}}});
  EXPECT_EQ(count(svg, ">no speed<"), 1);
  EXPECT_EQ(count(svg, ">no APD90<"), 1);
}

TEST(CurveFigure, ShowsASinglePointAndEqualValues) {
  for (const double y : {0.0, 1e-9, -3e7}) {
    const std::string svg = curve_figure("flat", {{"x", "y", {{.x = {2, 3}, .y = {y, y}, .has_marks = true}}}});
    EXPECT_EQ(count(svg, "<circle"), 2) << y;
    EXPECT_EQ(svg.find("nan"), std::string::npos) << y;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << y;
  }
}

TEST(CurveFigure, WritesNamesAsText) {
  const std::string svg = curve_figure("a < b & c", {{"x", "y", {{.name = "<g>", .x = {1}, .y = {1}}}}});
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_EQ(count(svg, ">&lt;g&gt;<"), 1);
}

}  // namespace
}  // namespace cardiowarp
