#pragma once
#include <gtest/gtest.h>

#include <string>

namespace cardiowarp::test {

/// A small cell in CellML 1.0: dV/dt = −(i_leak + i_stim) / C with i_leak = g n (V − E), a gate n and a pool c.
/// At V = −80 mV, n = 0.5 and c = 2 without a stimulus: dV/dt = −0.1 · 0.5 · (−80 + 70) / 2 = 0.25 mV/ms.
inline const std::string small_cell = R"(<?xml version="1.0"?>
<model name="small" xmlns="http://www.cellml.org/cellml/1.0#" xmlns:cellml="http://www.cellml.org/cellml/1.0#"
       xmlns:cmeta="http://www.cellml.org/metadata/1.0#">
<units name="ms"><unit prefix="milli" units="second"/></units>
<units name="mV"><unit prefix="milli" units="volt"/></units>
<units name="per_ms"><unit units="ms" exponent="-1"/></units>
<units name="mM"><unit prefix="milli" units="mole"/><unit units="litre" exponent="-1"/></units>
<units name="uA"><unit prefix="micro" units="ampere"/></units>
<units name="uF"><unit prefix="micro" units="farad"/></units>
<units name="mS"><unit prefix="milli" units="siemens"/></units>
<component name="environment"><variable name="time" units="ms" public_interface="out" cmeta:id="time"/></component>
<component name="membrane">
  <variable name="V" units="mV" initial_value="-80" public_interface="out" cmeta:id="membrane_voltage"/>
  <variable name="time" units="ms" public_interface="in"/>
  <variable name="C" units="uF" initial_value="2"/>
  <variable name="i_leak" units="uA" public_interface="in"/>
  <variable name="i_stim" units="uA" cmeta:id="membrane_stimulus_current"/>
  <variable name="amplitude" units="uA" initial_value="-40" cmeta:id="membrane_stimulus_current_amplitude"/>
  <math xmlns="http://www.w3.org/1998/Math/MathML">
    <apply><eq/><ci>i_stim</ci><piecewise>
      <piece><ci>amplitude</ci><apply><lt/><ci>time</ci><cn cellml:units="ms">1</cn></apply></piece>
      <otherwise><cn cellml:units="uA">0</cn></otherwise></piecewise></apply>
    <apply><eq/><apply><diff/><bvar><ci>time</ci></bvar><ci>V</ci></apply>
      <apply><divide/><apply><minus/><apply><plus/><ci>i_leak</ci><ci>i_stim</ci></apply></apply><ci>C</ci></apply></apply>
  </math>
</component>
<component name="leak">
  <variable name="V" units="mV" public_interface="in"/>
  <variable name="n" units="dimensionless" public_interface="in"/>
  <variable name="i" units="uA" public_interface="out"/>
  <variable name="g" units="mS" initial_value="0.1"/>
  <variable name="E" units="mV" initial_value="-70"/>
  <math xmlns="http://www.w3.org/1998/Math/MathML">
    <apply><eq/><ci>i</ci><apply><times/><ci>g</ci><ci>n</ci><apply><minus/><ci>V</ci><ci>E</ci></apply></apply></apply>
  </math>
</component>
<component name="gate">
  <variable name="V" units="mV" public_interface="in"/>
  <variable name="time" units="ms" public_interface="in"/>
  <variable name="n" units="dimensionless" initial_value="0.5" public_interface="out"/>
  <variable name="c" units="mM" initial_value="2"/>
  <variable name="rate" units="per_ms"/>
  <math xmlns="http://www.w3.org/1998/Math/MathML">
    <apply><eq/><ci>rate</ci><apply><times/><cn cellml:units="per_ms">0.1</cn><apply><exp/><apply><divide/><ci>V</ci><cn cellml:units="mV">50</cn></apply></apply></apply></apply>
    <apply><eq/><apply><diff/><bvar><ci>time</ci></bvar><ci>n</ci></apply>
      <apply><minus/><apply><times/><ci>rate</ci><apply><minus/><cn cellml:units="dimensionless">1</cn><ci>n</ci></apply></apply><apply><times/><cn cellml:units="per_ms">0.05</cn><ci>n</ci></apply></apply></apply>
    <apply><eq/><apply><diff/><bvar><ci>time</ci></bvar><ci>c</ci></apply>
      <apply><minus/><ci>n</ci><apply><times/><ci>c</ci><ci>c</ci></apply></apply></apply>
  </math>
</component>
<connection><map_components component_1="environment" component_2="membrane"/><map_variables variable_1="time" variable_2="time"/></connection>
<connection><map_components component_1="environment" component_2="gate"/><map_variables variable_1="time" variable_2="time"/></connection>
<connection><map_components component_1="membrane" component_2="leak"/><map_variables variable_1="V" variable_2="V"/><map_variables variable_1="i_leak" variable_2="i"/></connection>
<connection><map_components component_1="membrane" component_2="gate"/><map_variables variable_1="V" variable_2="V"/></connection>
<connection><map_components component_1="gate" component_2="leak"/><map_variables variable_1="n" variable_2="n"/></connection>
</model>
)";

/// `text` with the first `from` replaced; a failure of the test where it has none.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  if (place == std::string::npos) {
    ADD_FAILURE() << "no '" << from << "' to replace";
    return text;
  }
  return text.replace(place, from.size(), to);
}

}  // namespace cardiowarp::test
