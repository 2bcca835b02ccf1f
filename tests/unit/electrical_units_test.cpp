#include "app/config/electrical_units.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/configuration.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::minimal;

std::string of_amplitude(const std::string& text) {
  return electrical_conversion(potential_rate_quantity, "amplitude", text);
}

std::string of_diffusivity(const std::string& text) {
  return electrical_conversion(diffusivity_quantity, "isotropic", text);
}

TEST(ElectricalUnits, OfACurrentAreConvertedByCapacitanceAndSurface) {
  for (const auto& [given, converted] : std::vector<std::pair<std::string, std::string>>{{"35 uA/cm^2", "35"},
                                                                                         {"35 \u00b5A/cm\u00b2", "35"},
                                                                                         {"-52.5 uA cm^-2", "-52.5"},
                                                                                         {"0.35 A/m^2", "35"},
                                                                                         {"0.35 nA/mm2", "0.035"},
                                                                                         {"7 pA/um^2", "700"},
                                                                                         {"1 mA/cm^2", "1000"},
                                                                                         {"49000 uA/cm^3", "35"},
                                                                                         {"140 uA/mm^3", "100"}})
    EXPECT_NE(of_amplitude(given).find("'amplitude: " + converted + " mV/ms'"), std::string::npos)
        << given << of_amplitude(given);
  EXPECT_EQ(of_amplitude("35 uA/cm^2"),
            "; a current per area of membrane I is I / C_m here, positive where it depolarizes; with C_m = 1 uF/cm^2: "
            "'amplitude: 35 mV/ms'");
  EXPECT_NE(of_amplitude("3 uA/mm^3").find("I / (chi C_m) here"), std::string::npos);
  EXPECT_NE(of_amplitude("35 nA").find("per capacitance, 35 pA/pF"), std::string::npos);
}

TEST(ElectricalUnits, OfAConductivityAreConvertedByBoth) {
  for (const auto& [given, converted] : std::vector<std::pair<std::string, std::string>>{{"0.17 S/m", "0.1214"},
                                                                                         {"1.7 mS/cm", "0.1214"},
                                                                                         {"0.17 mS/mm", "0.1214"},
                                                                                         {"0.0017 S/cm", "0.1214"},
                                                                                         {"170 uS mm^-1", "0.1214"},
                                                                                         {"0.14 S/m", "0.1"}})
    EXPECT_NE(of_diffusivity(given).find("'isotropic: " + converted + " mm^2/ms'"), std::string::npos)
        << given << of_diffusivity(given);
}

TEST(ElectricalUnits, AreNotSeenInOtherQuantities) {
  for (const char* text : {"35", "35 mV/ms", "35 mV", "0.1 mm^2/ms", "3 mm", "abc", ""}) {
    EXPECT_EQ(of_amplitude(text), "") << text;
    EXPECT_EQ(of_diffusivity(text), "") << text;
    EXPECT_EQ(electrical_key(text), "") << text;
  }
  EXPECT_EQ(electrical_conversion(time_quantity, "step", "35 uA/cm^2"), "");
}

TEST(ElectricalUnits, OfAnotherKeyAreAnsweredWithThatKey) {
  EXPECT_NE(of_amplitude("0.17 S/m").find("'isotropic: 0.1214 mm^2/ms' in the section diffusivity"), std::string::npos);
  EXPECT_NE(of_diffusivity("35 uA/cm^2").find("'amplitude: 35 mV/ms' of a stimulus"), std::string::npos);
  EXPECT_NE(of_amplitude("1 uF/cm^2").find("'conductivity.capacitance' takes a capacitance C_m"), std::string::npos);
  EXPECT_NE(
      of_diffusivity("140 /mm").find("'conductivity.surface_to_volume' takes a surface of membrane per volume chi"),
      std::string::npos);
}

TEST(ElectricalUnits, OfASurfacePerVolumeAreToldInEverySpelling) {
  for (const char* text :
       {"140 /mm", "140 1/mm", "1400 cm^-1", "1400/cm", "1400 cm\u207b\u00b9", "0.14 1/um", "140 / mm"})
    EXPECT_NE(electrical_key(text).find("a surface of membrane per volume chi"), std::string::npos) << text;
  for (const char* text : {"140", "140 /", "/mm", "140 mm", "1 2/mm", "140 mm/mm", "3 /ms"})
    EXPECT_EQ(electrical_key(text), "") << text;
}

TEST_F(Configuration, AnswersElectricalUnitsWithTheNumberToWrite) {
  EXPECT_EQ(
      error(minimal, {{"diffusivity.longitudinal", "0.17 S/m"}, {"diffusivity.transverse", "0.019 S/m"}}),
      "--set diffusivity.longitudinal=0.17 S/m: diffusivity.longitudinal: expected a positive diffusivity "
      "(mm^2/ms, cm^2/s, m^2/s), got '0.17 S/m'; a conductivity sigma (of a monodomain: sigma_i sigma_e / (sigma_i "
      "+ sigma_e)) is sigma / (chi C_m) here; with chi = 140 /mm (1400 /cm) and C_m = 1 uF/cm^2: "
      "'diffusivity.longitudinal: 0.1214 mm^2/ms'; or the section conductivity takes it");
  const std::string stimulus = "[{where: {tag: 1}, duration: 2, amplitude: ";
  EXPECT_NE(error(minimal, {{"stimuli", stimulus + "35 uA/cm^2}]"}})
                .find("'stimuli[0].amplitude: 35 mV/ms'; or give conductivity.capacitance"),
            std::string::npos);
  EXPECT_EQ(load(minimal, {{"stimuli", stimulus + "35 pA/pF}]"}}).stimuli[0].amplitude_mv_per_ms, 35);
}

TEST_F(Configuration, NamesTheKeyThatTakesAnElectricalQuantity) {
  EXPECT_NE(error(minimal, {{"sigma", "{il: 0.17 S/m, it: 0.019 S/m}"}}).find("in the section diffusivity"),
            std::string::npos);
  EXPECT_NE(error(minimal, {{"stimuli", "[{where: {tag: 1}, duration: 2, strength: 35 uA/cm^2}]"}})
                .find("'amplitude: 35 mV/ms' of a stimulus"),
            std::string::npos);
  EXPECT_NE(error(minimal, {{"chi", "140 /mm"}}).find("'conductivity.surface_to_volume' takes"), std::string::npos);
  EXPECT_NE(error(minimal, {{"C_m", "1 uF/cm^2"}}).find("'conductivity.capacitance' takes a capacitance C_m"),
            std::string::npos);
  EXPECT_NE(error(minimal, {{"tmie", "1 uF/cm^2"}}).find("; did you mean 'time'?; 'conductivity.capacitance' takes"),
            std::string::npos);
}

}  // namespace
}  // namespace cardiowarp
