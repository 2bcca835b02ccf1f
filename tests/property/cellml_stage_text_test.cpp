// The stage of a CellML model as text, compiled for the CPU, against the stage that is interpreted; and what is in the
// text.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cellml/tissue/cellml_lanes.hpp"
#include "cellml/tissue/stage_text.hpp"
#include "cellml/tissue/term_text.hpp"
#include "tests/support/cellml_collection.hpp"
#include "tests/support/cellml_stages.hpp"
#include "tests/support/cellml_text.hpp"
#include "tests/support/excitable_cellml.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

const test::CellMlCollection& collection() {
  static const test::CellMlCollection unpacked(CARDIOWARP_SHARED_DATA "/cellml.tar.xz");
  return unpacked;
}

/// A program that reads constants, numbers of a cell, the number of states, the length of the stage and then potentials
/// with states, and prints current, slope and states at the end of each stage.
constexpr const char* driver = R"(
#include <cstdio>
#include <vector>
#include <math.h>
#define __device__ inline
#define __constant__
#include "stage.hpp"
double number() {
  double value = 0;
  return std::scanf("%lf", &value) == 1 ? value : NAN;
}
int main() {
  const int constants = static_cast<int>(number());
  for (int k = 0; k < constants; ++k) stage_constants[k] = number();
  std::vector<double> of_cell(static_cast<unsigned>(number()));
  for (double& value : of_cell) value = number();
  const int states = static_cast<int>(number());
  const double h = number();
  std::vector<double> old(3 * states), end(3 * states);  // a stride of 3
  for (double V = number(); V == V; V = number()) {
    for (int k = 0; k < states; ++k) old[3 * k] = number();
    double current, slope;
    stage_of_cell(V, h, of_cell.data(), old.data(), end.data(), 3, current, slope);
    std::printf("%.17g\n%.17g\n", current, slope);
    for (int k = 0; k < states; ++k) std::printf("%.17g\n", end[3 * k]);
  }
}
)";

/// Runs a command of the shell in a folder. Whether it succeeded.
bool shell(const std::filesystem::path& folder, const std::string& command) {
  return std::system(("cd '" + folder.string() + "' && " + command).c_str()) == 0;
}

/// A stage that was compiled.
class CompiledStage {
 public:
  explicit CompiledStage(const StageText& stage) : stage_(stage) {
    test::write_text(folder_ / "stage.hpp", stage.text);
    test::write_text(folder_ / "driver.cpp", driver);
    is_there_ = shell(folder_.path(), "'" CARDIOWARP_CXX
                                      "' -std=c++17 -O1 -ffp-contract=off -Wall -Wextra -Werror"
                                      " -o driver driver.cpp");
  }
  bool is_there() const { return is_there_; }

  /// The stages of the lanes, with the numbers of a cell.
  std::vector<double> run(const LaneStage& lanes, double h, std::size_t cell) const {
    std::ostringstream input;
    input.precision(17);
    const auto put = [&](double value) { input << value << '\n'; };
    put(static_cast<double>(stage_.constants.size()));
    for (const double value : stage_.constants) put(value);
    put(static_cast<double>(stage_.each));
    for (std::size_t k = 0; k < stage_.each; ++k) put(stage_.of_cells[cell * stage_.each + k]);
    put(static_cast<double>(lanes.number_of_states()));
    put(h);
    for (std::size_t lane = 0; lane < LaneStage::lanes; ++lane) {
      put(lanes.potential_mv[lane]);
      for (std::size_t k = 0; k < lanes.number_of_states(); ++k) put(lanes.old[k * LaneStage::lanes + lane]);
    }
    test::write_text(folder_ / "input", input.str());
    EXPECT_TRUE(shell(folder_.path(), "./driver < input > output"));
    std::istringstream output(test::read_text(folder_ / "output"));
    std::vector<double> numbers;
    for (std::string word; output >> word;) numbers.push_back(std::strtod(word.c_str(), nullptr));
    return numbers;
  }

 private:
  const StageText& stage_;
  test::TemporaryDirectory folder_;
  bool is_there_ = false;
};

void expect_stages_of_lanes(const CompiledStage& compiled, LaneStage& lanes, double h, std::size_t cell) {
  for (std::uint16_t& of_lane : lanes.cell) of_lane = static_cast<std::uint16_t>(cell);
  lanes.run(h);
  const std::vector<double> found = compiled.run(lanes, h, cell);
  const std::size_t states = lanes.number_of_states();
  ASSERT_EQ(found.size(), LaneStage::lanes * (2 + states));
  for (std::size_t lane = 0; lane < LaneStage::lanes; ++lane) {
    const double* const of = found.data() + lane * (2 + states);
    const auto expect = [&](double number, double expected, double tolerance, const std::string& what) {
      if (std::isnan(lanes.current[lane]))
        EXPECT_TRUE(std::isnan(of[0])) << what;
      else
        EXPECT_NEAR(number, expected, tolerance * (1 + std::abs(expected)))
            << what << " at " << lanes.potential_mv[lane] << " mV, h = " << h;
    };
    // The text ends with derivatives of the iteration before, by which only the slope is other.
    expect(of[0], lanes.current[lane], 1e-8, "current");
    expect(of[1], lanes.slope[lane], 0.01, "slope");
    for (std::size_t k = 0; k < states; ++k) {
      const double state = lanes.states[k * LaneStage::lanes + lane], size = std::abs(state);
      const double most = std::min(1e-8 * (1 + size), 2e-6 * size + 1e-14);  // also of small concentrations
      expect(of[2 + k], state, most / (1 + size), "state " + std::to_string(k));
    }
  }
}

/// Stages of two kinds of cells from where the model begins, and from stores that are nearly empty or below 0.
void expect_same_stages(const CellMlModel& model) {
  std::vector<std::vector<double>> cells{model.parameter_values(), model.parameter_values()};
  for (std::size_t k = 0; k < cells[1].size(); k += 3) cells[1][k] *= 1.01;
  const StageText text = cellml_stage_text(model, cells);
  EXPECT_EQ(text.of_cells.size(), 2 * text.each);
  const CompiledStage compiled(text);
  ASSERT_TRUE(compiled.is_there());
  const auto lanes = cellml_lane_stage(model, cells);
  for (std::size_t cell = 0; cell < 2; ++cell) {
    test::set_lanes(*lanes, model, -91.3, 3.9);
    for (const double h : {0.003, 0.05, 0.31}) expect_stages_of_lanes(compiled, *lanes, h, cell);
    constexpr double shares[] = {1, 0.002, 0, -0.04, -0.06};
    for (std::size_t k = 0; k < model.states.size(); ++k)
      if (model.states[k].is_amount)
        for (std::size_t lane = 0; lane < LaneStage::lanes; ++lane)
          lanes->old[k * LaneStage::lanes + lane] *= shares[lane % std::size(shares)];
    for (const double h : {0.003, 0.05}) expect_stages_of_lanes(compiled, *lanes, h, cell);
  }
}

class StageOfAPublishedModel : public testing::TestWithParam<const char*> {};

TEST_P(StageOfAPublishedModel, HasTheNumbersOfTheInterpretedOneWhereItsTextIsCompiled) {
  const std::filesystem::path file = collection().file(GetParam());
  if (file.empty()) GTEST_SKIP() << "no collection of CellML files in " << CARDIOWARP_SHARED_DATA;
  expect_same_stages(read_cellml(file));
}

INSTANTIATE_TEST_SUITE_P(OfModels, StageOfAPublishedModel,
                         testing::Values("ten_tusscher_model_2006_epi", "courtemanche_ramirez_nattel_1998",
                                         "mahajan_shiferaw_2008", "noble_model_1962", "ToRORd_dynCl_endo"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(StageOfAPublishedModelWithAKink, HasTheNumbersOfTheInterpretedOneWhereItsTextIsCompiled) {
  const std::filesystem::path file = collection().file("ToRORd_dynCl_endo");
  if (file.empty()) GTEST_SKIP() << "no collection of CellML files in " << CARDIOWARP_SHARED_DATA;
  const CellMlModel model = read_cellml(file, {.parameters = {{"celltype", 2}}});  // midmyocardial
  const std::vector<std::vector<double>> cells{model.parameter_values()};
  const StageText text = cellml_stage_text(model, cells);
  const CompiledStage compiled(text);
  ASSERT_TRUE(compiled.is_there());
  const auto lanes = cellml_lane_stage(model, cells);
  ASSERT_NO_FATAL_FAILURE(test::set_lanes_with_a_nearly_empty_store(*lanes, model));
  for (const double h : {0.00292893, 0.00375374}) expect_stages_of_lanes(compiled, *lanes, h, 0);
}

TEST(StageOfAnExcitableCell, HasTheNumbersOfTheInterpretedOneWhereItsTextIsCompiled) {
  expect_same_stages(parse_cellml(test::excitable_cell()));
}

TEST(StageOfASmallCell, HasConditionsAsNumbersAndAllFunctions) {
  std::string sum;
  for (const char* name :
       {"exp", "abs", "floor", "ceiling", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arctan", "arcsinh", "not"})
    sum.append("<apply><").append(name).append("/><apply><times/><cn>0.01</cn><ci>V</ci></apply></apply>");
  for (const char* name : {"arcsin", "arccos", "arctanh", "ln", "root"})
    sum.append("<apply><").append(name).append("/><ci>n</ci></apply>");
  sum += "<apply><arccosh/><apply><plus/><cn>1.5</cn><ci>n</ci></apply></apply>";
  sum += "<apply><power/><ci>n</ci><ci>c</ci></apply><apply><power/><ci>n</ci><cn>2.5</cn></apply>";
  sum += "<apply><power/><ci>n</ci><cn>7</cn></apply><apply><power/><ci>n</ci><cn>-5</cn></apply>";
  sum += "<apply><and/><apply><lt/><ci>V</ci><cn>0</cn></apply><apply><geq/><ci>n</ci><cn>0.1</cn></apply></apply>";
  sum += "<apply><or/><ci>V</ci><false/></apply><apply><eq/><ci>V</ci><ci>n</ci></apply>";
  const std::string formula = "<apply><times/><ci>g</ci><ci>n</ci><apply><minus/><ci>V</ci><ci>E</ci></apply></apply>";
  std::string text = test::with(test::small_cell, formula, "<apply><plus/>" + sum + "</apply>");
  text = test::with(text, R"(<variable name="g" units="mS" initial_value="0.1"/>)",
                    R"(<variable name="c" units="mM" public_interface="in"/>)");
  text = test::with(text, R"(<map_variables variable_1="n" variable_2="n"/>)",
                    R"(<map_variables variable_1="n" variable_2="n"/><map_variables variable_1="c" variable_2="c"/>)");
  expect_same_stages(parse_cellml(text));
}

TEST(StageText, IsTheSameForOtherValuesOfParametersThatAllCellsShare) {
  using Cells = std::vector<std::vector<double>>;
  const CellMlModel model = parse_cellml(test::excitable_cell());
  std::vector<double> one = model.parameter_values(), other = one;
  other[0] *= 1.5;
  const StageText of_one = cellml_stage_text(model, Cells{one}), of_other = cellml_stage_text(model, Cells{other}),
                  of_both = cellml_stage_text(model, Cells{one, other});
  EXPECT_EQ(of_one.text, of_other.text);
  EXPECT_NE(of_one.constants, of_other.constants);
  EXPECT_EQ(of_one.each, 0U);
  EXPECT_GT(of_both.each, 0U);
}

TEST(StageText, HasNothingOfTheFileButNumbers) {
  const CellMlModel model = parse_cellml(test::small_cell);
  const StageText text = cellml_stage_text(model, std::vector<std::vector<double>>{model.parameter_values()});
  ASSERT_TRUE(text.text.starts_with(term_functions));
  const std::string made = text.text.substr(std::string(term_functions).size());
  const std::set<std::string> words{"__constant__",
                                    "__device__",
                                    "stage_constants",
                                    "stage_of_cell",
                                    "void",
                                    "const",
                                    "double",
                                    "of_cell",
                                    "old",
                                    "end",
                                    "long",
                                    "stride",
                                    "current",
                                    "slope",
                                    "V",
                                    "h",
                                    "not_a_number",
                                    "for",
                                    "int",
                                    "attempt",
                                    "bool",
                                    "has_failed",
                                    "is_found",
                                    "false",
                                    "true",
                                    "iteration",
                                    "if",
                                    "break",
                                    "is_solved",
                                    "is_close",
                                    "is_near",
                                    "fabs",
                                    "fmax",
                                    "isfinite",
                                    "share",
                                    "exp",
                                    "exp_quotient",
                                    "exp_quotient_slope"};
  const std::regex word("[A-Za-z_][A-Za-z_0-9]*|\\d+\\.?\\d*(e[+-]?\\d+)?");
  for (std::sregex_iterator match(made.begin(), made.end(), word), last; match != last; ++match) {
    const std::string found = match->str();
    const bool is_numbered = std::regex_match(found, std::regex("([stpfdvin]|e?a\\d+_)?\\d.*"));
    EXPECT_TRUE(is_numbered || words.contains(found)) << found;
  }
  EXPECT_EQ(made.find_first_not_of(
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789 \n.,;:()[]{}<>=+-*/%&?!|"),
            std::string::npos);
}

}  // namespace
}  // namespace cardiowarp
