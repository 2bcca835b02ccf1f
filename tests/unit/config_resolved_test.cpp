#include "app/config/config.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/configuration.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::every_key;
using test::minimal;

TEST_F(Configuration, ResolvedRegionsHaveEveryValueButThoseThatAnEarlierRegionSets) {
  const std::string regions =
      "regions:\n"
      "  - {where: {tag: 1}, cell_model: {parameters: {alpha: 0.1}}}\n"
      "  - {where: {tag: 2}, diffusivity: {longitudinal: 0.5, transverse: 0.25}}\n"
      "  - {where: {tag: 3}, cell_model: {parameters: {c: 7}}}\n";
  const std::string resolved = resolved_yaml(load(minimal + regions));
  const std::string expected =
      "regions:\n"
      "  - where: {tag: \"1\"}\n"
      "    diffusivity: {isotropic: 1, anisotropic: 0.1}\n"
      "    cell_model: {parameters: {alpha: 0.1, gamma: 0.002, b: 0.15, c: 8, mu1: 0.2, mu2: 0.3}}\n"
      "  - where: {tag: \"2\"}\n"
      "    diffusivity: {isotropic: 0.25, anisotropic: 0.25}\n"
      "    cell_model: {parameters: {gamma: 0.002, b: 0.15, c: 8, mu1: 0.2, mu2: 0.3}}\n"
      "  - where: {tag: \"3\"}\n"
      "    # diffusivity: as outside and in earlier regions\n"
      "    cell_model: {parameters: {gamma: 0.002, b: 0.15, c: 7, mu1: 0.2, mu2: 0.3}}\n";
  EXPECT_NE(resolved.find(expected), std::string::npos) << resolved;
  EXPECT_EQ(resolved_yaml(load_config(write(resolved, "resolved.yaml"))), resolved);
}

TEST_F(Configuration, ResolvedAccuracyIsReadBackAndSaysWhatWasFound) {
  Config config = load(minimal + "accuracy: {activation: 0.25 %, apd90: 0.5 ms}\n");
  EXPECT_TRUE(config.time.adaptive.enabled);
  config.time.adaptive.tolerance = 0.0071;
  config.time.adaptive.max_step_ms = 7.6;
  const std::string resolved = resolved_yaml(config);
  EXPECT_NE(resolved.find("    enabled: true\n"
                          "    tolerance: auto  # 0.0071\n"
                          "    min_step: 0.01\n"
                          "    max_step: auto  # 7.6\n"
                          "accuracy: {activation: 0.25 %, apd90: 0.5 ms}\n"),
            std::string::npos)
      << resolved;
  const Config again = load_config(write(resolved, "resolved.yaml"));
  EXPECT_EQ(again.accuracy.value().activation_percent, 0.25);
  EXPECT_EQ(again.accuracy->apd90_ms, 0.5);
  EXPECT_TRUE(again.accuracy->finds_max_step);

  const std::string one_sided =
      resolved_yaml(load(minimal + "accuracy: {apd90: 2 ms}\n", {{"time.adaptive.max_step", "9"}}));
  EXPECT_NE(one_sided.find("    max_step: 9\naccuracy: {apd90: 2 ms}\n"), std::string::npos) << one_sided;
  EXPECT_FALSE(load_config(write(one_sided, "resolved.yaml")).accuracy.value().finds_max_step);
}

TEST_F(Configuration, ResolvedYamlNamesEveryKeyWithItsValue) {
  const std::string path = directory.path().string();
  EXPECT_EQ(resolved_yaml(load(minimal + R"(regions:
  - {where: {tag: scar}, diffusivity: {isotropic: 0.05}}
stimuli:
  - {where: {sphere: {center: [0, 0, 1], radius: 2}}, duration: 1, amplitude: 1e-7 V/s}
probes: [{name: 'a "b', point: [1, 2, 3]}]
)",
                               {{"probes[0].name", "a b"}})),
            R"(# Every key with its value, in mm, ms, mV, mm^2/ms and mV/ms.
mesh:
  file: ")" + path +
                R"(/heart.msh"
  length_unit: mm
cell_model:
  name: aliev_panfilov
  parameters: {alpha: 0.01, gamma: 0.002, b: 0.15, c: 8, mu1: 0.2, mu2: 0.3}
diffusivity:
  isotropic: 1
  anisotropic: 0
fibers:
  source: none
  direction: [1, 0, 0]
regions:
  - where: {tag: "scar"}
    diffusivity: {isotropic: 0.05, anisotropic: 0}
    cell_model: {parameters: {alpha: 0.01, gamma: 0.002, b: 0.15, c: 8, mu1: 0.2, mu2: 0.3}}
initial:
  potential: -80
  recovery: 0
  regions: []
stimuli:
  - name: "stimulus_1"
    where: {sphere: {center: [0, 0, 1], radius: 2}}
    start: 0
    duration: 1
    amplitude: 1.0e-07
    count: 1
    edge: weighted
time:
  end: 10
  step: 0.1
  scheme: sdirk2
  adaptive:
    enabled: false
    tolerance: 0.002
    min_step: 0.01
    max_step: 5
newton:
  tolerance: auto
  max_iterations: 20
  forcing: eisenstat_walker
linear_solver:
  method: cg
  preconditioner: jacobi
  path: auto
  operator: auto
  precision: double
  tolerance: auto
  max_iterations: 2000
  spmv: auto
  block_size: auto
  threshold: 16
  sorting_window: auto
quadrature: vertices
assembly:
  strategy: auto
  order: direct
  block_size: auto
  threshold: 16
  sorting_window: 1024
  repeatable: true
backend: auto
output:
  directory: ")" +
                path +
                R"(/out/heart"
  format: vtu
  interval: 5
  fields: [potential, recovery]
  maps: [activation_time, apd90]
probes:
  - {name: "a b", point: [1, 2, 3]}
)");
}

TEST_F(Configuration, ResolvedYamlHasThePrecisionOfFramesWhereItIsNotThatOfTheFormat) {
  const auto resolved = [&](const std::string& output) { return resolved_yaml(load(minimal + output)); };
  EXPECT_NE(resolved("output: {precision: single}\n").find("\n  precision: single\n"), std::string::npos);
  for (const char* output : {"", "output: {precision: double}\n", "output: {format: ensight}\n",
                             "output: {format: ensight, precision: single}\n"})
    EXPECT_EQ(resolved(output).find("\n  precision:", resolved(output).find("\noutput:")), std::string::npos) << output;
  EXPECT_TRUE(load(minimal + "output: {precision: single}\n").output.in_single());
  EXPECT_TRUE(load(minimal + "output: {format: ensight}\n").output.in_single());
  EXPECT_FALSE(load(minimal + "output: {precision: double}\n").output.in_single());
  EXPECT_FALSE(load(minimal).output.in_single());
}

TEST_F(Configuration, ResolvedYamlReadsBackToTheSameValues) {
  for (const std::string& yaml : {minimal, every_key}) {
    // Values that need all 17 digits, and a path that needs quoting.
    const Config config = load(yaml, {{"time.step", "0.033333333333333335"},
                                      {"newton.tolerance", "1.2345678901234567e-11"},
                                      {"diffusivity", "{longitudinal: 0.0952984, transverse: 0.0125758}"},
                                      {"output.directory", R"("odd: 'na\\me' #\"1\"")"}});
    const std::string resolved = resolved_yaml(config);
    const Config again = load_config(write(resolved, "resolved.yaml"));
    EXPECT_EQ(resolved_yaml(again), resolved);
    EXPECT_EQ(again.time.step_ms, 0.033333333333333335);
    EXPECT_EQ(again.newton.tolerance, 1.2345678901234567e-11);
    EXPECT_EQ(again.diffusivity.isotropic_mm2_per_ms, config.diffusivity.isotropic_mm2_per_ms);
    EXPECT_EQ(again.diffusivity.anisotropic_mm2_per_ms, config.diffusivity.anisotropic_mm2_per_ms);
    EXPECT_EQ(again.output.directory, directory / R"(odd: 'na\me' #"1")");
    EXPECT_EQ(again.mesh.file, config.mesh.file);
    EXPECT_EQ(again.stimuli.size(), config.stimuli.size());
    EXPECT_EQ(again.regions.size(), config.regions.size());
  }
}

}  // namespace
}  // namespace cardiowarp
