#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cellml/model.hpp"
#include "tests/support/cellml_text.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;
using test::small_cell;
using test::with;

struct Rates {
  double potential;
  std::vector<double> states;
};

/// The rates at the initial values of a model.
Rates initial_rates(const CellMlModel& model, double stimulus = 0) {
  const std::vector<double> states = model.initial_states(), parameters = model.parameter_values();
  const std::vector<double> values = evaluate(
      model.graph,
      {.potential_mv = model.initial_potential_mv, .stimulus = stimulus, .states = states, .parameters = parameters});
  Rates rates{values[static_cast<std::size_t>(model.potential_rate)], {}};
  for (const CellMlState& state : model.states) rates.states.push_back(values[static_cast<std::size_t>(state.rate)]);
  return rates;
}

std::string refusal(const std::string& text, const CellMlOptions& options = {}) {
  return input_error_of([&] { parse_cellml(text, options); });
}

/// The membrane's equations, with this one instead of that of V.
std::string with_rate_of_v(const std::string& formula) {
  return with(
      small_cell,
      "<apply><divide/><apply><minus/><apply><plus/><ci>i_leak</ci><ci>i_stim</ci></apply></apply><ci>C</ci></apply>",
      formula);
}

double value_of(const std::string& formula) { return initial_rates(parse_cellml(with_rate_of_v(formula))).potential; }

TEST(CellMlReader, StatesParametersAndStimulusOfAFileAreFound) {
  const CellMlModel model = parse_cellml(small_cell);
  EXPECT_EQ(model.name, "small");
  EXPECT_EQ(model.version, "1.0");
  EXPECT_EQ(model.potential, "membrane.V");
  EXPECT_EQ(model.time, "environment.time");
  EXPECT_EQ(model.initial_potential_mv, -80);
  EXPECT_FALSE(model.depends_on_time);
  ASSERT_EQ(model.states.size(), 2U);
  EXPECT_EQ(model.states[0].name, "gate.n");
  EXPECT_EQ(model.states[0].kind, StateKind::gate);
  EXPECT_EQ(model.states[1].name, "gate.c");
  EXPECT_EQ(model.states[1].kind, StateKind::pool);
  EXPECT_EQ(model.states[1].unit, "mM");
  EXPECT_EQ(model.states[1].initial, 2);
  std::vector<std::string> parameters;
  for (const CellMlParameter& parameter : model.parameters) parameters.push_back(parameter.name);
  std::ranges::sort(parameters);
  EXPECT_EQ(parameters, (std::vector<std::string>{"leak.E", "leak.g", "membrane.C"}));
  ASSERT_TRUE(model.stimulus);
  EXPECT_EQ(model.stimulus->name, "membrane.i_stim");
  EXPECT_EQ(model.stimulus->unit, "uA");
  EXPECT_EQ(model.stimulus->mv_per_ms, -0.5);
  EXPECT_EQ(model.stimulus->amplitude, -40);
  EXPECT_FALSE(model.stimulus->duration_ms);
}

TEST(CellMlReader, RatesAreThoseOfTheEquationsAndTheStimulusIsSwitchedOff) {
  const CellMlModel model = parse_cellml(small_cell);
  const Rates rest = initial_rates(model);
  EXPECT_NEAR(rest.potential, 0.25, 1e-15);
  EXPECT_NEAR(rest.states[0], 0.1 * std::exp(-1.6) * 0.5 - 0.05 * 0.5, 1e-16);
  EXPECT_NEAR(rest.states[1], 0.5 - 4, 1e-15);
  EXPECT_NEAR(initial_rates(model, -40).potential, 20.25, 1e-13);
}

TEST(CellMlReader, AGateIsSplitIntoWhatOpensItAndItsSpeed) {
  const CellMlModel model = parse_cellml(small_cell);
  const std::vector<double> states = model.initial_states(), parameters = model.parameter_values();
  const auto values = evaluate(model.graph, {.potential_mv = -30, .states = states, .parameters = parameters});
  EXPECT_NEAR(values[static_cast<std::size_t>(model.states[0].open)], 0.1 * std::exp(-0.6), 1e-16);
  EXPECT_NEAR(values[static_cast<std::size_t>(model.states[0].speed)], 0.1 * std::exp(-0.6) + 0.05, 1e-16);
}

TEST(CellMlReader, UnitsAreConvertedWhereVariablesAreConnected) {
  // The leak takes V in volts, and its reversal potential, too: g n (V − E) is then a thousandth of the number.
  std::string text = with(small_cell, R"(<component name="leak">
  <variable name="V" units="mV")",
                          R"(<component name="leak">
  <variable name="V" units="volt")");
  text = with(text, R"(<variable name="E" units="mV" initial_value="-70"/>)",
              R"(<variable name="E" units="volt" initial_value="-0.07"/>)");
  EXPECT_NEAR(initial_rates(parse_cellml(text)).potential, 0.25e-3, 1e-17);
}

TEST(CellMlReader, AFileInSecondsAndVoltsHasRatesInMillivoltsPerMillisecond) {
  std::string text = small_cell;
  for (int k = 0; k < 3; ++k) text = with(text, R"(name="time" units="ms")", R"(name="time" units="second")");
  for (int k = 0; k < 3; ++k) text = with(text, R"(name="V" units="mV")", R"(name="V" units="volt")");
  text = with(text, R"(initial_value="-80")", R"(initial_value="-0.08")");
  const CellMlModel model = parse_cellml(text);
  EXPECT_NEAR(model.initial_potential_mv, -80, 1e-12);
  const Rates rates = initial_rates(model);
  EXPECT_NEAR(rates.potential, -0.1 * 0.5 * (-0.08 + 70) / 2, 1e-12);  // V/s is mV/ms
  EXPECT_NEAR(rates.states[1], (0.5 - 4) / 1000, 1e-15);
}

TEST(CellMlReader, CellMl20IsReadAsCellMl10Is) {
  std::string text = small_cell;
  for (int k = 0; k < 2; ++k)
    text = with(text, "http://www.cellml.org/cellml/1.0#", "http://www.cellml.org/cellml/2.0#");
  const std::string from[] = {"environment", "environment", "membrane", "membrane", "gate"};
  const std::string to[] = {"membrane", "gate", "leak", "gate", "leak"};
  for (int k = 0; k < 5; ++k) {
    std::string names = "component_1=\"";
    names.append(from[k]).append("\" component_2=\"").append(to[k]).append("\"");
    const std::string old = "<connection><map_components " + names + "/>";
    text = with(text, old, names.insert(0, "<connection ").append(">"));
  }
  const CellMlModel model = parse_cellml(text);
  EXPECT_EQ(model.version, "2.0");
  EXPECT_NEAR(initial_rates(model).potential, 0.25, 1e-15);
}

TEST(CellMlReader, CellMl11ImportsComponentsWithWhatTheyEncapsulateAndUnits) {
  const test::TemporaryDirectory folder;
  const std::string head =
      R"(<model name="m" xmlns="http://www.cellml.org/cellml/1.1#" xmlns:cellml="http://www.cellml.org/cellml/1.1#" xmlns:xlink="http://www.w3.org/1999/xlink">)";
  test::write_text(folder / "parts.cellml", head + R"(
<units name="ms"><unit prefix="milli" units="second"/></units><units name="mV"><unit prefix="milli" units="volt"/></units>
<component name="inner"><variable name="V" units="mV" public_interface="in"/><variable name="k" units="dimensionless" initial_value="3"/>
  <variable name="r" units="dimensionless" public_interface="out"/>
  <math xmlns="http://www.w3.org/1998/Math/MathML"><apply><eq/><ci>r</ci><apply><times/><ci>k</ci><ci>V</ci></apply></apply></math></component>
<component name="outer"><variable name="V" units="mV" public_interface="in" private_interface="out"/>
  <variable name="r" units="dimensionless" public_interface="out" private_interface="in"/></component>
<component name="other"><variable name="lost" units="dimensionless" initial_value="1"/></component>
<group><relationship_ref relationship="encapsulation"/><component_ref component="outer"><component_ref component="inner"/></component_ref></group>
<connection><map_components component_1="outer" component_2="inner"/><map_variables variable_1="V" variable_2="V"/><map_variables variable_1="r" variable_2="r"/></connection>
</model>)");
  const std::string main = head + R"(
<import xlink:href="parts.cellml"><component name="leak" component_ref="outer"/><units name="my_ms" units_ref="ms"/><units name="mV" units_ref="mV"/></import>
<component name="membrane"><variable name="t" units="my_ms"/><variable name="V" units="mV" initial_value="-4"/><variable name="r" units="dimensionless"/>
  <math xmlns="http://www.w3.org/1998/Math/MathML"><apply><eq/><apply><diff/><bvar><ci>t</ci></bvar><ci>V</ci></apply><ci>r</ci></apply></math></component>
<connection><map_components component_1="membrane" component_2="leak"/><map_variables variable_1="V" variable_2="V"/><map_variables variable_1="r" variable_2="r"/></connection>
</model>)";
  test::write_text(folder / "main.cellml", main);
  const CellMlModel model = read_cellml(folder / "main.cellml");
  EXPECT_EQ(model.version, "1.1");
  EXPECT_EQ(initial_rates(model).potential, -12);
  ASSERT_EQ(model.parameters.size(), 1U);
  EXPECT_EQ(model.parameters[0].name, "leak_inner.k");

  test::write_text(folder / "main.cellml", with(main, "parts.cellml", "absent.cellml"));
  const std::string absent = input_error_of([&] { read_cellml(folder / "main.cellml"); });
  EXPECT_NE(absent.find("import 'absent.cellml': there is no such file"), absent.npos) << absent;
  test::write_text(folder / "main.cellml", with(main, "parts.cellml", "main.cellml"));
  const std::string itself = input_error_of([&] { read_cellml(folder / "main.cellml"); });
  EXPECT_NE(itself.find("imports itself"), itself.npos) << itself;
  for (const char* name : {"../parts.cellml", "/etc/parts.cellml", "http://a.org/parts.cellml", ""}) {
    test::write_text(folder / "main.cellml", with(main, "parts.cellml", name));
    const std::string outside = input_error_of([&] { read_cellml(folder / "main.cellml"); });
    EXPECT_NE(outside.find("in the folder of this one"), outside.npos) << outside;
  }
  test::write_text(folder / "main.cellml", with(main, "component_ref=\"outer\"", "component_ref=\"outside\""));
  const std::string unknown = input_error_of([&] { read_cellml(folder / "main.cellml"); });
  EXPECT_NE(unknown.find("no component 'outside'"), unknown.npos) << unknown;
}

TEST(CellMlReader, TheOperationsOfMathMlHaveTheirValues) {
  const std::string two = "<cn>2</cn>", v = "<ci>V</ci>";  // V = −80
  const auto apply = [](const std::string& operation, const std::string& arguments) {
    return "<apply><" + operation + "/>" + arguments + "</apply>";
  };
  EXPECT_EQ(value_of("<cn type=\"e-notation\"> 2.5 <sep/> -3 </cn>"), 2.5e-3);
  EXPECT_EQ(value_of("<cn type=\"rational\">1<sep/>4</cn>"), 0.25);
  EXPECT_EQ(value_of("<pi/>"), 3.141592653589793);
  EXPECT_EQ(value_of(apply("log", "<logbase><cn>3</cn></logbase>" + apply("abs", v))), std::log(80) / std::log(3));
  EXPECT_EQ(value_of(apply("log", apply("minus", v))), std::log(80) / std::log(10));
  EXPECT_EQ(value_of(apply("root", "<degree><cn>4</cn></degree><cn>81</cn>")), 3);
  EXPECT_EQ(value_of(apply("root", apply("abs", v))), std::sqrt(80));
  EXPECT_EQ(value_of(apply("power", two + "<cn>10</cn>")), 1024);
  EXPECT_EQ(value_of(apply("factorial", "<cn>5</cn>")), 120);
  EXPECT_EQ(value_of(apply("rem", v + "<cn>7</cn>")), -3);
  EXPECT_EQ(value_of(apply("quotient", v + "<cn>7</cn>")), -11);
  EXPECT_EQ(value_of(apply("floor", "<cn>-1.5</cn>")), -2);
  EXPECT_EQ(value_of(apply("ceiling", "<cn>-1.5</cn>")), -1);
  EXPECT_EQ(value_of(apply("max", two + v + "<cn>5</cn>")), 5);
  EXPECT_EQ(value_of(apply("min", two + v + "<cn>5</cn>")), -80);
  EXPECT_EQ(value_of(apply("sec", two)), 1 / std::cos(2));
  EXPECT_DOUBLE_EQ(value_of(apply("arccoth", two)), std::atanh(0.5));
  EXPECT_EQ(value_of(apply("csch", v)), 1 / std::sinh(-80));
  const auto holds = [&](const std::string& condition) {
    return value_of("<piecewise><piece><cn>1</cn>" + condition +
                    "</piece><otherwise><cn>-1</cn></otherwise></piecewise>");
  };
  EXPECT_EQ(holds(apply("lt", "<cn>-90</cn>" + v + two)), 1);
  EXPECT_EQ(holds(apply("lt", "<cn>-90</cn>" + two + v)), -1);
  EXPECT_EQ(holds(apply("geq", v + "<cn>-80</cn>")), 1);
  EXPECT_EQ(holds(apply("neq", v + "<cn>-80</cn>")), -1);
  EXPECT_EQ(holds(apply("xor", "<true/>" + apply("gt", v + two))), 1);
  EXPECT_EQ(holds(apply("xor", "<true/>" + apply("lt", v + two))), -1);
  EXPECT_EQ(holds(apply("and", apply("not", "<false/>") + apply("or", "<false/>" + apply("eq", v + v)))), 1);
  EXPECT_TRUE(std::isnan(value_of("<piecewise><piece><cn>1</cn>" + apply("gt", v + two) + "</piece></piecewise>")));
}

TEST(CellMlReader, AQuotientThatIsZeroOverZeroHasItsLimit) {
  // x / (e^x − 1) at 0, as 0.5 (V + 80) (3 e^0 ..) / (1 − e^(−(V + 80) / 4)) and with the factor outside the quotient.
  const std::string x = "<apply><plus/><ci>V</ci><cn>80</cn></apply>";
  const std::string exp = "<apply><exp/><apply><divide/><apply><minus/>" + x + "</apply><cn>4</cn></apply></apply>";
  const std::string below = "<apply><minus/><cn>1</cn>" + exp + "</apply>";
  EXPECT_NEAR(value_of("<apply><divide/><apply><times/><cn>0.5</cn>" + x + "</apply>" + below + "</apply>"), 2, 1e-14);
  EXPECT_NEAR(value_of("<apply><times/>" + x + "<apply><divide/><ci>C</ci>" + below + "</apply></apply>"), 8, 1e-14);
  EXPECT_NEAR(value_of("<apply><divide/>" + below + "<apply><times/><ci>C</ci>" + x + "</apply></apply>"), 0.125,
              1e-15);
  // Where another potential makes the numerator vanish, it stays what it is.
  const std::string other = "<apply><plus/><ci>V</ci><cn>81</cn></apply>";
  EXPECT_FALSE(std::isfinite(value_of("<apply><divide/>" + other + below + "</apply>")));
  // ... and where two parameters agree by accident.
  const std::string accident =
      "<apply><plus/><ci>V</ci><apply><abs/><ci>amplitude</ci></apply><apply><abs/><ci>amplitude</ci></apply></apply>";
  EXPECT_FALSE(std::isfinite(value_of("<apply><divide/>" + accident + below + "</apply>")));
}

TEST(CellMlReader, ParametersAreSetByNameAloneInFullOrByAnnotation) {
  CellMlOptions options;
  options.parameters = {{"g", 0.2}, {"membrane.C", 4}};
  EXPECT_NEAR(initial_rates(parse_cellml(small_cell, options)).potential, 0.25, 1e-15);
  options.parameters = {{"leak.i", 8}};  // what an equation gives can be set, too
  EXPECT_EQ(initial_rates(parse_cellml(small_cell, options)).potential, -4);
  EXPECT_NE(refusal(small_cell, {.parameters = {{"leak.gg", 1}}}).find("no variable 'leak.gg'; did you mean 'leak.g'?"),
            std::string::npos);
  EXPECT_NE(refusal(small_cell, {.parameters = {{"n", 1}}}).find("gate.n is a state"), std::string::npos);
  const std::string two =
      with(small_cell, R"(<variable name="C" units="uF" initial_value="2"/>)",
           R"(<variable name="C" units="uF" initial_value="2"/><variable name="g" units="uF" initial_value="2"/>)");
  EXPECT_NE(refusal(two, {.parameters = {{"g", 1}}}).find("membrane.g, leak.g"), std::string::npos);
}

TEST(CellMlReader, PotentialAndStimulusAreFoundWithoutAnnotations) {
  std::string text = with(small_cell, " cmeta:id=\"membrane_voltage\"", "");
  text = with(text, " cmeta:id=\"membrane_stimulus_current\"", "");
  const CellMlModel model = parse_cellml(text);
  EXPECT_EQ(model.potential, "membrane.V");
  ASSERT_TRUE(model.stimulus);
  EXPECT_EQ(model.stimulus->name, "membrane.i_stim");
  // A second state in volts leaves the name V; without that it is refused (below).
  text = with(text, R"(name="c" units="mM")", R"(name="c" units="volt")");
  EXPECT_EQ(parse_cellml(text).potential, "membrane.V");
}

TEST(CellMlReader, TwoPotentialsAreRefusedUntilOneIsNamed) {
  std::string text = with(small_cell, " cmeta:id=\"membrane_voltage\"", "");
  text = with(text, R"(name="c" units="mM")", R"(name="v" units="volt")");
  for (int k = 0; k < 3; ++k) text = with(text, "<ci>c</ci>", "<ci>v</ci>");
  EXPECT_NE(refusal(text).find("several states may be the potential: membrane.V, gate.v"), std::string::npos)
      << refusal(text);
  EXPECT_EQ(parse_cellml(text, {.potential = "gate.v"}).potential, "gate.v");
  EXPECT_NE(refusal(text, {.potential = "C"}).find("membrane.C is no state"), std::string::npos);
  EXPECT_NE(refusal(small_cell, {.potential = "n"}).find("gate.n has units 'dimensionless'"), std::string::npos);
  const std::string twice =
      with(text, R"(name="v" units="volt")", R"(name="v" units="volt" cmeta:id="membrane_voltage")");
  const std::string both =
      with(twice, R"(units="mV" initial_value)", R"(units="mV" cmeta:id="membrane_voltage" initial_value)");
  EXPECT_NE(refusal(both).find("two variables are annotated as membrane_voltage"), std::string::npos) << refusal(both);
}

}  // namespace
}  // namespace cardiowarp
