#include "app/config/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "app/config/config_names.hpp"
#include "app/config/frame_count.hpp"
#include "app/config/read_where.hpp"
#include "app/config/yaml_reader.hpp"
#include "assembly/global_matrix.hpp"
#include "fem/input_error.hpp"
#include "fem/scaling.hpp"

namespace cardiowarp {
namespace {

struct ParameterKey {
  std::string key;
  Range range;
  Real AlievPanfilov::*parameter;
  std::optional<Real> CellModelOverride::*replacement;
};

/// The ranges in which the model has a stable rest state at φ = r = 0 and a threshold below full depolarisation.
const std::array<ParameterKey, 6>& parameter_keys() {
  static const std::array<ParameterKey, 6> keys{
      {{"alpha", {0, 1, true, false}, &AlievPanfilov::alpha, &CellModelOverride::alpha},
       {"gamma", non_negative, &AlievPanfilov::gamma, &CellModelOverride::gamma},
       {"b", any_number, &AlievPanfilov::b, &CellModelOverride::b},
       {"c", positive, &AlievPanfilov::c, &CellModelOverride::c},
       {"mu1", non_negative, &AlievPanfilov::mu1, &CellModelOverride::mu1},
       {"mu2", positive, &AlievPanfilov::mu2, &CellModelOverride::mu2}}};
  return keys;
}

/// Steps are counted in an int.
constexpr int most_steps = 1'000'000'000;

/// Only VTK files have arrays with names.
ArrayChoice read_array_choice(const YamlReader& in, const std::filesystem::path& mesh_file) {
  if (!in.present()) return {};
  const ArrayChoice choice{in.text("the name of an array of the mesh file"), in.label()};
  const std::string suffix = mesh_file.extension().string();
  if (suffix != ".vtu" && suffix != ".vtk")
    in.fail("a mesh file .vtu or .vtk, whose arrays have names", fmt::format("'{}'", mesh_file.filename().string()));
  return choice;
}

MeshConfig read_mesh_section(const YamlReader& in) {
  in.expect_keys({"file", "length_unit", "tags"});
  MeshConfig mesh;
  mesh.file = in["file"].path("the path of a mesh file");
  mesh.place = in["file"].label();
  mesh.length_unit = in["length_unit"].one_of(length_unit_names, standard_length_unit(mesh.file));
  mesh.tags = read_array_choice(in["tags"], mesh.file);
  return mesh;
}

CellModelOverride read_parameters(const YamlReader& in) {
  std::vector<std::string> keys;
  for (const ParameterKey& key : parameter_keys()) keys.push_back(key.key);
  in.expect_keys(keys);
  CellModelOverride given;
  for (const auto& [key, range, parameter, replacement] : parameter_keys())
    given.*replacement = in[key].number_if_present(plain_number, range);
  return given;
}

bool overrides_nothing(const CellModelOverride& given) {
  return std::none_of(parameter_keys().begin(), parameter_keys().end(),
                      [&](const ParameterKey& key) { return (given.*key.replacement).has_value(); });
}

CellModelConfig read_cell_model(const YamlReader& in) {
  in.expect_keys({"name", "parameters"});
  CellModelConfig model;
  model.name = in["name"].name({"aliev_panfilov"}, model.name);
  const CellModelOverride given = read_parameters(in["parameters"]);
  for (const auto& [key, range, parameter, replacement] : parameter_keys())
    model.parameters.*parameter = (given.*replacement).value_or(model.parameters.*parameter);
  return model;
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

RegionConfig read_region(const YamlReader& in) {
  in.expect_keys({"where", "diffusivity", "cell_model"});
  RegionConfig region;
  region.where = read_where(in["where"], {"box", "sphere", "tag"});
  if (in["diffusivity"].present()) region.diffusivity = read_diffusivity(in["diffusivity"]);
  in["cell_model"].expect_keys({"parameters"});
  region.cell_model = read_parameters(in["cell_model"]["parameters"]);
  if (!region.diffusivity && overrides_nothing(region.cell_model))
    in.fail("a diffusivity or cell_model.parameters that differ here", "none");
  return region;
}

InitialConfig read_initial(const YamlReader& in, Range potential) {
  in.expect_keys({"potential", "recovery", "regions"});
  InitialConfig initial;
  initial.potential_mv = in["potential"].number(potential_quantity, potential, initial.potential_mv);
  initial.recovery = in["recovery"].number(plain_number, non_negative, initial.recovery);
  for (const YamlReader& entry : in["regions"].entries()) {
    entry.expect_keys({"where", "potential", "recovery"});
    InitialRegionConfig region;
    region.where = read_where(entry["where"], {"box", "sphere", "tag", "nodes"});
    region.potential_mv = entry["potential"].number_if_present(potential_quantity, potential);
    region.recovery = entry["recovery"].number_if_present(plain_number, non_negative);
    if (!region.potential_mv && !region.recovery) entry.fail("a potential or a recovery", "none");
    if (region.recovery && std::holds_alternative<NodeFile>(region.where.region))
      entry["recovery"].fail("only a potential for nodes, as recovery belongs to elements");
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
    entry.expect_keys({"name", "where", "start", "duration", "amplitude", "period", "count"});
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
    stimuli.push_back(std::move(stimulus));
  }
  return stimuli;
}

AdaptiveConfig read_adaptive(const YamlReader& in, const TimeConfig& time) {
  in.expect_keys({"enabled", "tolerance", "min_step", "max_step"});
  AdaptiveConfig adaptive;
  adaptive.min_step_ms = std::min(adaptive.min_step_ms, time.step_ms);
  adaptive.max_step_ms = std::max(adaptive.max_step_ms, time.step_ms);
  adaptive.enabled = in["enabled"].boolean(adaptive.enabled);
  adaptive.tolerance = in["tolerance"].number(plain_number, {0, 1, false, false}, adaptive.tolerance);
  adaptive.min_step_ms = in["min_step"].number(time_quantity, positive, adaptive.min_step_ms);
  adaptive.max_step_ms = in["max_step"].number(time_quantity, positive, adaptive.max_step_ms);
  if (!adaptive.enabled) return adaptive;
  if (time.end_ms / adaptive.min_step_ms > most_steps)
    in["min_step"].fail(fmt::format("at least time.end / {}", most_steps), fmt::format("{} ms", adaptive.min_step_ms));
  if (adaptive.min_step_ms > time.step_ms)
    in["min_step"].fail(fmt::format("at most time.step, {} ms", time.step_ms),
                        fmt::format("{} ms", adaptive.min_step_ms));
  if (adaptive.max_step_ms < time.step_ms)
    in["max_step"].fail(fmt::format("at least time.step, {} ms", time.step_ms),
                        fmt::format("{} ms", adaptive.max_step_ms));
  return adaptive;
}

TimeConfig read_time(const YamlReader& in) {
  in.expect_keys({"end", "step", "scheme", "adaptive"});
  TimeConfig time;
  time.end_ms = in["end"].number(time_quantity, positive);
  time.step_ms = in["step"].number(time_quantity, positive);
  time.scheme = in["scheme"].name({"backward_euler"}, time.scheme);
  if (time.step_ms > time.end_ms) in["step"].fail(fmt::format("at most time.end, {} ms", time.end_ms));
  if (time.end_ms / time.step_ms > most_steps) in["step"].fail(fmt::format("at least time.end / {}", most_steps));
  time.adaptive = read_adaptive(in["adaptive"], time);
  return time;
}

NewtonConfig read_newton(const YamlReader& in) {
  in.expect_keys({"tolerance", "max_iterations", "forcing"});
  NewtonConfig newton;
  newton.tolerance = in["tolerance"].number(plain_number, positive, newton.tolerance);
  newton.max_iterations = in["max_iterations"].whole_number(1, 1000, newton.max_iterations);
  newton.forcing = in["forcing"].one_of(forcing_names, newton.forcing);
  return newton;
}

/// Options of all six ELL-WARP variants with their names; `base` has the rest.
template <class Options, class NameOf>
void add_ell_warp(Names<Options>& names, Options base, const NameOf& name_of) {
  for (const EllWarpVariant variant : {EllWarpVariant::k1, EllWarpVariant::k2})
    for (const EllWarpRenumbering renumbering :
         {EllWarpRenumbering::none, EllWarpRenumbering::rows, EllWarpRenumbering::rows_and_columns_sorted}) {
      base.ell_warp.variant = variant;
      base.ell_warp.renumbering = renumbering;
      names.push_back({name_of(base), base});
    }
}

Names<MatrixOptions> spmv_names() {
  Names<MatrixOptions> names;
  for (const MatrixFormat format : {MatrixFormat::automatic, MatrixFormat::csr, MatrixFormat::cusparse})
    names.push_back({format_name({.format = format}), {.format = format}});
  add_ell_warp(names, {.format = MatrixFormat::ell_warp}, format_name);
  return names;
}

Names<AssemblyOptions> strategy_names() {
  Names<AssemblyOptions> names;
  for (const AssemblyStrategy strategy : {AssemblyStrategy::automatic, AssemblyStrategy::scalar_gather})
    names.push_back({strategy_name({.strategy = strategy}), {.strategy = strategy}});
  add_ell_warp(names, {.strategy = AssemblyStrategy::spmv}, strategy_name);
  return names;
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

LinearSolverConfig read_linear_solver(const YamlReader& in) {
  in.expect_keys({"method", "preconditioner", "path", "tolerance", "max_iterations", "spmv", "block_size", "threshold",
                  "sorting_window"});
  LinearSolverConfig solver;
  solver.method = in["method"].name({"cg"}, solver.method);
  solver.preconditioner = in["preconditioner"].one_of(preconditioner_names, solver.preconditioner);
  solver.path = in["path"].one_of(solver_path_names, solver.path);
  solver.tolerance = in["tolerance"].number(plain_number, {0, 1, false, false}, solver.tolerance);
  solver.max_iterations = in["max_iterations"].whole_number(1, 1'000'000, solver.max_iterations);
  solver.matrix = in["spmv"].one_of(spmv_names(), solver.matrix);
  solver.matrix.window_is_asked_for = read_ell_warp_keys(in, solver.matrix.ell_warp, solver.matrix.block_size);
  return solver;
}

AssemblyOptions read_assembly(const YamlReader& in) {
  in.expect_keys({"strategy", "order", "block_size", "threshold", "sorting_window"});
  AssemblyOptions assembly = in["strategy"].one_of(strategy_names(), {});
  assembly.through_csr = in["order"].one_of(assembly_order_names, assembly.through_csr);
  read_ell_warp_keys(in, assembly.ell_warp, assembly.block_size);
  return assembly;
}

/// Sets each of the switches whose name is in the list and clears the others; an absent list leaves them.
void read_switches(const YamlReader& in, const std::vector<std::pair<std::string, bool*>>& switches) {
  if (!in.present()) return;
  std::vector<std::string> valid;
  for (const auto& [name, value] : switches) {
    valid.push_back(name);
    *value = false;
  }
  for (const YamlReader& entry : in.entries()) {
    const std::string chosen = entry.name(valid);
    for (const auto& [name, value] : switches)
      if (name == chosen) *value = true;
  }
}

/// `default_directory` is relative to the YAML file.
OutputConfig read_output(const YamlReader& in, const std::string& default_directory) {
  in.expect_keys({"directory", "interval", "fields", "maps"});
  OutputConfig output;
  output.directory = in["directory"].path("the path of a directory", default_directory);
  output.interval_ms = in["interval"].number(time_quantity, positive, output.interval_ms);
  read_switches(in["fields"], {{"potential", &output.potential}, {"recovery", &output.recovery}});
  read_switches(in["maps"], {{"activation_time", &output.activation_time}, {"apd90", &output.apd90}});
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

/// The potentials at which the cell model is defined somewhere in the tissue: μ2 + φ > 0.
Range admissible_potential(const CellModelConfig& model, const std::vector<RegionConfig>& regions) {
  Real mu2 = model.parameters.mu2;
  for (const RegionConfig& region : regions) mu2 = std::max(mu2, region.cell_model.mu2.value_or(mu2));
  return {mv_from_phi(-mu2), std::numeric_limits<Real>::infinity(), false, true};
}

}  // namespace

Override parse_override(const std::string& setting) {
  const auto equals = setting.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(fmt::format("--set: expected key.path=value, got '{}'", setting));
  return {setting.substr(0, equals), setting.substr(equals + 1), {}};
}

Config load_config(const std::filesystem::path& file, const std::vector<Override>& overrides) {
  YamlNode root = read_yaml(file);
  for (const auto& [key_path, value, given] : overrides) set_value(root, key_path, value, given);
  const YamlReader in(root, file.parent_path());
  in.expect_keys({"mesh", "cell_model", "diffusivity", "fibers", "regions", "initial", "stimuli", "time", "newton",
                  "linear_solver", "assembly", "backend", "output", "probes"});

  Config config;
  config.file = file;
  config.mesh = read_mesh_section(in["mesh"]);
  config.cell_model = read_cell_model(in["cell_model"]);
  if (in["diffusivity"].present()) config.diffusivity = read_diffusivity(in["diffusivity"]);
  config.fibers = read_fibers(in["fibers"], config.mesh);
  for (const YamlReader& entry : in["regions"].entries()) config.regions.push_back(read_region(entry));
  config.initial = read_initial(in["initial"], admissible_potential(config.cell_model, config.regions));
  config.time = read_time(in["time"]);
  config.stimuli = read_stimuli(in["stimuli"], config.time.end_ms);
  config.newton = read_newton(in["newton"]);
  config.linear_solver = read_linear_solver(in["linear_solver"]);
  config.assembly = read_assembly(in["assembly"]);
  config.backend = in["backend"].one_of(backend_names, config.backend);
  if (config.linear_solver.matrix.format == MatrixFormat::cusparse && config.backend == BackendChoice::cpu)
    in["linear_solver"]["spmv"].fail("auto, csr or an ELL-WARP format with backend cpu");
  if (config.linear_solver.preconditioner == PreconditionerChoice::block_jacobi && config.backend == BackendChoice::gpu)
    in["linear_solver"]["preconditioner"].fail("jacobi with backend gpu");
  config.output = read_output(in["output"], "out/" + file.stem().string());
  if (const Real frames = number_of_frames(config.time, config.output.interval_ms); frames > most_frames)
    in["output"]["interval"].fail(fmt::format("at most {} frames, at least {:.7g} ms", most_frames,
                                              config.time.end_ms / static_cast<Real>(most_frames - 2)),
                                  fmt::format("{:.6g} ms, which makes {:.0f}", config.output.interval_ms, frames));
  config.probes = read_probes(in["probes"]);
  return config;
}

}  // namespace cardiowarp
