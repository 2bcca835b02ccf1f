#pragma once
#include <initializer_list>
#include <string>

namespace cardiowarp::test {

// An excitable cell in CellML 1.0 that has a state of every kind, one of which is negative at rest and passes through 0
// in a beat. It rests near −80 mV, and its fronts travel.

/// `<apply><name/>..</apply>`
inline std::string applied(const std::string& name, std::initializer_list<std::string> arguments) {
  std::string text = "<apply><" + name + "/>";
  for (const std::string& argument : arguments) text += argument;
  return text + "</apply>";
}
inline std::string ci(const std::string& name) { return "<ci>" + name + "</ci>"; }
inline std::string cn(const std::string& number) { return "<cn cellml:units=\"dimensionless\">" + number + "</cn>"; }
inline std::string sum(const std::string& a, const std::string& b) { return applied("plus", {a, b}); }
inline std::string difference(const std::string& a, const std::string& b) { return applied("minus", {a, b}); }
inline std::string product(std::initializer_list<std::string> factors) { return applied("times", factors); }
inline std::string equation(const std::string& left, const std::string& right) { return applied("eq", {left, right}); }
inline std::string rate_of(const std::string& name) {
  return "<apply><diff/><bvar><ci>time</ci></bvar><ci>" + name + "</ci></apply>";
}
/// 1 / (1 + exp(−(V − at) / width))
inline std::string opened(const std::string& at, const std::string& width) {
  const std::string x = applied("divide", {difference(cn(at), ci("V")), cn(width)});
  return applied("divide", {cn("1"), sum(cn("1"), applied("exp", {x}))});
}

/// dV/dt = −(I + i_stim) with
///   I = k (V + 80) (V + 55) (V − 30) + g_w w (V + 80) + 0.5 f − 0.2 u + 0.3 o
///   dw/dt = 0.03 (w∞(V) − w)                     a gate
///   df/dt = (c / (c + 0.001) − f) / 5             a follower
///   do/dt = a(V) s − 0.1 o,  ds/dt = 0.1 o − a(V) s   a chain
///   du/dt = 0.05 (V / 100 − u − u³)               a pool, −0.6 at rest
///   dc/dt = 0.0002 w − c² − 0.05 (c − 0.0001)     a pool, a concentration
inline std::string excitable_cell() {
  std::string variables;
  const auto add = [&](const std::string& name, const std::string& unit, const std::string& value = "",
                       const std::string& annotation = "") {
    variables += "<variable name=\"" + name + "\" units=\"" + unit + "\"" +
                 (value.empty() ? "" : " initial_value=\"" + value + "\"") +
                 (annotation.empty() ? "" : " cmeta:id=\"" + annotation + "\"") + "/>\n";
  };
  add("time", "ms", "", "time");
  add("V", "mV", "-80", "membrane_voltage");
  add("w", "dimensionless", "0");
  add("f", "dimensionless", "0.09");
  add("o", "dimensionless", "0");
  add("s", "dimensionless", "1");
  add("u", "dimensionless", "-0.6");
  add("c", "mM", "0.0001");
  add("k", "dimensionless", "0.0004");
  add("g_w", "dimensionless", "0.9", "membrane_recovery_conductance");
  add("i_stim", "dimensionless", "", "membrane_stimulus_current");
  const std::string pulse = "<piecewise><piece>" + cn("-40") + applied("lt", {ci("time"), cn("1")}) +
                            "</piece><otherwise>" + cn("0") + "</otherwise></piecewise>";
  const std::string above_rest = sum(ci("V"), cn("80"));
  const std::string cubic = product({ci("k"), above_rest, sum(ci("V"), cn("55")), difference(ci("V"), cn("30"))});
  std::string current = sum(cubic, product({ci("g_w"), ci("w"), above_rest}));
  current = sum(current, product({cn("0.5"), ci("f")}));
  current = sum(difference(current, product({cn("0.2"), ci("u")})), product({cn("0.3"), ci("o")}));
  const std::string opening = product({cn("0.2"), opened("-10", "8"), ci("s")}),
                    closing = product({cn("0.1"), ci("o")});
  const std::string bound = applied("divide", {ci("c"), sum(ci("c"), cn("0.001"))});
  const std::string u =
      difference(difference(applied("divide", {ci("V"), cn("100")}), ci("u")), product({ci("u"), ci("u"), ci("u")}));
  const std::string c = difference(difference(product({cn("0.0002"), ci("w")}), product({ci("c"), ci("c")})),
                                   product({cn("0.05"), difference(ci("c"), cn("0.0001"))}));
  const std::string math =
      equation(ci("i_stim"), pulse) + equation(rate_of("V"), applied("minus", {sum(current, ci("i_stim"))})) +
      equation(rate_of("w"), product({cn("0.03"), difference(opened("-20", "5"), ci("w"))})) +
      equation(rate_of("f"), applied("divide", {difference(bound, ci("f")), cn("5")})) +
      equation(rate_of("o"), difference(opening, closing)) + equation(rate_of("s"), difference(closing, opening)) +
      equation(rate_of("u"), product({cn("0.05"), u})) + equation(rate_of("c"), c);
  return R"(<?xml version="1.0"?>
<model name="excitable" xmlns="http://www.cellml.org/cellml/1.0#" xmlns:cellml="http://www.cellml.org/cellml/1.0#"
       xmlns:cmeta="http://www.cellml.org/metadata/1.0#">
<units name="ms"><unit prefix="milli" units="second"/></units>
<units name="mV"><unit prefix="milli" units="volt"/></units>
<units name="mM"><unit prefix="milli" units="mole"/><unit units="litre" exponent="-1"/></units>
<component name="cell">
)" + variables +
         "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">\n" + math + "\n</math>\n</component>\n</model>\n";
}

}  // namespace cardiowarp::test
