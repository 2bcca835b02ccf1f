// The keys that cell models bring into a configuration, and the tables of docs/method/cell_models.md.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <string>

#include "app/simulation/problem.hpp"
#include "tests/support/all_cell_models.hpp"
#include "tests/support/configuration.hpp"
#include "tests/support/small_mesh.hpp"

namespace cardiowarp::test {
namespace {

TEST_F(Configuration, TakesTheDefaultsOfTheCellModelThatIsNamed) {
  const Config config = load(minimal + "cell_model: {name: mitchell_schaeffer}");
  EXPECT_EQ(config.cell_model.cell, AnyCell(MitchellSchaeffer{}));
  EXPECT_EQ(config.output.states, std::vector<std::string>{"h"});
  const Problem problem = build_problem(config, small_mesh());
  EXPECT_EQ(problem.states, (std::vector<Real>{1, 1}));
  EXPECT_EQ(problem.phi, std::vector<Real>(5, 0));
}

TEST_F(Configuration, BeginsEveryCellModelAtItsOwnRest) {
  for (const std::string& name : cell_model_names()) {
    const Config config = load(minimal, {{"cell_model.name", name}});
    const Problem problem = build_problem(config, small_mesh());
    EXPECT_EQ(problem.phi, std::vector<Real>(5, 0)) << name;
    const auto states = states_of(config.cell_model.cell);
    ASSERT_EQ(problem.states.size(), 2 * states.size());
    for (std::size_t i = 0; i < problem.states.size(); ++i) EXPECT_EQ(problem.states[i], states[i / 2].rest) << name;
    const std::string text = resolved_yaml(config);
    const auto shown = [&](const std::string& line) { return text.find("\n  " + line + "\n") != std::string::npos; };
    EXPECT_TRUE(shown("name: " + name));
    for (const CellState& state : states)
      EXPECT_NE(shown(std::string(state.name) + ": " + std::to_string(int(state.rest))),
                is_ionic(config.cell_model.cell))
          << text;
    EXPECT_EQ(load_config(write(text, "resolved.yaml")).cell_model.cell, config.cell_model.cell);
    EXPECT_EQ(resolved_yaml(load_config(write(text, "resolved.yaml"))), text);
  }
}

TEST_F(Configuration, StartsFromAParameterSetAndChangesSingleParametersOfIt) {
  const auto cell = [&](const std::string& keys) {
    return std::get<BuenoOrovio>(*load(minimal + "cell_model: {name: bueno_orovio" + keys + "}").cell_model.cell);
  };
  EXPECT_EQ(cell(""), BuenoOrovio{});
  EXPECT_EQ(cell(", set: epicardial"), BuenoOrovio{});
  BuenoOrovio endocardial = BuenoOrovio::parameter_sets()[1].parameters;
  EXPECT_EQ(cell(", set: endocardial"), endocardial);
  endocardial.tau_si = 3;
  endocardial.theta_w = 0.14;
  EXPECT_EQ(cell(", set: endocardial, parameters: {tau_si: 0.003 s, theta_w: 0.14}"), endocardial);
}

TEST_F(Configuration, GivesEveryRegionItsOwnParameterSet) {
  const Config config =
      load(minimal +
           "cell_model: {name: bueno_orovio, set: midmyocardial, parameters: {tau_fi: 0.2}}\n"
           "regions:\n"
           "  - {where: {tag: lv}, cell_model: {set: epicardial}}\n"
           "  - {where: {tag: scar}, cell_model: {parameters: {tau_si: 2}}}\n"
           "  - {where: {box: {min: [-9, -9, -9], max: [9, 9, 9]}}, cell_model: {parameters: {u_u: 1.5}}}\n");
  const Problem problem = build_problem(config, small_mesh());
  BuenoOrovio lv{.u_u = 1.5}, scar = BuenoOrovio::parameter_sets()[2].parameters;
  scar.tau_fi = 0.2;
  scar.tau_si = 2;
  scar.u_u = 1.5;
  const auto& cells = std::get<std::vector<BuenoOrovio>>(*problem.cell_models);
  EXPECT_EQ(cells[problem.cell_model[0]], lv);
  EXPECT_EQ(cells[problem.cell_model[1]], scar);
  const std::string text = resolved_yaml(config);
  EXPECT_NE(text.find("cell_model: {set: epicardial, parameters: {u_u: 1.55, "), std::string::npos) << text;
  const Config again = load_config(write(text, "resolved.yaml"));
  EXPECT_EQ(resolved_yaml(again), text);
  EXPECT_EQ(build_problem(again, small_mesh()).cell_models, problem.cell_models);
}

TEST_F(Configuration, SetsStatesByTheirNames) {
  const Config config = load(minimal +
                             "cell_model: {name: bueno_orovio}\n"
                             "initial: {w: 0.5, regions: [{where: {tag: scar}, s: 0.25, potential: -40}]}\n"
                             "output: {fields: [s, v]}\n");
  const Problem problem = build_problem(config, small_mesh());
  EXPECT_EQ(problem.states, (std::vector<Real>{1, 1, 0.5, 0.5, 0, 0.25}));
  EXPECT_DOUBLE_EQ(problem.phi[4], 44 / 85.7);
  EXPECT_EQ(problem.phi[0], 0);
  EXPECT_FALSE(config.output.potential);
  EXPECT_EQ(config.output.states, (std::vector<std::string>{"v", "s"}));
}

TEST_F(ConfigurationMistake, InACellModelIsNamedWithTheNearestName) {
  expect_messages({
      {"cell_model: {name: mitchel_schaeffer}",
       fmt::format("3:20: cell_model.name: expected one of {}, got 'mitchel_schaeffer'; did you mean "
                   "'mitchell_schaeffer'?",
                   fmt::join(cell_model_names(), ", "))},
      {"cell_model: {name: bueno_orovio, set: epicardal}",
       "3:39: cell_model.set: expected one of epicardial, endocardial, midmyocardial, got 'epicardal'; did you mean "
       "'epicardial'?"},
      {"cell_model: {name: mitchell_schaeffer, set: epicardial}",
       "3:40: cell_model.set: expected one of the keys name, parameters, got 'set'"},
      {"cell_model: {name: mitchell_schaeffer, parameters: {tau_inn: 1}}",
       "3:53: cell_model.parameters.tau_inn: expected one of the keys tau_in, tau_out, tau_open, tau_close, v_gate, "
       "switch_width, got 'tau_inn'; did you mean 'tau_in'?"},
      {"cell_model: {name: mitchell_schaeffer, parameters: {tau_in: 0}}",
       "3:61: cell_model.parameters.tau_in: expected a positive time (ms, s, us), got '0'"},
      {"cell_model: {name: mitchell_schaeffer, parameters: {v_gate: 1}}",
       "3:61: cell_model.parameters.v_gate: expected a number (without unit) in (0, 1), got '1'"},
      {"cell_model: {name: bueno_orovio, parameters: {switch_width: 0.1}}",
       "3:61: cell_model.parameters.switch_width: expected a number (without unit) in (0, 0.005], got '0.1'"},
      {"cell_model: {name: bueno_orovio}\ninitial: {recovery: 1}",
       "4:11: initial.recovery: expected one of the keys potential, v, w, s, steady, regions, got 'recovery'"},
      {"cell_model: {name: bueno_orovio}\ninitial: {w: 1.5}",
       "4:14: initial.w: expected a number (without unit) in [0, 1], got '1.5'"},
      {"cell_model: {name: mitchell_schaeffer}\noutput: {fields: [recovery]}",
       "4:19: output.fields[0]: expected one of potential, phi_e, h, got 'recovery'"},
      {"cell_model: {name: bueno_orovio}\nregions: [{where: {tag: 1}, cell_model: {set: endo}}]",
       "4:47: regions[0].cell_model.set: expected one of epicardial, endocardial, midmyocardial, got 'endo'; did you "
       "mean 'endocardial'?"},
  });
}

TEST(BuenoOrovioSets, AreThoseOfTheirPaper) {
  // Bueno-Orovio, Cherry & Fenton 2008, Table 1: columns EPI, ENDO, M, copied by hand
  const std::vector<std::pair<std::string, std::array<Real, 3>>> table{{"u_u", {1.55, 1.56, 1.61}},
                                                                       {"theta_v", {0.3, 0.3, 0.3}},
                                                                       {"theta_w", {0.13, 0.13, 0.13}},
                                                                       {"theta_v_minus", {0.006, 0.2, 0.1}},
                                                                       {"theta_o", {0.006, 0.006, 0.005}},
                                                                       {"tau_v1_minus", {60, 75, 80}},
                                                                       {"tau_v2_minus", {1150, 10, 1.4506}},
                                                                       {"tau_v_plus", {1.4506, 1.4506, 1.4506}},
                                                                       {"tau_w1_minus", {60, 6, 70}},
                                                                       {"tau_w2_minus", {15, 140, 8}},
                                                                       {"k_w_minus", {65, 200, 200}},
                                                                       {"u_w_minus", {0.03, 0.016, 0.016}},
                                                                       {"tau_w_plus", {200, 280, 280}},
                                                                       {"tau_fi", {0.11, 0.1, 0.078}},
                                                                       {"tau_o1", {400, 470, 410}},
                                                                       {"tau_o2", {6, 6, 7}},
                                                                       {"tau_so1", {30.0181, 40, 91}},
                                                                       {"tau_so2", {0.9957, 1.2, 0.8}},
                                                                       {"k_so", {2.0458, 2, 2.1}},
                                                                       {"u_so", {0.65, 0.65, 0.6}},
                                                                       {"tau_s1", {2.7342, 2.7342, 2.7342}},
                                                                       {"tau_s2", {16, 2, 4}},
                                                                       {"k_s", {2.0994, 2.0994, 2.0994}},
                                                                       {"u_s", {0.9087, 0.9087, 0.9087}},
                                                                       {"tau_si", {1.8875, 2.9013, 3.3849}},
                                                                       {"tau_w_infinity", {0.07, 0.0273, 0.01}},
                                                                       {"w_infinity_star", {0.94, 0.78, 0.5}}};
  const AnyCell model = BuenoOrovio{};
  const std::vector<std::string> sets = parameter_sets_of(model);
  ASSERT_EQ(sets, (std::vector<std::string>{"epicardial", "endocardial", "midmyocardial"}));
  EXPECT_EQ(table.size() + 1, parameters_of(model).size());  // and switch_width
  for (const auto& [name, values] : table)
    for (std::size_t set = 0; set < 3; ++set)
      EXPECT_EQ(parameter(with_parameter_set(model, sets[set]), name), values.at(set)) << name << " " << sets[set];
}

TEST(CellModelDocuments, HaveTheTablesOfTheModels) {
  std::ifstream file(CARDIOWARP_DOCS "/method/cell_models.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string tables = cell_model_tables();
  const std::size_t end = tables.find(fmt::format("\n### {}\n", ionic_models().front()->name()));
  ASSERT_NE(end, std::string::npos);
  EXPECT_NE(page.find(tables.substr(0, end)), std::string::npos)
      << "docs/method/cell_models.md lacks what `cardiowarp info --cell-models` prints of the models before the ionic "
         "ones";
  for (const std::string& name : cell_model_names()) EXPECT_NE(page.find(name), std::string::npos) << name;
}

}  // namespace
}  // namespace cardiowarp::test
