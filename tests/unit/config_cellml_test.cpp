// `cell_model` with the name of a CellML file.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "app/simulation/problem.hpp"
#include "fem/cells/run_time_model.hpp"
#include "tests/support/cellml_text.hpp"
#include "tests/support/configuration.hpp"
#include "tests/support/excitable_cellml.hpp"
#include "tests/support/small_mesh.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp::test {
namespace {

class CellMlConfiguration : public Configuration {
 protected:
  CellMlConfiguration() { write_text(directory / "cell.cellml", excitable_cell()); }

  std::string with_cell(const std::string& keys = "") const {
    return minimal + "cell_model: {name: cell.cellml" + keys + "}\n";
  }
  Real parameter_of(const Config& config, const std::string& name) const {
    return parameter(config.cell_model.cell, name);
  }
  /// The message where `from` in the file is `to`.
  std::string error_with(const std::string& from, const std::string& to) const {
    write_text(directory / "cell.cellml", with(excitable_cell(), from, to));
    return error(with_cell());
  }
};

TEST_F(CellMlConfiguration, TakesTheCellAndItsStartFromTheFile) {
  const Config config = load(with_cell());
  ASSERT_TRUE(run_time_model_of(config.cell_model.cell));
  EXPECT_EQ(name_of(config.cell_model.cell), "cell.cellml");
  EXPECT_EQ(run_time_model_of(config.cell_model.cell)->origin().file, directory / "cell.cellml");
  EXPECT_EQ(parameter_of(config, "cell.g_w"), 0.9);
  const Problem problem = build_problem(config, small_mesh());
  EXPECT_EQ(problem.phi, std::vector<Real>(5, 0));
  std::vector<std::string> names;
  for (const CellState& state : states_of(config.cell_model.cell)) names.emplace_back(state.name);
  EXPECT_EQ(names, (std::vector<std::string>{"w", "o", "s", "f", "u", "c"}));
  EXPECT_EQ(problem.states, (std::vector<Real>{0, 0, 0, 0, 1, 1, 0.09, 0.09, -0.6, -0.6, 0.0001, 0.0001}));
}

TEST_F(CellMlConfiguration, ReadsParametersByFullNameByVariableByAnnotationAndByComponent) {
  for (const char* given : {"cell.g_w: 0.7", "g_w: 0.7", "membrane_recovery_conductance: 0.7", "cell: {g_w: 0.7}"}) {
    const Config config = load(with_cell(std::string(", parameters: {") + given + "}"));
    EXPECT_EQ(parameter_of(config, "cell.g_w"), 0.7) << given;
    EXPECT_EQ(parameter_of(config, "cell.k"), 0.0004) << given;
  }
  EXPECT_EQ(parameter_of(load(with_cell(), {{"cell_model.parameters.cell.g_w", "0.6"}}), "cell.g_w"), 0.6);
}

TEST_F(CellMlConfiguration, CallsAStateByItsComponentWhereAnotherOneHasItsName) {
  const std::string other = R"(<component name="other"><variable name="time" units="ms" public_interface="in"/>
<variable name="n" units="dimensionless" initial_value="0.3"/><math xmlns="http://www.w3.org/1998/Math/MathML">)" +
                            equation(rate_of("n"), product({cn("-0.1"), ci("n")})) +
                            R"(</math></component><connection><map_components component_1="environment"
component_2="other"/><map_variables variable_1="time" variable_2="time"/></connection>)";
  write_text(directory / "cell.cellml", with(small_cell, "<connection>", other + "<connection>"));
  const Config config = load(with_cell() + "initial: {other.n: 0.2}\noutput: {fields: [gate.n, c]}\n");
  EXPECT_EQ(config.output.states, (std::vector<std::string>{"gate.n", "c"}));
  EXPECT_EQ(config.initial.states, (std::map<std::string, Real>{{"other.n", 0.2}}));
  EXPECT_EQ(resolved_yaml(load_config(write(resolved_yaml(config), "resolved.yaml"))), resolved_yaml(config));
}

TEST_F(CellMlConfiguration, CallsAStateByItsComponentWhereFramesHaveAnArrayOfItsName) {
  for (const std::string name : {"region", "fiber", "conducts", "regions"}) {
    std::string cell = small_cell;
    for (std::size_t at = cell.find("\"c\""); at != std::string::npos; at = cell.find("\"c\"", at + 1))
      cell.replace(at + 1, 1, name);
    for (std::size_t at = cell.find("<ci>c</ci>"); at != std::string::npos; at = cell.find("<ci>c</ci>", at + 1))
      cell.replace(at + 4, 1, name);
    write_text(directory / "cell.cellml", cell);
    const Config config = load(with_cell() + "output: {fields: [gate." + name + "]}\n");
    EXPECT_EQ(config.output.states, std::vector<std::string>{"gate." + name});
  }
}

TEST_F(CellMlConfiguration, IsWrittenSoThatItIsReadBackWithTheSameCell) {
  const Config config = load(with_cell(", potential: V, stimulus: cell.i_stim, parameters: {g_w: 0.7}") +
                             "output: {fields: [u, potential]}\ninitial: {u: -0.55}\n"
                             "regions: [{where: {tag: 1}, cell_model: {parameters: {k: 0.0005}}}]\n");
  const std::string text = resolved_yaml(config);
  EXPECT_NE(text.find("\n  name: \"" + (directory / "cell.cellml").string() + "\"\n  checksum: \""), text.npos) << text;
  EXPECT_NE(text.find("\n  potential: \"V\"\n  stimulus: \"cell.i_stim\"\n"), text.npos) << text;
  EXPECT_NE(text.find("cell.g_w: 0.7"), text.npos);
  EXPECT_NE(text.find("cell.k: 0.0005"), text.npos);
  const Config again = load_config(write(text, "resolved.yaml"));
  EXPECT_EQ(again.cell_model.cell, config.cell_model.cell);
  EXPECT_EQ(resolved_yaml(again), text);
  EXPECT_EQ(again.output.states, std::vector<std::string>{"u"});
}

TEST_F(CellMlConfiguration, KnowsOtherEquationsByTheirChecksumAndTheSameOnesWhereverTheyLie) {
  const std::string text = resolved_yaml(load(with_cell()));
  write_text(directory / "elsewhere.cellml",
             "<!-- moved -->\n" + excitable_cell().substr(excitable_cell().find("<model")));
  const std::string elsewhere = resolved_yaml(load(minimal + "cell_model: {name: elsewhere.cellml}\n"));
  const auto checksum = [](const std::string& of) { return of.substr(of.find("checksum: "), 30); };
  EXPECT_EQ(checksum(elsewhere), checksum(text));
  write_text(directory / "cell.cellml", with(excitable_cell(), ">0.03<", ">0.031<"));
  EXPECT_NE(checksum(resolved_yaml(load(with_cell()))), checksum(text));
  const std::string message = error(text);
  EXPECT_NE(message.find("cell_model.checksum: expected "), message.npos) << message;
  EXPECT_NE(message.find("the file is another one"), message.npos) << message;
  // A value that a user may set is none of the equations.
  write_text(directory / "cell.cellml", with(excitable_cell(), "initial_value=\"0.9\"", "initial_value=\"0.95\""));
  EXPECT_EQ(checksum(resolved_yaml(load(with_cell()))), checksum(text));
}

TEST_F(CellMlConfiguration, RefusesWhatTheFileHasNot) {
  const std::string place = "heart.yaml:3:20: cell_model.name: ";
  EXPECT_EQ(error(minimal + "cell_model: {name: none.cellml}\n").substr(0, place.size() + 11), place + "none.cellml");
  EXPECT_EQ(error(with_cell(", parameters: {g_v: 1}")).substr(0, place.size() + 11), place + "cell.cellml");
  EXPECT_NE(error(with_cell(", parameters: {g_v: 1}")).find("g_w"), std::string::npos);
  EXPECT_EQ(error(minimal + "cell_model: {name: cells/cell.xml}\n"),
            place +
                "expected the name of a cell model or the path of a file that ends with .cellml, got "
                "'cells/cell.xml'");
  EXPECT_EQ(error(minimal + "cell_model: {name: luo_rudy_1991, potential: V}\n"),
            "heart.yaml:3:46: cell_model.potential: expected none with cell_model.name: luo_rudy_1991, which is no "
            "CellML file, got 'V'");
  EXPECT_NE(error(with_cell(", potential: W")).find("'W'"), std::string::npos);
  EXPECT_NE(error(with_cell(", set: epicardial")).find("cell_model.set: expected one of the keys name, potential"),
            std::string::npos);
  EXPECT_NE(error(with_cell(", parameters: {g_w: 0.7, cell.g_w: 0.8}")).find("expected one value of cell.g_w"),
            std::string::npos);
  EXPECT_NE(error(with_cell(", parameters: {g_w: many}")).find("cell_model.parameters.g_w: expected a number"),
            std::string::npos);
  EXPECT_EQ(error(with_cell() + "regions: [{where: {tag: 1}, cell_model: {parameters: {g_v: 1}}}]\n"),
            "heart.yaml:4:60: regions[0].cell_model.parameters.g_v: expected a parameter of cell.cellml, as "
            "`cardiowarp cell` lists them, got 'g_v'");
  EXPECT_NE(error(with_cell() + "output: {fields: [v]}\n").find("one of potential, phi_e, w, o, s, f, u, c"),
            std::string::npos);
}

TEST_F(CellMlConfiguration, RefusesModelsThatNoStepCanBeTakenOf) {
  EXPECT_NE(error_with("<cn cellml:units=\"dimensionless\">0.03</cn>", "<ci>time</ci>").find("depend on time"),
            std::string::npos);
  EXPECT_NE(error_with("initial_value=\"-0.6\"", "initial_value=\"-1e200\"")
                .find("the rate of cell.u is not a number where the cell begins"),
            std::string::npos);
}

TEST_F(CellMlConfiguration, TakesAGpuAndFormatsThatNeedOne) {
  for (const char* keys : {"backend: gpu\n", "backend: auto\n", "linear_solver: {spmv: cusparse}\n"})
    EXPECT_EQ(error(with_cell() + keys), "accepted") << keys;
  EXPECT_NE(error(with_cell() + "quadrature: centroid\n").find("vertices with cell_model: cell.cellml"),
            std::string::npos);
}

}  // namespace
}  // namespace cardiowarp::test
