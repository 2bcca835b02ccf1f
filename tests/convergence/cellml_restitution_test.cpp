#include <gtest/gtest.h>

#include <vector>

#include "cellml/model.hpp"
#include "cellml/single_cell.hpp"
#include "fem/cells/beats/restitution.hpp"

namespace cardiowarp {
namespace {

constexpr CellPulse pulse{30, 1};

/// Noble's Purkinje fiber without the leak that makes it beat by itself that fast.
CellMlModel quiet_fiber() {
  return read_cellml(CARDIOWARP_SOURCES "/docs/guide/noble_1962.cellml", {.parameters = {{"g_leak", 0}}});
}

TEST(CellMlRestitution, AnEarlyPulseFollowsTheSameS1WhateverTheOthersAre) {
  const CellMlModel model = quiet_fiber();
  CellMlCell first(model), second(model);
  const auto points = s1s2_restitution(first, pulse, 5, 450, {450, 400, 350, 150});
  const auto again = s1s2_restitution(second, pulse, 5, 450, {150, 350});
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[2].apd90_ms, again[1].apd90_ms);
  EXPECT_EQ(points[2].diastolic_ms, again[1].diastolic_ms);
  for (std::size_t k = 0; k < 3; ++k) {
    SCOPED_TRACE(points[k].interval_ms);
    EXPECT_TRUE(points[k].captured);
    ASSERT_TRUE(points[k].apd90_ms && points[k].diastolic_ms);
    if (k > 0) {
      EXPECT_LT(*points[k].apd90_ms, *points[k - 1].apd90_ms);
    }
  }
  EXPECT_FALSE(points[3].captured);  // refractory
  EXPECT_FALSE(points[3].apd90_ms);

  // At the period itself it is one more beat of the same pacing.
  CellMlCell cell(model);
  BeatReport before, beat;
  for (int k = 0; k < 6; ++k) {
    before = beat;
    beat = cell.beat(450, pulse);
  }
  EXPECT_NEAR(*points[0].apd90_ms, *beat.apd90_ms, 1e-9);
  EXPECT_NEAR(*points[0].diastolic_ms, 450 + beat.upstroke_ms - before.upstroke_ms - *before.apd90_ms, 1e-9);
}

TEST(CellMlRestitution, TheDynamicProtocolGivesTheBeatsOfEachPeriod) {
  const CellMlModel model = quiet_fiber();
  CellMlCell paced(model), cell(model);
  const auto periods = dynamic_restitution(paced, pulse, 12, {450, 380});
  ASSERT_EQ(periods.size(), 2U);
  EXPECT_EQ(periods[0].period_ms, 450);
  EXPECT_EQ(periods[1].period_ms, 380);
  std::vector<BeatReport> beats;
  for (int k = 0; k < 12; ++k) beats.push_back(cell.beat(450, pulse));
  ASSERT_EQ(periods[0].beats.size(), 11U);
  EXPECT_EQ(periods[0].beats[9].apd90_ms, beats[10].apd90_ms);
  EXPECT_EQ(periods[0].beats[10].apd90_ms, beats[11].apd90_ms);
  EXPECT_LT(*periods[1].beats[11].apd90_ms, *periods[0].beats[10].apd90_ms);
}

}  // namespace
}  // namespace cardiowarp
