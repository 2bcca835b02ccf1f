#include "app/config/config.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "tests/support/configuration.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::every_key;
using test::minimal;

TEST_F(Configuration, OverridesReplaceAndAddValues) {
  const Config config = load(every_key, {{"time.step", "0.2 ms"},
                                         {"stimuli.1.amplitude", "5"},
                                         {"stimuli[0].start", "3"},
                                         {"stimuli.0.period", "20"},
                                         {"initial.regions[0].where.box.max.1", "9"},
                                         {"regions", "[]"},
                                         {"output", "{interval: 1}"},
                                         {"probes.0", "{name: new, point: [0, 0, 0]}"}});
  EXPECT_EQ(config.time.step_ms, 0.2);
  EXPECT_EQ(config.time.end_ms, 400);
  EXPECT_EQ(config.stimuli[1].amplitude_mv_per_ms, 5);
  EXPECT_EQ(config.stimuli[0].start_ms, 3);
  EXPECT_EQ(config.stimuli[0].period_ms, 20);
  EXPECT_EQ(std::get<Box>(config.initial.regions[0].where.region).max, (Vector3{1, 9, 2}));
  EXPECT_TRUE(config.regions.empty());
  EXPECT_EQ(config.output.interval_ms, 1);
  EXPECT_TRUE(config.output.apd90);
  EXPECT_EQ(config.probes[0].name, "new");
  EXPECT_EQ(load(minimal, {{"newton.max_iterations", "3"}}).newton.max_iterations, 3);
  EXPECT_EQ(load("", {{"mesh.file", "a.msh"}, {"time", "{end: 7, step: 1}"}}).time.end_ms, 7);
}

TEST_F(Configuration, LaterOverridesWin) {
  EXPECT_EQ(load(minimal, {{"time.step", "0.2"}, {"time.step", "0.5"}}).time.step_ms, 0.5);
}

TEST_F(Configuration, RefusesAnOverrideOfTooManyLevelsAndShowsTheBeginningOfALongOne) {
  const std::string refused = ": expected a configuration, got lists or maps in more than 64 levels";
  const auto path = [](int levels, const char* part) {
    std::string text = "a";
    for (int level = 1; level < levels; ++level) text += part;
    return text;
  };
  const std::vector<Override> deep{{path(64, ".a"), "1", {}},
                                   {path(40'000, ".a"), "1", {}},
                                   {path(36, ".a"), std::string(30, '[') + std::string(30, ']'), {}},
                                   {"a", std::string(64, '[') + std::string(64, ']'), {}}};
  for (const Override& given : deep) {
    const std::string message = error(minimal, {given});
    EXPECT_TRUE(message.ends_with(refused)) << message;
    EXPECT_LT(message.size(), 400u);
  }
  const std::string long_list = "[" + path(20'000, ",a") + "]", long_key = path(80'000, "b");
  const std::vector<Override> long_ones{
      {"probes", long_list, {}}, {long_key, "1", {}}, {"time.step", long_key, {}}, {"backend", long_key, long_key}};
  for (const Override& given : long_ones) EXPECT_LT(error(minimal, {given}).size(), 1000u);
  EXPECT_NE(error(minimal, {{path(63, ".a"), "1", {}}}).find("got 'a'"), std::string::npos);
}

TEST_F(Configuration, SaysWhatIsWrongWithAnOverride) {
  struct Mistake {
    Override given;
    std::string message;
  };
  const std::vector<Mistake> mistakes{
      {{"time.stpe", "1"},
       "--set time.stpe=1: time.stpe: expected one of the keys end, step, scheme, adaptive, got 'stpe'; did you mean "
       "'step'?"},
      {{"tmie.step", "1"},
       "--set tmie.step=1: tmie: expected one of the keys mesh, cell_model, diffusivity, velocity, conductivity, "
       "fibers, "
       "coordinates, regions, "
       "initial, "
       "stimuli, boundary, time, accuracy, newton, linear_solver, quadrature, assembly, backend, output, probes, "
       "checkpoint, prepace, got 'tmie'; did you mean 'time'?"},
      {{"time.step", "5 mm"}, "--set time.step=5 mm: time.step: expected a positive time (ms, s, us), got '5 mm'"},
      {{"time.step", ""}, "--set time.step=: time.step: expected a positive time (ms, s, us), got nothing"},
      {{"time.step.size", "1"}, "--set time.step.size=1: time.step: expected a map or a list, got '50 us'"},
      {{"stimuli.7.start", "1"}, "--set stimuli.7.start=1: stimuli: expected the number of an entry, 0 to 2, got '7'"},
      {{"stimuli.apex.start", "1"},
       "--set stimuli.apex.start=1: stimuli: expected the number of an entry, 0 to 2, got 'apex'"},
      {{"output.maps.0", "apd90"},
       "--set output.maps.0=apd90: output.maps: expected no entry (the list is empty), got '0'"},
      {{"newton.0", "1"}, "--set newton.0=1: newton: expected a list, got a map"},
      {{"time..step", "1"}, "--set time..step=1: expected key.path=value, got the key path 'time..step'"},
      {{"time.", "1"}, "--set time.=1: expected key.path=value, got the key path 'time.'"},
      {{"", "1"}, "--set =1: expected key.path=value, got the key path ''"},
      {{"time.step", "[1"},
       "--set time.step=[1: expected valid YAML, got a syntax error: end of sequence flow not found"},
      {{"stimuli[1].amplitude", "-5 mV"},
       "--set stimuli[1].amplitude=-5 mV: stimuli[1].amplitude: expected a rate of potential (mV/ms, V/s), got '-5 "
       "mV'"},
  };
  for (const auto& [given, message] : mistakes) EXPECT_EQ(error(every_key, {given}), message);
}

}  // namespace
}  // namespace cardiowarp
