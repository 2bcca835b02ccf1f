// Coordinates of the ventricles at a single place: which part it is in, its angle, the scale from apex to base, and
// what lies within a range.

#include "fem/anatomy/heart_coordinates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "fem/anatomy/level_scale.hpp"

namespace cardiowarp {
namespace {

constexpr Real pi = std::numbers::pi;

TEST(HeartPart, IsThatWhoseOppositeSurfaceHasTheSmallestField) {
  EXPECT_EQ(part_at(0.7, 0.05, 0.25), HeartPart::left_wall);
  EXPECT_EQ(part_at(0.05, 0.7, 0.25), HeartPart::right_wall);
  EXPECT_EQ(part_at(0.7, 0.25, 0.05), HeartPart::septum);
  EXPECT_EQ(part_at(0.25, 0.7, 0.05), HeartPart::septum);
}

TEST(HeartPart, HasADepthFromItsOwnEndocardium) {
  EXPECT_DOUBLE_EQ(transmural_at(HeartPart::left_wall, 0.75, 0.05), 0.25);
  EXPECT_DOUBLE_EQ(transmural_at(HeartPart::septum, 0.1, 0.9), 0.9);
  EXPECT_DOUBLE_EQ(transmural_at(HeartPart::right_wall, 0.05, 0.75), 0.25);
  EXPECT_EQ(transmural_at(HeartPart::left_wall, 1.02, -0.01), 0) << "obtuse elements overshoot";
}

TEST(LongAxis, HasAnglesCounterclockwiseAsSeenFromTheBase) {
  const auto axis = LongAxis::through({1, 1, -70}, {1, 1, -30}, {31, 1, 5});
  ASSERT_TRUE(axis.has_value());
  EXPECT_NEAR(axis->angle({11, 1, 3}), 0, 1e-15);
  EXPECT_NEAR(axis->angle({1, 11, -3}), pi / 2, 1e-15);
  EXPECT_NEAR(axis->angle({1, -11, 0}), -pi / 2, 1e-15);
  EXPECT_NEAR(std::fabs(axis->angle({-8, 1, 0})), pi, 1e-15);
  EXPECT_FALSE(LongAxis::through({1, 1, 1}, {1, 1, 1}, {2, 2, 2}).has_value());
  EXPECT_FALSE(LongAxis::through({0, 0, 0}, {0, 0, 5}, {0, 0, 9}).has_value()) << "the direction of 0 is the axis";
}

TEST(LevelScale, IsTheLengthOfTheWayWhereTheSlopeChanges) {
  // A rod whose field has the slope 3 up to 0.75 and then 0.5, for which it is 6 times as thick there: its length is
  // 0.25 + 0.5.
  std::vector<LevelScale::Piece> pieces;
  constexpr int n = 37;
  for (int i = 0; i < n; ++i) {
    pieces.push_back({0.75 * i / n, 0.75 * (i + 1) / n, 3 * 0.25 / n});
    pieces.push_back({0.75 + 0.25 * i / n, 0.75 + 0.25 * (i + 1) / n, 0.5 * 6 * 0.5 / n});
  }
  const LevelScale scale(pieces);
  EXPECT_EQ(scale(0), 0);
  EXPECT_EQ(scale(1), 1);
  EXPECT_NEAR(scale(0.375), 1.0 / 6, 1e-9);
  EXPECT_NEAR(scale(0.75), 1.0 / 3, 1e-9);
  EXPECT_NEAR(scale(0.875), 2.0 / 3, 1e-9);
  EXPECT_EQ(scale(1.01), 1) << "obtuse elements overshoot";
  EXPECT_EQ(scale(-0.01), 0);
}

TEST(LevelScale, IsTheValueItselfWhereNothingHasASlope) {
  EXPECT_DOUBLE_EQ(LevelScale({})(0.3), 0.3);
  const std::vector<LevelScale::Piece> flat{{0, 0, 1}, {1, 1, 2}};
  EXPECT_DOUBLE_EQ(LevelScale(flat)(0.3), 0.3);
}

TEST(HeartRange, HasItsEndsAndGoesThroughTheCutWhereTheFirstAngleIsTheLarger) {
  const HeartPlace place{0.3, 0.5, 3, HeartPart::septum};  // 171.9 degrees
  const auto with = [](std::optional<HeartRange::Interval> turn) { return HeartRange{.rotational_deg = turn}; };
  EXPECT_TRUE(contains({}, place));
  EXPECT_TRUE(contains({.transmural = {{0, 0.3}}, .apicobasal = {{0.5, 1}}}, place));
  EXPECT_FALSE(contains({.transmural = {{0.301, 1}}}, place));
  EXPECT_FALSE(contains({.transmural = {{0, 0.299}}}, place));
  EXPECT_FALSE(contains({.apicobasal = {{0, 0.499}}}, place));
  EXPECT_TRUE(contains(with({{150, 180}}), place));
  EXPECT_TRUE(contains(with({{150, -150}}), place));
  EXPECT_FALSE(contains(with({{172, 171.8}}), place)) << "all but what lies between 171.8 and 172";
  EXPECT_FALSE(contains(with({{-150, 150}}), place));
}

TEST(HeartRange, OfTheLeftVentricleHasTheSeptum) {
  HeartPlace place;
  const auto is_in = [&](HeartPart wanted) { return contains({.part = wanted}, place); };
  place.part = HeartPart::septum;
  EXPECT_TRUE(is_in(HeartPart::left_wall));
  EXPECT_TRUE(is_in(HeartPart::septum));
  EXPECT_FALSE(is_in(HeartPart::right_wall));
  place.part = HeartPart::left_wall;
  EXPECT_FALSE(is_in(HeartPart::septum));
  place.part = HeartPart::right_wall;
  EXPECT_FALSE(is_in(HeartPart::left_wall));
  EXPECT_TRUE(is_in(HeartPart::right_wall));
}

}  // namespace
}  // namespace cardiowarp
