#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "tests/support/configuration.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::ConfigurationMistake;
using test::minimal;

constexpr const char* two_stimuli = R"(stimuli:
  - {name: S1, where: {tag: 1}, start: 5, duration: 2, amplitude: 50, period: 0.8 s}
  - {name: S2, where: {tag: 2}, start: 300, duration: 2, amplitude: 50}
)";

TEST_F(Configuration, PrepaceTakesTheStimuliWithAPeriodAndTheirs) {
  const Config config = load(minimal + two_stimuli + "prepace: {beats: 60, cache: kept}\n");
  ASSERT_TRUE(config.prepace);
  EXPECT_EQ(config.prepace->beats, 60);
  EXPECT_EQ(config.prepace->period_ms, 800);
  EXPECT_EQ(config.prepace->stimuli, std::vector<std::string>{"S1"});
  EXPECT_EQ(config.prepace->cache, directory / "kept");
  EXPECT_FALSE(load(minimal).prepace);
}

TEST_F(Configuration, PrepaceTakesTheStimuliAndThePeriodThatItNames) {
  const Config named =
      load(minimal + two_stimuli + "prepace: {beats: 1, stimuli: [S2, S1], period: 450 ms, cache: /kept}\n");
  EXPECT_EQ(named.prepace->stimuli, (std::vector<std::string>{"S2", "S1"}));
  EXPECT_EQ(named.prepace->period_ms, 450);
  EXPECT_EQ(named.prepace->cache, "/kept");
  const Config first = load(minimal +
                            "stimuli: [{where: {tag: 1}, duration: 2, amplitude: 5}, {where: {tag: 2}, duration: 2, "
                            "amplitude: 5}]\nprepace: {beats: 2, period: 100, cache: kept}\n");
  EXPECT_EQ(first.prepace->stimuli, std::vector<std::string>{"stimulus_1"});
}

TEST_F(Configuration, ResolvedPrepaceIsReadBack) {
  const std::string resolved = resolved_yaml(load(minimal + two_stimuli + "prepace: {beats: 60, cache: /kept}\n"));
  EXPECT_NE(resolved.find("prepace:\n  beats: 60\n  period: 800\n  stimuli: [\"S1\"]\n  cache: \"/kept\"\n"),
            std::string::npos)
      << resolved;
  EXPECT_EQ(resolved_yaml(load_config(write(resolved, "resolved.yaml"))), resolved);
}

TEST_F(Configuration, PrepaceAsksForAFolderWhereTheSystemNamesNone) {
  const char *home = std::getenv("HOME"), *cache = std::getenv("XDG_CACHE_HOME");
  const std::string home_before = home ? home : "", cache_before = cache ? cache : "";
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(load(minimal + two_stimuli + "prepace: {beats: 60}\n").prepace->cache,
            "/home/someone/.cache/cardiowarp/prepace");
  unsetenv("HOME");
  const std::string message = error(minimal + two_stimuli + "prepace: {beats: 60}\n");
  if (home) setenv("HOME", home_before.c_str(), 1);
  if (cache) setenv("XDG_CACHE_HOME", cache_before.c_str(), 1);
  EXPECT_NE(message.find("prepace.cache: expected the path of a directory, as neither $XDG_CACHE_HOME nor $HOME says "
                         "where one is, got nothing"),
            std::string::npos)
      << message;
}

TEST_F(ConfigurationMistake, InPrepaceIsExplained) {
  const auto expect = [&](const std::string& prepace, const std::string& words) {
    const std::string message = error(minimal + two_stimuli + "prepace: " + prepace + "\n");
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  expect("{cache: a}", "prepace.beats: expected a whole number in [1, 100000], got nothing");
  expect("{beats: 0, cache: a}", "prepace.beats: expected a whole number in [1, 100000], got '0'");
  expect("{beat: 1, cache: a}",
         "prepace.beat: expected one of the keys beats, period, stimuli, cache, got 'beat'; did you mean 'beats'?");
  expect("{beats: 1, stimuli: [S3], cache: a}",
         "prepace.stimuli[0]: expected one of S1, S2, got 'S3'; did you mean 'S1'?");
  expect("{beats: 1, stimuli: [], cache: a}", "prepace.stimuli: expected the name of a stimulus or more, got none");
  expect("{beats: 1, stimuli: [S2], cache: a}",
         "prepace.period: expected a time (ms, s, us), as stimulus 'S2' has no period, got nothing");
  expect("{beats: 1, stimuli: [S1, S2], cache: a}", "as stimuli 'S1' and 'S2' have not the same period");
  expect("{beats: 1, stimuli: [S2], period: 301, cache: a}",
         "prepace.period: expected at least 302 ms, start + duration of stimulus 'S2', got 301 ms");
  expect("{beats: 100000, period: 2e6, cache: a}", "prepace.beats: expected at most 1e+09 steps of time.step");
  const std::string without = error(minimal + "prepace: {beats: 1, period: 5, cache: a}\n");
  EXPECT_NE(without.find("prepace: expected stimuli, which pace the heart, got none"), std::string::npos) << without;
}

}  // namespace
}  // namespace cardiowarp
