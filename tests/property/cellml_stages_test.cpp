// Stages of all models of the collection of CellML files.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "cellml/tissue/cellml_lanes.hpp"
#include "tests/support/cellml_collection.hpp"
#include "tests/support/cellml_stages.hpp"

namespace cardiowarp {
namespace {

const test::CellMlCollection& collection() {
  static const test::CellMlCollection unpacked(CARDIOWARP_SHARED_DATA "/cellml.tar.xz");
  return unpacked;
}

TEST(CellMlStages, OfAllModelsSolveTheEquationsOfBackwardEuler) {
  if (collection().files().empty()) GTEST_SKIP() << "no collection of CellML files in " << CARDIOWARP_SHARED_DATA;
  for (const std::filesystem::path& file : collection().files()) {
    SCOPED_TRACE(file.stem().string());
    const CellMlModel model = read_cellml(file);
    const auto stage = cellml_lane_stage(model, std::vector<std::vector<double>>{model.parameter_values()});
    for (const double h : {0.002, 0.05}) {
      test::set_lanes(*stage, model, -91.3, 3.9);
      stage->run(h);
      ASSERT_NO_FATAL_FAILURE(test::expect_backward_euler(model, *stage, h));
    }
  }
}

TEST(CellMlStages, EndWhereAStoreIsNearlyEmptyAndTheRateOfReleaseHasAKink) {
  const std::filesystem::path file = collection().file("ToRORd_dynCl_endo");
  if (file.empty()) GTEST_SKIP() << "no collection of CellML files in " << CARDIOWARP_SHARED_DATA;
  const CellMlModel model = read_cellml(file, {.parameters = {{"celltype", 2}}});  // midmyocardial
  // In an upstroke, with 2e-5 mM of calcium in the junctional reticulum.
  constexpr double old[] = {
      0.999417,  4.97148e-11, 0.000309612, 1.00265e-11, 0.00377346,  0.999988,    0.573831, 0.344805,  0.488278,
      0.320591,  0.835901,    0.33868,     0.593155,    0.924064,    0.836135,    0.667596, 0.948888,  0.622899,
      0.993801,  0.928961,    0.850756,    0.827495,    0.226338,    0.0163589,   0.127992, 0.318458,  0.48499,
      0.0378746, 0.0306851,   1.79974,     0.986861,    0.173608,    0.20386,     0.296265, 0.0132195, 0.0588379,
      13.4076,   13.4439,     152.362,     152.36,      1.95497e-05, 0.000444164, 34.3178,  34.3392};
  ASSERT_EQ(std::size(old), model.states.size());
  const auto stage = cellml_lane_stage(model, std::vector<std::vector<double>>{model.parameter_values()});
  test::set_lanes(*stage, model, 16.6, 0.005);
  for (std::size_t k = 0; k < std::size(old); ++k)
    std::fill_n(stage->old.begin() + static_cast<std::ptrdiff_t>(k * LaneStage::lanes), LaneStage::lanes, old[k]);
  for (const double h : {0.00292893, 0.00375374}) {
    stage->run(h);
    test::expect_backward_euler(model, *stage, h);
  }
}

}  // namespace
}  // namespace cardiowarp
