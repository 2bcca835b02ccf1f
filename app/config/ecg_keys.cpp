#include <fmt/format.h>

#include <algorithm>

#include "app/config/conductivity_keys.hpp"
#include "app/config/electrical_units.hpp"
#include "app/config/electrode_file.hpp"
#include "app/config/sections.hpp"
#include "app/config/yaml_text.hpp"

namespace cardiowarp {
namespace {

void visit_one_conductivity(KeyVisitor& keys, const std::string& name, const std::string& meaning, Real& value) {
  keys.special(
      {name, meaning, fmt::format("{} S/m", yaml_number(value))},
      {.kind = KeyKind::number, .quantity = conductivity_quantity, .range = positive},
      [&](const YamlReader& in) { value = read_conductivity(in, value); }, [&] { return yaml_number(value); });
}

void visit_electrode(KeyVisitor& keys, ElectrodeConfig& electrode, std::set<std::string>& names) {
  keys.special(
      {"name", "The name of its column; no two are alike.", required},
      {.kind = KeyKind::text, .in_words = "no `,` `;` quotes"},
      [&](const YamlReader& in) { electrode.name = read_unique_name(in, names); },
      [&] { return yaml_quoted(electrode.name); });
  keys.point({"point", "Where it is, outside the tissue.", required}, electrode.point, length_quantity);
  if (const YamlReader* in = keys.reading()) electrode.place = (*in)["point"].label();
}

}  // namespace

void visit_ecg(KeyVisitor& keys, EcgConfig& ecg) {
  std::set<std::string> names{"time_ms", "I", "II", "III", "aVR", "aVL", "aVF"};
  keys.list<ElectrodeConfig>(
      {"electrodes", "Points outside the tissue. `RA`, `LA` and `LL` make six leads, with `V1` to `V6` all twelve.",
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
  keys.number({"interval", "The time between two values.", yaml_number(ecg.interval_ms)}, ecg.interval_ms,
              time_quantity, positive);
  visit_one_conductivity(keys, "intracellular_conductivity",
                         "σ_i along the fibers where D is that of `diffusivity`; elsewhere and across it follows D.",
                         ecg.intracellular_s_per_m);
  visit_one_conductivity(keys, "bath_conductivity", "σ_b of what surrounds the tissue, without end.", ecg.bath_s_per_m);
  if (const YamlReader* in = keys.reading(); in && ecg.electrodes.empty())
    (*in)["electrodes"].fail("at least one electrode, here or in a file");
}

}  // namespace cardiowarp
