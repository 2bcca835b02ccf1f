// Protocols of stimuli: what trains, periods one after another, extra pulses and repeats of them an entry means.

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "app/config/config.hpp"
#include "app/config/stimulus_keys.hpp"
#include "tests/support/configuration.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::ConfigurationMistake;
using test::minimal;

std::string entry(const std::string& keys) {
  return "  - {where: {tag: 1}, duration: 2, amplitude: 50, " + keys + "}\n";
}

/// All pulses with their stimuli: `S1 at 0 600 1200; S2 at 1550`.
std::string in_words(const std::vector<StimulusConfig>& stimuli) {
  std::string text;
  for (const StimulusConfig& stimulus : stimuli) {
    text += (text.empty() ? "" : "; ") + stimulus.name + " at";
    for (int k = 0; k < stimulus.count; ++k)
      text += " " + std::to_string(static_cast<int>(stimulus.start_ms + k * stimulus.period_ms.value_or(0)));
  }
  return text;
}

class Protocol : public Configuration {
 protected:
  std::string pulses(const std::string& keys, const std::string& more = "") const {
    return in_words(load(minimal + "stimuli:\n" + entry(keys) + more).stimuli);
  }
};

TEST_F(Protocol, OfIntervalsHasAStimulusForEachExtraPulse) {
  EXPECT_EQ(pulses("name: S1, start: 5, period: 600, count: 3, intervals: [350, 0.3 s]"),
            "S1 at 5 605 1205; S2 at 1555; S3 at 1855");
  EXPECT_EQ(pulses("name: apex, period: 600, count: 2, intervals: [350 ms]"), "apex at 0 600; apex_S2 at 950");
  EXPECT_EQ(pulses("intervals: [350, 300, 250, 200]"),
            "stimulus_1 at 0; stimulus_1_S2 at 350; stimulus_1_S3 at 650; stimulus_1_S4 at 900; stimulus_1_S5 at 1100");
}

TEST_F(Protocol, OfPeriodsHasSoManyPulsesAtEachAfterTheFirst) {
  EXPECT_EQ(pulses("name: a, start: 10, periods: [400, 300], count: 2"), "a at 10 410 810; a_300ms at 1110 1410");
  EXPECT_EQ(pulses("name: a, periods: [400, 350, 300]"), "a at 0 400; a_350ms at 750; a_300ms at 1050");
  EXPECT_EQ(pulses("name: a, periods: {from: 400, to: 345, step: 25}"), "a at 0 400; a_375ms at 775; a_350ms at 1125");
  EXPECT_EQ(pulses("name: a, periods: {from: 300, to: 400, step: 50}, intervals: [200]"),
            "a at 0 300; a_350ms at 650; a_400ms at 1050; a_S2 at 1250");
  EXPECT_EQ(pulses("name: a, periods: [400, 300, 400, 300]"),
            "a at 0 400; a_300ms at 700; a_400ms at 1100; a_300ms_2 at 1400");
}

TEST_F(Protocol, OfRepeatsIsABurstAfterEachPause) {
  EXPECT_EQ(pulses("name: burst, start: 7, period: 50, count: 3, repeats: 3, pause: 1 s"),
            "burst at 7 57 107; burst_2 at 1107 1157 1207; burst_3 at 2207 2257 2307");
  EXPECT_EQ(pulses("name: a, intervals: [300], repeats: 2, pause: 900"),
            "a at 0; a_S2 at 300; a_2 at 1200; a_2_S2 at 1500");
}

TEST_F(Protocol, KeepsWhatATrainIsAndTheNamesOfOthers) {
  EXPECT_EQ(pulses("name: S1, period: 4, count: 2"), "S1 at 0 4");
  EXPECT_EQ(pulses("name: a, intervals: [5]", entry("period: 4, count: 2")), "a at 0; a_S2 at 5; stimulus_3 at 0 4");
  const Config config = load(minimal + "stimuli:\n" + entry("name: a, start: 1, edge: nodes, intervals: [5]"));
  const StimulusConfig& extra = config.stimuli[1];
  EXPECT_EQ(extra.edge, StimulusEdge::nodes);
  EXPECT_EQ(extra.amplitude_mv_per_ms, 50);
  EXPECT_EQ(extra.duration_ms, 2);
  EXPECT_FALSE(extra.period_ms);
}

TEST_F(Configuration, AStimulusMayBeOnASurface) {
  const Config config =
      load(minimal + "stimuli: [{where: {surface: endo, transmural: [0, 1]}, duration: 2, amplitude: 5}]\n");
  EXPECT_EQ(std::get<Surface>(config.stimuli[0].where.region).name, "endo");
  EXPECT_FALSE(config.stimuli[0].where.within.is_everything());
}

TEST_F(Protocol, IsWrittenAsTheStimuliThatItMeans) {
  const Config config = load(minimal + "stimuli:\n" + entry("name: S1, periods: [40, 30], count: 3, intervals: [9]"));
  const std::string resolved = resolved_yaml(config);
  const Config again = load_config(write(resolved, "resolved.yaml"));
  EXPECT_EQ(in_words(again.stimuli), "S1 at 0 40 80 120; S1_30ms at 150 180 210; S2 at 219");
  EXPECT_EQ(resolved_yaml(again), resolved);
}

TEST_F(Protocol, TellsWhichEntryAStimulusIsOf) {
  const auto file = write(minimal + "stimuli:\n" + entry("period: 4") + entry("name: S1, intervals: [5, 6]") +
                          entry("name: b, intervals: [3], repeats: 2, pause: 9"));
  const std::vector<StimulusEntry> entries = entries_of_stimuli(file, {{"stimuli.1.intervals.1", "8"}}, 10);
  ASSERT_EQ(entries.size(), 8);
  EXPECT_TRUE(entries[0].is_alone);
  EXPECT_FALSE(entries[1].is_alone || entries[1].interval);
  EXPECT_EQ(entries[3].number, 1);
  EXPECT_EQ(entries[3].interval, 1);
  EXPECT_EQ(entries[5].number, 2);
  EXPECT_FALSE(entries[5].interval);
}

TEST_F(ConfigurationMistake, OfAProtocolIsSaidWithItsPlace) {
  const auto wrong = [](const std::string& keys) {
    return "stimuli:\n  - {where: {tag: 1}, duration: 2, amplitude: 5, " + keys + "}\n";
  };
  expect_messages({
      {wrong("period: 9, periods: [9]"), "4:70: stimuli[0].periods: expected none beside period, got some"},
      {wrong("periods: [9, 1]"), "4:63: stimuli[0].periods[1]: expected at least the duration, 2 ms, got '1'"},
      {wrong("periods: []"), "4:59: stimuli[0].periods: expected one time (ms, s, us) or more, got none"},
      {wrong("periods: {from: 9, to: 5}"),
       "4:59: stimuli[0].periods.step: expected a positive time (ms, s, us), got nothing"},
      {wrong("periods: {from: 900, to: 5, step: 0.1}"),
       "4:84: stimuli[0].periods.step: expected at most 1000 periods, got '0.1'"},
      {wrong("intervals: [300 mV]"),
       "4:62: stimuli[0].intervals[0]: expected a positive time (ms, s, us), got '300 mV'"},
      {wrong("intervals: 300"), "4:61: stimuli[0].intervals: expected a list, got '300'"},
      {wrong("period: 9, intervals: [9]"),
       "4:5: stimuli[0].count: expected the number of pulses after which those of intervals or repeats come, got "
       "nothing"},
      {wrong("repeats: 2"),
       "4:5: stimuli[0].pause: expected a positive time (ms, s, us) to go with repeats, got nothing"},
      {wrong("pause: 9"), "4:5: stimuli[0].repeats: expected 2 or more to go with pause, got nothing"},
      {wrong("periods: [9, 8, 7], repeats: 500, pause: 9"),
       "4:5: stimuli[0]: expected at most 1000 periods and intervals in all repeats, got 3 in each of 500"},
      {wrong("name: S1, intervals: [9]") + "  - {name: S2, where: {tag: 1}, duration: 2, amplitude: 5}\n",
       "5:12: stimuli[1].name: expected a name that is not yet taken, got 'S2'"},
  });
}

}  // namespace
}  // namespace cardiowarp
