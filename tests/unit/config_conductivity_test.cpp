// The section `conductivity`: S/m, the surface of membrane and its capacitance make diffusivities, and of currents
// rates.

#include <gtest/gtest.h>

#include <string>

#include "app/config/config.hpp"
#include "tests/support/configuration.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::ConfigurationMistake;
using test::minimal;

/// As table 1 of Niederer et al. (2011) states them.
constexpr const char* of_the_benchmark =
    "conductivity:\n"
    "  intracellular: {longitudinal: 0.17 S/m, transverse: 0.019 S/m}\n"
    "  extracellular: {longitudinal: 0.62 S/m, transverse: 0.24 S/m}\n"
    "  surface_to_volume: 140 mm^-1\n"
    "  capacitance: 0.01 uF/mm^2\n"
    "fibers: {source: constant}\n";

Real along(const Config& config) {
  return config.diffusivity.isotropic_mm2_per_ms + config.diffusivity.anisotropic_mm2_per_ms;
}

TEST_F(Configuration, ConductivitiesOfTheBenchmarkMeanTheDiffusivityOfItsConfiguration) {
  const Config config = load(minimal + of_the_benchmark);
  const Config benchmark = load_config(CARDIOWARP_DOCS "/../configs/niederer.yaml");
  EXPECT_NEAR(along(config), along(benchmark), 5e-8);
  EXPECT_NEAR(config.diffusivity.isotropic_mm2_per_ms, benchmark.diffusivity.isotropic_mm2_per_ms, 5e-8);
  EXPECT_NEAR(along(config), 0.17 * 0.62 / 0.79 / 1.4, 1e-15);
}

TEST_F(Configuration, ConductivitiesAreTakenInTheUnitsThatPeopleWrite) {
  const Real expected = along(load(minimal + of_the_benchmark));
  for (const std::string text :
       {"{isotropic: 1.7 mS/cm}, extracellular: {isotropic: 0.62}, surface_to_volume: 1400/cm",
        "{isotropic: 0.17 mS/mm}, extracellular: {isotropic: 6.2 mS cm^-1}, capacitance: 0.01 F/m^2",
        "{isotropic: 0.17}, extracellular: {isotropic: 0.0062 S/cm}, surface_to_volume: 0.14 1/um",
        "{isotropic: 170 mS/m}, extracellular: {isotropic: 0.62}, capacitance: 1 \u00b5F/cm\u00b2"})
    EXPECT_NEAR(along(load(minimal + "conductivity: {intracellular: " + text + "}\n")), expected, 1e-14) << text;
}

TEST_F(Configuration, AConductivityOfTheMonodomainIsTakenAsItIs) {
  const Config config = load(minimal + "conductivity: {monodomain: {longitudinal: 0.1334, transverse: 0.0176}}\n");
  EXPECT_NEAR(along(config), 0.1334 / 1.4, 1e-15);
  EXPECT_NEAR(config.diffusivity.isotropic_mm2_per_ms, 0.0176 / 1.4, 1e-15);
  const Config thick =
      load(minimal + "conductivity: {monodomain: {isotropic: 0.14}, surface_to_volume: 70, capacitance: 4 uF/cm^2}\n");
  EXPECT_NEAR(thick.diffusivity.isotropic_mm2_per_ms, 0.05, 1e-15);
  EXPECT_EQ(thick.diffusivity.anisotropic_mm2_per_ms, 0);
}

TEST_F(Configuration, ResolvedConductivitiesAreTheSameDiffusivities) {
  const Config config =
      load(minimal + of_the_benchmark +
           "regions:\n  - {where: {tag: 1}, conductivity: {monodomain: {longitudinal: 0.3, transverse: 0.07}}}\n");
  const std::string resolved = resolved_yaml(config);
  EXPECT_EQ(resolved.find("conductivity:"), std::string::npos) << resolved;
  const Config again = load_config(write(resolved, "resolved.yaml"));
  EXPECT_EQ(again.diffusivity.isotropic_mm2_per_ms, config.diffusivity.isotropic_mm2_per_ms);
  EXPECT_EQ(again.diffusivity.anisotropic_mm2_per_ms, config.diffusivity.anisotropic_mm2_per_ms);
  EXPECT_EQ(again.regions[0].diffusivity->isotropic_mm2_per_ms, config.regions[0].diffusivity->isotropic_mm2_per_ms);
  EXPECT_EQ(resolved_yaml(again), resolved);
}

TEST_F(Configuration, ARegionHasTheMembraneOfTheTissueUnlessItGivesItsOwn) {
  const Config config =
      load(minimal +
           "conductivity: {monodomain: {isotropic: 0.14}, surface_to_volume: 100, capacitance: 2}\nregions:\n"
           "  - {where: {tag: 1}, conductivity: {monodomain: {isotropic: 0.14}}}\n"
           "  - {where: {tag: 2}, conductivity: {monodomain: {isotropic: 0.14}, capacitance: 1}}\n");
  EXPECT_NEAR(config.regions[0].diffusivity->isotropic_mm2_per_ms, 0.07, 1e-15);
  EXPECT_NEAR(config.regions[1].diffusivity->isotropic_mm2_per_ms, 0.14, 1e-15);
}

TEST_F(Configuration, CurrentsOfStimuliAreConvertedByTheMembrane) {
  const auto amplitude = [&](const std::string& conductivity, const std::string& current) {
    return load(minimal + conductivity + "stimuli: [{where: {tag: 1}, duration: 2, amplitude: " + current + "}]\n")
        .stimuli[0]
        .amplitude_mv_per_ms;
  };
  const std::string monodomain = "conductivity: {monodomain: {isotropic: 0.14}}\n";
  EXPECT_NEAR(amplitude(monodomain, "35 uA/cm^2"), 35, 1e-12);
  EXPECT_NEAR(amplitude(monodomain, "0.35 A/m^2"), 35, 1e-12);
  EXPECT_NEAR(amplitude(monodomain, "50000 uA/cm^3"), 50e3 / 1400, 1e-12);
  EXPECT_NEAR(amplitude(monodomain, "-50000 A/m^3"), -50e3 / 1400, 1e-12);
  EXPECT_EQ(amplitude(monodomain, "35 mV/ms"), 35);
  const std::string membrane =
      "velocity: {isotropic: 0.6 m/s}\nconductivity: {capacitance: 2, surface_to_volume: 70}\n";
  EXPECT_NEAR(amplitude(membrane, "35 uA/cm^2"), 17.5, 1e-12);
  EXPECT_NEAR(amplitude(membrane, "49000 uA/cm^3"), 35, 1e-12);
}

TEST_F(ConfigurationMistake, OfConductivitiesIsSaidWithItsPlace) {
  expect_messages({
      {"conductivity: 0.17 S/m\n",
       "3:15: conductivity: expected a map with the keys intracellular, extracellular, monodomain, surface_to_volume, "
       "capacitance, got '0.17 S/m'"},
      {"conductivity: {intracellular: {isotropic: 0.3}}\n",
       "3:15: conductivity: expected both intracellular and extracellular, or monodomain for what both make together, "
       "got intracellular alone"},
      {"conductivity: {intracellular: {isotropic: 1}, monodomain: {isotropic: 1}}\n",
       "3:15: conductivity: expected either monodomain or both intracellular and extracellular, got monodomain with "
       "another one"},
      {"conductivity: {monodomain: {isotropic: -0.1 S/m}}\n",
       "3:40: conductivity.monodomain.isotropic: expected a positive conductivity, in S/m, got '-0.1 S/m'"},
      {"conductivity: {monodomain: {isotropic: 1 mm^2/ms}}\n",
       "3:40: conductivity.monodomain.isotropic: expected a positive conductivity, in S/m, got '1 mm^2/ms'"},
      {"conductivity: {monodomain: {longitudinal: 1}}\n",
       "3:28: conductivity.monodomain: expected either isotropic or both longitudinal and transverse, got one of the "
       "two"},
      {"conductivity: {monodomain: {isotropic: 1}, capacitance: 0.01}\n",
       "3:57: conductivity.capacitance: expected a capacitance from 0.1 to 100 uF/cm^2, got '0.01'"},
      {"conductivity: {monodomain: {isotropic: 1}, surface_to_volume: 1400}\n",
       "3:63: conductivity.surface_to_volume: expected a surface per volume from 1 to 1000 /mm, got '1400'"},
      {"conductivity: {capacitance: 1}\n",
       "3:15: conductivity: expected intracellular and extracellular, or monodomain, or diffusivity or velocity beside "
       "it, got none"},
      {"diffusivity: {isotropic: 1}\nconductivity: {monodomain: {isotropic: 1}}\n",
       "4:15: conductivity: expected surface_to_volume and capacitance alone beside diffusivity or velocity, got "
       "conductivities"},
      {"velocity: {isotropic: 1}\nconductivity: {monodomain: {isotropic: 1}}\n",
       "4:15: conductivity: expected surface_to_volume and capacitance alone beside diffusivity or velocity, got "
       "conductivities"},
      {"regions: [{where: {tag: 1}, velocity: {isotropic: 1}, conductivity: {monodomain: {isotropic: 1}}}]\n",
       "3:69: regions[0].conductivity: expected none beside diffusivity or velocity, got one"},
      {"regions: [{where: {tag: 1}, conductivity: {capacitance: 2}}]\n",
       "3:43: regions[0].conductivity: expected intracellular and extracellular, or monodomain, got none"},
  });
}

TEST_F(ConfigurationMistake, OfADirectionAcrossTheSheetsHasItsReason) {
  const std::string reason =
      ": expected isotropic, or longitudinal and transverse, as tissue conducts alike in all directions across the "
      "fiber, got 'normal', a direction across the sheets";
  const std::string keys = "{longitudinal: 0.6, transverse: 0.3, normal: 0.2}";
  expect_messages({{"velocity: " + keys, "3:11: velocity" + reason},
                   {"diffusivity: " + keys, "3:14: diffusivity" + reason},
                   {"conductivity: {monodomain: " + keys + "}", "3:28: conductivity.monodomain" + reason},
                   {"regions: [{where: {tag: 1}, velocity: " + keys + "}]", "3:39: regions[0].velocity" + reason}});
}

}  // namespace
}  // namespace cardiowarp
