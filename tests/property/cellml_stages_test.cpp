// Stages of all models of the collection of CellML files.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cellml/tissue/cellml_lanes.hpp"
#include "tests/support/cellml_collection.hpp"
#include "tests/support/cellml_stages.hpp"

namespace cardiowarp {
namespace {

TEST(CellMlStages, OfAllModelsSolveTheEquationsOfBackwardEuler) {
  static const test::CellMlCollection collection(CARDIOWARP_SHARED_DATA "/cellml.tar.xz");
  if (collection.files().empty()) GTEST_SKIP() << "no collection of CellML files in " << CARDIOWARP_SHARED_DATA;
  for (const std::filesystem::path& file : collection.files()) {
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

}  // namespace
}  // namespace cardiowarp
