#include <fmt/format.h>

#include <algorithm>

#include "app/config/config_names.hpp"
#include "assembly/global_matrix.hpp"

namespace cardiowarp {
namespace {

/// Shortest text that reads back to the same double; the dot before an exponent makes it a number for YAML 1.1 readers.
std::string number(Real value) {
  std::string text = fmt::format("{}", value);
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      quoted += fmt::format("\\x{:02x}", c);
    else
      quoted += c;
  }
  return quoted + '"';
}

std::string path(const std::filesystem::path& path) { return quoted(std::filesystem::absolute(path).string()); }

std::string vector(Vector3 v) { return fmt::format("[{}, {}, {}]", number(v.x), number(v.y), number(v.z)); }

/// `{a: 1, c: 2}`
std::string map(const std::vector<std::pair<std::string_view, Real>>& entries) {
  std::string text;
  for (const auto& [key, value] : entries)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key, number(value));
  return "{" + text + "}";
}

/// The parameters that `is_known` of their name.
template <class IsKnown>
std::string parameters(const AnyCell& cell, const IsKnown& is_known) {
  std::vector<std::pair<std::string_view, Real>> entries;
  for (const ParameterDescription& description : parameters_of(cell))
    if (is_known(std::string(description.name)))
      entries.push_back({description.name, parameter(cell, description.name)});
  return map(entries);
}

std::string preconditioner_text(const LinearSolverConfig& solver) {
  if (solver.preconditioner != PreconditionerChoice::polynomial)
    return name_of(solver.preconditioner, preconditioner_names);
  return fmt::format("{{polynomial: {}, degree: {}, precision: {}}}", name_of(solver.polynomial.kind, polynomial_names),
                     solver.polynomial.degree, name_of(solver.polynomial.precision, polynomial_precision_names));
}

std::string switches(const std::vector<std::pair<std::string, bool>>& entries) {
  std::string text;
  for (const auto& [name, on] : entries)
    if (on) text += (text.empty() ? "" : ", ") + name;
  return "[" + text + "]";
}

struct WhereText {
  std::string operator()(const Box& box) const {
    return fmt::format("{{box: {{min: {}, max: {}}}}}", vector(box.min), vector(box.max));
  }
  std::string operator()(const Sphere& sphere) const {
    return fmt::format("{{sphere: {{center: {}, radius: {}}}}}", vector(sphere.center), number(sphere.radius_mm));
  }
  std::string operator()(const Tag& tag) const { return fmt::format("{{tag: {}}}", quoted(tag.name)); }
  std::string operator()(const NodeFile& nodes) const { return fmt::format("{{nodes: {}}}", path(nodes.file)); }
  std::string operator()(const Surface& surface) const { return fmt::format("{{surface: {}}}", quoted(surface.name)); }
};

std::string where(const Where& where) { return std::visit(WhereText{}, where.region); }

/// The keys that `linear_solver` and `assembly` have in common.
std::string ell_warp_text(const EllWarpOptions& options, int block_size, const std::string& window) {
  return fmt::format("  block_size: {}\n  threshold: {}\n  sorting_window: {}\n",
                     block_size == 0 ? "auto" : std::to_string(block_size), options.threshold, window);
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
    one_diffusivity = !is_set_before([](const RegionConfig& before) { return before.diffusivity.has_value(); });
  const CellModelOverride& change = region.cell_model;
  const auto is_the_same_for_all = [&](const std::string& parameter) {
    return !change.set.empty() || change.parameters.contains(parameter) ||
           !is_set_before([&](const RegionConfig& before) {
             return !before.cell_model.set.empty() || before.cell_model.parameters.contains(parameter);
           });
  };
  const std::string set = change.set.empty() ? "" : fmt::format("set: {}, ", change.set);

  std::string text = fmt::format("  - where: {}\n", where(region.where));
  text += one_diffusivity
              ? fmt::format("    diffusivity: {}\n", map({{"isotropic", diffusivity.isotropic_mm2_per_ms},
                                                          {"anisotropic", diffusivity.anisotropic_mm2_per_ms}}))
              : "    # diffusivity: as outside and in earlier regions\n";
  return text + fmt::format("    cell_model: {{{}parameters: {}}}\n", set,
                            parameters(overridden(c.cell_model.cell, change), is_the_same_for_all));
}

std::string regions_text(const Config& c) {
  if (c.regions.empty()) return "regions: []\n";
  std::string text = "regions:\n";
  for (std::size_t number = 0; number < c.regions.size(); ++number) text += region_text(c, number);
  return text;
}

std::string initial_text(const InitialConfig& initial, const AnyCell& cell) {
  std::string text =
      fmt::format("initial:\n  potential: {}\n", number(initial.potential_mv.value_or(scaling_of(cell).rest_mv)));
  for (const CellState& state : states_of(cell)) {
    const auto given = initial.states.find(std::string(state.name));
    text += fmt::format("  {}: {}\n", state.name, number(given == initial.states.end() ? state.rest : given->second));
  }
  text += initial.regions.empty() ? "  regions: []\n" : "  regions:\n";
  for (const InitialRegionConfig& region : initial.regions) {
    text += fmt::format("    - where: {}\n", where(region.where));
    if (region.potential_mv) text += fmt::format("      potential: {}\n", number(*region.potential_mv));
    for (const auto& [state, value] : region.states) text += fmt::format("      {}: {}\n", state, number(value));
  }
  return text;
}

std::string cell_model_text(const CellModelConfig& model) {
  std::string text = fmt::format("cell_model:\n  name: {}\n", name_of(model.cell));
  if (!model.set.empty()) text += fmt::format("  set: {}\n", model.set);
  return text + fmt::format("  parameters: {}\n", parameters(model.cell, [](const std::string&) { return true; }));
}

std::string fields_text(const OutputConfig& output, const AnyCell& cell) {
  std::vector<std::pair<std::string, bool>> fields{{"potential", output.potential}};
  for (const CellState& state : states_of(cell)) {
    const bool chosen =
        !output.states || std::find(output.states->begin(), output.states->end(), state.name) != output.states->end();
    fields.push_back({std::string(state.name), chosen});
  }
  return switches(fields);
}

std::string stimulus_text(const StimulusConfig& stimulus) {
  std::string text = fmt::format("  - name: {}\n    where: {}\n", quoted(stimulus.name), where(stimulus.where));
  text += fmt::format("    start: {}\n", number(stimulus.start_ms));
  text += fmt::format("    duration: {}\n", number(stimulus.duration_ms));
  text += fmt::format("    amplitude: {}\n", number(stimulus.amplitude_mv_per_ms));
  if (stimulus.period_ms) text += fmt::format("    period: {}\n", number(*stimulus.period_ms));
  text += fmt::format("    count: {}\n    edge: {}\n", stimulus.count, name_of(stimulus.edge, stimulus_edge_names));
  return text;
}

/// What was found from an accuracy is a comment: read back, it is found again.
std::string found(bool is_found, const std::string& value) { return is_found ? "auto  # " + value : value; }

std::string accuracy_text(const AccuracyConfig& accuracy) {
  std::string entries;
  if (accuracy.activation_percent) entries += fmt::format("activation: {} %", number(*accuracy.activation_percent));
  if (accuracy.apd90_ms)
    entries += fmt::format("{}apd90: {} ms", entries.empty() ? "" : ", ", number(*accuracy.apd90_ms));
  return fmt::format("accuracy: {{{}}}\n", entries);
}

std::string boundary_text(const BoundaryConfig& prescribed) {
  return fmt::format("  - where: {}\n    potential: {}\n", where(prescribed.where), number(prescribed.potential_mv));
}

std::string probe_text(const ProbeConfig& probe) {
  return fmt::format("  - {{name: {}, point: {}}}\n", quoted(probe.name), vector(probe.point));
}

std::string prepace_text(const PrepaceConfig& prepace) {
  std::string names;
  for (const std::string& name : prepace.stimuli) names += (names.empty() ? "" : ", ") + quoted(name);
  return fmt::format("prepace:\n  beats: {}\n  period: {}\n  stimuli: [{}]\n  cache: {}\n", prepace.beats,
                     number(prepace.period_ms), names, path(prepace.cache));
}

template <class Entry>
std::string list(const std::string& key, const std::vector<Entry>& entries, std::string (*text_of)(const Entry&)) {
  if (entries.empty()) return key + ": []\n";
  std::string text = key + ":\n";
  for (const Entry& entry : entries) text += text_of(entry);
  return text;
}

}  // namespace

std::string resolved_yaml(const Config& c) {
  std::string text = "# Every key with its value, in mm, ms, mV, mm^2/ms and mV/ms.\n";
  text += fmt::format("mesh:\n  file: {}\n  length_unit: {}\n", path(c.mesh.file),
                      name_of(c.mesh.length_unit, length_unit_names));
  if (!c.mesh.tags.name.empty()) text += fmt::format("  tags: {}\n", quoted(c.mesh.tags.name));
  text += cell_model_text(c.cell_model);
  // What nobody asked for and has no effect, the default's anisotropic part without fibres, is not asked for here.
  const bool is_in_vain = c.diffusivity.place.empty() && c.fibers.source == FiberSource::none;
  text += fmt::format("diffusivity:\n  isotropic: {}\n  anisotropic: {}\n", number(c.diffusivity.isotropic_mm2_per_ms),
                      number(is_in_vain ? 0 : c.diffusivity.anisotropic_mm2_per_ms));
  text += fmt::format("fibers:\n  source: {}\n", name_of(c.fibers.source, fiber_source_names));
  if (!c.mesh.fibers.name.empty()) text += fmt::format("  array: {}\n", quoted(c.mesh.fibers.name));
  text += fmt::format("  direction: {}\n", vector(c.fibers.direction));
  text += regions_text(c);
  text += initial_text(c.initial, c.cell_model.cell);
  text += list("stimuli", c.stimuli, stimulus_text);
  // A run without any goes on from the checkpoints of programs that did not know the key.
  if (!c.boundary.empty()) text += list("boundary", c.boundary, boundary_text);
  text += fmt::format("time:\n  end: {}\n  step: {}\n  scheme: {}\n", number(c.time.end_ms), number(c.time.step_ms),
                      name_of(c.time.scheme, time_scheme_names));
  const AdaptiveConfig& adaptive = c.time.adaptive;
  text += fmt::format("  adaptive:\n    enabled: {}\n    tolerance: {}\n    min_step: {}\n    max_step: {}\n",
                      adaptive.enabled, found(c.accuracy.has_value(), number(adaptive.tolerance)),
                      number(adaptive.min_step_ms),
                      found(c.accuracy && c.accuracy->finds_max_step, number(adaptive.max_step_ms)));
  if (c.accuracy) text += accuracy_text(*c.accuracy);
  text += fmt::format("newton:\n  tolerance: {}\n  max_iterations: {}\n  forcing: {}\n",
                      c.newton_follows_step ? "auto" : number(c.newton.tolerance), c.newton.max_iterations,
                      name_of(c.newton.forcing, forcing_names));
  const LinearSolverConfig& solver = c.linear_solver;
  text += fmt::format(
      "linear_solver:\n  method: {}\n  preconditioner: {}\n  path: {}\n  operator: {}\n  precision: {}\n  tolerance: "
      "{}\n  "
      "max_iterations: {}\n  spmv: {}\n",
      solver.method, preconditioner_text(solver), name_of(solver.path), name_of(solver.matrix_operator),
      name_of(solver.precision), solver.follows_step ? "auto" : number(solver.tolerance), solver.max_iterations,
      format_name(solver.matrix));
  text += ell_warp_text(solver.matrix.ell_warp, solver.matrix.block_size,
                        solver.matrix.window_is_asked_for ? std::to_string(solver.matrix.ell_warp.window) : "auto");
  text += fmt::format("quadrature: {}\n", name_of(c.quadrature, quadrature_names));
  text += fmt::format("assembly:\n  strategy: {}\n  order: {}\n", strategy_name(c.assembly),
                      name_of(c.assembly.through_csr, assembly_order_names));
  text += ell_warp_text(c.assembly.ell_warp, c.assembly.block_size, std::to_string(c.assembly.ell_warp.window));
  text += fmt::format("  repeatable: {}\n", c.assembly.repeatable);
  text += fmt::format("backend: {}\n", name_of(c.backend, backend_names));
  text += fmt::format("output:\n  directory: {}\n  format: {}\n  interval: {}\n", path(c.output.directory),
                      name_of(c.output.format, output_format_names), number(c.output.interval_ms));
  text += "  fields: " + fields_text(c.output, c.cell_model.cell) + "\n";
  text += "  maps: " + switches({{"activation_time", c.output.activation_time}, {"apd90", c.output.apd90}}) + "\n";
  text += list("probes", c.probes, probe_text);
  if (c.checkpoint)
    text +=
        fmt::format("checkpoint:\n  interval: {}\n  keep: {}\n", number(c.checkpoint->interval_ms), c.checkpoint->keep);
  if (c.prepace) text += prepace_text(*c.prepace);
  return text;
}

}  // namespace cardiowarp
