// The keys of fibers by rule: read, written back, and refused where they are wrong.

#include <gtest/gtest.h>

#include <numbers>
#include <string>

#include "app/config/config.hpp"
#include "tests/support/configuration.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::ConfigurationMistake;
using test::minimal;

TEST_F(Configuration, FibersByRuleHaveUsualAnglesAndAreWrittenBack) {
  const Config config = load(minimal + "fibers: {source: rule}\n");
  EXPECT_EQ(config.fibers.source, FiberSource::rule);
  EXPECT_EQ(config.fibers.rule.rule, FiberRule::ldrb);
  EXPECT_NEAR(config.fibers.rule.angles().left.epicardium, -std::numbers::pi / 3, 1e-15);
  const std::string resolved = resolved_yaml(config);
  EXPECT_NE(resolved.find("  source: rule\n  direction: [1, 0, 0]\n  rule: ldrb\n"), std::string::npos) << resolved;
  EXPECT_EQ(resolved_yaml(load_config(write(resolved, "resolved.yaml"))), resolved);
}

TEST_F(Configuration, FibersByRuleTakeAnglesAndSurfaces) {
  const Config config = load(minimal +
                             "fibers:\n"
                             "  source: rule\n"
                             "  rule: bayer\n"
                             "  endocardium: 0 deg\n"
                             "  sheet: {epicardium: 12°}\n"
                             "  right: {epicardium: -25 deg, sheet: {endocardium: 5}}\n"
                             "  surfaces: {endo_lv: 3, epi: [class_2, more.vtx], apex: tip}\n");
  const FiberRuleConfig& rule = config.fibers.rule;
  EXPECT_EQ(rule.rule, FiberRule::bayer);
  EXPECT_EQ(rule.fiber.endocardium_deg, 0);
  EXPECT_FALSE(rule.fiber.epicardium_deg);
  EXPECT_EQ(rule.sheet->epicardium_deg, 12);
  EXPECT_EQ(rule.right->fiber.epicardium_deg, -25);
  EXPECT_EQ(rule.right->sheet->endocardium_deg, 5);
  ASSERT_EQ((*rule.surfaces)[HeartSurface::epi].names.size(), 2u);
  EXPECT_EQ((*rule.surfaces)[HeartSurface::epi].names[0], "class_2");
  EXPECT_EQ((*rule.surfaces)[HeartSurface::epi].names[1], (directory / "more.vtx").string());
  EXPECT_EQ((*rule.surfaces)[HeartSurface::endo_lv].names[0], "3");
  EXPECT_TRUE((*rule.surfaces)[HeartSurface::base].names.empty());
  const std::string resolved = resolved_yaml(config);
  EXPECT_EQ(resolved_yaml(load_config(write(resolved, "resolved.yaml"))), resolved);
}

TEST_F(Configuration, WhatARuleHasIsNotWrittenWithoutOne) {
  const std::string resolved = resolved_yaml(load(minimal));
  for (const char* const key : {"rule:", "endocardium", "surfaces", "sheet"})
    EXPECT_EQ(resolved.find(key), std::string::npos) << key;
}

TEST_F(ConfigurationMistake, OfFibersByRuleIsSaidWithItsPlace) {
  expect_messages({
      {"fibers: {source: rule, endocardium: 91 deg}",
       "3:37: fibers.endocardium: expected a number of degrees (deg) in [-90, 90], got '91 deg'"},
      {"fibers: {source: rule, endocardium: 60 mm}",
       "3:37: fibers.endocardium: expected a number of degrees (deg) in [-90, 90], got '60 mm'"},
      {"fibers: {source: rule, rule: bayr}",
       "3:30: fibers.rule: expected one of ldrb, bayer, got 'bayr'; did you mean 'bayer'?"},
      {"fibers: {source: constant, endocardium: 60 deg}",
       "3:41: fibers.endocardium: expected source: rule to go with it, got another source"},
      {"fibers: {source: rule, surfaces: {epi: []}}",
       "3:40: fibers.surfaces.epi: expected a surface, got an empty list"},
      {"fibers: {source: rule, surfaces: {endo: 3}}",
       "3:35: fibers.surfaces.endo: expected one of the keys endo_lv, endo_rv, epi, base, apex, got 'endo'"},
  });
}

}  // namespace
}  // namespace cardiowarp
