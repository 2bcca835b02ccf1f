// Coordinates of the heart in a configuration: read, written back, and refused where they are wrong.

#include <gtest/gtest.h>

#include <numbers>
#include <string>
#include <variant>
#include <vector>

#include "app/config/config.hpp"
#include "tests/support/configuration.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::ConfigurationMistake;
using test::minimal;

std::string stimulus(const std::string& where) {
  return "stimuli:\n  - duration: 1\n    amplitude: 1\n    where: " + where + "\n";
}

TEST_F(Configuration, CoordinatesOfTheHeartStandAloneOrBesideAKindOfPlace) {
  const Config config = load(minimal +
                             "coordinates: {zero: [5 cm, 0, 1], surfaces: {epi: [7, outside.vtx]}}\n"
                             "regions:\n"
                             "  - {where: {transmural: [0, 0.3], ventricle: lv}, diffusivity: {isotropic: 0.5}}\n"
                             "  - {where: {tag: scar, rotational: [170 deg, -150]}, diffusivity: {isotropic: 0.5}}\n" +
                             stimulus("{nodes: some.vtx, apicobasal: [0.25, 1]}"));
  const Where& layer = config.regions[0].where;
  EXPECT_TRUE(std::holds_alternative<Everywhere>(layer.region));
  EXPECT_EQ(layer.within.transmural->low, 0);
  EXPECT_EQ(layer.within.transmural->high, 0.3);
  EXPECT_EQ(layer.within.part, HeartPart::left_wall);
  EXPECT_FALSE(layer.within.apicobasal || layer.within.rotational_deg);
  const Where& scar = config.regions[1].where;
  EXPECT_EQ(std::get<Tag>(scar.region).name, "scar");
  EXPECT_EQ(scar.within.rotational_deg->low, 170);
  EXPECT_EQ(scar.within.rotational_deg->high, -150);
  EXPECT_EQ(config.coordinates->zero_mm->x, 50);
  EXPECT_EQ((*config.coordinates->surfaces)[HeartSurface::epi].names[1], (directory / "outside.vtx").string());
  const std::string resolved = resolved_yaml(config);
  EXPECT_NE(resolved.find("where: {transmural: [0, 0.3], ventricle: lv}"), std::string::npos) << resolved;
  EXPECT_NE(resolved.find("where: {tag: \"scar\", rotational: [170, -150]}"), std::string::npos) << resolved;
  EXPECT_EQ(resolved_yaml(load_config(write(resolved, "resolved.yaml"))), resolved);
}

TEST_F(Configuration, AProbeMayBeAPlaceOfTheHeart) {
  const Config config =
      load(minimal +
           "probes:\n"
           "  - {name: point, point: [1, 2, 3]}\n"
           "  - {name: wall, where: {transmural: 0.5, apicobasal: 0.7, rotational: -100.3 deg}}\n"
           "  - {name: right, where: {transmural: 0, apicobasal: 1, rotational: 33, ventricle: rv}}\n");
  EXPECT_FALSE(config.probes[0].in_heart);
  EXPECT_EQ(config.probes[1].in_heart->transmural, 0.5);
  EXPECT_NEAR(config.probes[1].in_heart->rotational, -100.3 * std::numbers::pi / 180, 1e-15);
  EXPECT_EQ(config.probes[1].in_heart->part, HeartPart::left_wall);
  EXPECT_EQ(config.probes[2].in_heart->part, HeartPart::right_wall);
  const std::string resolved = resolved_yaml(config);
  EXPECT_NE(resolved.find("where: {transmural: 0.5, apicobasal: 0.7, rotational: -100.3, ventricle: lv}"),
            std::string::npos)
      << resolved;
  EXPECT_EQ(resolved_yaml(load_config(write(resolved, "resolved.yaml"))), resolved);
}

TEST_F(Configuration, AParameterMayGoThroughTheWallInAnyMeshFile) {
  const Config config = load(minimal +
                             "cell_model: {name: ten_tusscher_2006, parameters: {g_Ks: {through_wall: [1, 0.25, 1], "
                             "scale: true}}}\n");
  const ParameterArray& given = config.cell_model.arrays.at("g_Ks");
  EXPECT_EQ(given.through_wall, (std::vector<Real>{1, 0.25, 1}));
  EXPECT_TRUE(given.scales);
  EXPECT_TRUE(config.mesh.values.empty()) << "no array of the file";
  const std::string resolved = resolved_yaml(config);
  EXPECT_NE(resolved.find("g_Ks: {through_wall: [1, 0.25, 1], scale: true}"), std::string::npos) << resolved;
  EXPECT_EQ(resolved_yaml(load_config(write(resolved, "resolved.yaml"))), resolved);
}

TEST_F(Configuration, WithoutCoordinatesNothingIsWrittenOfThem) {
  EXPECT_EQ(resolved_yaml(load(minimal)).find("coordinates"), std::string::npos);
  const std::string resolved = resolved_yaml(load(minimal + "coordinates: {}\n"));
  EXPECT_TRUE(load_config(write(resolved, "resolved.yaml")).coordinates) << resolved;
}

TEST_F(ConfigurationMistake, OfCoordinatesIsSaidWithItsPlace) {
  expect_messages({
      {stimulus("{transmural: [0, 1.5]}"),
       "6:29: stimuli[0].where.transmural[1]: expected a number (without unit) in [0, 1], got '1.5'"},
      {stimulus("{transmural: [0.5, 0.2]}"),
       "6:25: stimuli[0].where.transmural: expected the smaller number first, got [0.5, 0.2]"},
      {stimulus("{apicobasal: 0.5}"),
       "6:25: stimuli[0].where.apicobasal: expected two numbers [from, to] from 0 to 1, got '0.5'"},
      {stimulus("{apicobasal: [0.5]}"),
       "6:25: stimuli[0].where.apicobasal: expected two numbers [from, to] from 0 to 1, got 1 of them"},
      {stimulus("{rotational: [-190 deg, 0]}"),
       "6:26: stimuli[0].where.rotational[0]: expected a number of degrees (deg) in [-180, 180], got '-190 deg'"},
      {stimulus("{ventricle: left}"), "6:24: stimuli[0].where.ventricle: expected one of lv, rv, septum, got 'left'"},
      {stimulus("{transmual: [0, 1]}"),
       "6:13: stimuli[0].where.transmual: expected one of the keys box, sphere, tag, surface, nodes, got 'transmual'; "
       "did you "
       "mean 'transmural'?"},
      {stimulus("{tag: 1, sphere: {center: [0, 0, 0], radius: 1}, ventricle: lv}"),
       "6:12: stimuli[0].where: expected at most one of the keys box, sphere, tag, surface, nodes, got sphere and tag"},
      {"probes: [{name: a}]\n", "3:10: probes[0].point: expected a list [x, y, z], each a length, got nothing"},
      {"probes: [{name: a, point: [0, 0, 0], where: {transmural: 1, apicobasal: 1, rotational: 0}}]\n",
       "3:27: probes[0].point: expected none beside where, got one"},
      {"probes: [{name: a, where: {transmural: 1, rotational: 0}}]\n",
       "3:27: probes[0].where.apicobasal: expected a number (without unit) in [0, 1], got nothing"},
      {"probes: [{name: a, where: {transmural: 1, apicobasal: 1, rotational: 0, ventricle: septum}}]\n",
       "3:84: probes[0].where.ventricle: expected one of lv, rv, got 'septum'"},
      {"cell_model: {name: luo_rudy_1991, parameters: {g_K: {through_wall: [1]}}}\n",
       "3:68: cell_model.parameters.g_K.through_wall: expected two numbers or more, at equal steps from endocardium to "
       "epicardium, got 1"},
      {"cell_model: {name: luo_rudy_1991, parameters: {g_K: {through_wall: [1, 2], array: x}}}\n",
       "3:83: cell_model.parameters.g_K.array: expected none beside through_wall, got one"},
      {"coordinates: {zero: 5}\n", "3:21: coordinates.zero: expected a list [x, y, z], each a length, got '5'"},
  });
}

}  // namespace
}  // namespace cardiowarp
