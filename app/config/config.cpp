#include "app/config/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "app/config/conductivity_keys.hpp"
#include "app/config/coordinates_keys.hpp"
#include "app/config/frame_count.hpp"
#include "app/config/sections.hpp"
#include "app/config/stimulus_keys.hpp"
#include "app/config/value_meanings.hpp"
#include "app/config/yaml_reader.hpp"
#include "fem/cells/run_time_model.hpp"
#include "fem/input_error.hpp"
#include "fem/scaling.hpp"

namespace cardiowarp {
namespace {

/// The potentials at which the cell model is defined somewhere in the tissue.
Range admissible_potential(const AnyCell& cell, const std::vector<RegionConfig>& regions) {
  Real lowest = lowest_phi(cell);
  for (const RegionConfig& region : regions) lowest = std::min(lowest, lowest_phi(overridden(cell, region.cell_model)));
  return {scaling_of(cell).mv_from_phi(lowest), std::numeric_limits<Real>::infinity(), false, true};
}

/// The quadrature where none is given: vertices, or centroid with a strategy that was asked for and sums the numbers of
/// elements.
Quadrature usual_quadrature(AssemblyStrategy strategy) {
  const bool suits_vertices = strategy == AssemblyStrategy::automatic || strategy == AssemblyStrategy::diagonal;
  return suits_vertices ? Quadrature::vertices : Quadrature::centroid;
}

/// `conductivity` in place of `diffusivity` and `velocity`; beside them it has the membrane alone.
void visit_tissue_conductivity(KeyVisitor& keys, DiffusivityConfig& diffusivity) {
  std::optional<DiffusivityConfig> found;
  visit_conductivity(keys,
                     {"conductivity",
                      "Conductivities in place of `diffusivity`, and the membrane by which they and currents of "
                      "stimuli are converted."},
                     Membrane(), found);
  const YamlReader* const in = keys.reading();
  if (!in || !(*in)["conductivity"].present()) return;
  const bool is_alone = diffusivity.place.empty();
  if (found && !is_alone)
    (*in)["conductivity"].fail("surface_to_volume and capacitance alone beside diffusivity or velocity",
                               "conductivities");
  if (!found && is_alone)
    (*in)["conductivity"].fail("intracellular and extracellular, or monodomain, or diffusivity or velocity beside it",
                               "none");
  if (found) diffusivity = *found;
}

void visit_tissue(KeyVisitor& keys, Config& c) {
  keys.section({"mesh", "The mesh and what its file holds."}, [&](KeyVisitor& inside) { visit_mesh(inside, c.mesh); });
  visit_cell_model(keys, c.cell_model);
  // What nobody asked for and has no effect, the default's anisotropic part without fibers, is not asked for here.
  const bool is_in_vain = c.diffusivity.place.empty() && c.fibers.source == FiberSource::none;
  const KeyWords diffusivity{
      "diffusivity",
      "D = `isotropic` I + `anisotropic` n⊗n with the fiber n, which has to be positive definite. "
      "Either the first two keys or the last two."};
  const KeyWords velocity{
      "velocity",
      "The velocity of fronts in place of `diffusivity`, which is found from it on the edges of the "
      "mesh."};
  const YamlReader* const in = keys.reading();
  for (const char* const name : {"diffusivity", "velocity"})
    if (in) refuse_normal((*in)[name]);
  const bool has_velocity = c.diffusivity.velocity.has_value();
  const bool has_diffusivity = keys.wants_section(diffusivity, !has_velocity);
  if (has_diffusivity)
    keys.section(diffusivity, [&](KeyVisitor& inside) { visit_diffusivity(inside, c.diffusivity, is_in_vain); });
  if (keys.wants_section(velocity, has_velocity)) {
    if (in && has_diffusivity) (*in)["velocity"].fail("none beside diffusivity", "one");
    keys.section(velocity, [&](KeyVisitor& inside) { visit_velocity(inside, c.diffusivity); });
  }
  visit_tissue_conductivity(keys, c.diffusivity);
  keys.section({"fibers", "The directions of the fibers."},
               [&](KeyVisitor& inside) { visit_fibers(inside, c.fibers, c.mesh); });
  keys.optional_section<CoordinatesConfig>(
      {"coordinates", "The coordinates of the ventricles, which a `where` may have."}, c.coordinates,
      visit_coordinates);
  visit_regions(keys, c);
  if (keys.reading()) c.mesh.values = parameter_arrays_of(c);
}

void visit_what_drives(KeyVisitor& keys, Config& c) {
  visit_stimuli(keys, c.stimuli, c.time.end_ms);
  const KeyWords boundary{"boundary",
                          "Nodes that keep their potential. Everywhere else the surface of the mesh lets "
                          "nothing through."};
  // A run without any goes on from the checkpoints of programs that did not know the key.
  if (keys.wants_section(boundary, !c.boundary.empty()))
    keys.list<BoundaryConfig>(boundary, c.boundary, [&](KeyVisitor& inside, BoundaryConfig& prescribed) {
      visit_boundary(inside, prescribed, admissible_potential(c.cell_model.cell, c.regions));
    });
}

/// `time` and `accuracy`. The latter is read first, since the steps that it asks for are adaptive.
void visit_times(KeyVisitor& keys, Config& c) {
  const auto visit_steps = [&] {
    keys.section({"time", "The simulated time and its steps."},
                 [&](KeyVisitor& inside) { visit_time(inside, c.time, c.accuracy); });
  };
  const YamlReader* const in = keys.reading();
  if (!in) visit_steps();
  keys.optional_section<AccuracyConfig>(
      {"accuracy", "How wrong the steps may make the maps, in place of `time.adaptive.tolerance` and `max_step`."},
      c.accuracy, visit_accuracy, KeyVisitor::Style::flow);
  if (!in) return;
  const YamlReader max_step = (*in)["time"]["adaptive"]["max_step"];
  if (c.accuracy) c.accuracy->finds_max_step = !max_step.present() || max_step.is("auto");
  visit_steps();
}

void visit_solvers(KeyVisitor& keys, Config& c) {
  keys.section({"newton", "Newton's method, in each step."},
               [&](KeyVisitor& inside) { visit_newton(inside, c.newton, c.newton_follows_step, c.time); });
  keys.section({"linear_solver", "Conjugate gradients, in each Newton iteration."},
               [&](KeyVisitor& inside) { visit_linear_solver(inside, c.linear_solver, c.time); });
  const auto visit_quadrature = [&] {
    keys.choice({"quadrature", "Where in a tetrahedron mass, reaction and stimulus are evaluated."}, c.quadrature,
                quadrature_names, quadrature_meanings);
  };
  const YamlReader* const in = keys.reading();
  if (!in) visit_quadrature();
  keys.section({"assembly", "From elements to the linear system."},
               [&](KeyVisitor& inside) { visit_assembly(inside, c.assembly); });
  if (in) {
    c.quadrature = usual_quadrature(c.assembly.strategy);
    visit_quadrature();
    if ((*in)["quadrature"].present()) c.quadrature_place = (*in)["quadrature"].label();
  }
  keys.choice({"backend", "Where the simulation runs."}, c.backend, backend_names, backend_meanings);
}

void visit_results(KeyVisitor& keys, Config& c) {
  const YamlReader* const in = keys.reading();
  const std::optional<BidomainConductivity> domains = in ? read_domains(*in) : std::nullopt;
  c.output.bidomain = domains.value_or(c.output.bidomain);
  keys.section({"output", "What a run writes."}, [&](KeyVisitor& inside) {
    visit_output(inside, c.output, c.cell_model, "out/" + c.file.stem().string());
  });
  if (domains && c.output.ecg && !(*in)["output"]["ecg"]["intracellular_conductivity"].present())
    c.output.ecg->intracellular_s_per_m = domains->inside.along;
  std::set<std::string> names{"time_ms"};
  keys.list<ProbeConfig>(
      {"probes", "Points whose potential is written after each step, each a column of `probes.csv`."}, c.probes,
      [&](KeyVisitor& inside, ProbeConfig& probe) { visit_probe(inside, probe, names); }, KeyVisitor::Style::flow);
  keys.optional_section<CheckpointConfig>(
      {"checkpoint",
       "Checkpoints, from which a run can go on. Without the section there is one only where a run is ended early."},
      c.checkpoint, visit_checkpoint);
  keys.optional_section<PrepaceConfig>(
      {"prepace", "The heart is paced before the run, which begins with its state after the last beat."}, c.prepace,
      [&](KeyVisitor& inside, PrepaceConfig& prepace) { visit_prepace(inside, prepace, c.stimuli, c.time); });
}

/// The formats that a CPU multiplies and a modeler would want, for messages.
std::string names_of_formats_of_a_cpu() {
  std::string list;
  for (const auto& [name, options] : named_formats())
    for (const NamedValue& meaning : matrix_format_meanings)
      if (meaning.name == name && !needs_gpu(options.format)) list += (list.empty() ? "" : ", ") + name;
  return list;
}

/// What the cells of ionic models need: they are at the nodes, and a step takes their gates in closed form.
void check_ionic(const YamlReader& in, const Config& c) {
  const std::string with = fmt::format("cell_model: {}, whose cells are at the nodes", name_of(c.cell_model.cell));
  if (c.quadrature != Quadrature::vertices)
    in["quadrature"].fail("vertices with " + with, fmt::format("'{}'", name_of(c.quadrature, quadrature_names)));
  if (c.time.scheme == TimeScheme::rkc2)
    in["time"]["scheme"].fail(fmt::format("an implicit scheme with {}", with), "'rkc2'");
  if (c.linear_solver.matrix_operator != OperatorKind::automatic &&
      c.linear_solver.matrix_operator != OperatorKind::assembled)
    in["linear_solver"]["operator"].fail("auto or assembled with " + with);
}

/// Where regions have other models, a state is not one of all cells.
void check_several_models(const YamlReader& in, const Config& c) {
  const std::vector<std::string> models = cell_models_of(c.cell_model, c.regions);
  if (models.size() == 1) return;
  const std::string with = fmt::format(" where the cells are of {}", fmt::join(models, " and "));
  if (c.output.states && !c.output.states->empty()) in["output"]["fields"].fail("[potential]" + with, "states");
  if (!c.initial.states.empty())
    in["initial"].fail("a potential and no states" + with, c.initial.states.begin()->first);
  for (const InitialRegionConfig& region : c.initial.regions)
    if (!region.states.empty())
      in["initial"]["regions"].fail("a potential and no states" + with, region.states.begin()->first);
}

/// What no section alone can check.
void check_together(const YamlReader& in, const Config& c) {
  if (c.time.scheme == TimeScheme::rkc2 && c.quadrature != Quadrature::vertices)
    in["quadrature"].fail("vertices with time.scheme: rkc2, which needs a lumped mass",
                          fmt::format("'{}'", name_of(c.quadrature, quadrature_names)));
  if (is_ionic(c.cell_model.cell)) check_ionic(in, c);
  check_several_models(in, c);
  const YamlReader solver = in["linear_solver"];
  if (needs_gpu(c.linear_solver.matrix.format) && c.backend == BackendChoice::cpu)
    solver["spmv"].fail(fmt::format("one of {} with backend cpu", names_of_formats_of_a_cpu()));
  if (needs_cpu(c.linear_solver.preconditioner) && c.backend == BackendChoice::gpu)
    solver["preconditioner"].fail(preconditioners_of_a_gpu() + " with backend gpu");
  if (needs_cpu(c.linear_solver.preconditioner) && needs_gpu(c.linear_solver.matrix.format))
    solver["preconditioner"].fail(fmt::format("{} with spmv: {}, which needs a GPU", preconditioners_of_a_gpu(),
                                              format_name(c.linear_solver.matrix)));
  if (const Real frames = number_of_frames(c.time, c.output.interval_ms); frames > most_frames)
    in["output"]["interval"].fail(fmt::format("at most {} frames, at least {:.7g} ms", most_frames,
                                              c.time.end_ms / static_cast<Real>(most_frames - 2)),
                                  fmt::format("{:.6g} ms, which makes {:.0f}", c.output.interval_ms, frames));
  if (c.output.ecg && c.time.end_ms / c.output.ecg->interval_ms > static_cast<Real>(most_frames))
    in["output"]["ecg"]["interval"].fail(fmt::format("at most {} values, at least {:.7g} ms", most_frames,
                                                     c.time.end_ms / static_cast<Real>(most_frames)),
                                         fmt::format("{:.6g} ms", c.output.ecg->interval_ms));
}

}  // namespace

std::string preconditioners_of_a_gpu() {
  std::string list;
  for (const auto& [name, choice] : preconditioner_names)
    for (const NamedValue& meaning : preconditioner_meanings)
      if (meaning.name == name && !needs_cpu(choice)) list += (list.empty() ? "" : ", ") + name;
  return list + " or a polynomial";
}

AnyCell overridden(AnyCell cell, const CellModelOverride& change) {
  if (change.model) cell = *change.model;
  if (!change.set.empty()) cell = with_parameter_set(cell, change.set);
  for (const auto& [name, value] : change.parameters) set_parameter(cell, name, value);
  return cell;
}

std::vector<std::string> cell_models_of(const CellModelConfig& model, const std::vector<RegionConfig>& regions) {
  std::vector<std::string> names{std::string(name_of(model.cell))};
  for (const RegionConfig& region : regions) {
    if (!region.cell_model.model) continue;
    const std::string name(name_of(*region.cell_model.model));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

Override parse_override(const std::string& setting) {
  const auto equals = setting.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(fmt::format("--set: expected key.path=value, got '{}'", setting));
  std::string key_path = setting.substr(0, equals);  // `key.path = value` in quotes has a space behind it
  key_path.erase(key_path.find_last_not_of(' ') + 1);
  return {key_path, setting.substr(equals + 1), {}};
}

void visit_configuration(KeyVisitor& keys, Config& config) {
  visit_tissue(keys, config);
  // What is read later needs the time.
  if (keys.reading()) visit_times(keys, config);
  const auto potential = [&] { return admissible_potential(config.cell_model.cell, config.regions); };
  keys.section({"initial", "The heart at t = 0."},
               [&](KeyVisitor& inside) { visit_initial(inside, config.initial, config.cell_model, potential()); });
  visit_what_drives(keys, config);
  if (!keys.reading()) visit_times(keys, config);
  visit_solvers(keys, config);
  visit_results(keys, config);
  if (keys.reading()) check_together(*keys.reading(), config);
}

Config read_configuration(const YamlReader& in, const std::filesystem::path& file) {
  Config config;
  config.file = file;
  read_section(in, [&](KeyVisitor& keys) { visit_configuration(keys, config); });
  return config;
}

Config load_config(const std::filesystem::path& file, const std::vector<Override>& overrides) {
  YamlNode root = read_yaml(file);
  for (const auto& [key_path, value, given] : overrides) set_value(root, key_path, value, given);
  return read_configuration(YamlReader(root, file.parent_path()), file);
}

std::string resolved_yaml(const Config& config) {
  Config written = config;
  return "# Every key with its value, in mm, ms, mV, mm^2/ms and mV/ms.\n" +
         text_of_section([&](KeyVisitor& keys) { visit_configuration(keys, written); }, 0) + "\n";
}

const std::vector<KeyDescription>& configuration_keys() {
  static const std::vector<KeyDescription> keys = described([](KeyVisitor& visitor) {
    Config config;
    config.newton_follows_step = config.linear_solver.follows_step = config.time.interpolates();
    visit_configuration(visitor, config);
  });
  return keys;
}

}  // namespace cardiowarp
