#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cellml/generated_cell.hpp"
#include "cellml/generated_prelude.hpp"
#include "tests/support/cellml_collection.hpp"
#include "tests/support/cellml_text.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

const test::CellMlCollection& collection() {
  static const test::CellMlCollection unpacked(CARDIOWARP_SHARED_DATA "/cellml.tar.xz");
  return unpacked;
}

/// A program that reads parameters, the potential and the states in the order of the text, and prints what the three
/// functions give, as numbers, and the current and the rates of pools with their derivatives by the potential.
constexpr const char* driver = R"(
#include <cstdio>
#include "cell.hpp"
#include "fem/cells/ionic/duals.hpp"
using Cell = generated_cell::GeneratedCell;
template <class T>
void evaluate(Cell cell, const double* input, T V, double (*number)(const T&)) {
  T g[Cell::gates + 1]{}, f[Cell::followers + 1]{}, c[Cell::pools + 1]{}, target[100]{}, speed[100]{}, rate[Cell::pools + 1]{};
  for (int k = 0; k < Cell::gates; ++k) g[k] = T(*input++);
  for (int k = 0; k < Cell::followers; ++k) f[k] = T(*input++);
  for (int k = 0; k < Cell::pools; ++k) c[k] = T(*input++);
  cell.gate(V, target, speed);
  for (int k = 0; k < Cell::gates; ++k) std::printf("%.17g %.17g\n", number(target[k]), number(speed[k]));
  cell.follower(V, g, c, target, speed);
  for (int k = 0; k < Cell::followers; ++k) std::printf("%.17g %.17g\n", number(target[k]), number(speed[k]));
  const T current = cell.current(V, g, f, c, rate);
  std::printf("%.17g\n", number(current));
  for (int k = 0; k < Cell::pools; ++k) std::printf("%.17g\n", number(rate[k]));
}
int main() {
  static Cell cell;
  double V, states[500];
  for (double& p : cell.p)
    if (std::scanf("%lf", &p) != 1) p = 0;
  if (std::scanf("%lf", &V) != 1) return 1;
  for (int k = 0; k < Cell::gates + Cell::followers + Cell::pools; ++k)
    if (std::scanf("%lf", &states[k]) != 1) return 1;
  cell.prepare();
  using Dual = cardiowarp::Duals<1>;
  evaluate<double>(cell, states, V, [](const double& x) { return x; });
  evaluate<Dual>(cell, states, Dual(V, 0), [](const Dual& x) { return x.slope[0]; });
}
)";

/// What the driver prints, in the order of its output, out of the graph of the model.
std::vector<double> expected_numbers(CellMlModel model, const GeneratedCell& cell, double potential_mv) {
  std::vector<TermIndex> terms;
  const auto state = [&](int k) -> const CellMlState& {
    return model.states[static_cast<std::size_t>(cell.states[static_cast<std::size_t>(k)])];
  };
  for (int k = 0; k < cell.gates + cell.followers; ++k) {
    terms.push_back(model.graph.divide(state(k).open, state(k).speed));
    terms.push_back(state(k).speed);
  }
  terms.push_back(model.graph.negate(model.potential_rate));
  for (int k = 0; k < cell.pools; ++k) terms.push_back(state(cell.gates + cell.followers + k).rate);
  const std::vector<TermIndex> slopes = derivatives(model.graph, terms, model.graph.leaf(Operation::potential));
  terms.insert(terms.end(), slopes.begin(), slopes.end());
  const std::vector<double> states = model.initial_states(), parameters = model.parameter_values();
  const std::vector<double> values =
      evaluate(model.graph, {.potential_mv = potential_mv, .states = states, .parameters = parameters});
  std::vector<double> numbers;
  for (const TermIndex term : terms) numbers.push_back(values[static_cast<std::size_t>(term)]);
  return numbers;
}

/// Runs a command of the shell in a folder. Whether it succeeded.
bool shell(const std::filesystem::path& folder, const std::string& command) {
  return std::system(("cd '" + folder.string() + "' && " + command).c_str()) == 0;
}

/// Compiles the text of a model with warnings as errors, and compares its numbers with those of the graph.
void expect_numbers_of_graph(const CellMlModel& model) {
  const test::TemporaryDirectory folder;
  const GeneratedCell cell = generate_cell(model);
  ASSERT_EQ(cell.states.size(), model.states.size());
  test::write_text(folder / "cell.hpp", cell.text);
  test::write_text(folder / "driver.cpp", driver);
  ASSERT_TRUE(shell(folder.path(), "'" CARDIOWARP_CXX "' -std=c++20 -O1 -ffp-contract=off -Wall -Wextra -Werror"
                                   " -I '" CARDIOWARP_SOURCES "' -I . -o driver driver.cpp"));
  for (const double potential_mv : {model.initial_potential_mv, -40.0, 0.0, 15.0, 37.3}) {
    std::ostringstream input;
    input.precision(17);
    for (const CellMlParameter& parameter : model.parameters) input << parameter.value << '\n';
    if (model.parameters.empty()) input << "0\n";
    input << potential_mv << '\n';
    for (const int number : cell.states) input << model.states[static_cast<std::size_t>(number)].initial << '\n';
    test::write_text(folder / "input", input.str());
    ASSERT_TRUE(shell(folder.path(), "./driver < input > output"));
    const std::vector<double> expected = expected_numbers(model, cell, potential_mv);
    std::istringstream output(test::read_text(folder / "output"));
    for (std::size_t k = 0; k < expected.size(); ++k) {
      double found = 0;
      ASSERT_TRUE(output >> found) << "number " << k;
      const double tolerance = k < expected.size() / 2 ? 1e-13 : 1e-9;
      EXPECT_NEAR(found, expected[k], tolerance * (1 + std::abs(expected[k])))
          << "number " << k << " at " << potential_mv;
    }
  }
}

class GeneratedText : public testing::TestWithParam<const char*> {};

TEST_P(GeneratedText, IsCompiledAndHasTheNumbersAndSlopesOfTheGraph) {
  const std::filesystem::path file = collection().file(GetParam());
  if (file.empty()) GTEST_SKIP() << "no collection of CellML files in " << CARDIOWARP_SHARED_DATA;
  expect_numbers_of_graph(read_cellml(file));
}

INSTANTIATE_TEST_SUITE_P(OfModels, GeneratedText,
                         testing::Values("ten_tusscher_model_2006_epi", "ToRORd_dynCl_endo", "mahajan_shiferaw_2008",
                                         "beeler_reuter_model_1977"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(GeneratedTextOfASmallCell, IsCompiledWithConditionsAsNumbersAndAllFunctions) {
  std::string sum;
  for (const char* name :
       {"exp", "abs", "floor", "ceiling", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arctan", "arcsinh", "not"})
    sum.append("<apply><").append(name).append("/><apply><times/><cn>0.01</cn><ci>V</ci></apply></apply>");
  for (const char* name : {"arcsin", "arccos", "arctanh", "ln", "root"})
    sum.append("<apply><").append(name).append("/><ci>n</ci></apply>");
  sum += "<apply><arccosh/><apply><plus/><cn>1.5</cn><ci>n</ci></apply></apply>";
  sum += "<apply><power/><ci>n</ci><ci>c</ci></apply><apply><power/><ci>n</ci><cn>2.5</cn></apply>";
  sum += "<apply><and/><apply><lt/><ci>V</ci><cn>0</cn></apply><apply><geq/><ci>n</ci><cn>0.1</cn></apply></apply>";
  sum += "<apply><or/><ci>V</ci><false/></apply><apply><eq/><ci>V</ci><ci>n</ci></apply>";
  const std::string formula = "<apply><times/><ci>g</ci><ci>n</ci><apply><minus/><ci>V</ci><ci>E</ci></apply></apply>";
  std::string text = test::with(test::small_cell, formula, "<apply><plus/>" + sum + "</apply>");
  text = test::with(text, R"(<variable name="g" units="mS" initial_value="0.1"/>)",
                    R"(<variable name="c" units="mM" public_interface="in"/>)");
  text = test::with(text, R"(<map_variables variable_1="n" variable_2="n"/>)",
                    R"(<map_variables variable_1="n" variable_2="n"/><map_variables variable_1="c" variable_2="c"/>)");
  expect_numbers_of_graph(parse_cellml(text));
}

TEST(GeneratedTextOfASmallCell, HasNothingOfTheFileButNumbers) {
  const GeneratedCell cell = generate_cell(parse_cellml(test::small_cell));
  ASSERT_TRUE(cell.text.starts_with(generated_prelude));
  const std::string made = cell.text.substr(std::string(generated_prelude).size());
  const std::set<std::string> words = {"struct",
                                       "GeneratedCell",
                                       "static",
                                       "constexpr",
                                       "int",
                                       "gates",
                                       "followers",
                                       "pools",
                                       "double",
                                       "void",
                                       "prepare",
                                       "using",
                                       "N",
                                       "sizeof",
                                       "template",
                                       "class",
                                       "T",
                                       "CELL_HD",
                                       "gate",
                                       "const",
                                       "target",
                                       "speed",
                                       "typename",
                                       "NumberOf",
                                       "Type",
                                       "follower",
                                       "current",
                                       "rate",
                                       "return",
                                       "namespace",
                                       "generated_cell",
                                       "bool",
                                       "value_of",
                                       "V",
                                       "p",
                                       "k",
                                       "g",
                                       "f",
                                       "c",
                                       "f_exp",
                                       "f_exp_quotient"};
  const std::regex word("[A-Za-z_][A-Za-z_0-9]*|\\d+\\.?\\d*(e[+-]?\\d+)?");
  for (std::sregex_iterator match(made.begin(), made.end(), word), end; match != end; ++match) {
    const std::string found = match->str();
    const bool is_numbered = std::regex_match(found, std::regex("t?\\d.*"));
    EXPECT_TRUE(is_numbered || words.contains(found)) << found;
  }
  EXPECT_EQ(
      made.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789 \n.,;:()[]{}<>=+-*/&?!|"),
      std::string::npos);
}

TEST(GeneratedTextOfASmallCell, IsRefusedForAModelThatDependsOnTime) {
  std::string text = test::with(test::small_cell, "<cn cellml:units=\"per_ms\">0.1</cn>", "<ci>time</ci>");
  const CellMlModel model = parse_cellml(text);
  EXPECT_TRUE(model.depends_on_time);
  EXPECT_NE(test::input_error_of([&] { generate_cell(model); }).find("depend on time"), std::string::npos);
}

}  // namespace
}  // namespace cardiowarp
