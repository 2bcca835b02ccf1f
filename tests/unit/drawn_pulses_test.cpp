#include "app/advice/pulses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/configuration.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;

TEST_F(Configuration, PulsesAreDrawnWhereTheyAreBetweenTheBeginningAndTheEnd) {
  const Config config = load(
      "mesh: {file: heart.msh}\ntime: {end: 640, step: 0.1}\nstimuli:\n  - {name: S1, where: {tag: 1}, duration: 2, "
      "amplitude: 5, period: 100, count: 3, intervals: [75, 40, 700]}\n");
  EXPECT_EQ(draw_pulses(config),
            (std::vector<std::string>{"  S1  |         |         |", "  S2                             |",
                                      "  S3                                 |", "  S4",
                                      "      0" + std::string(57, '.') + "640 ms"}));
  EXPECT_EQ(describe_pulses(config.stimuli[0]), "from 0 ms, 3 × 2 ms every 100 ms");
  EXPECT_EQ(describe_pulses(config.stimuli[1]), "from 275 ms, 1 × 2 ms");
}

TEST_F(Configuration, PulsesOfManyStimuliAreDrawnInOneLine) {
  const Config config = load(
      "mesh: {file: heart.msh}\ntime: {end: 640, step: 0.1}\nstimuli:\n  - {where: {tag: 1}, duration: 2, amplitude: "
      "5, "
      "periods: {from: 40, to: 27, step: 1}}\n");
  const std::vector<std::string> lines = draw_pulses(config);
  ASSERT_EQ(lines.size(), 2);
  EXPECT_TRUE(lines[0].starts_with("  all  |   |  |   |")) << lines[0];
  EXPECT_EQ(std::ranges::count(lines[0], '|'), 15);
}

TEST_F(Configuration, APulseAloneIsNotDrawn) {
  const std::string once = "stimuli: [{where: {tag: 1}, duration: 2, amplitude: 5}]\n";
  EXPECT_EQ(draw_pulses(load(test::minimal + once)), std::vector<std::string>());
  EXPECT_EQ(draw_pulses(load(test::minimal)), std::vector<std::string>());
}

}  // namespace
}  // namespace cardiowarp
