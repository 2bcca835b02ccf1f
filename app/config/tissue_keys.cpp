#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/config/cellml_keys.hpp"
#include "app/config/conductivity_keys.hpp"
#include "app/config/config.hpp"
#include "app/config/read_where.hpp"
#include "app/config/sections.hpp"
#include "app/config/value_meanings.hpp"
#include "app/config/yaml_text.hpp"
#include "fem/cells/cell_precision.hpp"
#include "fem/cells/ionic_model.hpp"
#include "fem/input_error.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/mesh_format.hpp"
#include "meshes/opencarp_file.hpp"

namespace cardiowarp {
namespace {

const KeyShape name_of_array{.kind = KeyKind::text, .in_words = "name"};

std::string a_file_with_named_arrays() {
  return fmt::format("a mesh file {}, whose arrays have names", formats_with_named_arrays());
}

ArrayChoice read_array_choice(const YamlReader& in, const std::filesystem::path& mesh_file) {
  if (!in.present()) return {};
  const ArrayChoice choice{in.text("the name of an array of the mesh file"), in.label()};
  if (!has_named_arrays(mesh_file))
    in.fail(a_file_with_named_arrays(), fmt::format("'{}'", mesh_file.filename().string()));
  return choice;
}

std::string text_of(const ArrayChoice& choice) { return choice.name.empty() ? "" : yaml_quoted(choice.name); }

std::string text_of(const std::vector<Real>& values) {
  std::string text;
  for (const Real value : values) text += (text.empty() ? "" : ", ") + yaml_number(value);
  return "[" + text + "]";
}

/// An array of the mesh, or values by the transmural coordinate, in place of a number.
ParameterArray read_parameter_array(const YamlReader& in, const AnyCell& cell) {
  if (!is_ionic(cell)) in.fail(fmt::format("a number with {}, as arrays are for ionic models", name_of(cell)), "a map");
  in.expect_keys({"array", "through_wall", "scale"});
  const YamlReader array = in["array"], wall = in["through_wall"];
  if (!wall.present())
    return {{array.text("the name of an array of the mesh file"), array.label()}, in["scale"].boolean(false)};
  if (array.present()) array.fail("none beside through_wall", "one");
  ParameterArray given{{"", wall.label()}, in["scale"].boolean(false)};
  for (const YamlReader& value : wall.entries()) given.through_wall.push_back(value.number(plain_number, any_number));
  if (given.through_wall.size() < 2)
    wall.fail("two numbers or more, at equal steps from endocardium to epicardium",
              fmt::format("{}", given.through_wall.size()));
  given.array.name = "through_wall: " + text_of(given.through_wall);
  return given;
}

/// The keys `set`, where the model of `cell` has sets, and `parameters`; `more` are those beside them.
CellModelOverride read_override(const YamlReader& in, const AnyCell& cell, std::vector<std::string> more = {}) {
  const std::vector<std::string> sets = parameter_sets_of(cell);
  if (!sets.empty()) more.push_back("set");
  more.push_back("parameters");
  in.expect_keys(more);
  CellModelOverride given;
  if (in["set"].present()) given.set = in["set"].name(sets);
  if (const RunTimeModel* made = run_time_model_of(cell)) {
    given.parameters = read_cellml_parameters(in["parameters"], *made);
    return given;
  }

  const YamlReader values = in["parameters"];
  const auto parameters = parameters_of(cell);
  std::vector<std::string> keys;
  for (const ParameterDescription& description : parameters) keys.emplace_back(description.name);
  values.expect_keys(keys);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const QuantityKind& kind = parameters[i].unit == "ms" ? time_quantity : plain_number;
    if (values[keys[i]].is_map()) {
      given.arrays.insert({keys[i], read_parameter_array(values[keys[i]], cell)});
      continue;
    }
    if (const auto value = values[keys[i]].number_if_present(kind, parameters[i].range))
      given.parameters.insert({keys[i], *value});
  }
  return given;
}

const NamedValues meanings_of_precisions{
    {"auto", "`single` on a GPU, unless tolerances are below 1e-5"}, {"double", ""}, {"single", ""}};

void read_precision(const YamlReader& in, AnyCell& cell) {
  const IonicCell* const ionic = as_ionic(cell);
  if (!in.present() || !ionic) return;
  std::vector<std::string> names;
  for (const auto& [name, precision] : cell_precisions) names.emplace_back(name);
  const std::string name = in.name(names);
  for (const auto& [its_name, precision] : cell_precisions)
    if (its_name == name) cell = in_precision(*ionic, precision);
}

CellModelConfig read_cell_model(const YamlReader& in) {
  const std::vector<std::string> names = cell_model_names();
  const YamlReader name = in["name"];
  const std::string given_name = name.text("the name of a cell model", names.front());
  if (is_cellml_file(given_name)) return read_cellml_cell(in);
  if (given_name.find_first_of("./") != given_name.npos)
    name.fail("the name of a cell model or the path of a file that ends with .cellml");
  const AnyCell cell = cell_model_named(name.name(names, names.front()));
  for (const char* of_file : keys_of_cellml_files)
    if (in[of_file].present())
      in[of_file].fail(fmt::format("none with cell_model.name: {}, which is no CellML file", name_of(cell)));
  std::vector<std::string> more{"name"};
  if (is_ionic(cell)) more.push_back("precision");
  const CellModelOverride given = read_override(in, cell, more);
  const std::vector<std::string> sets = parameter_sets_of(cell);
  AnyCell chosen = overridden(cell, given);
  read_precision(in["precision"], chosen);
  return {chosen, given.set.empty() && !sets.empty() ? sets.front() : given.set, given.arrays};
}

/// What a region says of the cells; `outside` is the cell of the whole tissue.
CellModelOverride read_region_override(const YamlReader& in, const AnyCell& outside) {
  if (!in["name"].present()) return read_override(in, outside, {"name"});
  std::vector<std::string> names;
  for (const IonicModel* model : ionic_models()) names.emplace_back(model->name());
  if (!is_ionic(outside))
    in["name"].fail(fmt::format("none with cell_model.name: {}, as only ionic models can be mixed", name_of(outside)));
  const AnyCell cell = cell_model_named(in["name"].name(names));
  CellModelOverride given = read_override(in, cell, {"name"});
  given.model = cell;
  return given;
}

/// The parameters of all cell models.
std::vector<KeyDescription> described_parameters() {
  std::vector<KeyDescription> keys;
  for (const std::string& model : cell_model_names()) {
    const AnyCell cell = cell_model_named(model);
    for (const ParameterDescription& parameter : parameters_of(cell))
      keys.push_back({.name = std::string(parameter.name),
                      .meaning = fmt::format("Of `{}`: {}.", model, parameter.meaning),
                      .default_value = yaml_number(cardiowarp::parameter(cell, parameter.name)),
                      .shape = {.kind = KeyKind::number,
                                .quantity = parameter.unit == "ms" ? time_quantity : plain_number,
                                .range = parameter.range,
                                .takes_array = is_ionic(cell)}});
  }
  return keys;
}

NamedValues meanings_of_sets() {
  NamedValues sets;
  for (const std::string& model : cell_model_names())
    for (const std::string& set : parameter_sets_of(cell_model_named(model))) {
      const auto known = std::ranges::find(sets, set, &NamedValue::name);
      if (known == sets.end())
        sets.push_back({set, "of `" + model + "`"});
      else
        known->meaning += ", `" + model + "`";
    }
  return sets;
}

/// What `cell_model` has and regions have not, beside `name`.
std::vector<KeyDescription> keys_of_whole_tissue() {
  NamedValues models;
  for (const std::string& model : cell_model_names()) models.push_back({model, ""});
  return {{.name = "name",
           .meaning = "The model of the cells of the whole tissue.",
           .default_value = models.front().name,
           .default_is_value = true,
           .shape = {.kind = KeyKind::word,
                     .names = models,
                     .others = "\\.[cC][eE][lL][lL][mM][lL]$",
                     .others_in_words = "the path of a `.cellml` file"}},
          {.name = "potential",
           .meaning = "Of a CellML file: the variable that is the potential.",
           .default_value = "as the file tells",
           .shape = {.in_words = "name of a variable"}},
          {.name = "stimulus",
           .meaning = "Of a CellML file: the variable that is the stimulus, which is switched off.",
           .default_value = "as the file tells",
           .shape = {.in_words = "name of a variable"}},
          {.name = "checksum",
           .meaning = "Of a CellML file: its checksum in `resolved.yaml`; another file is refused.",
           .default_value = "any",
           .shape = {.in_words = "16 digits"}},
          {.name = "precision",
           .meaning = "Of ionic models: that of their equations; states are in double.",
           .default_value = "auto",
           .shape = {.kind = KeyKind::word, .names = meanings_of_precisions}}};
}

/// `name`, `set` and `parameters`; of the `whole` tissue or of a region.
KeyShape shape_of_cell_model(bool whole) {
  KeyShape shape{.kind = KeyKind::map};
  NamedValues ionic;
  for (const IonicModel* model : ionic_models()) ionic.push_back({std::string(model->name()), ""});
  if (whole)
    shape.keys = keys_of_whole_tissue();
  else
    shape.keys.push_back({.name = "name",
                          .meaning = "Another ionic model, where that of the whole tissue is one, too.",
                          .default_value = "as outside",
                          .shape = {.kind = KeyKind::word, .names = ionic}});
  shape.keys.push_back(
      {.name = "set",
       .meaning = "The layer of the wall whose parameters the cells have, with a model that has such sets.",
       .default_value = whole ? "the first" : "as outside",
       .shape = {.kind = KeyKind::word, .names = meanings_of_sets(), .in_words = whole ? "" : "as above"}});
  shape.keys.push_back(
      {.name = "parameters",
       .meaning =
           whole ? fmt::format("Single parameters in place of those of the set or the model, by name. Of ionic models "
                               "also `{{array: NAME}}`, the values of a cell or point array of a {} file in the "
                               "parameter's unit, or `{{through_wall: [a, b, …]}}`, at equal steps from endocardium "
                               "to epicardium; with `scale: true` factors.",
                               formats_with_named_arrays())
                 : "Single parameters, as in `cell_model`.",
       .default_value = whole ? "the set's or the model's" : "as outside, or the set's",
       .shape = {.kind = KeyKind::map,
                 .others = "^[A-Za-z0-9_]+([.][A-Za-z0-9_]+)?$",
                 .in_words = "by name; those in ms may have a unit",
                 .keys = described_parameters()}});
  return shape;
}

/// The parameters that `is_known` of their name.
template <class IsKnown>
std::string parameters(const AnyCell& cell, const ParameterArrays& arrays, const IsKnown& is_known) {
  std::string text;
  for (const ParameterDescription& description : parameters_of(cell)) {
    const std::string name(description.name);
    const auto array = arrays.find(name);
    if (array != arrays.end())
      text += fmt::format("{}{}: {{{}, scale: {}}}", text.empty() ? "" : ", ", name,
                          array->second.through_wall.empty() ? "array: " + yaml_quoted(array->second.array.name)
                                                             : array->second.array.name,
                          array->second.scales);
    else if (is_known(name))
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, yaml_number(parameter(cell, name)));
  }
  return "{" + text + "}";
}

/// What is the same for all elements of a region is written out, also where it is only as outside; what an earlier
/// region sets may differ from element to element, and stays out.
std::string region_text(const Config& c, std::size_t number) {
  const RegionConfig& region = c.regions[number];
  DiffusivityConfig diffusivity = region.diffusivity.value_or(c.diffusivity);
  bool one_diffusivity = true;
  const auto is_set_before = [&](auto is_set) {
    return std::any_of(c.regions.begin(), c.regions.begin() + number, is_set);
  };
  if (!region.diffusivity)
    one_diffusivity = !is_set_before(
        [](const RegionConfig& before) { return before.diffusivity.has_value() || before.velocity_factor != 1; });
  const CellModelOverride& change = region.cell_model;
  const auto is_the_same_for_all = [&](const std::string& parameter) {
    return change.model || !change.set.empty() || change.parameters.contains(parameter) ||
           !(c.cell_model.arrays.contains(parameter) || is_set_before([&](const RegionConfig& before) {
               return before.cell_model.model || !before.cell_model.set.empty() ||
                      before.cell_model.parameters.contains(parameter) || before.cell_model.arrays.contains(parameter);
             }));
  };
  const std::string name = change.model ? fmt::format("name: {}, ", name_of(*change.model)) : "";
  const std::string set = change.set.empty() ? "" : fmt::format("set: {}, ", change.set);

  std::string text = fmt::format("\n  - where: {}\n", where_text(region.where));
  const bool has_factor = region.velocity_factor != 1;
  if (!region.diffusivity && (c.diffusivity.velocity || has_factor)) one_diffusivity = false;
  if (has_factor) text += fmt::format("    velocity_factor: {}\n", yaml_number(region.velocity_factor));
  if (region.diffusivity && region.diffusivity->velocity)
    text +=
        "    velocity:\n" + text_of_section([&](KeyVisitor& inside) { visit_velocity(inside, diffusivity); }, 6) + "\n";
  else
    text += one_diffusivity
                ? fmt::format("    diffusivity: {}\n", yaml_map({{"isotropic", diffusivity.isotropic_mm2_per_ms},
                                                                 {"anisotropic", diffusivity.anisotropic_mm2_per_ms}}))
                : "    # diffusivity: as outside and in earlier regions\n";
  return text + fmt::format("    cell_model: {{{}{}parameters: {}}}", name, set,
                            parameters(overridden(c.cell_model.cell, change), change.arrays, is_the_same_for_all));
}

/// What a velocity can be multiplied by.
constexpr Range factors{0.01, 100, true, true};

/// The diffusivity of a section; `across` is the range of `isotropic`.
void visit_diffusivity_in(KeyVisitor& keys, DiffusivityConfig& diffusivity, bool is_in_vain, const Range& across);

/// The diffusivity by `velocity` or `conductivity`.
void visit_in_place_of_diffusivity(KeyVisitor& keys, RegionConfig& region, const Membrane& membrane) {
  const YamlReader* const in = keys.reading();
  std::optional<DiffusivityConfig> by_velocity, by_conductivity;
  keys.optional_section<DiffusivityConfig>(
      {"velocity", "The velocity of fronts in the region, in place of `diffusivity`.", "the diffusivity outside",
       "keys of `velocity`"},
      by_velocity, visit_velocity);
  if (in && by_velocity) {
    if (region.diffusivity) (*in)["velocity"].fail("none beside diffusivity", "one");
    region.diffusivity = by_velocity;
  }
  visit_conductivity(keys,
                     {"conductivity", "The conductivities of the region, in place of `diffusivity`.",
                      "the diffusivity outside", "keys of `conductivity`"},
                     membrane, by_conductivity);
  if (!in || !(*in)["conductivity"].present()) return;
  if (region.diffusivity) (*in)["conductivity"].fail("none beside diffusivity or velocity", "one");
  if (!by_conductivity) (*in)["conductivity"].fail("intracellular and extracellular, or monodomain", "none");
  region.diffusivity = by_conductivity;
}

void visit_region(KeyVisitor& keys, RegionConfig& region, const AnyCell& cell, const Membrane& membrane) {
  for (const char* const name : {"diffusivity", "velocity"})
    if (keys.reading()) refuse_normal((*keys.reading())[name]);
  visit_where(keys, region.where, {"box", "sphere", "tag"}, "The elements of the region.");
  const KeyWords diffusivity{"diffusivity",
                             "The whole diffusivity of the region: `isotropic` alone makes it isotropic.", "as outside",
                             "keys of `diffusivity`"};
  keys.optional_section<DiffusivityConfig>(
      diffusivity, region.diffusivity,
      [](KeyVisitor& inside, DiffusivityConfig& value) { visit_diffusivity_in(inside, value, false, non_negative); });
  visit_in_place_of_diffusivity(keys, region, membrane);
  keys.special(
      {"velocity_factor", "How many times as fast fronts are as without the region: its square times the diffusivity.",
       "1", "0.01 to 100"},
      {.kind = KeyKind::number, .range = factors},
      [&](const YamlReader& in) { region.velocity_factor = in.number(plain_number, factors, 1); },
      [&] { return region.velocity_factor == 1 ? "" : yaml_number(region.velocity_factor); });
  bool conducts = true;
  keys.truth({"conducts", "`false`: a scar whose elements leave the problem, as with a diffusivity of 0.", "true"},
             conducts);
  keys.special(
      {"cell_model", "What the region changes of the cells.", "as outside"}, shape_of_cell_model(false),
      [&](const YamlReader& in) { region.cell_model = read_region_override(in, cell); }, [] { return ""; });
  if (const YamlReader* in = keys.reading(); in && !conducts) {
    if (region.diffusivity) (*in)["diffusivity"].fail("none beside conducts: false", "one");
    region.diffusivity = DiffusivityConfig{0, 0, in->label()};
  }
  const YamlReader* const in = keys.reading();
  const bool has_factor = region.velocity_factor != 1;
  if (in && has_factor && region.diffusivity)
    (*in)["velocity_factor"].fail("none beside a diffusivity, a velocity, a conductivity or conducts: false", "one");
  if (in && !region.diffusivity && !has_factor && region.cell_model.empty())
    in->fail("a diffusivity, a velocity, a velocity_factor, a conductivity or cell_model.parameters that differ here",
             "none");
}

}  // namespace

void visit_mesh(KeyVisitor& keys, MeshConfig& mesh) {
  keys.special(
      {"file",
       fmt::format("The file of the mesh: {}; openCARP's may be named without its ending.", formats_in_words(false)),
       required},
      {.kind = KeyKind::path},
      [&](const YamlReader& in) {
        mesh.file = mesh_file_named(in.path("the path of a mesh file"));
        mesh.place = in.label();
        mesh.length_unit = standard_length_unit(mesh.file);
      },
      [&] { return yaml_path(mesh.file); });
  keys.choice({"length_unit", "The unit of the coordinates in the file.", standard_units_in_words()}, mesh.length_unit,
              length_unit_names, length_unit_meanings, micrometre_spellings);
  keys.special(
      {"tags", fmt::format("The cell array of a {} file that has the tags of regions.", formats_with_named_arrays()),
       "the usual names"},
      name_of_array, [&](const YamlReader& in) { mesh.tags = read_array_choice(in, mesh.file); },
      [&] { return text_of(mesh.tags); });
}

void visit_cell_model(KeyVisitor& keys, CellModelConfig& model) {
  const auto text = [&] {
    const RunTimeModel* const made = run_time_model_of(model.cell);
    const std::string name =
        made ? cellml_origin_text(made->origin()) : fmt::format("  name: {}\n", name_of(model.cell));
    const IonicCell* const ionic = as_ionic(model.cell);
    const std::string precision =
        ionic && !made ? fmt::format("  precision: {}\n", name_of(precision_of(*ionic->model))) : "";
    return fmt::format("\n{}{}{}  parameters: {}", name, model.set.empty() ? "" : fmt::format("  set: {}\n", model.set),
                       precision, parameters(model.cell, model.arrays, [](const std::string&) { return true; }));
  };
  keys.special(
      {"cell_model", "The cells of the tissue."}, shape_of_cell_model(true),
      [&](const YamlReader& in) { model = read_cell_model(in); }, text);
}

namespace {

void visit_diffusivity_in(KeyVisitor& keys, DiffusivityConfig& diffusivity, bool is_in_vain, const Range& across) {
  std::optional<Real> isotropic, anisotropic, longitudinal, transverse;
  if (!keys.reading()) isotropic = diffusivity.isotropic_mm2_per_ms;
  if (!keys.reading()) anisotropic = is_in_vain ? 0 : diffusivity.anisotropic_mm2_per_ms;
  keys.number({"isotropic", "The diffusivity across the fiber.", "1 without the section, else required"}, isotropic,
              diffusivity_quantity, across);
  keys.number({"anisotropic", "What is added along the fiber; without fibers it has no effect.",
               "0.1 without the section, else 0", "above −`isotropic`"},
              anisotropic, diffusivity_quantity, any_number);
  keys.number({"longitudinal", "The diffusivity along the fiber; with `transverse` in place of the two above.", "none"},
              longitudinal, diffusivity_quantity, positive);
  keys.number({"transverse", "The diffusivity across the fiber, with `longitudinal`.", "none"}, transverse,
              diffusivity_quantity, positive);
  const YamlReader* const in = keys.reading();
  if (!in) return;
  diffusivity.place = in->label();
  const bool has_directions = longitudinal || transverse;
  if ((isotropic || anisotropic) && has_directions)
    in->fail("either isotropic and anisotropic or longitudinal and transverse", "keys of both");
  if (has_directions) {
    transverse = (*in)["transverse"].number(diffusivity_quantity, positive);
    diffusivity = {*transverse, (*in)["longitudinal"].number(diffusivity_quantity, positive) - *transverse,
                   diffusivity.place};
    return;
  }
  if (anisotropic && !isotropic)
    in->fail("isotropic beside anisotropic, as both make one diffusivity", "anisotropic alone");
  diffusivity.isotropic_mm2_per_ms = (*in)["isotropic"].number(diffusivity_quantity, across);
  diffusivity.anisotropic_mm2_per_ms = anisotropic.value_or(0);
  const bool is_zero = diffusivity.isotropic_mm2_per_ms == 0 && diffusivity.anisotropic_mm2_per_ms == 0;
  if (!is_zero && diffusivity.isotropic_mm2_per_ms == 0)
    in->fail("a diffusivity across the fiber above 0, or 0 in all directions", "0 across the fiber alone");
  if (!is_zero && !(diffusivity.isotropic_mm2_per_ms + diffusivity.anisotropic_mm2_per_ms > 0))
    in->fail("isotropic + anisotropic, the diffusivity along the fiber, to be positive",
             fmt::format("{} + {} mm^2/ms", diffusivity.isotropic_mm2_per_ms, diffusivity.anisotropic_mm2_per_ms));
}

}  // namespace

void visit_diffusivity(KeyVisitor& keys, DiffusivityConfig& diffusivity, bool is_in_vain) {
  visit_diffusivity_in(keys, diffusivity, is_in_vain, positive);
}

void visit_fibers(KeyVisitor& keys, FibersConfig& fibers, MeshConfig& mesh) {
  const YamlReader* const in = keys.reading();
  keys.choice({"source", "Where the fibers come from."}, fibers.source, fiber_source_names, fiber_source_meanings);
  keys.special(
      {"array",
       fmt::format("With `source: mesh`: the cell or point array of a {} file that has the fibers.",
                   formats_with_named_arrays()),
       "the usual names"},
      name_of_array,
      [&](const YamlReader& array) {
        if (array.present() && fibers.source != FiberSource::mesh)
          array.fail("source: mesh to go with it",
                     fmt::format("source: {}", name_of(fibers.source, fiber_source_names)));
        mesh.fibers = read_array_choice(array, mesh.file);
      },
      [&] { return text_of(mesh.fibers); });
  keys.point({"direction", "With `source: constant`: a vector along the fibers, of any length but zero."},
             fibers.direction, plain_number);
  visit_fiber_rule(keys, fibers.rule, fibers.source == FiberSource::rule);
  if (!in) return;
  fibers.place = (*in)["source"].label();
  const Real length = norm(fibers.direction);
  if (fibers.source == FiberSource::constant && !(length > 0 && std::isfinite(length)))
    (*in)["direction"].fail("a direction of non-zero, finite length",
                            fmt::format("[{}, {}, {}]", fibers.direction.x, fibers.direction.y, fibers.direction.z));
}

std::vector<ArrayChoice> parameter_arrays_of(const Config& config) {
  std::vector<ArrayChoice> all;
  const auto add = [&](const ParameterArrays& arrays) {
    for (const auto& [parameter, of] : arrays) {
      if (!of.through_wall.empty()) continue;  // they are made from the coordinates of the heart
      if (!has_named_arrays(config.mesh.file))
        throw InputError(fmt::format("{}: expected {}, got '{}'", of.array.place, a_file_with_named_arrays(),
                                     config.mesh.file.filename().string()));
      if (std::ranges::find(all, of.array.name, &ArrayChoice::name) == all.end()) all.push_back(of.array);
    }
  };
  add(config.cell_model.arrays);
  for (const RegionConfig& region : config.regions) add(region.cell_model.arrays);
  return all;
}

void visit_regions(KeyVisitor& keys, Config& config) {
  const Membrane membrane = keys.reading() ? read_membrane(*keys.reading()).value_or(Membrane()) : Membrane();
  KeyShape shape{.kind = KeyKind::map, .is_list = true};
  if (keys.describes()) {
    RegionConfig entry;
    shape.keys = described([&](KeyVisitor& inside) { visit_region(inside, entry, config.cell_model.cell, membrane); });
  }
  keys.special(
      {"regions", "Places where the tissue differs. Later entries win where they overlap."}, shape,
      [&](const YamlReader& in) {
        for (const YamlReader& entry : in.entries())
          read_section(entry, [&, region = &config.regions.emplace_back()](KeyVisitor& inside) {
            visit_region(inside, *region, config.cell_model.cell, membrane);
          });
      },
      [&] {
        std::string text = config.regions.empty() ? "[]" : "";
        for (std::size_t number = 0; number < config.regions.size(); ++number) text += region_text(config, number);
        return text;
      });
}

}  // namespace cardiowarp
