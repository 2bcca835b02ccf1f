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
  const auto stage = cellml_lane_stage(model, std::vector<std::vector<double>>{model.parameter_values()});
  ASSERT_NO_FATAL_FAILURE(test::set_lanes_with_a_nearly_empty_store(*stage, model));
  for (const double h : {0.00292893, 0.00375374}) {
    stage->run(h);
    test::expect_backward_euler(model, *stage, h);
  }
}

}  // namespace
}  // namespace cardiowarp
