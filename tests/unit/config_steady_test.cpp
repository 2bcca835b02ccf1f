#include <gtest/gtest.h>

#include <string>

#include "app/config/config.hpp"
#include "tests/support/configuration.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::minimal;

TEST_F(Configuration, SteadyHasAPulseAndACacheOfItsOwn) {
  const Config config = load(minimal + "initial: {steady: {beats: 100, period: 0.8 s}}\n");
  ASSERT_TRUE(config.initial.steady);
  EXPECT_EQ(config.initial.steady->beats, 100);
  EXPECT_EQ(config.initial.steady->period_ms, 800);
  EXPECT_EQ(config.initial.steady->amplitude_mv_per_ms, 40);
  EXPECT_EQ(config.initial.steady->duration_ms, 1);
  EXPECT_TRUE(config.initial.steady->cache.string().ends_with("cardiowarp/cells"));
  EXPECT_FALSE(load(minimal).initial.steady);
}

TEST_F(Configuration, ResolvedSteadyIsReadBack) {
  const std::string resolved = resolved_yaml(
      load(minimal + "initial: {steady: {beats: 7, period: 500, amplitude: 50 V/s, duration: 2, cache: /kept}}\n"));
  EXPECT_NE(resolved.find("beats: 7\n"), std::string::npos) << resolved;
  EXPECT_EQ(resolved_yaml(load_config(write(resolved, "resolved.yaml"))), resolved);
}

TEST_F(Configuration, SteadyRefusesAPulseThatIsLongerThanItsPeriod) {
  EXPECT_NE(error(minimal + "initial: {steady: {beats: 7, period: 3, duration: 4}}\n")
                .find("initial.steady.period: expected 4 ms, the duration of the pulse, or more, got 3 ms"),
            std::string::npos)
      << error(minimal + "initial: {steady: {beats: 7, period: 3, duration: 4}}\n");
  EXPECT_NE(error(minimal + "initial: {steady: {beats: 0, period: 3}}\n").find("initial.steady.beats: expected"),
            std::string::npos);
  EXPECT_NE(error(minimal + "initial: {steady: {beats: 2}}\n").find("initial.steady.period: expected"),
            std::string::npos);
}

TEST_F(Configuration, SteadyRefusesMoreThanADayOfBeats) {
  EXPECT_EQ(error(minimal + "initial: {steady: {beats: 86400, period: 1000}}\n"), "accepted");
  const std::string refused = error(minimal + "initial: {steady: {beats: 60000, period: 1500}}\n");
  EXPECT_NE(refused.find("initial.steady.beats: expected beats that take a day or less in all, at most 57600 of this "
                         "period, got 60000"),
            std::string::npos)
      << refused;
}

}  // namespace
}  // namespace cardiowarp
