#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/config/cell_model_config.hpp"
#include "app/config/coordinates_keys.hpp"
#include "app/config/initial_config.hpp"
#include "app/config/read_where.hpp"
#include "app/config/sections.hpp"
#include "app/config/time_config.hpp"
#include "app/config/value_meanings.hpp"
#include "app/config/yaml_text.hpp"
#include "app/files/cache_folder.hpp"
#include "fem/cells/cell_model.hpp"
#include "fem/scaling.hpp"

namespace cardiowarp {
namespace {

/// A potential and the states of a cell: those of `cell`, or, where keys are described, of all cell models.
void visit_values(KeyVisitor& keys, std::optional<Real>& potential_mv, std::map<std::string, Real>& states,
                  const AnyCell& cell, const Range& potential, const std::string& default_value) {
  keys.number({"potential", "The potential at t = 0.",
               default_value.empty() ? "that of the cell model or set at rest" : default_value,
               "of `aliev_panfilov` above −100 `mu2` − 80"},
              potential_mv, potential_quantity, potential);
  std::vector<AnyCell> cells{cell};
  if (keys.describes()) cells.clear();
  for (const std::string& model : cell_model_names())
    if (keys.describes()) cells.push_back(cell_model_named(model));
  for (const AnyCell& each : cells)
    for (const CellState& state : states_of(each)) {
      const std::string name(state.name);
      const auto given = states.find(name);
      std::optional<Real> value;
      if (given != states.end()) value = given->second;
      keys.number({.name = name,
                   .meaning = fmt::format("A state of the cells of `{}` at t = 0.", name_of(each)),
                   .default_value = default_value.empty() ? "as at rest" : default_value,
                   .is_of_ionic_cells = is_ionic(each)},
                  value, plain_number, state.range);
      if (keys.reading() && value) states.insert({name, *value});
    }
}

std::vector<std::string> names_of_values(const AnyCell& cell) {
  std::vector<std::string> values{"potential"};
  for (const CellState& state : states_of(cell)) values.emplace_back(state.name);
  return values;
}

void visit_initial_region(KeyVisitor& keys, InitialRegionConfig& region, const AnyCell& cell, const Range& potential) {
  visit_where(keys, region.where, {"box", "sphere", "tag", "nodes"}, "The place; `nodes` take a potential alone.");
  visit_values(keys, region.potential_mv, region.states, cell, potential, "as outside");
  const YamlReader* const in = keys.reading();
  if (!in) return;
  if (!region.potential_mv && region.states.empty())
    in->fail(fmt::format("a value of {}", fmt::join(names_of_values(cell), ", ")), "none");
  if (!region.states.empty() && std::holds_alternative<NodeFile>(region.where.region)) {
    const std::string& name = region.states.begin()->first;
    (*in)[name].fail(fmt::format("only a potential for nodes, as {} belongs to elements", name));
  }
}

constexpr int most_beats = 100'000;
constexpr Real most_steps = 1e9;  ///< as of `time`

const StimulusConfig& stimulus_named(const std::vector<StimulusConfig>& stimuli, const std::string& name) {
  return *std::find_if(stimuli.begin(), stimuli.end(), [&](const StimulusConfig& each) { return each.name == name; });
}

/// The names that are listed, else those of the stimuli with a period, else that of the first.
std::vector<std::string> read_names(const YamlReader& in, const std::vector<StimulusConfig>& stimuli) {
  std::vector<std::string> all, names;
  for (const StimulusConfig& stimulus : stimuli) all.push_back(stimulus.name);
  if (in.present()) {
    for (const YamlReader& entry : in.entries()) names.push_back(entry.name(all));
    if (names.empty()) in.fail("the name of a stimulus or more", "none");
    return names;
  }
  for (const StimulusConfig& stimulus : stimuli)
    if (stimulus.period_ms) names.push_back(stimulus.name);
  if (names.empty()) names.push_back(all.front());
  return names;
}

/// The period that is given, else the one that all these stimuli have.
Real read_period(const YamlReader& in, const std::vector<StimulusConfig>& stimuli,
                 const std::vector<std::string>& names) {
  if (const auto given = in.number_if_present(time_quantity, positive)) return *given;
  const StimulusConfig& first = stimulus_named(stimuli, names.front());
  if (!first.period_ms)
    in.fail(fmt::format("a time (ms, s, us), as stimulus '{}' has no period", first.name), "nothing");
  for (const std::string& name : names) {
    const StimulusConfig& other = stimulus_named(stimuli, name);
    if (other.period_ms != first.period_ms)
      in.fail(fmt::format("a time (ms, s, us), as stimuli '{}' and '{}' have not the same period", first.name, name),
              "nothing");
  }
  return *first.period_ms;
}

/// The period against the stimuli that pace, and the beats against the steps.
void check_prepace(const YamlReader& in, const PrepaceConfig& prepace, const std::vector<StimulusConfig>& stimuli,
                   const TimeConfig& time) {
  for (const std::string& name : prepace.stimuli) {
    const StimulusConfig& stimulus = stimulus_named(stimuli, name);
    if (stimulus.start_ms + stimulus.duration_ms > prepace.period_ms)
      in["period"].fail(fmt::format("at least {:.6g} ms, start + duration of stimulus '{}'",
                                    stimulus.start_ms + stimulus.duration_ms, name),
                        fmt::format("{:.6g} ms", prepace.period_ms));
  }
  if (prepace.beats * prepace.period_ms / time.step_ms > most_steps)
    in["beats"].fail(fmt::format("at most {:.0g} steps of time.step in all beats", most_steps));
}

std::string list_of_names(const std::vector<std::string>& all) {
  std::string names;
  for (const std::string& name : all) names += (names.empty() ? "" : ", ") + yaml_quoted(name);
  return "[" + names + "]";
}

/// The kinds of places, in full.
std::vector<KeyDescription> described_places(const std::vector<std::string>& kinds) {
  const auto corner = [](const char* name, const char* meaning) {
    return KeyDescription{.name = name,
                          .meaning = meaning,
                          .default_value = required,
                          .is_required = true,
                          .shape = {.kind = KeyKind::point, .quantity = length_quantity}};
  };
  KeyDescription radius = corner("radius", "Its radius.");
  radius.shape = {.kind = KeyKind::number, .quantity = length_quantity, .range = positive};
  const std::vector<KeyDescription> all{
      {.name = "box",
       .meaning = "A box along the axes, with what is on its faces.",
       .shape = {.kind = KeyKind::map,
                 .keys = {corner("min", "The corner with the least coordinates."),
                          corner("max", "The opposite one.")}}},
      {.name = "sphere",
       .meaning = "A ball, with what is on its surface.",
       .shape = {.kind = KeyKind::map, .keys = {corner("center", "Its center."), radius}}},
      {.name = "tag",
       .meaning = "A region of the mesh or, for nodes, a surface.",
       .shape = {.kind = KeyKind::text, .in_words = "number or name"}},
      {.name = "nodes",
       .meaning = "An openCARP vertex list.",
       .shape = {.kind = KeyKind::path, .in_words = "path of a `.vtx` file"}},
      {.name = "surface",
       .meaning = "A surface of the mesh, never a region.",
       .shape = {.kind = KeyKind::text, .in_words = "number or name"}}};
  std::vector<KeyDescription> places;
  for (const std::string& kind : kinds)
    for (const KeyDescription& place : all)
      if (place.name == kind) places.push_back(place);
  for (KeyDescription& coordinate : described_coordinates()) places.push_back(std::move(coordinate));
  return places;
}

struct WhereText {
  std::string operator()(const Box& box) const {
    return fmt::format("box: {{min: {}, max: {}}}", yaml_vector(box.min), yaml_vector(box.max));
  }
  std::string operator()(const Sphere& sphere) const {
    return fmt::format("sphere: {{center: {}, radius: {}}}", yaml_vector(sphere.center), yaml_number(sphere.radius_mm));
  }
  std::string operator()(const Tag& tag) const { return fmt::format("tag: {}", yaml_quoted(tag.name)); }
  std::string operator()(const NodeFile& nodes) const { return fmt::format("nodes: {}", yaml_path(nodes.file)); }
  std::string operator()(const Surface& surface) const { return fmt::format("surface: {}", yaml_quoted(surface.name)); }
  std::string operator()(const Everywhere&) const { return ""; }
};

}  // namespace

std::string where_text(const Where& where) {
  const std::string region = std::visit(WhereText{}, where.region), within = heart_range_text(where.within);
  return fmt::format("{{{}{}{}}}", region, region.empty() || within.empty() ? "" : ", ", within);
}

void visit_where(KeyVisitor& keys, Where& where, const std::vector<std::string>& kinds, const std::string& meaning,
                 const std::string& absent) {
  keys.special(
      {"where", meaning, absent},
      {.kind = KeyKind::map,
       .in_words = fmt::format("one of `{}`, coordinates", fmt::join(kinds, "`, `")),
       .is_place = true,
       .keys = described_places(kinds)},
      [&](const YamlReader& in) { where = read_where(in, kinds); }, [&] { return where_text(where); });
}

void visit_initial(KeyVisitor& keys, InitialConfig& initial, const CellModelConfig& model, const Range& potential) {
  const AnyCell& cell = model.cell;
  std::optional<Real> potential_mv = initial.potential_mv;
  std::map<std::string, Real> states = initial.states;
  // What is not given of an ionic cell is where its set begins, and sets differ from region to region.
  if (!keys.reading() && !is_ionic(cell)) {
    potential_mv = potential_mv.value_or(scaling_of(cell).rest_mv);
    for (const CellState& state : states_of(cell)) states.insert({std::string(state.name), state.rest});
  }
  visit_values(keys, potential_mv, states, cell, potential, "");
  if (keys.reading()) {
    initial.potential_mv = potential_mv;
    initial.states = states;
  }
  keys.optional_section<SteadyConfig>({"steady", "Each kind of cell begins as a single cell of it is after beats."},
                                      initial.steady, visit_steady);
  keys.list<InitialRegionConfig>({"regions", "Places that begin otherwise. Later entries win where they overlap.", "",
                                  "list of a `where` with a potential, states or both"},
                                 initial.regions, [&](KeyVisitor& inside, InitialRegionConfig& region) {
                                   visit_initial_region(inside, region, cell, potential);
                                 });
}

void visit_boundary(KeyVisitor& keys, BoundaryConfig& prescribed, const Range& potential) {
  visit_where(keys, prescribed.where, {"surface", "tag", "box", "sphere", "nodes"},
              "The nodes that keep their potential.");
  keys.number({"potential", "Their potential, whatever `initial`, `prepace` or `run --from` say.", required,
               "of `aliev_panfilov` above −100 `mu2` − 80"},
              prescribed.potential_mv, potential_quantity, potential);
}

void visit_prepace(KeyVisitor& keys, PrepaceConfig& prepace, const std::vector<StimulusConfig>& stimuli,
                   const TimeConfig& time) {
  const YamlReader* const in = keys.reading();
  if (in && stimuli.empty()) in->fail("stimuli, which pace the heart", "none");
  keys.whole_number({"beats", "How many beats.", required}, prepace.beats, 1, most_beats);
  if (in) prepace.stimuli = read_names((*in)["stimuli"], stimuli);
  keys.special(
      {"period", "The time from beat to beat.", "that of these stimuli"},
      {.kind = KeyKind::number,
       .quantity = time_quantity,
       .range = positive,
       .in_words = "at least `start` + `duration` of the stimuli that pace"},
      [&](const YamlReader& period) { prepace.period_ms = read_period(period, stimuli, prepace.stimuli); },
      [&] { return yaml_number(prepace.period_ms); });
  keys.special(
      {"stimuli", "The names of the stimuli that pace.", "those with a `period`, or the first"},
      {.kind = KeyKind::words, .in_words = "list of names"}, [](const YamlReader&) {},
      [&] { return list_of_names(prepace.stimuli); });
  if (in) check_prepace(*in, prepace, stimuli, time);
  keys.special(
      {"cache", "The folder in which the state is kept for later runs.",
       "`cardiowarp/prepace` in `$XDG_CACHE_HOME` or `~/.cache`"},
      {.kind = KeyKind::path},
      [&](const YamlReader& cache) {
        const std::string usual = cache_folder("prepace");
        if (usual.empty() && !cache.present())
          cache.fail("the path of a directory, as neither $XDG_CACHE_HOME nor $HOME says where one is", "nothing");
        prepace.cache = cache.path("the path of a directory", usual);
      },
      [&] { return yaml_path(prepace.cache); });
}

}  // namespace cardiowarp
