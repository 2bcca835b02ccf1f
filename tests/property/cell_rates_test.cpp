// Every parameter set of every cell model against rates that a script computed from the papers' tables
// (tests/data/cells/reference.py), and the bounds and switches of the models over all potentials.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "fem/cells/reaction_element.hpp"
#include "tests/support/all_cell_models.hpp"

namespace cardiowarp {
namespace {

/// A line of rates.txt.
struct KeptRates {
  std::string model, set;
  Real phi;
  std::vector<Real> f_and_g;
};

std::vector<KeptRates> kept_rates(const std::string& model, const std::string& set) {
  std::ifstream file(CARDIOWARP_CELLS "/rates.txt");
  std::vector<KeptRates> kept;
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    std::istringstream words(line);
    KeptRates row;
    std::string word;
    std::getline(words, row.model, ',');
    std::getline(words, row.set, ',');
    std::getline(words, word, ',');
    row.phi = std::stod(word);
    while (std::getline(words, word, ','))
      if (!word.empty()) row.f_and_g.push_back(std::stod(word));
    if (row.model == model && row.set == set) kept.push_back(row);
  }
  return kept;
}

template <CellModel Cell>
std::vector<ParameterSet<Cell>> named_sets() {
  if constexpr (HasParameterSets<Cell>) {
    const auto sets = Cell::parameter_sets();
    return {sets.begin(), sets.end()};
  } else {
    return {{"", Cell{}}};
  }
}

constexpr Real states_of_script[3]{0.7, 0.6, 0.3};

/// f and then g.
template <CellModel Cell>
std::vector<Real> rates_at(const Cell& cell, Real phi) {
  const CellRates<Cell::states> rates = cell.rates(phi, states_of_script);
  std::vector<Real> values{rates.f};
  values.insert(values.end(), std::begin(rates.g), std::end(rates.g));
  return values;
}

template <class Cell>
class RatesOfEveryCellModel : public testing::Test {};
TYPED_TEST_SUITE(RatesOfEveryCellModel, test::AllCellModels, test::NameOfCellModel);

TYPED_TEST(RatesOfEveryCellModel, AreThoseOfAScriptForEachParameterSet) {
  using Cell = TypeParam;
  for (const auto& [name, cell] : named_sets<Cell>()) {
    SCOPED_TRACE(name);
    const std::vector<KeptRates> kept = kept_rates(Cell::name, std::string(name));
    ASSERT_EQ(kept.size(), 10u);
    for (const KeptRates& row : kept) {
      SCOPED_TRACE(row.phi);
      const std::vector<Real> found = rates_at(cell, row.phi);
      ASSERT_EQ(found.size(), row.f_and_g.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], row.f_and_g[i], 1e-11 * (1 + std::fabs(row.f_and_g[i]))) << "rate " << i;
    }
  }
}

/// Thresholds but for θ_v, which is in J_fi, show between the potentials of the script.
TYPED_TEST(RatesOfEveryCellModel, WouldDifferFromThoseOfTheScriptWithAnotherParameter) {
  using Cell = TypeParam;
  for (const auto& [name, cell] : named_sets<Cell>())
    for (const auto& parameter : Cell::parameter_table()) {
      if (parameter.name == "switch_width") continue;
      const bool is_threshold = parameter.name.starts_with("theta_") || parameter.name == "v_gate";
      Cell other = cell;
      other.*parameter.value *= is_threshold ? 2.8 : 1.001;
      Real difference = 0;
      for (const KeptRates& row : kept_rates(Cell::name, std::string(name))) {
        const std::vector<Real> found = rates_at(other, row.phi);
        for (std::size_t i = 0; i < found.size(); ++i)
          difference = std::max(difference, std::fabs(found[i] - row.f_and_g[i]));
      }
      EXPECT_GT(difference, 1e-9) << name << " " << parameter.name;
    }
}

TYPED_TEST(RatesOfEveryCellModel, RiseWithThePotentialOfRestedCellsAsSteeplyAsTheSteepestAndNoMore) {
  using Cell = TypeParam;
  for (const auto& [name, cell] : named_sets<Cell>()) {
    Real rest[Cell::states], steepest = 0, at = 0;
    for (int i = 0; i < Cell::states; ++i) rest[i] = Cell::state_table()[i].rest;
    for (Real phi = -0.1; phi < 1.7; phi += 3.1e-6)
      if (const Real slope = cell.rates(phi, rest).df_dphi; slope > steepest) {
        steepest = slope;
        at = phi;
      }
    EXPECT_LE(steepest, cell.steepest_reaction()) << name << " at " << at;
    EXPECT_GT(steepest, 0.98 * cell.steepest_reaction()) << name << " at " << at;
  }
}

/// The current of u falls by θ_o (1 / τ_o2 − 1 / τ_o1) over a ramp of switch_width at θ_o. As long as a stage of h
/// changes u there by less than that width, Newton's method cannot go to and fro between the two sides.
TEST(SwitchesOfBuenoOrovio, LetNewtonsMethodEndInStagesThatCrossTheEndOfTheOutwardCurrent) {
  for (const auto& [name, cell] : BuenoOrovio::parameter_sets()) {
    const Real jump = cell.theta_o * (1 / cell.tau_o2 - 1 / cell.tau_o1), longest = cell.switch_width / jump;
    EXPECT_GT(longest, 0.99) << name;
    for (const Real step : {0.1 * longest, 0.5 * longest, 0.98 * longest})
      for (Real before = 0.5 * cell.theta_o; before < 2 * cell.theta_o; before += 7.3e-6)
        for (const Real guess : {before - 1e-3, before, before + 1e-3}) {
          const Real states[3]{0.3, 0.6, 0.02};
          Real phi = guess, update = 1;
          for (int iteration = 0; iteration < 8 && std::fabs(update) > 1e-12; ++iteration) {
            const PointReaction<3> point = point_reaction(cell, phi, states, step);
            update = (before / step - point.residual) / point.tangent;
            phi += update;
          }
          ASSERT_LE(std::fabs(update), 1e-12) << name << ", " << step << " ms from " << before;
        }
  }
}

}  // namespace
}  // namespace cardiowarp
