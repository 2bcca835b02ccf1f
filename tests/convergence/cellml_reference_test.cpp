#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "cellml/model.hpp"
#include "cellml/single_cell.hpp"
#include "tests/support/cellml_collection.hpp"

namespace cardiowarp {
namespace {

const test::CellMlCollection& collection() {
  static const test::CellMlCollection unpacked(CARDIOWARP_SHARED_DATA "/cellml.tar.xz");
  return unpacked;
}

/// A beat of the same file integrated by LSODA with a relative tolerance of 1e-8, at 1 Hz.
struct Reference {
  int beat;
  double rest_mv, peak_mv, apd50_ms, apd90_ms;
};

struct Case {
  const char* name;
  std::string file;
  double stimulus, duration_ms;  ///< in the unit of the file
  std::vector<Reference> beats;
  CellMlOptions options = {};
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"TenTusscherEpi",
       "ten_tusscher_model_2006_epi",
       -35.714,
       2,
       {{1, -85.230, 54.453, 251.726, 288.580},
        {2, -85.482, 55.871, 269.429, 306.021},
        {10, -85.511, 55.770, 268.053, 304.189},
        {100, -85.474, 55.171, 265.512, 301.148}}},
      {"TenTusscherEndo",
       "ten_tusscher_model_2006_endo",
       -35.714,
       2,
       {{1, -86.709, 57.129, 239.575, 277.481}, {10, -85.993, 59.001, 255.899, 293.693}}},
      {"TenTusscherM",
       "ten_tusscher_model_2006_M",
       -35.714,
       2,
       {{1, -85.423, 52.086, 309.707, 350.751}, {10, -85.851, 54.577, 348.663, 389.997}}},
      {"ToRordEpi", "ToRORd_dynCl_epi", -53, 1, {{10, -90.746, 32.523, 195.273, 236.407}}},
      {"OHaraEndo",
       "ohara_rudy_2011_endo",
       -80,
       0.5,
       {{1, -87.0, 50.566, 232.435, 301.413}, {100, -87.999, 40.214, 210.407, 270.613}}},
      {"OHaraEpi",
       "ohara_rudy_2011_endo",
       -80,
       0.5,
       {{10, -87.992, 36.113, 202.374, 245.532}},
       {.parameters = {{"celltype", 1}}}},
      {"Courtemanche",
       "courtemanche_ramirez_nattel_1998",
       -2000,
       2,
       {{1, -81.180, 24.492, 185.128, 306.881}, {10, -80.869, 24.334, 178.741, 298.042}}},
      {"LuoRudy",
       "luo_rudy_1991",
       -25.5,
       2,
       {{1, -83.853, 47.093, 234.090, 327.894}, {10, -84.439, 46.977, 263.155, 360.731}}},
      {"Fox",
       "fox_mcharg_gilmour_2002",
       -80,
       1,
       {{1, -94.700, 49.270, 130.073, 180.231}, {10, -94.347, 49.439, 145.534, 196.781}}},
  };
  return all;
}

class CellMlReference : public testing::TestWithParam<Case> {};

TEST_P(CellMlReference, BeatsOfASingleCellAreThoseOfAnotherIntegrator) {
  const Case& tried = GetParam();
  const std::filesystem::path file = collection().file(tried.file);
  if (file.empty()) GTEST_SKIP() << "no collection of CellML files in " << CARDIOWARP_SHARED_DATA;
  const CellMlModel model = read_cellml(file, tried.options);
  ASSERT_TRUE(model.stimulus);
  CellMlCell cell(model);
  const CellPulse pulse{tried.stimulus * model.stimulus->mv_per_ms, tried.duration_ms};
  std::size_t next = 0;
  for (int beat = 1; next < tried.beats.size(); ++beat) {
    const BeatReport found = cell.beat(1000, pulse);
    const Reference& expected = tried.beats[next];
    if (beat != expected.beat) continue;
    SCOPED_TRACE("beat " + std::to_string(beat));
    EXPECT_NEAR(found.rest_mv, expected.rest_mv, 0.002);
    EXPECT_NEAR(found.peak_mv, expected.peak_mv, 0.003);
    EXPECT_NEAR(found.apd50_ms.value_or(0), expected.apd50_ms, 0.01);
    EXPECT_NEAR(found.apd90_ms.value_or(0), expected.apd90_ms, 0.01);
    ++next;
  }
}

INSTANTIATE_TEST_SUITE_P(OfModels, CellMlReference, testing::ValuesIn(cases()),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(CellMlCollectionBeats, EachFileOfTheCollectionBeats) {
  if (collection().files().empty()) GTEST_SKIP() << "no collection of CellML files in " << CARDIOWARP_SHARED_DATA;
  for (const auto& file : collection().files()) {
    SCOPED_TRACE(file.filename());
    const CellMlModel model = read_cellml(file);
    CellMlCell cell(model);
    CellPulse pulse;
    if (model.stimulus)
      pulse = {model.stimulus->amplitude.value_or(0) * model.stimulus->mv_per_ms,
               model.stimulus->duration_ms.value_or(0)};
    const BeatReport beat = cell.beat(1000, pulse);
    EXPECT_GT(beat.peak_mv, file.stem() == "bueno_2007_epi" ? 1 : 20);  // whose potential is dimensionless
    EXPECT_LT(beat.peak_mv, 60);
    EXPECT_LT(cell.steps(), 1000U);
  }
}

}  // namespace
}  // namespace cardiowarp
