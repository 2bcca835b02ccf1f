#include <fmt/format.h>

#include <algorithm>

#include "app/config/cell_model_config.hpp"
#include "app/config/coordinates_keys.hpp"
#include "app/config/output_config.hpp"
#include "app/config/sections.hpp"
#include "app/config/value_meanings.hpp"
#include "app/config/yaml_text.hpp"
#include "fem/cells/cell_model.hpp"

namespace cardiowarp {
namespace {

/// Which of `valid` the list has; an absent list has all.
std::vector<bool> read_list_of(const YamlReader& in, const std::vector<std::string>& valid) {
  std::vector<bool> chosen(valid.size(), !in.present());
  for (const YamlReader& entry : in.entries())
    chosen[static_cast<std::size_t>(std::find(valid.begin(), valid.end(), entry.name(valid)) - valid.begin())] = true;
  return chosen;
}

NamedValues meanings_of_maps() {
  NamedValues maps;
  for (const MapTraits& map : map_traits) maps.push_back({std::string(map.name), std::string(map.meaning)});
  return maps;
}

void read_maps(const YamlReader& in, OutputConfig& output) {
  if (!in.present()) return;
  std::vector<std::string> names;
  for (const MapTraits& map : map_traits) names.emplace_back(map.name);
  const std::vector<bool> chosen = read_list_of(in, names);
  output.activation_time = chosen[0];
  output.apd90 = chosen[1];
  for (std::size_t k = 2; k < chosen.size(); ++k)
    if (chosen[k]) output.more_maps.push_back(map_traits[k].kind);
}

std::string maps_text(const OutputConfig& output) {
  std::vector<std::pair<std::string, bool>> maps;
  for (const MapTraits& map : map_traits) maps.push_back({std::string(map.name), output.has(map.kind)});
  return yaml_switches(maps);
}

const Names<BeatChoice> beat_names{{"first", BeatChoice::first}, {"last", BeatChoice::last}, {"all", BeatChoice::all}};
const NamedValues beat_meanings{{"first", "the first of each node"},
                                {"last", "also the last, in maps whose names end with `_last`"},
                                {"all", "also those after the first, `_2`, `_3`, …"}};

const Names<OutputPrecision> precision_names{{"double", OutputPrecision::double_precision},
                                             {"single", OutputPrecision::single_precision}};
const NamedValues precision_meanings{{"double", "the bits that the run computes with, in `vtu` frames"},
                                     {"single", "half the bytes; the potential within 4e-6 mV"}};

void read_precision(const YamlReader& in, OutputConfig& output) {
  if (!in.present()) return;
  const std::string given = in.name({"double", "single"});
  for (const auto& [name, value] : precision_names)
    if (name == given) output.precision = value;
  const OutputFormatTraits& format = traits_of(output.format);
  if (!format.has_both && output.precision != format.precision)
    in.fail(fmt::format("{}, which `format: {}` always has", name_of(format.precision, precision_names), format.name));
}

/// `potential`, `phi_e` and the states of a cell.
std::vector<std::string> names_of_fields(const AnyCell& cell) {
  std::vector<std::string> fields{"potential", "phi_e"};
  for (const CellState& state : states_of(cell)) fields.emplace_back(state.name);
  return fields;
}

void read_fields(const YamlReader& in, OutputConfig& output, const AnyCell& cell) {
  const std::vector<std::string> fields = names_of_fields(cell);
  output.states.emplace();
  if (!in.present() && is_ionic(cell)) return;
  const std::vector<bool> chosen = read_list_of(in, fields);
  output.potential = chosen[0];
  output.phi_e = in.present() && chosen[1];
  for (std::size_t i = 2; i < fields.size(); ++i)
    if (chosen[i]) output.states->push_back(fields[i]);
}

std::string fields_text(const OutputConfig& output, const AnyCell& cell) {
  std::vector<std::pair<std::string, bool>> fields{{"potential", output.potential}, {"phi_e", output.phi_e}};
  for (const CellState& state : states_of(cell)) {
    const bool chosen =
        output.states ? std::find(output.states->begin(), output.states->end(), state.name) != output.states->end()
                      : !is_ionic(cell);
    fields.push_back({std::string(state.name), chosen});
  }
  return yaml_switches(fields);
}

KeyShape shape_of_fields() {
  KeyShape shape{.kind = KeyKind::words,
                 .names = {{"potential", "mV"}, {"phi_e", "mV, the extracellular potential"}},
                 .further_names_in_words = "others, the states of ionic models, are in `cardiowarp info --cell-models`",
                 .others = "^[A-Za-z0-9_]+([.][A-Za-z0-9_]+)?$"};
  for (const std::string& model : cell_model_names()) {
    const AnyCell cell = cell_model_named(model);
    for (const CellState& state : states_of(cell)) {
      if (is_ionic(cell))
        shape.further_names.emplace_back(state.name);
      else
        shape.names.push_back({std::string(state.name), "a state of `" + model + "`"});
    }
  }
  return shape;
}

/// The keys of the conductivities of a domain.
void visit_domain(KeyVisitor& keys, DomainConductivity& domain) {
  visit_one_conductivity(keys, "longitudinal", "Along the fiber; without fibers in all directions.", domain.along);
  visit_one_conductivity(keys, "transverse", "Across the fiber.", domain.across);
}

/// The section `phi_e`, which resolved.yaml has where frames have the field.
void visit_bidomain(KeyVisitor& keys, OutputConfig& output) {
  const KeyWords words{"phi_e", "The conductivities that the field `phi_e` is computed of."};
  if (!keys.wants_section(words, output.phi_e)) return;
  const auto domain = [](KeyVisitor& inside, const char* name, const char* meaning, DomainConductivity& of) {
    inside.section(
        {name, meaning,
         fmt::format("that of `conductivity`, or {}, {} S/m", yaml_number(of.along), yaml_number(of.across)),
         "`longitudinal`, `transverse`, in S/m"},
        [&](KeyVisitor& of_domain) { visit_domain(of_domain, of); }, KeyVisitor::Style::flow);
  };
  keys.section(words, [&](KeyVisitor& inside) {
    if (const YamlReader* in = inside.reading(); in && in->present() && !output.phi_e)
      in->fail("phi_e among output.fields, too", "no such field");
    domain(inside, "intracellular", "σ_i where D is that of `diffusivity`; elsewhere it follows D.",
           output.bidomain.inside);
    domain(inside, "extracellular", "σ_e of all tissue.", output.bidomain.outside);
  });
}

}  // namespace

bool OutputConfig::has(MapKind kind) const {
  if (kind == MapKind::activation_time) return activation_time;
  if (kind == MapKind::apd90) return apd90;
  return std::find(more_maps.begin(), more_maps.end(), kind) != more_maps.end();
}

std::string read_unique_name(const YamlReader& in, std::set<std::string>& taken, std::optional<std::string> absent) {
  const std::string expected = "a name without commas, semicolons, quotes and control characters";
  std::string name = in.text(expected, std::move(absent));
  const bool has_control = std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c == 127; });
  if (has_control || name.find_first_of(",;\"'") != std::string::npos || name.front() == ' ' || name.back() == ' ')
    in.fail(expected);
  if (!taken.insert(name).second) in.fail("a name that is not yet taken", "'" + name + "'");
  return name;
}

void visit_output(KeyVisitor& keys, OutputConfig& output, const CellModelConfig& model,
                  const std::string& default_directory) {
  const AnyCell& cell = model.cell;
  keys.special(
      {"directory", "The folder of all files of the run.", "`out/` and the name of the YAML file"},
      {.kind = KeyKind::path},
      [&](const YamlReader& in) { output.directory = in.path("the path of a directory", default_directory); },
      [&] { return yaml_path(output.directory); });
  keys.choice({"format", "The format of the frames."}, output.format, output_format_names, output_format_meanings);
  keys.special(
      {"precision", "The precision of the numbers in frames.", "that of the format"},
      {.kind = KeyKind::word, .names = precision_meanings}, [&](const YamlReader& in) { read_precision(in, output); },
      // A run with the format's own goes on from the checkpoints of programs that did not know the key.
      [&] {
        const OutputPrecision of_format = traits_of(output.format).precision;
        const OutputPrecision precision = output.precision.value_or(of_format);
        return precision == of_format ? std::string() : name_of(precision, precision_names);
      });
  keys.number({"interval", "The time between frames, of which there may be a million."}, output.interval_ms,
              time_quantity, positive);
  keys.special(
      {"fields", "What frames have: potential, extracellular potential `phi_e`, states of the cells.",
       "all but `phi_e`, of ionic models the potential", "list of `potential`, `phi_e` and states of the cell model"},
      shape_of_fields(), [&](const YamlReader& in) { read_fields(in, output, cell); },
      [&] { return fields_text(output, cell); });
  visit_bidomain(keys, output);
  keys.special(
      {"maps", "What is written at the end, of all nodes.", "`[activation_time, apd90]`"},
      {.kind = KeyKind::words, .names = meanings_of_maps()}, [&](const YamlReader& in) { read_maps(in, output); },
      [&] { return maps_text(output); });
  keys.special(
      {"beats", "Which beats the maps show.", "`first`"}, {.kind = KeyKind::word, .names = beat_meanings},
      [&](const YamlReader& in) {
        std::vector<std::string> names;
        for (const auto& [name, value] : beat_names) names.push_back(name);
        const std::string given = in.name(names, names.front());
        for (const auto& [name, value] : beat_names)
          if (name == given) output.beats = value;
      },
      // A run of first beats goes on from the checkpoints of programs that did not know the key.
      [&] { return output.beats == BeatChoice::first ? std::string() : name_of(output.beats, beat_names); });
  keys.special(
      {"report", "Whether the run ends with a page of its results, `report.html`.", "`false`", "`true`, `false`"},
      {.kind = KeyKind::truth}, [&](const YamlReader& in) { output.report = in.boolean(false); },
      // A run without it goes on from the checkpoints of programs that did not know the key.
      [&] { return std::string(output.report ? "true" : ""); });
  keys.optional_section<EcgConfig>(
      {"ecg", "The ECG of the tissue in an unbounded conductor, in `ecg.csv` and `ecg.svg`."}, output.ecg, visit_ecg);
}

void visit_probe(KeyVisitor& keys, ProbeConfig& probe, std::set<std::string>& names) {
  keys.special(
      {"name", "The name of its column; no two are alike, and none is `time_ms`.", required},
      {.kind = KeyKind::text, .in_words = "no `,` `;` quotes"},
      [&](const YamlReader& in) { probe.name = read_unique_name(in, names); }, [&] { return yaml_quoted(probe.name); });
  visit_probe_place(keys, probe);
}

}  // namespace cardiowarp
