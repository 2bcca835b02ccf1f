// Ionic cells whose equations are evaluated in single precision.

#include "fem/cells/cell_precision.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "app/cells/sdirk2_cell.hpp"
#include "app/simulation/cell_precision.hpp"
#include "fem/cells/models.hpp"
#include "fem/input_error.hpp"
#include "tests/support/configuration.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::minimal;

IonicCell cell_of(std::string_view name, CellPrecision precision) {
  return in_precision(ionic_cell(**std::ranges::find(ionic_models(), name, &IonicModel::name)), precision);
}

TEST(ModelsInAPrecision, HaveOneNameAndOneTableInAllThree) {
  for (const IonicModel* model : ionic_models())
    for (const auto& [name, precision] : cell_precisions) {
      const IonicModel& other = in_precision(*model, precision);
      EXPECT_EQ(precision_of(other), precision) << name;
      EXPECT_EQ(other.name(), model->name());
      EXPECT_EQ(other.states().size(), model->states().size());
      EXPECT_EQ(&in_precision(other, CellPrecision::automatic), model);
    }
}

TEST(StagesInSinglePrecision, DifferFromThoseInDoubleByRoundingAlone) {
  for (const IonicModel* model : ionic_models())
    for (std::size_t set = 0; set < model->sets().size(); ++set) {
      const IonicCell in_double = in_precision(ionic_cell(*model, set), CellPrecision::double_precision),
                      in_single = in_precision(in_double, CellPrecision::single);
      const std::vector<Real>& old = in_double.start().states;
      std::vector<Real> states(old.size()), rounded(old.size());
      for (const Real V : {-91.7, -67.3, -41.9, -38.1, -12.3, 14.99, 15.01, 41.3}) {
        SCOPED_TRACE(std::string(model->name()) + ", " + in_double.start().name + " at " + std::to_string(V));
        const IonicCurrent expected = model->stage(in_double, V, old.data(), 0.037, states.data()),
                           found = in_single.model->stage(in_single, V, old.data(), 0.037, rounded.data());
        EXPECT_NEAR(found.current, expected.current, 2e-5 * (1 + std::abs(expected.current)));
        EXPECT_NEAR(found.slope, expected.slope, 1e-4 * (1 + std::abs(expected.slope)));
        EXPECT_NE(found.current, expected.current);
        for (std::size_t k = 0; k < states.size(); ++k)
          EXPECT_NEAR(rounded[k], states[k], 2e-6 * (std::abs(states[k]) + std::abs(states[k] - old[k])) + 1e-12) << k;
      }
    }
}

TEST(BeatsInSinglePrecision, AreThoseInDoubleAfterSixty) {
  for (const std::string_view name : {"luo_rudy_1991", "ten_tusscher_2006", "torord_dyncl_2020"}) {
    SCOPED_TRACE(name);
    Sdirk2Cell in_double(cell_of(name, CellPrecision::double_precision), 1e-4),
        in_single(cell_of(name, CellPrecision::single), 1e-4);
    BeatReport expected, found;
    for (int beat = 0; beat < 60; ++beat) {
      expected = in_double.beat(430, {50, 1});
      found = in_single.beat(430, {50, 1});
    }
    EXPECT_NEAR(found.rest_mv, expected.rest_mv, 1e-3);
    EXPECT_NEAR(found.peak_mv, expected.peak_mv, 5e-3);
    EXPECT_NEAR(found.apd90_ms.value(), expected.apd90_ms.value(), 5e-3);
    const std::vector<Real> states = in_double.state().states, rounded = in_single.state().states;
    for (std::size_t k = 0; k < states.size(); ++k)
      EXPECT_NEAR(rounded[k], states[k], 2e-4 * std::abs(states[k]) + 1e-7) << k;
  }
}

class CellPrecisionKey : public Configuration {
 protected:
  static std::string with(const std::string& cell_model, const std::string& time = "time: {end: 10, step: 0.1}\n") {
    return "mesh: {file: heart.msh}\ncell_model: {name: ten_tusscher_2006" + cell_model + "}\n" + time;
  }
  std::string refusal(const std::string& yaml) {
    try {
      settled_cell_precision(load(yaml));
    } catch (const InputError& refused) {
      return refused.what();
    }
    return {};
  }
};

TEST_F(CellPrecisionKey, IsReadAndWrittenBack) {
  const Config config = load(with(", precision: single, set: endocardial"));
  EXPECT_EQ(precision_of(*std::get<IonicCell>(*config.cell_model.cell).model), CellPrecision::single);
  EXPECT_NE(resolved_yaml(config).find("precision: single\n"), std::string::npos);
  EXPECT_EQ(resolved_yaml(load_config(write(resolved_yaml(config), "resolved.yaml"))), resolved_yaml(config));
  EXPECT_EQ(precision_of(*std::get<IonicCell>(*load(with("")).cell_model.cell).model), CellPrecision::automatic);
}

TEST_F(CellPrecisionKey, OfAutoIsDoubleWhereARunAsksForMoreDigitsThanAFloatHas) {
  const std::string steps = "time: {end: 3, step: 0.1, adaptive: {enabled: true, tolerance: ";
  EXPECT_EQ(settled_cell_precision(load(with("", steps + "1e-2}}\n"))), CellPrecision::automatic);
  EXPECT_EQ(settled_cell_precision(load(with("", steps + "1e-6}}\n"))), CellPrecision::double_precision);
  EXPECT_EQ(settled_cell_precision(load(with("", steps + "1e-2}}\nnewton: {tolerance: 1e-7}\n"))),
            CellPrecision::double_precision);
  EXPECT_EQ(settled_cell_precision(load(with(", precision: double", steps + "1e-2}}\n"))),
            CellPrecision::double_precision);
  const std::vector<IonicCell> cells{cell_of("luo_rudy_1991", CellPrecision::automatic)};
  EXPECT_EQ(cell_precision_in_use(cells, true), "single");
  EXPECT_EQ(cell_precision_in_use(cells, false), "double");
  EXPECT_EQ(cell_precision_in_use(std::vector<AlievPanfilov>(1), true), "");
  EXPECT_TRUE(is_single(CellPrecision::automatic, true));
  EXPECT_FALSE(is_single(CellPrecision::automatic, false));
  EXPECT_TRUE(is_single(CellPrecision::single, false));
}

TEST_F(CellPrecisionKey, IsRefusedOfOtherCellsAndBesideATightTolerance) {
  EXPECT_NE(error(minimal + "cell_model: {name: aliev_panfilov, precision: single}\n")
                .find("cell_model.precision: expected one of the keys name, parameters, got 'precision'"),
            std::string::npos);
  EXPECT_NE(error(with(", precision: half")).find("cell_model.precision: expected"), std::string::npos);
  const std::string refused =
      refusal(with(", precision: single", "time: {end: 3, step: 0.1}\nnewton: {tolerance: 3e-8}\n"));
  EXPECT_NE(refused.find("newton.tolerance: expected at least 1e-06 with cell_model.precision: single"),
            std::string::npos)
      << refused;
  EXPECT_NE(refused.find("got 3e-08"), std::string::npos) << refused;
}

}  // namespace
}  // namespace cardiowarp
