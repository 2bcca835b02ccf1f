#include "app/config/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "app/config/config_names.hpp"
#include "app/config/frame_count.hpp"
#include "app/config/read_boundary.hpp"
#include "app/config/read_prepace.hpp"
#include "app/config/read_time.hpp"
#include "app/config/read_where.hpp"
#include "app/config/yaml_reader.hpp"
#include "assembly/options.hpp"
#include "fem/input_error.hpp"
#include "meshes/opencarp_file.hpp"

namespace cardiowarp {
namespace {

/// Only VTK files have arrays with names.
ArrayChoice read_array_choice(const YamlReader& in, const std::filesystem::path& mesh_file) {
  if (!in.present()) return {};
  const ArrayChoice choice{in.text("the name of an array of the mesh file"), in.label()};
  if (!is_vtk_file(mesh_file))
    in.fail("a mesh file .vtu or .vtk, whose arrays have names", fmt::format("'{}'", mesh_file.filename().string()));
  return choice;
}

MeshConfig read_mesh_section(const YamlReader& in) {
  in.expect_keys({"file", "length_unit", "tags"});
  MeshConfig mesh;
  mesh.file = mesh_file_named(in["file"].path("the path of a mesh file"));
  mesh.place = in["file"].label();
  mesh.length_unit = in["length_unit"].one_of(length_unit_names, standard_length_unit(mesh.file), micrometre_spellings);
  mesh.tags = read_array_choice(in["tags"], mesh.file);
  return mesh;
}

/// The keys `set`, where the model of `cell` has sets, and `parameters`; `more` are those beside them.
CellModelOverride read_override(const YamlReader& in, const AnyCell& cell, std::vector<std::string> more = {}) {
  const std::vector<std::string> sets = parameter_sets_of(cell);
  if (!sets.empty()) more.push_back("set");
  more.push_back("parameters");
  in.expect_keys(more);
  CellModelOverride given;
  if (in["set"].present()) given.set = in["set"].name(sets);

  const YamlReader values = in["parameters"];
  const auto parameters = parameters_of(cell);
  std::vector<std::string> keys;
  for (const ParameterDescription& description : parameters) keys.emplace_back(description.name);
  values.expect_keys(keys);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const QuantityKind& kind = parameters[i].unit == "ms" ? time_quantity : plain_number;
    if (const auto value = values[keys[i]].number_if_present(kind, parameters[i].range))
      given.parameters.insert({keys[i], *value});
  }
  return given;
}

CellModelConfig read_cell_model(const YamlReader& in) {
  const std::vector<std::string> names = cell_model_names();
  const AnyCell cell = cell_model_named(in["name"].name(names, names.front()));
  const CellModelOverride given = read_override(in, cell, {"name"});
  const std::vector<std::string> sets = parameter_sets_of(cell);
  return {overridden(cell, given), given.set.empty() && !sets.empty() ? sets.front() : given.set};
}

/// The whole of a diffusivity: who writes only `isotropic` means an isotropic tissue.
DiffusivityConfig read_diffusivity(const YamlReader& in) {
  in.expect_keys({"isotropic", "anisotropic", "longitudinal", "transverse"});
  const bool has_parts = in["isotropic"].present() || in["anisotropic"].present();
  const bool has_directions = in["longitudinal"].present() || in["transverse"].present();
  if (has_parts && has_directions)
    in.fail("either isotropic and anisotropic or longitudinal and transverse", "keys of both");
  DiffusivityConfig diffusivity;
  diffusivity.place = in.label();
  if (has_directions) {
    const Real longitudinal = in["longitudinal"].number(diffusivity_quantity, positive);
    const Real transverse = in["transverse"].number(diffusivity_quantity, positive);
    diffusivity.isotropic_mm2_per_ms = transverse;
    diffusivity.anisotropic_mm2_per_ms = longitudinal - transverse;
    return diffusivity;
  }
  if (in["anisotropic"].present() && !in["isotropic"].present())
    in.fail("isotropic beside anisotropic, as both make one diffusivity", "anisotropic alone");
  const Real isotropic = in["isotropic"].number(diffusivity_quantity, positive);
  const Real anisotropic = in["anisotropic"].number(diffusivity_quantity, any_number, 0);
  if (!(isotropic + anisotropic > 0))
    in.fail("isotropic + anisotropic, the diffusivity along the fiber, to be positive",
            fmt::format("{} + {} mm^2/ms", isotropic, anisotropic));
  diffusivity.isotropic_mm2_per_ms = isotropic;
  diffusivity.anisotropic_mm2_per_ms = anisotropic;
  return diffusivity;
}

FibersConfig read_fibers(const YamlReader& in, MeshConfig& mesh) {
  in.expect_keys({"source", "array", "direction"});
  FibersConfig fibers;
  fibers.source = in["source"].one_of(fiber_source_names, fibers.source);
  fibers.place = in["source"].label();
  if (in["array"].present() && fibers.source != FiberSource::mesh)
    in["array"].fail("source: mesh to go with it",
                     fmt::format("source: {}", name_of(fibers.source, fiber_source_names)));
  mesh.fibers = read_array_choice(in["array"], mesh.file);
  fibers.direction = in["direction"].vector(plain_number, fibers.direction);
  const Real length = norm(fibers.direction);
  if (fibers.source == FiberSource::constant && !(length > 0 && std::isfinite(length)))
    in["direction"].fail("a direction of non-zero, finite length",
                         fmt::format("[{}, {}, {}]", fibers.direction.x, fibers.direction.y, fibers.direction.z));
  return fibers;
}

RegionConfig read_region(const YamlReader& in, const AnyCell& cell) {
  in.expect_keys({"where", "diffusivity", "cell_model"});
  RegionConfig region;
  region.where = read_where(in["where"], {"box", "sphere", "tag"});
  if (in["diffusivity"].present()) region.diffusivity = read_diffusivity(in["diffusivity"]);
  region.cell_model = read_override(in["cell_model"], cell);
  if (!region.diffusivity && region.cell_model.empty())
    in.fail("a diffusivity or cell_model.parameters that differ here", "none");
  return region;
}

std::map<std::string, Real> read_states(const YamlReader& in, std::span<const CellState> states) {
  std::map<std::string, Real> values;
  for (const CellState& state : states) {
    const std::string name(state.name);
    if (const auto value = in[name].number_if_present(plain_number, state.range)) values.insert({name, *value});
  }
  return values;
}

InitialConfig read_initial(const YamlReader& in, const AnyCell& cell, Range potential) {
  const auto states = states_of(cell);
  std::vector<std::string> values{"potential"};
  for (const CellState& state : states) values.emplace_back(state.name);
  std::vector<std::string> keys = values, keys_of_region{"where"};
  keys.emplace_back("regions");
  keys_of_region.insert(keys_of_region.end(), values.begin(), values.end());
  in.expect_keys(keys);
  InitialConfig initial;
  initial.potential_mv = in["potential"].number_if_present(potential_quantity, potential);
  initial.states = read_states(in, states);
  for (const YamlReader& entry : in["regions"].entries()) {
    entry.expect_keys(keys_of_region);
    InitialRegionConfig region;
    region.where = read_where(entry["where"], {"box", "sphere", "tag", "nodes"});
    region.potential_mv = entry["potential"].number_if_present(potential_quantity, potential);
    region.states = read_states(entry, states);
    if (!region.potential_mv && region.states.empty())
      entry.fail(fmt::format("a value of {}", fmt::join(values, ", ")), "none");
    if (!region.states.empty() && std::holds_alternative<NodeFile>(region.where.region)) {
      const std::string& name = region.states.begin()->first;
      entry[name].fail(fmt::format("only a potential for nodes, as {} belongs to elements", name));
    }
    initial.regions.push_back(std::move(region));
  }
  return initial;
}

/// Names become columns of a CSV file and words of messages.
std::string read_unique_name(const YamlReader& in, std::set<std::string>& taken,
                             std::optional<std::string> absent = {}) {
  const std::string expected = "a name without commas, semicolons, quotes and control characters";
  std::string name = in.text(expected, std::move(absent));
  const bool has_control = std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c == 127; });
  if (has_control || name.find_first_of(",;\"'") != std::string::npos || name.front() == ' ' || name.back() == ' ')
    in.fail(expected);
  if (!taken.insert(name).second) in.fail("a name that is not yet taken", fmt::format("'{}'", name));
  return name;
}

/// A period without a count repeats the stimulus until the end.
int beats_until(Real end_ms, Real start_ms, Real period_ms) {
  const Real beats = std::ceil((end_ms - start_ms) / period_ms);
  return static_cast<int>(std::clamp<Real>(beats, 1, std::numeric_limits<int>::max()));
}

std::vector<StimulusConfig> read_stimuli(const YamlReader& in, Real end_ms) {
  std::vector<StimulusConfig> stimuli;
  std::set<std::string> names;
  for (const YamlReader& entry : in.entries()) {
    entry.expect_keys({"name", "where", "start", "duration", "amplitude", "period", "count", "edge"});
    StimulusConfig stimulus;
    stimulus.name = read_unique_name(entry["name"], names, fmt::format("stimulus_{}", stimuli.size() + 1));
    stimulus.where = read_where(entry["where"], {"box", "sphere", "tag", "nodes"});
    stimulus.start_ms = entry["start"].number(time_quantity, non_negative, stimulus.start_ms);
    stimulus.duration_ms = entry["duration"].number(time_quantity, positive);
    stimulus.amplitude_mv_per_ms = entry["amplitude"].number(potential_rate_quantity, any_number);
    stimulus.period_ms = entry["period"].number_if_present(time_quantity, positive);
    const int beats = stimulus.period_ms ? beats_until(end_ms, stimulus.start_ms, *stimulus.period_ms) : 1;
    stimulus.count = entry["count"].whole_number(1, std::numeric_limits<int>::max(), beats);
    if (stimulus.period_ms && *stimulus.period_ms < stimulus.duration_ms)
      entry["period"].fail(fmt::format("at least the duration, {} ms", stimulus.duration_ms));
    if (!stimulus.period_ms && stimulus.count > 1) entry["period"].fail("a positive time (ms, s, us) to go with count");
    stimulus.edge = entry["edge"].one_of(stimulus_edge_names, stimulus.edge);
    stimuli.push_back(std::move(stimulus));
  }
  return stimuli;
}

/// A tolerance, or auto: that of a scheme which interpolates follows from the step's, else it is `usual`. Whether it
/// follows.
bool read_tolerance(const YamlReader& in, const Range& range, const TimeConfig& time, Real& usual) {
  if (in.present() && in.text("a number or auto") != "auto") {
    usual = in.number(number_or_auto, range);
    return false;
  }
  return time.interpolates();
}

NewtonConfig read_newton(const YamlReader& in, const TimeConfig& time, bool& follows_step) {
  in.expect_keys({"tolerance", "max_iterations", "forcing"});
  NewtonConfig newton;
  follows_step = read_tolerance(in["tolerance"], positive, time, newton.tolerance);
  newton.max_iterations = in["max_iterations"].whole_number(1, 1000, newton.max_iterations);
  newton.forcing = in["forcing"].one_of(forcing_names, newton.forcing);
  return newton;
}

/// The formats that a CPU multiplies, for messages.
std::string names_of_formats_of_a_cpu() {
  std::string list;
  for (const auto& [name, options] : named_formats())
    if (!needs_gpu(options.format)) list += (list.empty() ? "" : ", ") + name;
  return list;
}

/// A multiple of 32 in [low, high]; otherwise fails with `expected`.
int read_multiple_of_32(const YamlReader& in, int low, int high, const std::string& expected) {
  const std::string text = in.text(expected);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc{} && end == text.data() + text.size();
  if (!number || value % 32 != 0 || value < low || value > high) in.fail(expected);
  return value;
}

/// The keys that `linear_solver` and `assembly` have in common. Whether a window was asked for.
bool read_ell_warp_keys(const YamlReader& in, EllWarpOptions& options, int& block_size) {
  constexpr Index most = std::numeric_limits<Index>::max();
  options.threshold = in["threshold"].whole_number(1, most, options.threshold);
  constexpr Index widest = most - most % 32;
  const std::string expected_window =
      fmt::format("auto or a multiple of 32 in [0, {}], 0 for the whole matrix", widest);
  const YamlReader window = in["sorting_window"];
  const bool asked_for = window.present() && window.text(expected_window) != "auto";
  if (asked_for) options.window = read_multiple_of_32(window, 0, widest, expected_window);
  const std::string expected_size = "auto or a multiple of 32 in [32, 1024]";
  if (const YamlReader size = in["block_size"]; size.present())
    block_size = size.text(expected_size) == "auto" ? 0 : read_multiple_of_32(size, 32, 1024, expected_size);
  return asked_for;
}

/// A name, such as `jacobi`, or a map with the options of a polynomial.
void read_preconditioner(const YamlReader& in, LinearSolverConfig& solver) {
  if (in.is_map()) {
    in.expect_keys({"polynomial", "degree", "precision"});
    solver.preconditioner = PreconditionerChoice::polynomial;
    solver.polynomial.kind = in["polynomial"].one_of(polynomial_names, solver.polynomial.kind);
    solver.polynomial.degree =
        in["degree"].whole_number(1, PolynomialOptions::highest_degree, solver.polynomial.degree);
    solver.polynomial.precision = in["precision"].one_of(polynomial_precision_names, solver.polynomial.precision);
    return;
  }
  for (const auto& [name, kind] : polynomial_names)
    if (in.is(name))
      in.fail(
          fmt::format("a polynomial with its degree, {{polynomial: {}, degree: {}}}", name, solver.polynomial.degree));
  solver.preconditioner = in.one_of(preconditioner_names, solver.preconditioner);
}

LinearSolverConfig read_linear_solver(const YamlReader& in, const TimeConfig& time) {
  in.expect_keys({"method", "preconditioner", "path", "operator", "precision", "tolerance", "max_iterations", "spmv",
                  "block_size", "threshold", "sorting_window"});
  LinearSolverConfig solver;
  solver.method = in["method"].name({"cg"}, solver.method);
  read_preconditioner(in["preconditioner"], solver);
  solver.path = in["path"].one_of(solver_path_names, solver.path);
  solver.matrix_operator = in["operator"].one_of(operator_names, solver.matrix_operator);
  solver.precision = in["precision"].one_of(solver_precision_names, solver.precision);
  solver.follows_step = read_tolerance(in["tolerance"], {0, 1, false, false}, time, solver.tolerance);
  solver.max_iterations = in["max_iterations"].whole_number(1, 1'000'000, solver.max_iterations);
  solver.matrix = in["spmv"].one_of(named_formats(), solver.matrix);
  solver.matrix.window_is_asked_for = read_ell_warp_keys(in, solver.matrix.ell_warp, solver.matrix.block_size);
  return solver;
}

AssemblyOptions read_assembly(const YamlReader& in) {
  in.expect_keys({"strategy", "order", "block_size", "threshold", "sorting_window", "repeatable"});
  AssemblyOptions assembly = in["strategy"].one_of(named_strategies(), {});
  assembly.through_csr = in["order"].one_of(assembly_order_names, assembly.through_csr, assembly_order_old_names);
  read_ell_warp_keys(in, assembly.ell_warp, assembly.block_size);
  assembly.repeatable = in["repeatable"].boolean(assembly.repeatable);
  return assembly;
}

/// The quadrature where none is given: vertices, or centroid with a strategy that was asked for and sums the numbers of
/// elements.
Quadrature usual_quadrature(AssemblyStrategy strategy) {
  const bool suits_vertices = strategy == AssemblyStrategy::automatic || strategy == AssemblyStrategy::diagonal;
  return suits_vertices ? Quadrature::vertices : Quadrature::centroid;
}

/// Which of `valid` the list has; an absent list has all.
std::vector<bool> read_list_of(const YamlReader& in, const std::vector<std::string>& valid) {
  std::vector<bool> chosen(valid.size(), !in.present());
  for (const YamlReader& entry : in.entries())
    chosen[std::find(valid.begin(), valid.end(), entry.name(valid)) - valid.begin()] = true;
  return chosen;
}

/// `default_directory` is relative to the YAML file.
OutputConfig read_output(const YamlReader& in, std::span<const CellState> states,
                         const std::string& default_directory) {
  in.expect_keys({"directory", "format", "interval", "fields", "maps"});
  OutputConfig output;
  output.directory = in["directory"].path("the path of a directory", default_directory);
  output.format = in["format"].one_of(output_format_names, output.format);
  output.interval_ms = in["interval"].number(time_quantity, positive, output.interval_ms);
  std::vector<std::string> fields{"potential"};
  for (const CellState& state : states) fields.emplace_back(state.name);
  std::vector<bool> chosen = read_list_of(in["fields"], fields);
  output.potential = chosen.front();
  output.states.emplace();
  for (std::size_t i = 0; i < states.size(); ++i)
    if (chosen[i + 1]) output.states->push_back(fields[i + 1]);
  chosen = read_list_of(in["maps"], {"activation_time", "apd90"});
  output.activation_time = chosen[0];
  output.apd90 = chosen[1];
  return output;
}

std::vector<ProbeConfig> read_probes(const YamlReader& in) {
  std::vector<ProbeConfig> probes;
  std::set<std::string> names{"time_ms"};
  for (const YamlReader& entry : in.entries()) {
    entry.expect_keys({"name", "point"});
    ProbeConfig probe;
    probe.name = read_unique_name(entry["name"], names);
    probe.point = entry["point"].vector(length_quantity);
    probe.place = entry["point"].label();
    probes.push_back(std::move(probe));
  }
  return probes;
}

/// The potentials at which the cell model is defined somewhere in the tissue.
Range admissible_potential(const AnyCell& cell, const std::vector<RegionConfig>& regions) {
  Real lowest = lowest_phi(cell);
  for (const RegionConfig& region : regions) lowest = std::min(lowest, lowest_phi(overridden(cell, region.cell_model)));
  return {scaling_of(cell).mv_from_phi(lowest), std::numeric_limits<Real>::infinity(), false, true};
}

}  // namespace

AnyCell overridden(AnyCell cell, const CellModelOverride& change) {
  if (!change.set.empty()) cell = with_parameter_set(cell, change.set);
  for (const auto& [name, value] : change.parameters) set_parameter(cell, name, value);
  return cell;
}

Override parse_override(const std::string& setting) {
  const auto equals = setting.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(fmt::format("--set: expected key.path=value, got '{}'", setting));
  std::string key_path = setting.substr(0, equals);  // `key.path = value` in quotes has a space behind it
  key_path.erase(key_path.find_last_not_of(' ') + 1);
  return {key_path, setting.substr(equals + 1), {}};
}

Config load_config(const std::filesystem::path& file, const std::vector<Override>& overrides) {
  YamlNode root = read_yaml(file);
  for (const auto& [key_path, value, given] : overrides) set_value(root, key_path, value, given);
  const YamlReader in(root, file.parent_path());
  in.expect_keys({"mesh", "cell_model", "diffusivity", "fibers", "regions", "initial", "stimuli", "time", "accuracy",
                  "newton", "linear_solver", "quadrature", "assembly", "backend", "output", "probes", "checkpoint",
                  "prepace", "boundary"});

  Config config;
  config.file = file;
  config.mesh = read_mesh_section(in["mesh"]);
  config.cell_model = read_cell_model(in["cell_model"]);
  const AnyCell& cell = config.cell_model.cell;
  if (in["diffusivity"].present()) config.diffusivity = read_diffusivity(in["diffusivity"]);
  config.fibers = read_fibers(in["fibers"], config.mesh);
  for (const YamlReader& entry : in["regions"].entries()) config.regions.push_back(read_region(entry, cell));
  config.initial = read_initial(in["initial"], cell, admissible_potential(cell, config.regions));
  config.boundary = read_boundary(in["boundary"], admissible_potential(cell, config.regions));
  config.accuracy = read_accuracy(in["accuracy"], in["time"]["adaptive"]["max_step"]);
  config.time = read_time(in["time"], config.accuracy);
  config.stimuli = read_stimuli(in["stimuli"], config.time.end_ms);
  config.newton = read_newton(in["newton"], config.time, config.newton_follows_step);
  config.linear_solver = read_linear_solver(in["linear_solver"], config.time);
  config.assembly = read_assembly(in["assembly"]);
  config.quadrature = in["quadrature"].one_of(quadrature_names, usual_quadrature(config.assembly.strategy));
  if (in["quadrature"].present()) config.quadrature_place = in["quadrature"].label();
  if (config.time.scheme == TimeScheme::rkc2 && config.quadrature != Quadrature::vertices)
    in["quadrature"].fail("vertices with time.scheme: rkc2, which needs a lumped mass",
                          fmt::format("'{}'", name_of(config.quadrature, quadrature_names)));
  config.backend = in["backend"].one_of(backend_names, config.backend);
  if (needs_gpu(config.linear_solver.matrix.format) && config.backend == BackendChoice::cpu)
    in["linear_solver"]["spmv"].fail(fmt::format("one of {} with backend cpu", names_of_formats_of_a_cpu()));
  if (needs_cpu(config.linear_solver.preconditioner) && config.backend == BackendChoice::gpu)
    in["linear_solver"]["preconditioner"].fail(preconditioners_of_a_gpu() + " with backend gpu");
  if (needs_cpu(config.linear_solver.preconditioner) && needs_gpu(config.linear_solver.matrix.format))
    in["linear_solver"]["preconditioner"].fail(fmt::format(
        "{} with spmv: {}, which needs a GPU", preconditioners_of_a_gpu(), format_name(config.linear_solver.matrix)));
  config.output = read_output(in["output"], states_of(cell), "out/" + file.stem().string());
  if (const Real frames = number_of_frames(config.time, config.output.interval_ms); frames > most_frames)
    in["output"]["interval"].fail(fmt::format("at most {} frames, at least {:.7g} ms", most_frames,
                                              config.time.end_ms / static_cast<Real>(most_frames - 2)),
                                  fmt::format("{:.6g} ms, which makes {:.0f}", config.output.interval_ms, frames));
  config.probes = read_probes(in["probes"]);
  config.checkpoint = read_checkpoint(in["checkpoint"]);
  config.prepace = read_prepace(in["prepace"], config.stimuli, config.time);
  return config;
}

}  // namespace cardiowarp
