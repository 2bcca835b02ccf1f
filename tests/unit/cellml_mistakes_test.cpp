#include <gtest/gtest.h>

#include <string>

#include "cellml/model.hpp"
#include "cellml/xml_document.hpp"
#include "tests/support/cellml_text.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;
using test::small_cell;
using test::with;

/// The message of what is refused once `from` in the small cell is `to`.
std::string message_of(const std::string& from, const std::string& to) {
  return input_error_of([&] { parse_cellml(with(small_cell, from, to)); });
}

void expect_words(const std::string& message, const std::string& words) {
  EXPECT_NE(message.find(words), message.npos) << "expected '" << words << "' in: " << message;
}

const std::string leak_formula =
    "<apply><times/><ci>g</ci><ci>n</ci><apply><minus/><ci>V</ci><ci>E</ci></apply></apply>";

TEST(CellMlMistakes, EquationsInACircleAreNamedOneByOne) {
  const std::string message = message_of("<cn cellml:units=\"per_ms\">0.1</cn>", "<ci>other</ci>");
  expect_words(message, "component 'gate', variable 'other': the component has no such variable");
  const std::string text = with(small_cell, R"(<variable name="rate" units="per_ms"/>)",
                                R"(<variable name="rate" units="per_ms"/><variable name="other" units="per_ms"/>)");
  const std::string circle =
      with(with(text, "<cn cellml:units=\"per_ms\">0.1</cn>", "<ci>other</ci>"),
           "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">\n    <apply><eq/><ci>rate</ci>",
           "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">\n<apply><eq/><ci>other</ci><ci>rate</ci></apply>\n    "
           "<apply><eq/><ci>rate</ci>");
  expect_words(input_error_of([&] { parse_cellml(circle); }),
               "equations in a circle, which are not solved here: gate.");
  expect_words(input_error_of([&] { parse_cellml(circle); }), "gate.rate needs gate.other");
}

TEST(CellMlMistakes, AnAlgebraicSystemIsRefused) {
  const std::string message =
      message_of("<apply><eq/><ci>i</ci>", "<apply><eq/><apply><plus/><ci>i</ci><ci>g</ci></apply>");
  expect_words(message, "component 'leak': an equation gives none of its variables (i, g, ..)");
  expect_words(message, "algebraic systems are not solved here");
}

TEST(CellMlMistakes, WhatIsDefinedTwiceOrNotAtAllIsNamed) {
  expect_words(message_of(R"(<variable name="i" units="uA")", R"(<variable name="i" initial_value="1" units="uA")"),
               "component 'leak', variable 'i': defined twice, by an initial value and by an equation");
  expect_words(message_of("<apply><eq/><ci>i</ci>", "<apply><eq/><ci>i</ci><cn>1</cn></apply><apply><eq/><ci>i</ci>"),
               "component 'leak', variable 'i': defined twice, by equations here and in component 'leak'");
  expect_words(
      message_of(R"(<variable name="i_leak" units="uA")", R"(<variable name="i_leak" initial_value="1" units="uA")"),
      "variable 'i_leak': defined twice");
  expect_words(message_of(R"(name="g" units="mS" initial_value="0.1")", R"(name="g" units="mS")"),
               "the equation of leak.i: variable leak.g is not defined: expected an initial value or an equation");
  expect_words(message_of(R"( initial_value="0.5")", ""), "gate.n: a state needs an initial value");
  expect_words(message_of(R"(initial_value="0.5")", R"(initial_value="half")"),
               "component 'gate', variable 'half': the component has no such variable");
  expect_words(message_of(R"(initial_value="0.5")", R"(initial_value="rate")"), "gate.n: its initial value is 'rate'");
  expect_words(message_of(R"(<variable name="c" units="mM")", R"(<variable name="n" units="mM")"),
               "component 'gate', variable 'n': declared twice");
  expect_words(message_of("name=\"leak\"", "name=\"membrane\""), "component 'membrane' is defined twice");
}

TEST(CellMlMistakes, UnknownFunctionsDelaysAndWrongArgumentsAreNamed) {
  expect_words(message_of(leak_formula, "<apply><bessel/><ci>V</ci></apply>"),
               "component 'leak': unknown function 'bessel'");
  expect_words(message_of(leak_formula, "<apply><csymbol>delay</csymbol><ci>V</ci></apply>"),
               "component 'leak': a delay or another csymbol");
  expect_words(message_of(leak_formula, "<apply><divide/><ci>V</ci></apply>"), "divide: expected 2 arguments, got 1");
  expect_words(message_of(leak_formula, "<apply><power/><ci>V</ci><cn>1</cn><cn>2</cn></apply>"), "power: expected 2");
  expect_words(message_of(leak_formula, "<matrix/>"), "'matrix' is no part of MathML");
  expect_words(message_of(leak_formula, "<cn>1.5x</cn>"), "cn: expected a number, got '1.5x'");
  expect_words(message_of(leak_formula, "<cn type=\"hex\">15</cn>"), "of type 'hex'");
  expect_words(message_of(leak_formula, "<apply><factorial/><ci>V</ci></apply>"),
               "equation of leak.i: factorial: expected a number");
  expect_words(message_of(leak_formula, "<piecewise><piece><cn>1</cn></piece></piecewise>"),
               "piecewise: expected piece");
  expect_words(message_of("<bvar><ci>time</ci></bvar><ci>n</ci>",
                          "<bvar><ci>time</ci><degree><cn>2</cn></degree></bvar><ci>n</ci>"),
               "dn/dt: expected a first derivative");
}

TEST(CellMlMistakes, UnitsThatDoNotFitAreNamed) {
  expect_words(message_of(R"(<component name="leak">
  <variable name="V" units="mV")",
                          R"(<component name="leak">
  <variable name="V" units="mM")"),
               "membrane.V has units 'mV' and leak.V has 'mM', which measure different things");
  expect_words(message_of(R"(name="C" units="uF")", R"(name="C" units="nF")"),
               "component 'membrane': variable 'C': units 'nF' are not defined");
  expect_words(message_of(R"(<unit prefix="milli" units="volt"/>)", R"(<unit prefix="mili" units="volt"/>)"),
               "units 'mV': expected a prefix such as milli or -3, got 'mili'");
  expect_words(message_of(R"(<unit prefix="milli" units="volt"/>)", R"(<unit prefix="milli" units="mV"/>)"),
               "units 'mV' are defined by themselves");
  expect_words(message_of(R"(<unit prefix="milli" units="volt"/>)", R"(<unit exponent="x" units="volt"/>)"),
               "units 'mV': exponent: expected a number, got 'x'");
  expect_words(message_of(R"(name="time" units="ms" public)", R"(name="time" units="mV" public)"),
               "measure different things");
  std::string text = small_cell;
  for (int k = 0; k < 3; ++k) text = with(text, R"(name="time" units="ms")", R"(name="time" units="mV")");
  expect_words(input_error_of([&] { parse_cellml(text); }),
               "variable 'time': expected a time, with units such as millisecond");
}

TEST(CellMlMistakes, ConnectionsOfWhatIsNotThereAreNamed) {
  expect_words(message_of("component_2=\"leak\"", "component_2=\"leek\""),
               "there is no component 'leek'; did you mean 'leak'?");
  expect_words(message_of("variable_1=\"i_leak\"", "variable_1=\"i_leek\""),
               "component 'membrane', variable 'i_leek': the component has no such variable; did you mean 'i_leak'?");
  expect_words(message_of("component_2=\"leak\"", "component_2=\"membrane\""), "is connected with itself");
}

TEST(CellMlMistakes, TwoTimesAndNoStatesAreRefused) {
  const std::string message = message_of("<bvar><ci>time</ci></bvar><ci>c</ci>", "<bvar><ci>V</ci></bvar><ci>c</ci>");
  expect_words(message, "component 'gate', variable 'c': a derivative by 'V', where others are by environment.time");
  expect_words(
      input_error_of([] {
        parse_cellml("<model xmlns='http://www.cellml.org/cellml/1.0#' name='m'><component name='a'/></model>");
      }),
      "no equation for a derivative");
}

TEST(CellMlMistakes, ResetsAndReactionsAreRefused) {
  expect_words(message_of("<variable name=\"g\"", "<reaction/><variable name=\"g\""), "component 'leak': reactions");
  expect_words(message_of("<variable name=\"g\"", "<reset/><variable name=\"g\""), "component 'leak': resets");
}

TEST(CellMlMistakes, WhatIsNoCellMlIsRefused) {
  const auto refusal = [](const std::string& text) { return input_error_of([&] { parse_cellml(text); }); };
  expect_words(refusal(""), "no XML");
  expect_words(refusal("<a>\n<b>\n</a>"), "line 3: no XML");
  expect_words(refusal("<html/>"), "expected an element 'model', got 'html'");
  expect_words(refusal("<model/>"), "expected the namespace of CellML 1.0, 1.1 or 2.0");
  expect_words(message_of("name=\"leak\"", "name=\"leak`rm`\""),
               "expected 'name' of letters, digits and _, got 'leak`rm`'");
  expect_words(message_of("name=\"leak\"", ""), "expected 'name' of letters");
}

TEST(CellMlMistakes, AFileThatIsNotThereOrTooLargeIsRefusedWithItsName) {
  const test::TemporaryDirectory folder;
  expect_words(input_error_of([&] { read_cellml(folder / "none.cellml"); }), "none.cellml: there is no such file");
  expect_words(input_error_of([&] { read_cellml(folder.path()); }), "expected a file, got something else");
  test::write_text(folder / "large.cellml", small_cell);
  std::filesystem::resize_file(folder / "large.cellml", most_xml_bytes + 1);
  expect_words(input_error_of([&] { read_cellml(folder / "large.cellml"); }), "expected at most 16 MiB");
}

TEST(CellMlMistakes, AHostileFileFailsWithAMessage) {
  const std::string bomb = "<!DOCTYPE m [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">]>";
  expect_words(input_error_of([&] { parse_cellml(with(small_cell, "<model", bomb + "<model")); }), "defines entities");
  std::string deep, ends;
  for (int k = 0; k < 100'000; ++k) deep += "<apply><abs/>", ends += "</apply>";
  expect_words(message_of(leak_formula, deep + "<ci>V</ci>" + ends), "stands inside 200 others");
  // Fifty units, each the square of the one before: 2^50 factors, were they multiplied out.
  std::string units;
  for (int k = 0; k < 45; ++k) {
    const std::string of = k == 0 ? "mV" : "u" + std::to_string(k - 1);
    units.append("<units name=\"u").append(std::to_string(k)).append("\"><unit units=\"").append(of);
    units.append("\"/><unit exponent=\"-1\" units=\"").append(of).append("\"/></units>");
  }
  EXPECT_NO_THROW(parse_cellml(with(with(small_cell, "<units name=\"per_ms\">", units + "<units name=\"per_ms\">"),
                                    R"(name="C" units="uF")", R"(name="C" units="u44")")));
  // Each product the square of the one before: 2^1000 factors, which stay 1000 terms.
  std::string formula = "<ci>V</ci>", variables, equations;
  for (int k = 0; k < 1000; ++k) {
    const std::string name = "p" + std::to_string(k), of = k == 0 ? "V" : "p" + std::to_string(k - 1);
    const std::string variable = "<ci>" + of + "</ci>";
    variables.append("<variable name=\"").append(name).append("\" units=\"dimensionless\"/>");
    equations.append("<apply><eq/><ci>").append(name).append("</ci><apply><divide/><apply><times/>");
    equations.append(variable).append(variable).append("</apply>").append(variable).append("</apply></apply>");
  }
  std::string text = with(small_cell, leak_formula, "<ci>p999</ci>");
  text = with(text, "<apply><eq/><ci>i</ci>", equations + "<apply><eq/><ci>i</ci>");
  text = with(text, R"(<variable name="g")", variables + R"(<variable name="g")");
  EXPECT_LT(parse_cellml(text).graph.terms().size(), 4000U);
}

}  // namespace
}  // namespace cardiowarp
