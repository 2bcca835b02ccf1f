#include <fmt/format.h>

#include <algorithm>

#include "app/config/conductivity_keys.hpp"
#include "app/config/electrical_units.hpp"
#include "app/config/electrode_file.hpp"
#include "app/config/sections.hpp"
#include "app/config/yaml_text.hpp"

namespace cardiowarp {
namespace {

void visit_electrode(KeyVisitor& keys, ElectrodeConfig& electrode, std::set<std::string>& names) {
  keys.special(
      {"name", "The name of its column; no two are alike.", required},
      {.kind = KeyKind::text, .in_words = "no `,` `;` quotes"},
      [&](const YamlReader& in) { electrode.name = read_unique_name(in, names); },
      [&] { return yaml_quoted(electrode.name); });
  keys.point({"point", "Where it is, outside the tissue or in it.", required}, electrode.point, length_quantity);
  if (const YamlReader* in = keys.reading()) electrode.place = (*in)["point"].label();
}

std::vector<std::string> names_of(const std::vector<ElectrodeConfig>& electrodes) {
  std::vector<std::string> names;
  for (const ElectrodeConfig& electrode : electrodes) names.push_back(electrode.name);
  return names;
}

/// The names of two electrodes.
std::vector<std::string> read_pair(const YamlReader& in, const std::vector<std::string>& valid) {
  if (!in.present()) return {};
  const char* const expected = "the names of two electrodes, [first, second]";
  if (!in.is_list()) in.fail(expected);
  std::vector<std::string> pair;
  for (const YamlReader& entry : in.entries()) pair.push_back(entry.name(valid));
  if (pair.size() != 2) in.fail(expected, fmt::format("{} of them", pair.size()));
  if (pair[0] == pair[1]) in.fail("the names of two different electrodes", "'" + pair[0] + "' twice");
  return pair;
}

/// The keys of a catheter, absent where there are two electrodes by name.
void visit_catheter(KeyVisitor& keys, BipolarConfig& pair) {
  const bool has_names = !pair.electrodes.empty();
  const auto reads = [=](const YamlReader& in) {
    if (has_names && in.present()) in.fail("none beside electrodes", "one");
    return !has_names;
  };
  const auto point = [&](const char* name, const char* meaning, Vector3& value, const QuantityKind& kind) {
    keys.special(
        {name, meaning, "none"}, {.kind = KeyKind::point, .quantity = kind},
        [&](const YamlReader& in) {
          if (reads(in)) value = in.vector(kind);
        },
        [&] { return has_names ? "" : yaml_vector(value); });
  };
  point("point", "In place of `electrodes`: the middle between two.", pair.point, length_quantity);
  point("direction", "From the second to the first, of any length.", pair.direction, plain_number);
  keys.special(
      {"spacing", "The distance between the two.", "none"},
      {.kind = KeyKind::number, .quantity = length_quantity, .range = positive},
      [&](const YamlReader& in) {
        if (reads(in)) pair.spacing_mm = in.number(length_quantity, positive);
      },
      [&] { return has_names ? "" : yaml_number(pair.spacing_mm); });
  if (const YamlReader* in = keys.reading(); in && !has_names && !(norm(pair.direction) > 0))
    (*in)["direction"].fail("a direction other than zero", yaml_vector(pair.direction));
}

void visit_bipolar(KeyVisitor& keys, BipolarConfig& pair, const std::vector<std::string>& electrodes,
                   std::set<std::string>& names) {
  keys.special(
      {"name", "The name of its column.", required}, {.kind = KeyKind::text, .in_words = "no `,` `;` quotes"},
      [&](const YamlReader& in) { pair.name = read_unique_name(in, names); }, [&] { return yaml_quoted(pair.name); });
  keys.special(
      {"electrodes", "The names of two electrodes: the first minus the second.", "none"},
      {.kind = KeyKind::words, .in_words = "list of two names"},
      [&](const YamlReader& in) { pair.electrodes = read_pair(in, electrodes); },
      [&] {
        return pair.electrodes.empty()
                   ? ""
                   : fmt::format("[{}, {}]", yaml_quoted(pair.electrodes[0]), yaml_quoted(pair.electrodes[1]));
      });
  visit_catheter(keys, pair);
  if (const YamlReader* in = keys.reading()) pair.place = in->label();
}

}  // namespace

void visit_one_conductivity(KeyVisitor& keys, const std::string& name, const std::string& meaning, Real& s_per_m) {
  keys.special(
      {name, meaning, fmt::format("{} S/m", yaml_number(s_per_m))},
      {.kind = KeyKind::number, .quantity = conductivity_quantity, .range = positive},
      [&](const YamlReader& in) { s_per_m = read_conductivity(in, s_per_m); }, [&] { return yaml_number(s_per_m); });
}

void visit_ecg(KeyVisitor& keys, EcgConfig& ecg) {
  std::set<std::string> names{"time_ms", "I", "II", "III", "aVR", "aVL", "aVF"};
  keys.list<ElectrodeConfig>(
      {"electrodes", "Points. `RA`, `LA` and `LL`, outside the tissue, make six leads, with `V1` to `V6` all twelve.",
       "those of `file`", "list of `name` and `point`"},
      ecg.electrodes,
      [&](KeyVisitor& inside, ElectrodeConfig& electrode) { visit_electrode(inside, electrode, names); },
      KeyVisitor::Style::flow);
  keys.special(
      {"file", "More electrodes, in mm: JSON `{\"V1\": [x, y, z], ..}`, or CSV with a line `name,x,y,z` each.", "none"},
      {.kind = KeyKind::path},
      [&](const YamlReader& in) {
        if (!in.present()) return;
        for (ElectrodeConfig& electrode : read_electrodes(in.path("a file of electrodes"), in.label())) {
          if (!names.insert(electrode.name).second)
            in.fail("electrodes with names that are not yet taken", "'" + electrode.name + "'");
          ecg.electrodes.push_back(std::move(electrode));
        }
      },
      [] { return std::string(); });  // its electrodes are written with the others
  const std::vector<std::string> electrodes = names_of(ecg.electrodes);
  const KeyWords bipolar{"bipolar", "Differences between two points, as of the electrodes of a catheter.", "none",
                         "list of `name` and `electrodes`, or `point`, `direction` and `spacing`"};
  if (keys.wants_section(bipolar, !ecg.bipolar.empty()))
    keys.list<BipolarConfig>(
        bipolar, ecg.bipolar,
        [&](KeyVisitor& inside, BipolarConfig& pair) { visit_bipolar(inside, pair, electrodes, names); },
        KeyVisitor::Style::flow);
  keys.number({"interval", "The time between two values.", yaml_number(ecg.interval_ms)}, ecg.interval_ms,
              time_quantity, positive);
  visit_one_conductivity(keys, "intracellular_conductivity",
                         "σ_i along the fibers where D is that of `diffusivity`; elsewhere and across it follows D.",
                         ecg.intracellular_s_per_m);
  visit_one_conductivity(keys, "bath_conductivity", "σ_b of what surrounds the tissue, without end.", ecg.bath_s_per_m);
  if (const YamlReader* in = keys.reading(); in && ecg.electrodes.empty() && ecg.bipolar.empty())
    (*in)["electrodes"].fail("at least one electrode, here or in a file");
}

EcgPoints points_of(const EcgConfig& ecg) {
  EcgPoints result{ecg.electrodes, {}};
  const std::vector<std::string> names = names_of(ecg.electrodes);
  const auto place_of = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  for (const BipolarConfig& pair : ecg.bipolar) {
    if (!pair.electrodes.empty()) {
      result.pairs.push_back({place_of(pair.electrodes[0]), place_of(pair.electrodes[1])});
      continue;
    }
    const Vector3 half = (pair.spacing_mm / 2 / norm(pair.direction)) * pair.direction;
    result.pairs.push_back({result.points.size(), result.points.size() + 1});
    result.points.push_back({pair.name + ", first", pair.point + half, pair.place});
    result.points.push_back({pair.name + ", second", pair.point - half, pair.place});
  }
  return result;
}

}  // namespace cardiowarp
