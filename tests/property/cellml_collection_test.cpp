#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "cellml/model.hpp"
#include "tests/support/cellml_collection.hpp"

namespace cardiowarp {
namespace {

const test::CellMlCollection& collection() {
  static const test::CellMlCollection unpacked(CARDIOWARP_SHARED_DATA "/cellml.tar.xz");
  return unpacked;
}

/// Counts of gates, followers, members of chains and pools.
using Counts = std::vector<int>;

Counts counts_of(const CellMlModel& model) {
  Counts counts(4, 0);
  for (const CellMlState& state : model.states) ++counts[static_cast<std::size_t>(state.kind)];
  return counts;
}

class CellMlCollectionTest : public testing::Test {
 protected:
  void SetUp() override {
    if (collection().files().empty()) GTEST_SKIP() << "no collection of CellML files in " << CARDIOWARP_SHARED_DATA;
  }
};

TEST_F(CellMlCollectionTest, AllFilesAreReadAndTheirStatesSortedIntoKinds) {
  // Counted by hand from the equations for the models up to Courtemanche, Beeler and Reuter, and the Markov chain of
  // ToRORd's I_Kr; the others hold what was found.
  const std::map<std::string, Counts> expected = {
      {"ToRORd_dynCl_endo", {24, 5, 5, 10}},
      {"ToRORd_dynCl_epi", {24, 5, 5, 10}},
      {"beeler_reuter_model_1977", {6, 0, 0, 1}},
      {"bueno_2007_epi", {3, 0, 0, 0}},
      {"courtemanche_ramirez_nattel_1998", {12, 2, 0, 6}},
      {"hodgkin_huxley_squid_axon_model_1952_modified", {3, 0, 0, 0}},
      {"luo_rudy_1991", {6, 0, 0, 1}},
      {"ohara_rudy_2011_endo", {28, 5, 0, 7}},
      {"ten_tusscher_model_2006_epi", {11, 2, 0, 5}},
  };
  EXPECT_EQ(collection().files().size(), 20U);
  for (const auto& file : collection().files()) {
    SCOPED_TRACE(file.filename());
    const CellMlModel model = read_cellml(file);
    EXPECT_NE(model.potential.find('.'), std::string::npos);
    EXPECT_FALSE(model.depends_on_time);
    EXPECT_EQ(model.stimulus.has_value(), file.stem() != "stewart_zhang_model_2008_ss");
    if (const auto counts = expected.find(file.stem()); counts != expected.end()) {
      EXPECT_EQ(counts_of(model), counts->second);
    }
  }
}

/// A random point near the initial one: all numbers changed by up to a tenth, the potential by up to 40 mV.
struct Point {
  double potential_mv;
  std::vector<double> states;
};

Point random_point(const CellMlModel& model, std::mt19937& random) {
  std::uniform_real_distribution<double> change(-1, 1);
  Point point{model.initial_potential_mv + 40 * change(random), model.initial_states()};
  for (double& state : point.states) state += (0.1 * std::abs(state) + 1e-4) * change(random);
  return point;
}

std::vector<double> values_at(const TermGraph& graph, const Point& point, const std::vector<double>& parameters) {
  return evaluate(graph, {.potential_mv = point.potential_mv, .states = point.states, .parameters = parameters});
}

bool is_condition(Operation operation) {
  return operation == Operation::floor || operation == Operation::ceiling ||
         (operation >= Operation::less && operation <= Operation::logical_not);
}

/// Compares the derivative of every term by one leaf with central differences; -1 is the potential. How many were
/// compared: none where a condition changes in between.
std::size_t compare_slopes(CellMlModel model, const Point& point, int state) {
  const std::vector<double> parameters = model.parameter_values();
  std::vector<TermIndex> terms(model.graph.terms().size());
  for (std::size_t k = 0; k < terms.size(); ++k) terms[k] = static_cast<TermIndex>(k);
  const TermIndex leaf = state < 0 ? model.graph.leaf(Operation::potential) : model.graph.leaf(Operation::state, state);
  const std::vector<TermIndex> slopes = derivatives(model.graph, terms, leaf);
  Point left = point, right = point;
  const auto number = static_cast<std::size_t>(state);
  const double h = state < 0 ? 1e-4 : 1e-5 * (std::abs(point.states[number]) + 1e-6);
  (state < 0 ? left.potential_mv : left.states[number]) -= h;
  (state < 0 ? right.potential_mv : right.states[number]) += h;
  const std::vector<double> at = values_at(model.graph, point, parameters);
  const std::vector<double> below = values_at(model.graph, left, parameters);
  const std::vector<double> above = values_at(model.graph, right, parameters);
  for (std::size_t k = 0; k < terms.size(); ++k)
    if (is_condition(model.graph.terms()[k].operation) && below[k] != above[k]) return 0;
  std::size_t compared = 0;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (!std::isfinite(at[k])) continue;
    const double slope = at[static_cast<std::size_t>(slopes[k])], difference = (above[k] - below[k]) / (2 * h);
    // The rounding of the difference, also where a term is a small difference of large ones.
    const double rounding = 1e-15 * (std::abs(above[k]) + std::abs(below[k])) / h;
    const double scale =
        std::abs(slope) + 1e-3 * std::abs(at[k]) / (state < 0 ? 1 : std::abs(point.states[number]) + 1e-6);
    EXPECT_NEAR(slope, difference, 3e-4 * scale + 300 * rounding) << "term " << k << " by " << state;
    ++compared;
  }
  return compared;
}

TEST_F(CellMlCollectionTest, TheDerivativeOfEveryTermIsThatOfFiniteDifferences) {
  std::mt19937 random(7);
  for (const auto& file : collection().files()) {
    SCOPED_TRACE(file.filename());
    const CellMlModel model = read_cellml(file);
    const Point point = random_point(model, random);
    std::size_t compared = 0;
    for (int state = -1; state < static_cast<int>(model.states.size()); ++state)
      compared += compare_slopes(model, point, state);
    EXPECT_GT(compared, model.graph.terms().size());
  }
}

TEST_F(CellMlCollectionTest, WhatOpensAGateAndItsSpeedMakeItsRate) {
  std::mt19937 random(11);
  for (const auto& file : collection().files()) {
    SCOPED_TRACE(file.filename());
    const CellMlModel model = read_cellml(file);
    const Point point = random_point(model, random);
    const std::vector<double> values = values_at(model.graph, point, model.parameter_values());
    for (std::size_t k = 0; k < model.states.size(); ++k) {
      const CellMlState& state = model.states[k];
      if (state.open < 0) continue;
      const double open = values[static_cast<std::size_t>(state.open)];
      const double closing = values[static_cast<std::size_t>(state.speed)] * point.states[k];
      EXPECT_NEAR(values[static_cast<std::size_t>(state.rate)], open - closing,
                  1e-13 * (std::abs(open) + std::abs(closing)))
          << state.name;
    }
  }
}

TEST_F(CellMlCollectionTest, RatesAreNumbersAtEveryHalfMillivolt) {
  for (const auto& file : collection().files()) {
    SCOPED_TRACE(file.filename());
    const CellMlModel model = read_cellml(file);
    Point point{0, model.initial_states()};
    for (int half = -300; half <= 200; ++half) {
      point.potential_mv = 0.5 * half;
      const std::vector<double> values = values_at(model.graph, point, model.parameter_values());
      EXPECT_TRUE(std::isfinite(values[static_cast<std::size_t>(model.potential_rate)])) << point.potential_mv << " mV";
      for (const CellMlState& state : model.states)
        EXPECT_TRUE(std::isfinite(values[static_cast<std::size_t>(state.rate)]))
            << state.name << " at " << point.potential_mv;
    }
  }
}

}  // namespace
}  // namespace cardiowarp
