// Restitution of single ionic cells: peak and APD90 after ten beats of four periods, of every ionic model and nearly
// every set, against numbers that a script computed from other texts of the equations
// (tests/data/cells/cell_restitution.py).

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "app/cells/sdirk2_cell.hpp"
#include "app/cells/small_models.hpp"
#include "fem/cells/models.hpp"

namespace cardiowarp {
namespace {

/// A line of cell_restitution.txt; APD90 is −1 where the next pulse came first.
struct PacedCell {
  std::string model, set;
  double period_ms = 0, peak_mv = 0, apd90_before_ms = 0, apd90_ms = 0;

  friend std::ostream& operator<<(std::ostream& out, const PacedCell& cell) {
    return out << cell.model << " " << cell.set << " " << cell.period_ms << " ms";
  }
};

std::vector<PacedCell> paced_cells() {
  std::ifstream file(CARDIOWARP_CELLS "/cell_restitution.txt");
  std::vector<PacedCell> cells;
  std::string line, words[6];
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    std::istringstream in(line);
    for (std::string& word : words) std::getline(in, word, ',');
    cells.push_back(
        {words[0], words[1], std::stod(words[2]), std::stod(words[3]), std::stod(words[4]), std::stod(words[5])});
  }
  return cells;
}

class CellRestitution : public testing::TestWithParam<PacedCell> {};

TEST_P(CellRestitution, IsThatOfAnotherTextOfTheEquations) {
  const PacedCell& expected = GetParam();
  const AnyCell model = cell_model_named(expected.model);
  Sdirk2Cell cell(ionic_view(expected.set.empty() ? model : with_parameter_set(model, expected.set)));
  BeatReport before, last;
  for (int beat = 0; beat < 10; ++beat) {
    before = last;
    last = cell.beat(expected.period_ms, {40, 1});
  }
  std::printf("RESULT cell_restitution model=%s set=%s period_ms=%g peak_mv=%.3f apd90_before_ms=%.3f apd90_ms=%.3f\n",
              expected.model.c_str(), expected.set.c_str(), expected.period_ms, last.peak_mv,
              before.apd90_ms.value_or(-1), last.apd90_ms.value_or(-1));
  EXPECT_NEAR(last.peak_mv, expected.peak_mv, 0.05);
  EXPECT_NEAR(before.apd90_ms.value_or(-1), expected.apd90_before_ms, 0.1);
  EXPECT_NEAR(last.apd90_ms.value_or(-1), expected.apd90_ms, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Kept, CellRestitution, testing::ValuesIn(paced_cells()),
                         [](const testing::TestParamInfo<PacedCell>& of) {
                           return of.param.model + "_" + of.param.set + "_" +
                                  std::to_string(static_cast<int>(of.param.period_ms));
                         });

TEST(CellRestitutionTable, HasEachIonicModelAtFourPeriods) {
  const std::vector<PacedCell> cells = paced_cells();
  for (const IonicModel* model : ionic_models())
    EXPECT_GE(std::ranges::count(cells, model->name(), &PacedCell::model), 4) << model->name();
}

}  // namespace
}  // namespace cardiowarp
