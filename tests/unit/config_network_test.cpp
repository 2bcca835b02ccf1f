// Purkinje networks, fast layers beneath the endocardium and factors of velocity in a configuration.

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "app/config/config.hpp"
#include "tests/support/configuration.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::ConfigurationMistake;
using test::minimal;

std::string stimulus(const std::string& keys) { return "stimuli:\n  - {duration: 1, amplitude: 1, " + keys + "}\n"; }

TEST_F(Configuration, ANetworkOfAFileStandsInPlaceOfWhere) {
  const Config config = load(minimal + stimulus("network: {file: sub/tree.vtp, length_unit: um, velocity: 200 cm/s, "
                                                "roots: [[1, 2, 3 cm]], junctions: all, delay: 3 ms, radius: 1.5}"));
  const StimulusConfig& made = config.stimuli[0];
  ASSERT_TRUE(made.network);
  EXPECT_EQ(made.network->file, directory / "sub/tree.vtp");
  EXPECT_EQ(made.network->length_unit, LengthUnit::micrometre);
  EXPECT_EQ(made.network->velocity_mm_per_ms, 2);
  ASSERT_EQ(made.network->roots.size(), 1u);
  EXPECT_EQ(made.network->roots[0], (Vector3{1, 2, 30}));
  EXPECT_EQ(made.network->junctions, JunctionKind::all);
  EXPECT_EQ(made.network->delay_ms, 3);
  EXPECT_EQ(made.network->radius_mm, 1.5);
  EXPECT_TRUE(std::holds_alternative<Everywhere>(made.where.region));
  EXPECT_EQ(made.where.place, made.network->place);
  const std::string resolved = resolved_yaml(config);
  EXPECT_NE(resolved.find("roots: [[1, 2, 30]], velocity: 2, junctions: all, delay: 3, radius: 1.5}"),
            std::string::npos)
      << resolved;
  EXPECT_EQ(resolved_yaml(load_config(write(resolved, "resolved.yaml"))), resolved);
}

TEST_F(Configuration, ANetworkMayBeGrown) {
  const Config config = load(minimal + stimulus("network: {grow: {ventricle: rv, start: [1, 2, 3], trunk: 1 cm, "
                                                "angle: 12 deg, seed: 5}}"));
  const GrowthConfig& grow = *config.stimuli[0].network->grow;
  EXPECT_EQ(grow.ventricle, GrownIn::right);
  EXPECT_EQ(*grow.start, (Vector3{1, 2, 3}));
  EXPECT_FALSE(grow.towards);
  EXPECT_EQ(*grow.trunk_mm, 10);
  EXPECT_EQ(grow.angle_deg, 12);
  EXPECT_EQ(grow.seed, 5);
  EXPECT_EQ(grow.branch_mm, 8);
  const std::string resolved = resolved_yaml(config);
  EXPECT_EQ(resolved_yaml(load_config(write(resolved, "resolved.yaml"))), resolved);
}

TEST_F(Configuration, ALayerBeneathTheEndocardiumMayBeFaster) {
  const Config config = load(minimal +
                             "regions:\n  - {where: {endocardium: 0.1 cm, ventricle: lv}, velocity_factor: 3}\n"
                             "  - {where: {tag: 4}, cell_model: {parameters: {alpha: 0.1}}}\n");
  EXPECT_EQ(*config.regions[0].where.within.endocardium_mm, 1);
  EXPECT_FALSE(config.regions[0].where.within.is_everything());
  EXPECT_EQ(config.regions[0].velocity_factor, 3);
  EXPECT_EQ(config.regions[1].velocity_factor, 1);
  const std::string resolved = resolved_yaml(config);
  EXPECT_NE(resolved.find("where: {ventricle: lv, endocardium: 1}"), std::string::npos) << resolved;
  EXPECT_EQ(resolved_yaml(load_config(write(resolved, "resolved.yaml"))), resolved);
}

TEST_F(ConfigurationMistake, OfNetworksAndFactorsIsSaidWithItsPlace) {
  expect_messages({
      {stimulus("network: {}"), "4:42: stimuli[0].network: expected one of the keys file and grow, got neither"},
      {stimulus("network: {file: a.vtp}, edge: nodes"),
       "4:63: stimuli[0].edge: expected none beside network, whose nodes have all of the stimulus, got one"},
      {stimulus("network: {file: a.vtp, grow: {}}"),
       "4:42: stimuli[0].network: expected one of the keys file and grow, got both"},
      {stimulus("network: {file: a.msh}"),
       "4:49: stimuli[0].network.file: expected a file .vtk, .vtp or .vtu with lines, got a.msh"},
      {stimulus("network: {file: a.vtp}, where: {tag: 1}"),
       "4:5: stimuli[0]: expected one of the keys where and network, got both"},
      {stimulus("network: {file: a.vtp, roots: [1, 2, 3]}"),
       "4:64: stimuli[0].network.roots[0]: expected a list [x, y, z], each a length, got '1'"},
      {stimulus("network: {grow: {}, roots: [[1, 2, 3]]}"),
       "4:60: stimuli[0].network.roots: expected none beside grow, whose root is `start`, got some"},
      {stimulus("network: {grow: {segment: 9}}"),
       "4:59: stimuli[0].network.grow.segment: expected at most the length of a branch, got 9 mm"},
      {stimulus("network: {grow: {ventricle: la}}"),
       "4:61: stimuli[0].network.grow.ventricle: expected one of lv, rv, got 'la'; did you mean 'lv'?"},
      {"regions:\n  - {where: {tag: 1}, velocity_factor: 3, diffusivity: {isotropic: 1}}\n",
       "4:40: regions[0].velocity_factor: expected none beside a diffusivity, a velocity, a conductivity or conducts: "
       "false, got one"},
      {"regions:\n  - {where: {tag: 1}, velocity_factor: 0}\n",
       "4:40: regions[0].velocity_factor: expected a number (without unit) in [0.01, 100], got '0'"},
      {"regions:\n  - {where: {endocardium: 0}, velocity_factor: 3}\n",
       "4:27: regions[0].where.endocardium: expected a positive length (mm, cm, m, um), got '0'"},
  });
}

}  // namespace
}  // namespace cardiowarp
