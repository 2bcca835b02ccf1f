#include "app/config/coordinates_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "app/config/config.hpp"
#include "app/config/config_names.hpp"
#include "app/config/sections.hpp"
#include "app/config/yaml_text.hpp"

namespace cardiowarp {
namespace {

using Interval = HeartRange::Interval;

constexpr Range of_parts{0, 1, true, true};
constexpr Range of_degrees{-180, 180, true, true};

const Names<HeartPart> ventricle_names{
    {"lv", HeartPart::left_wall}, {"rv", HeartPart::right_wall}, {"septum", HeartPart::septum}};

std::vector<std::string> names_of_ventricles() {
  std::vector<std::string> names;
  for (const auto& [name, part] : ventricle_names) names.push_back(name);
  return names;
}

std::optional<Interval> read_interval(const YamlReader& in, const QuantityKind& kind, const Range& range,
                                      bool has_cut) {
  if (!in.present()) return std::nullopt;
  const std::string expected =
      fmt::format("two numbers [from, to] from {:g} to {:g}{}", range.low, range.high, has_cut ? " deg" : "");
  if (!in.is_list()) in.fail(expected);
  const std::vector<YamlReader> ends = in.entries();
  if (ends.size() != 2) in.fail(expected, fmt::format("{} of them", ends.size()));
  const Interval given{ends[0].number(kind, range), ends[1].number(kind, range)};
  if (given.low > given.high && !has_cut)
    in.fail("the smaller number first", fmt::format("[{:g}, {:g}]", given.low, given.high));
  return given;
}

HeartPart read_ventricle(const YamlReader& in, const std::vector<std::string>& names) {
  const std::string given = in.name(names);
  HeartPart part{};
  for (const auto& [name, named] : ventricle_names)
    if (name == given) part = named;
  return part;
}

HeartPlace read_heart_place(const YamlReader& in) {
  in.expect_keys({"transmural", "apicobasal", "rotational", "ventricle"});
  HeartPlace place;
  place.transmural = in["transmural"].number(plain_number, of_parts);
  place.apicobasal = in["apicobasal"].number(plain_number, of_parts);
  place.rotational = in["rotational"].number(angle_quantity, of_degrees) * std::numbers::pi / 180;
  if (in["ventricle"].present()) place.part = read_ventricle(in["ventricle"], {"lv", "rv"});
  return place;
}

std::string text_of(const HeartPlace& place) {
  // Rounded as degrees are given, so that what is written is what was read.
  const Real degrees = std::round(place.rotational * 180 / std::numbers::pi * 1e9) / 1e9;
  return fmt::format("{{transmural: {}, apicobasal: {}, rotational: {}, ventricle: {}}}", yaml_number(place.transmural),
                     yaml_number(place.apicobasal), yaml_number(degrees), name_of(place.part, ventricle_names));
}

std::string text_of(const char* name, const std::optional<Interval>& given) {
  return given ? fmt::format("{}: [{}, {}]", name, yaml_number(given->low), yaml_number(given->high)) : "";
}

}  // namespace

const std::vector<std::string>& coordinate_names() {
  static const std::vector<std::string> names{"transmural", "apicobasal", "rotational", "ventricle", "endocardium"};
  return names;
}

bool is_coordinate(std::string_view key) {
  return std::ranges::find(coordinate_names(), key) != coordinate_names().end();
}

std::vector<KeyDescription> described_coordinates() {
  const auto interval = [](const char* name, const char* meaning, const QuantityKind& kind, const Range& range) {
    return KeyDescription{
        .name = name, .meaning = meaning, .shape = {.kind = KeyKind::interval, .quantity = kind, .range = range}};
  };
  return {interval("transmural", "From 0 on the endocardium to 1 on the epicardium.", plain_number, of_parts),
          interval("apicobasal", "From 0 at the apex to 1 at the base.", plain_number, of_parts),
          interval("rotational", "About the long axis; through ±180 where the first is the larger.", angle_quantity,
                   of_degrees),
          {.name = "ventricle",
           .meaning = "Which ventricle.",
           .shape = shape_of_word(
               names_of_ventricles(),
               {{"lv", "the left one, with the septum"}, {"rv", "the right one"}, {"septum", "the septum"}})},
          {.name = "endocardium",
           .meaning = "The layer of this thickness beneath the endocardium of both ventricles.",
           .shape = {.kind = KeyKind::number, .quantity = length_quantity, .range = positive}}};
}

HeartRange read_heart_range(const YamlReader& where) {
  HeartRange range;
  range.transmural = read_interval(where["transmural"], plain_number, of_parts, false);
  range.apicobasal = read_interval(where["apicobasal"], plain_number, of_parts, false);
  range.rotational_deg = read_interval(where["rotational"], angle_quantity, of_degrees, true);
  range.endocardium_mm = where["endocardium"].number_if_present(length_quantity, positive);
  if (!where["ventricle"].present()) return range;
  range.part = read_ventricle(where["ventricle"], names_of_ventricles());
  return range;
}

std::string heart_range_text(const HeartRange& range) {
  std::vector<std::string> parts{text_of("transmural", range.transmural), text_of("apicobasal", range.apicobasal),
                                 text_of("rotational", range.rotational_deg),
                                 range.part ? "ventricle: " + name_of(*range.part, ventricle_names) : "",
                                 range.endocardium_mm ? "endocardium: " + yaml_number(*range.endocardium_mm) : ""};
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, ", "));
}

void visit_coordinates(KeyVisitor& keys, CoordinatesConfig& coordinates) {
  keys.optional_section<OfSurface<SurfaceNames>>(
      {"surfaces", "The surfaces of the heart.", "those of `fibers`", "keys of `fibers.surfaces`"},
      coordinates.surfaces, visit_surfaces, KeyVisitor::Style::flow);
  keys.special(
      {"zero", "A point in the direction in which `rotational` is 0.",
       "towards the right ventricle; of a left ventricle alone along x"},
      {.kind = KeyKind::point, .quantity = length_quantity},
      [&](const YamlReader& in) {
        if (!in.present()) return;
        coordinates.zero_mm = in.vector(length_quantity);
        coordinates.place = in.label();
      },
      [&] { return coordinates.zero_mm ? yaml_vector(*coordinates.zero_mm) : ""; });
}

void visit_probe_place(KeyVisitor& keys, ProbeConfig& probe) {
  const YamlReader* const in = keys.reading();
  const bool has_where = in && (*in)["where"].present();
  keys.special(
      {"point", "Where it is, in the mesh.", "required, or `where`"},
      {.kind = KeyKind::point, .quantity = length_quantity},
      [&](const YamlReader& point) {
        if (has_where && point.present()) point.fail("none beside where", "one");
        if (has_where) return;
        probe.point = point.vector(length_quantity);
        probe.place = point.label();
      },
      [&] { return probe.in_heart ? "" : yaml_vector(probe.point); });
  std::vector<KeyDescription> coordinates = described_coordinates();
  std::erase_if(coordinates, [](const KeyDescription& key) { return key.name == "endocardium"; });
  for (KeyDescription& key : coordinates)
    if (key.shape.kind == KeyKind::interval) key.shape.kind = KeyKind::number;
  keys.special(
      {"where",
       "In place of `point`: numbers `transmural`, `apicobasal` and `rotational`, and a `ventricle`, else `lv`.",
       "none"},
      {.kind = KeyKind::map, .in_words = "coordinates", .keys = std::move(coordinates)},
      [&](const YamlReader& where) {
        if (!where.present()) return;
        probe.in_heart = read_heart_place(where);
        probe.place = where.label();
      },
      [&] { return probe.in_heart ? text_of(*probe.in_heart) : ""; });
}

}  // namespace cardiowarp
