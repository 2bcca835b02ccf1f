// Paced single cells against reference values: computed from the published CellML files (LSODA with a relative
// tolerance of 1e-8, 1 Hz, pulses from the beginning of a beat) with stimuli charged to potassium where those files do
// so.
#include <gtest/gtest.h>

#include "fem/cells/ionic/models/courtemanche_1998.hpp"
#include "fem/cells/ionic/models/luo_rudy_1991.hpp"
#include "fem/cells/ionic/models/ten_tusscher_2006.hpp"
#include "tests/support/ionic_beats.hpp"

namespace cardiowarp {
namespace {

using TP06 = TenTusscher2006;
constexpr CellPulse tp06_pulse{35.714, 2, TP06::gates + TP06::followers + TP06::K_i_pool,
                               TP06::C_m / (TP06::V_c * TP06::F)};

TEST(TenTusscher2006Beats, AreThoseOfTheReferenceInEpicardialCells) {
  expect_beats<TP06>("epicardial", tp06_pulse,
                     {{1, {-85.230, 54.453, 1.2203, 251.726, 288.580}},
                      {2, {-85.482, 55.871, 1.2152, 269.429, 306.021}},
                      {10, {-85.511, 55.770, 1.2164, 268.053, 304.189}},
                      {100, {-85.474, 55.171, 1.2191, 265.512, 301.148}}});
}

TEST(TenTusscher2006Beats, AreThoseOfTheReferenceInEndocardialCells) {
  expect_beats<TP06>(
      "endocardial", tp06_pulse,
      {{1, {-86.709, 57.129, 1.2643, 239.575, 277.481}}, {10, {-85.993, 59.001, 1.2335, 255.899, 293.693}}});
}

TEST(TenTusscher2006Beats, AreThoseOfTheReferenceInMidmyocardialCells) {
  expect_beats<TP06>(
      "midmyocardial", tp06_pulse,
      {{1, {-85.423, 52.086, 1.2396, 309.707, 350.751}}, {10, {-85.851, 54.577, 1.2294, 348.663, 389.997}}});
}

TEST(LuoRudy1991Beats, AreThoseOfTheReference) {
  expect_beats<LuoRudy1991>(
      "ventricular", {25.5, 2},
      {{1, {-83.853, 47.093, 1.6525, 234.090, 327.894}}, {10, {-84.439, 46.977, 1.6658, 263.155, 360.731}}});
}

TEST(Courtemanche1998Beats, AreThoseOfTheReference) {
  expect_beats<Courtemanche1998>(
      "atrial", {20, 2},  // 2000 pA
      {{1, {-81.180, 24.492, 2.0149, 185.128, 306.881}}, {10, {-80.869, 24.334, 1.9997, 178.741, 298.042}}});
}

}  // namespace
}  // namespace cardiowarp
