// Maps and tables of beats: what is derived from the records of a log, and the beats of probes from their rows.

#include "app/output/beat_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/output/probe_beats.hpp"
#include "fem/cells/aliev_panfilov.hpp"
#include "fem/mesh.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {
namespace {

/// Two points, of which the second has one beat.
BeatRecords two_points() {
  BeatRecords records{.points = 2, .kept = 3};
  records.beats = {3, 1};
  records.activation_ms = {10, 12, 310, -1, 620, -1};
  records.repolarized_ms[3] = {250, 255, -1, -1, 880, -1};
  records.peak_mv = {20, 21, 18, -1, 19, -1};
  return records;
}

OutputConfig asking(BeatChoice beats, std::vector<MapKind> more) {
  OutputConfig config;
  config.beats = beats;
  config.more_maps = std::move(more);
  return config;
}

std::vector<std::string> names_of(const std::vector<BeatMap>& maps) {
  std::vector<std::string> names;
  for (const BeatMap& map : maps) names.push_back(map.name);
  return names;
}

TEST(BeatTables, HaveIntervalsFromBeatToBeat) {
  const BeatRecords records = two_points();
  const auto value = [&](MapKind kind, std::size_t point, int beat) { return value_of(kind, records, point, beat); };
  EXPECT_EQ(value(MapKind::apd90, 0, 0), 240);
  EXPECT_EQ(value(MapKind::apd90, 0, 1), -1) << "it was cut short";
  EXPECT_EQ(value(MapKind::cycle_length, 0, 0), -1);
  EXPECT_EQ(value(MapKind::cycle_length, 0, 2), 310);
  EXPECT_EQ(value(MapKind::diastolic_interval, 0, 1), 60);
  EXPECT_EQ(value(MapKind::diastolic_interval, 0, 2), -1);
  EXPECT_EQ(value(MapKind::repolarization_time, 0, 2), 880);
  EXPECT_EQ(value(MapKind::peak, 1, 1), -1);
  EXPECT_EQ(value(MapKind::upstroke_velocity, 0, 0), -1) << "it was not kept";
}

TEST(BeatTables, NameMapsByTheirBeat) {
  const Mesh mesh = slab_mesh({1, 1, 1}, 1, true);
  const BeatTimes first{std::vector<Real>(8, 1), std::vector<Real>(8, 2)};
  BeatRecords records{.points = 8, .kept = 2};
  records.beats.assign(8, 2);
  records.activation_ms.assign(16, 5);
  EXPECT_EQ(
      names_of(maps_of_beats(asking(BeatChoice::all, {MapKind::peak, MapKind::cycle_length}), mesh, first, records)),
      (std::vector<std::string>{"activation_time", "apd90", "peak", "activation_time_2", "apd90_2", "peak_2",
                                "cycle_length_2"}));
  records.last = true;
  EXPECT_EQ(names_of(maps_of_beats(asking(BeatChoice::last, {MapKind::peak}), mesh, first, records)),
            (std::vector<std::string>{"activation_time", "apd90", "activation_time_last", "apd90_last", "peak_last"}));
  EXPECT_EQ(names_of(maps_of_beats(asking(BeatChoice::first, {}), mesh, first, {})),
            (std::vector<std::string>{"activation_time", "apd90"}));
}

TEST(BeatTables, HaveTheVelocityOfAFrontAndNoneWhereNoneIsMeant) {
  const Mesh mesh = slab_mesh({3, 2, 1}, 1, true);
  std::vector<Real> activation;
  for (const Vector3& p : mesh.nodes) activation.push_back(5 + p.x / 0.6 + p.y / 0.8);
  const Vector3 gradient{1 / 0.6, 1 / 0.8, 0};
  std::vector<Real> velocity = conduction_velocity(mesh, activation);
  ASSERT_EQ(velocity.size(), 3 * mesh.tetrahedra.size());
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    EXPECT_NEAR(velocity[3 * element], gradient.x / dot(gradient, gradient), 1e-12);
    EXPECT_NEAR(velocity[3 * element + 1], gradient.y / dot(gradient, gradient), 1e-12);
    EXPECT_NEAR(velocity[3 * element + 2], 0, 1e-12);
  }
  for (std::size_t node = 0; node < activation.size(); ++node) activation[node] = 5 + 0.9e-3 * mesh.nodes[node].x;
  velocity = conduction_velocity(mesh, activation);
  EXPECT_EQ(std::ranges::count(velocity, 0), velocity.size()) << "all at once";
  for (std::size_t node = 0; node < activation.size(); ++node) activation[node] = 5 + mesh.nodes[node].x;
  activation[0] = -1;
  velocity = conduction_velocity(mesh, activation);
  std::size_t masked = 0, with_the_node = 0;
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    masked += velocity[3 * element] == 0;
    with_the_node += std::ranges::count(mesh.tetrahedra[element], 0);
  }
  EXPECT_EQ(masked, with_the_node);
  EXPECT_GT(masked, 0);
}

TEST(BeatTables, SayLeastMedianMostAndMissing) {
  const BeatMap map{"apd90_2", MapKind::apd90, 1, {240, -1, 250.5, 231, -1, 260}};
  const MapSummary summary = summary_of(map);
  EXPECT_EQ(in_words(summary), "apd90_2 231 to 260 ms, median 240, missing at 2");
  EXPECT_EQ(table_of({summary, summary_of({"peak", MapKind::peak, BeatMap::last_beat, {-1, -1}})}),
            "beat,map,unit,known,missing,minimum,median,maximum\n"
            "2,apd90,ms,4,2,231,240,260\n"
            "last,peak,mV,0,2,,,\n");
  const MapSummary velocity =
      summary_of({"conduction_velocity", MapKind::conduction_velocity, 0, {0.3, 0.4, 0, 0, 0, 0}});
  EXPECT_EQ(in_words(velocity), "conduction_velocity 0.5 to 0.5 mm/ms, median 0.5, missing at 1");
}

TEST(BeatTables, SayHowMuchLongerToRunAndThatBeatsWereTooMany) {
  BeatRecords records = two_points();
  EXPECT_EQ(unfinished_warning(records, 900), "");
  records.repolarized_ms[3][4] = -1;
  EXPECT_EQ(unfinished_warning(records, 700),
            "the last beats of 1 of 2 activated nodes had not repolarized by 700 ms: a time.end of about 870 ms would "
            "let them end");
  EXPECT_EQ(too_many_warning(records), "");
  records.beats[1] = 5;
  EXPECT_EQ(too_many_warning(records), "1 nodes had more than 3 beats: maps have the first 3");
}

TEST(ProbeBeats, AreThoseOfTheCurveBetweenItsRows) {
  // −80 + 100 (1 + tanh(t − 20.2)) / 2 up, and down again at 60 and more slowly: 0 mV at 20.2 + atanh(0.6).
  const auto potential = [](Real t) {
    return -80 + 50 * (1 + std::tanh(t - 20.2)) - 50 * (1 + std::tanh((t - 60.3) / 8));
  };
  SeriesTable table{.names = {"apex"}, .time_ms = {}, .columns = {{}}};
  for (int row = 0; row < 300; ++row) {
    const Real t = 0.35 * row + (row % 3 == 0 ? 0.1 : 0);
    table.time_ms.push_back(t);
    table.columns[0].push_back(potential(t));
  }
  const BeatRecords records = beats_of_series(table, AlievPanfilov::scaling);
  ASSERT_EQ(records.beats, std::vector<int>{1});
  const auto value = [&](MapKind kind) { return value_of(kind, records, 0, 0); };
  EXPECT_NEAR(value(MapKind::activation_time), 20.2 + std::atanh(0.6), 3e-3);
  EXPECT_NEAR(value(MapKind::repolarization_time), 60.3 + 8 * std::atanh(0.8), 3e-2);
  EXPECT_NEAR(value(MapKind::upstroke_velocity), 50, 1.5);
  EXPECT_NEAR(value(MapKind::peak), 20, 0.1);
  const std::string text = probe_table(table.names, records);
  EXPECT_TRUE(text.starts_with("probe,beat,activation_time,apd90,")) << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  EXPECT_TRUE(text.ends_with(",,\n")) << "there is no beat before: " << text;
}

}  // namespace
}  // namespace cardiowarp
