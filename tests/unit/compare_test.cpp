#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "app/compare/comparison.hpp"
#include "app/compare/comparison_report.hpp"
#include "app/compare/field_difference.hpp"
#include "app/compare/phase_figure.hpp"
#include "tests/support/input_error_of.hpp"

namespace cardiowarp {
namespace {

using Values = std::vector<Real>;
constexpr Real infinite = std::numeric_limits<Real>::infinity();

FieldDifference difference(const Values& a, const Values& b) {
  FieldDifference d;
  d.add(a, b);
  return d;
}

TEST(FieldDifference, IsTheLargestAndTheRootMeanSquareOverAllThatWasAdded) {
  FieldDifference d = difference({1, 2}, {1, 5});
  EXPECT_EQ(d.largest(), 3);
  EXPECT_DOUBLE_EQ(d.rms(), std::sqrt(9.0 / 2));
  d.add(Values{0, -1}, Values{4, -1});
  EXPECT_EQ(d.largest(), 4);
  EXPECT_DOUBLE_EQ(d.rms(), std::sqrt(25.0 / 4));
  EXPECT_EQ(FieldDifference().rms(), 0);
}

TEST(FieldDifference, IsInfiniteWhereAValueIsNotANumber) {
  EXPECT_EQ(difference({NAN, 1}, {1, 1}).largest(), infinite);
  EXPECT_EQ(difference({1, 1}, {NAN, 1}).rms(), infinite);
}

TEST(FieldDifference, OfTimesIsInfiniteWhereOnlyOneSideHasNone) {
  FieldDifference never, one;
  never.add_times(Values{-1, 3}, Values{-1, 3.5});
  EXPECT_EQ(never.largest(), 0.5);
  one.add_times(Values{-1, 3}, Values{0, 3});
  EXPECT_EQ(one.largest(), infinite);
}

TEST(FrameStore, GivesBackItsFramesInAnyOrder) {
  FrameStore store;
  for (int k = 0; k < 3; ++k) store.append(Values{k + 0.25, -k - 0.5, 1e300});
  EXPECT_EQ(store.frames(), 3);
  EXPECT_EQ(store.read(2, 3), (Values{2.25, -2.5, 1e300}));
  EXPECT_EQ(store.read(0, 3), (Values{0.25, -0.5, 1e300}));
  store.append(Values{7, 8, 9});  // after reading
  EXPECT_EQ(store.read(3, 3), (Values{7, 8, 9}));
  EXPECT_EQ(store.read(1, 3), (Values{1.25, -1.5, 1e300}));
}

PhaseSeconds seconds(double scale) {
  return {.setup = 4 * scale, .element = 1 * scale, .assembly = 0, .linear_solve = 2 * scale, .total = 10 * scale};
}

/// A CPU, and a GPU that is 5 times as fast and whose potential differs by `potential_mv`.
Comparison two_sides(Real potential_mv) {
  Comparison comparison{
      .name = "heart.yaml", .nodes = 97, .elements = 31, .steps = 3, .frames = 2, .simulated_ms = 0.3};
  comparison.max_difference = 1e-6;
  comparison.sides = {{.name = "cpu", .device = "2 threads", .newton_iterations = 7, .linear_iterations = 33},
                      {.name = "gpu", .device = "a <GPU>", .memory_bytes = 3 << 20}};
  comparison.sides[0].seconds = {seconds(1), seconds(3), seconds(2)};
  comparison.sides[1].seconds = {seconds(0.4), seconds(0.4), seconds(0.5)};
  comparison.sides[1].potential = difference({0, 1}, {0, 1 + potential_mv});
  return comparison;
}

TEST(Comparison, StatesASpeedUpByTheMediansOfEachPhaseWhereTheSidesAgree) {
  const Comparison comparison = two_sides(1e-7);
  EXPECT_TRUE(comparison.agrees());
  const Table table = with_columns(comparison_table(comparison),
                                   {"side", "phase", "repeats", "median_s", "min_s", "max_s", "speed_up", "agrees"});
  ASSERT_EQ(table.rows.size(), 14u);
  EXPECT_EQ(csv_text({table.columns, {table.rows[6], table.rows[7], table.rows[9], table.rows[13]}}),
            "side,phase,repeats,median_s,min_s,max_s,speed_up,agrees\n"
            "cpu,total,3,20,10,30,1,yes\n"
            "gpu,setup,3,1.6,1.6,2,5,yes\n"
            "gpu,assembly,3,0,0,0,,yes\n"  // nothing is no multiple of nothing
            "gpu,total,3,4,4,5,5,yes\n");
  const std::string text = comparison_text(comparison);
  EXPECT_NE(text.find("gpu against cpu"), std::string::npos) << text;
  EXPECT_NE(text.find("4 (4 to 5)"), std::string::npos) << text;
  EXPECT_NE(text.find("5 ×"), std::string::npos) << text;
  EXPECT_NE(text.find("3 MiB"), std::string::npos) << text;
  EXPECT_EQ(text.find("no speed-up"), std::string::npos) << text;
}

TEST(Comparison, StatesNoSpeedUpAnywhereWhereTheFieldsDiffer) {
  const Comparison comparison = two_sides(2e-6);
  EXPECT_FALSE(comparison.agrees());
  const Table table = with_columns(comparison_table(comparison), {"side", "speed_up", "agrees"});
  EXPECT_EQ(csv_text({table.columns, {table.rows[6], table.rows[13]}}), "side,speed_up,agrees\ncpu,1,yes\ngpu,,no\n");
  const std::string text = comparison_text(comparison);
  EXPECT_NE(text.find("gpu: no speed-up is stated"), std::string::npos) << text;
  EXPECT_EQ(text.find("×"), std::string::npos) << text;
  EXPECT_EQ(phase_figure(comparison).find("×"), std::string::npos);
}

TEST(Comparison, DisagreesWhereOneSideAloneActivates) {
  Comparison comparison = two_sides(0);
  comparison.sides[1].activation.add_times(Values{-1}, Values{2});
  EXPECT_FALSE(comparison.agrees());
}

TEST(PhaseFigure, DrawsTheSidesOnOneScaleAndEscapesTheirNames) {
  const std::string svg = phase_figure(two_sides(0));
  EXPECT_EQ(svg.find("<svg "), 0u);
  EXPECT_EQ(svg.rfind("</svg>\n"), svg.size() - 7);
  EXPECT_NE(svg.find("a &lt;GPU&gt;"), std::string::npos);
  EXPECT_NE(svg.find("4 s (5 ×)"), std::string::npos);
  // The longest bar, 20 s, is 440 wide: set-up of the CPU is 8 s of it, the GPU's 1.6 s.
  EXPECT_NE(svg.find("width=\"176.00\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("width=\"35.20\""), std::string::npos) << svg;
}

TEST(ComparisonOptions, OutOfRangeAreRefusedByName) {
  const auto refusal = [](const ComparisonOptions& options) {
    return test::input_error_of([&] { require_valid(options); });
  };
  EXPECT_NE(refusal({.steps = 0}).find("--steps: "), std::string::npos);
  EXPECT_NE(refusal({.steps = {}, .repeats = 0}).find("--repeats: "), std::string::npos);
  EXPECT_NE(refusal({.steps = {}, .warm_up_steps = -1}).find("--warm-up: "), std::string::npos);
  EXPECT_NE(refusal({.steps = {}, .max_difference = -1}).find("--max-difference: "), std::string::npos);
  EXPECT_NE(refusal({.steps = {}, .max_difference = NAN}).find("--max-difference: "), std::string::npos);
  EXPECT_NO_THROW(require_valid(ComparisonOptions{.steps = 1, .repeats = 1, .warm_up_steps = 0, .max_difference = 0}));
}

}  // namespace
}  // namespace cardiowarp
