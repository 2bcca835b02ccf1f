// Paced single cells against reference values: computed from the published CellML files (LSODA with a relative
// tolerance of 1e-8, 1 Hz, pulses from the beginning of a beat) with stimuli charged to potassium where those files do
// so.
#include <gtest/gtest.h>

#include "fem/cells/ionic/models/courtemanche_1998.hpp"
#include "fem/cells/ionic/models/fenton_karma_1998.hpp"
#include "fem/cells/ionic/models/luo_rudy_1991.hpp"
#include "fem/cells/ionic/models/ohara_rudy_2011.hpp"
#include "fem/cells/ionic/models/stewart_2009.hpp"
#include "fem/cells/ionic/models/ten_tusscher_2006.hpp"
#include "fem/cells/ionic/models/torord_dyncl_2020.hpp"
#include "tests/support/ionic_beats.hpp"

namespace cardiowarp {
namespace {

using TP06 = TenTusscher2006;
constexpr ChargedPulse tp06_pulse{35.714, 2, TP06::gates + TP06::followers + TP06::K_i_pool,
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

/// A pulse that is charged to potassium, as in the files of ORd and ToR-ORd.
template <class Cell>
constexpr ChargedPulse charged_pulse(Real amplitude, Real duration_ms) {
  return {amplitude, duration_ms, Cell::gates + Cell::followers + Cell::K_i_pool,
          Cell::A_cap / (Cell::F * Cell::v_myo)};
}
constexpr ChargedPulse ord_pulse = charged_pulse<OharaRudy2011>(80, 0.5);
constexpr ChargedPulse torord_pulse = charged_pulse<TorordDyncl2020>(53, 1);

TEST(OharaRudy2011Beats, AreThoseOfTheReferenceInEndocardialCells) {
  expect_beats<OharaRudy2011>(
      "endocardial", ord_pulse,
      {{1, {-87.0, 50.566, 1.0157, 232.435, 301.413}}, {100, {-87.999, 40.214, 1.2791, 210.407, 270.613}}});
}

TEST(OharaRudy2011Beats, AreThoseOfTheReferenceInEpicardialCells) {
  expect_beats<OharaRudy2011>("epicardial", ord_pulse, {{10, {-87.992, 36.113, 1.2849, 202.374, 245.532}}});
}

// By tests/data/cells/ionic_reference.py from the CellML file, with its cell type 2.
TEST(OharaRudy2011Beats, AreThoseOfTheCellMLFileInMidmyocardialCells) {
  expect_beats<OharaRudy2011>(
      "midmyocardial", ord_pulse,
      {{1, {-87.0, 48.553, 1.0188, 344.375, 424.604}}, {10, {-87.836, 41.919, 1.2759, 307.716, 377.707}}});
}

// The CellML files begin with the shares of the closed states C1 and C3 of I_Kr exchanged, which their first beats show
// (peak 33.198 mV, APD90 270.568 ms) and the tenth no more.
TEST(TorordDyncl2020Beats, AreThoseOfTheReferenceInEndocardialCells) {
  expect_beats<TorordDyncl2020>("endocardial", torord_pulse, {{10, {-89.748, 33.249, 0.9915, 219.417, 272.229}}});
  expect_beats<TorordDyncl2020>("endocardial", torord_pulse, {{10, {-89.541, 32.313, 0.9946, 192.404, 243.608}}}, 500);
}

TEST(TorordDyncl2020Beats, AreThoseOfTheReferenceInEpicardialCells) {
  expect_beats<TorordDyncl2020>("epicardial", torord_pulse, {{10, {-90.746, 32.523, 1.0130, 195.273, 236.407}}});
}

TEST(TorordDyncl2020Beats, AreThoseOfTheReferenceInMidmyocardialCells) {
  expect_beats<TorordDyncl2020>("midmyocardial", torord_pulse, {{10, {-91.338, 30.867, 1.0328, 285.657, 349.899}}});
}

// By the same script from the CellML file. No pulse: the cell beats by itself, every 1224 ms, and is looked at in
// windows of 1000 ms.
TEST(Stewart2009Beats, AreThoseOfTheCellMLFile) {
  expect_beats<Stewart2009>(
      "purkinje", {0, 1},
      {{1, {-69.137, 29.289, 98.344, 225.471, 297.481}}, {2, {-71.275, 29.289, 321.946, 227.885, 301.501}}});
}

// By the same script from the equations of the paper.
TEST(FentonKarma1998Beats, AreThoseOfAPlainIntegrationInAllSets) {
  constexpr ChargedPulse pulse{30, 1};
  expect_beats<FentonKarma1998>("beeler_reuter", pulse, {{2, {-85, 34.091, 1.8360, 250.566, 267.184}}});
  expect_beats<FentonKarma1998>("modified_beeler_reuter", pulse, {{2, {-85, 17.204, 1.8035, 145.729, 166.779}}});
  expect_beats<FentonKarma1998>("modified_luo_rudy", pulse, {{2, {-85, 14.994, 1.2679, 192.736, 244.117}}});
  expect_beats<FentonKarma1998>("guinea_pig", pulse, {{2, {-85, 18.078, 1.0444, 158.372, 170.904}}});
}

}  // namespace
}  // namespace cardiowarp
