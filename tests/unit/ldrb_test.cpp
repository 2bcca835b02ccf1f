// Axes, their interpolation and the rule of fibers at one place, against numbers of others and against formulas.

#include "fem/anatomy/ldrb.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace cardiowarp {
namespace {

constexpr Real degrees = std::numbers::pi / 180;

void expect_near(Vector3 found, Vector3 expected, Real tolerance) {
  EXPECT_NEAR(found.x, expected.x, tolerance);
  EXPECT_NEAR(found.y, expected.y, tolerance);
  EXPECT_NEAR(found.z, expected.z, tolerance);
}

void expect_near(const Axes& found, const Axes& expected, Real tolerance) {
  expect_near(found.fiber, expected.fiber, tolerance);
  expect_near(found.sheet_normal, expected.sheet_normal, tolerance);
  expect_near(found.sheet, expected.sheet, tolerance);
}

/// How far three vectors are from being of length 1, at right angles and right-handed.
Real distance_from_axes(const Axes& axes) {
  return norm(cross(axes.fiber, axes.sheet_normal) - axes.sheet) + std::fabs(dot(axes.fiber, axes.sheet_normal)) +
         std::fabs(norm(axes.fiber) - 1) + std::fabs(norm(axes.sheet_normal) - 1);
}

// Matrices of the tests of another program (finsberg/ldrb, tests/test_ldrb.py), whose rows are given there.
const Axes one{{-.1145090439760228, .52470693935981916, .84354626822442202},
               {-.67883412599201054, .57863132132197759, -.45207302880601674},
               {-.72530814709084901, -.62439444405986955, .28993045716310317}};
const Axes other{{-.04821968810650662, -.51030589763757894, -.85864005992919767},
                 {-.68803994883005382, .64013348825587579, -.34180425103749279},
                 {.72406898186073976, .57429696851861345, -.38197788084846285}};
constexpr Real part_of_way = .42738328729654113;

TEST(Axes, LieBetweenTwoOthersAsAnotherProgramHasThem) {
  const Axes with_choice = bislerp(one, other, part_of_way);
  expect_near(with_choice.sheet_normal, {-.68529013, .60509228, -.4052663}, 1e-8);
  expect_near(Real(with_choice.fiber.x > 0 ? 1 : -1) * with_choice.fiber, {.04510129, -.52014838, -.85288424}, 1e-8);
  expect_near(Real(with_choice.sheet.x > 0 ? 1 : -1) * with_choice.sheet, {.72687228, .60275119, -.32916211}, 1e-8);
  expect_near(slerp(one, other, part_of_way),
              {{-.75745222, -.43247559, .48911247},
               {-.64011927, .6393735, .42596814 * -1},
               {-.12850473, -.63574082, -.76113083}},
              1e-8);
}

TEST(Axes, AreThoseOfTheEndsAtTheEndsOfTheWay) {
  expect_near(slerp(one, other, 0), one, 1e-12);
  expect_near(slerp(one, other, 1), other, 1e-12);
  const Axes near = oriented(one, 1e-3, 0);  // so near that the arc is taken for a line
  expect_near(slerp(one, near, 0.25), oriented(one, 0.25e-3, 0), 1e-11);
}

TEST(Axes, TurnWithConstantSpeedOnTheShorterArc) {
  const Axes start = *wall_axes({0, 0, 2}, {1, 0, 0.3}, 0);
  for (const Real angle : {-170.0, -91.0, -30.0, 45.0, 100.0, 179.0})
    expect_near(slerp(start, oriented(start, angle * degrees, 0), 0.3), oriented(start, 0.3 * angle * degrees, 0),
                1e-12);
}

TEST(Axes, OfAWallAreCircumferentialLongitudinalAndTransmural) {
  const Axes axes = *wall_axes({0, 0, 2}, {3, 0, 5}, 0);
  expect_near(axes, {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, 1e-15);
  EXPECT_FALSE(wall_axes({0, 0, 1e-8}, {1, 0, 0}, 1e-7));
  EXPECT_FALSE(wall_axes({0, 0, 1}, {0, 0, -3}, 0));
  EXPECT_FALSE(wall_axes({0, 0, 1}, {1e-7, 0, 1}, 0));
}

TEST(Axes, AreTurnedByBetaOutOfTheWallAndAsPrintedAboutTheFiber) {
  const Axes axes = *wall_axes({0, 0, 1}, {1, 0, 0}, 0);
  const Real a = 35 * degrees, b = 20 * degrees;
  const Axes turned = oriented(axes, a, b), printed = oriented_as_printed(axes, a, b);
  EXPECT_NEAR(dot(turned.fiber, {1, 0, 0}), -std::sin(b), 1e-15);
  expect_near(turned.sheet_normal, {0, -std::sin(a), std::cos(a)}, 1e-15);
  expect_near(printed.fiber, {0, std::cos(a), std::sin(a)}, 1e-15);
  EXPECT_LT(distance_from_axes(turned) + distance_from_axes(printed), 1e-14);
}

/// The fields in a wall between x = 0 and x = 1 with its base above, at a depth.
WallFields fields_of_free_wall(Real depth, bool is_right) {
  WallFields fields;
  const Real inside = 1 - depth;
  (is_right ? fields.right : fields.left) = inside;
  fields.epi = depth;
  fields.epi_gradient = {1, 0, 0};
  fields.to_base = {0, 0, 0.1};
  (is_right ? fields.right_gradient : fields.left_gradient) = {-1, 0, 0};
  return fields;
}

/// The angle of the fiber, in degrees, as seen from outside that wall; fibers have no sign.
Real angle_of(const Axes& axes) {
  const Real angle = std::atan2(axes.fiber.z, axes.fiber.y) / degrees;
  return angle > 90 ? angle - 180 : angle <= -90 ? angle + 180 : angle;
}

TEST(Ldrb, TurnsLinearlyFromTheEndocardiumToTheEpicardiumOfEitherFreeWall) {
  const LdrbAngles angles{{60 * degrees, -50 * degrees}, {85 * degrees, -25 * degrees}, {}, {}};
  for (const bool is_right : {false, true})
    for (const Real depth : {0.03, 0.25, 0.5, 0.77, 0.99}) {
      const Axes axes =
          *ldrb_axes(fields_of_free_wall(depth, is_right), angles, FiberRule::ldrb, HeartKind::two_ventricles, 1e-9);
      const WallAngles& wall = is_right ? angles.right : angles.left;
      EXPECT_NEAR(angle_of(axes), (wall.endocardium * (1 - depth) + wall.epicardium * depth) / degrees, 1e-9)
          << is_right << " " << depth;
      EXPECT_NEAR(std::fabs(axes.sheet.x), 1, 1e-12);
      EXPECT_LT(distance_from_axes(axes), 1e-12);
    }
}

TEST(Ldrb, AsPrintedTurnsWithTheSquareOfTheDepth) {
  const LdrbAngles angles{{60 * degrees, -50 * degrees}, {60 * degrees, -50 * degrees}, {}, {}};
  for (const Real depth : {0.1, 0.5, 0.8}) {
    const Axes axes =
        *ldrb_axes(fields_of_free_wall(depth, false), angles, FiberRule::bayer, HeartKind::two_ventricles, 1e-9);
    EXPECT_NEAR(angle_of(axes), 60 - 110 * depth * depth, 1e-9);
  }
}

TEST(Ldrb, OfOneVentricleIsLinearInTheFieldOfTheWall) {
  const LdrbAngles angles{{60 * degrees, -60 * degrees}, {}, {-20 * degrees, 30 * degrees}, {}};
  for (const Real depth : {0.0, 0.2, 0.6, 1.0}) {
    const Axes axes =
        *ldrb_axes(fields_of_free_wall(depth, false), angles, FiberRule::ldrb, HeartKind::left_ventricle, 1e-9);
    EXPECT_NEAR(angle_of(axes), 60 - 120 * depth, 1e-9);
    EXPECT_NEAR(std::asin(-axes.fiber.x) / degrees, -20 + 50 * depth, 1e-9);
  }
}

TEST(Ldrb, KeepsTheSignOfBetaInTheRightVentricle) {
  const LdrbAngles angles{{0, 0}, {0, 0}, {-20 * degrees, 0}, {-20 * degrees, 0}};
  const auto lean = [&](bool is_right) {
    const Axes axes =
        *ldrb_axes(fields_of_free_wall(1e-6, is_right), angles, FiberRule::ldrb, HeartKind::two_ventricles, 1e-9);
    return std::asin(-axes.fiber.x * (axes.fiber.y < 0 ? -1 : 1)) / degrees;
  };
  EXPECT_NEAR(lean(false), -20, 0.1);
  EXPECT_NEAR(lean(true), -20, 0.1);
}

TEST(Ldrb, TurnsFromOneEndocardiumToTheOtherAcrossTheSeptum) {
  const LdrbAngles angles{{60 * degrees, -60 * degrees}, {60 * degrees, -60 * degrees}, {}, {}};
  for (const Real to_right : {0.05, 0.3, 0.7, 0.95}) {
    WallFields fields;
    fields.left = 1 - to_right;
    fields.right = to_right;
    fields.left_gradient = {-1, 0, 0};
    fields.right_gradient = {1, 0, 0};
    fields.epi_gradient = {0, 0.001, 0};
    fields.to_base = {0, 0, 0.1};
    const Axes axes = *ldrb_axes(fields, angles, FiberRule::ldrb, HeartKind::two_ventricles, 1e-9);
    EXPECT_NEAR(angle_of(axes), 60 * (1 - 2 * to_right), 1e-9);
  }
}

TEST(Ldrb, ChangesLittleWhereItsFieldsChangeLittleInAFreeWall) {
  const LdrbAngles angles{{60 * degrees, -60 * degrees}, {60 * degrees, -60 * degrees}, {}, {}};
  std::mt19937 generator(5);
  std::normal_distribution<Real> noise(0, 0.05);
  const auto disturbed = [&](Vector3 v) {
    return v + norm(v) * Vector3{noise(generator), noise(generator), noise(generator)};
  };
  for (int k = 0; k < 500; ++k) {
    const Real depth = (k % 100 + 0.5) / 100;
    WallFields fields = fields_of_free_wall(depth, k % 2 == 1);
    const Axes before = *ldrb_axes(fields, angles, FiberRule::ldrb, HeartKind::two_ventricles, 1e-9);
    fields.left += 0.01, fields.right += 0.01;
    fields.left_gradient = disturbed(fields.left_gradient + Vector3{0, 0.01, 0.02});
    fields.right_gradient = disturbed(fields.right_gradient + Vector3{0, -0.02, 0.01});
    fields.epi_gradient = disturbed(fields.epi_gradient);
    fields.to_base = disturbed(fields.to_base);
    const Axes after = *ldrb_axes(fields, angles, FiberRule::ldrb, HeartKind::two_ventricles, 1e-9);
    EXPECT_GT(std::fabs(dot(before.fiber, after.fiber)), std::cos(25 * degrees)) << k;
  }
}

TEST(Ldrb, HasNoAxesWhereNoFieldHasASlope) {
  WallFields fields = fields_of_free_wall(0.5, false);
  fields.epi_gradient = fields.left_gradient = {};
  EXPECT_FALSE(ldrb_axes(fields, {}, FiberRule::ldrb, HeartKind::two_ventricles, 1e-9));
  EXPECT_FALSE(ldrb_axes(fields, {}, FiberRule::ldrb, HeartKind::left_ventricle, 1e-9));
  fields = fields_of_free_wall(0.5, false);
  fields.to_base = {1e-10, 0, 0};
  EXPECT_FALSE(ldrb_axes(fields, {}, FiberRule::ldrb, HeartKind::two_ventricles, 1e-9));
}

}  // namespace
}  // namespace cardiowarp
