#include "app/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "app/advice/frame_estimate.hpp"
#include "app/advice/mesh_groups.hpp"
#include "app/advice/pulses.hpp"
#include "app/advice/resolution.hpp"
#include "app/advice/tissue.hpp"
#include "app/config/config_names.hpp"
#include "app/config/time_grid.hpp"
#include "app/prepace.hpp"
#include "app/process/standard_streams.hpp"
#include "app/process/threads.hpp"
#include "app/simulation/boundary.hpp"
#include "app/simulation/cell_precision.hpp"
#include "app/simulation/nodal_cells.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "app/start/backend.hpp"
#include "app/start/load.hpp"
#include "app/start/tolerance_cache.hpp"
#include "app/start_from.hpp"

namespace cardiowarp {
namespace {

/// What TimeStepper would do.
std::string describe_steps(const TimeConfig& time) {
  const AdaptiveConfig& adaptive = time.adaptive;
  if (!adaptive.enabled)
    return fmt::format("{} steps of {:.6g} ms", TimeGrid{time.end_ms, time.step_ms}.steps(), time.step_ms);
  return fmt::format("adaptive steps of {:.6g} to {:.6g} ms, the first of {:.6g} ms, with local errors up to {:.3g},",
                     adaptive.min_step_ms, adaptive.max_step_ms, time.step_ms, adaptive.tolerance);
}

void print_front(const Config& config, const Problem& problem) {
  const auto [thinnest, thickest] = front_thickness_mm(problem);
  print_report("front: {:.3g} to {:.3g} mm thick (tanh profile); the mesh makes it {}{}\n", thinnest, thickest,
               describe(front_resolution(problem)),
               config.diffusivity.velocity ? ", for which the diffusivity of `velocity` makes up" : "");
}

/// How the systems of a run are made and solved.
void print_plan(const SimulationPlan& plan, const Device& planned) {
  print_report("matrix: {}, {} entries; preconditioner: {}; assembly: {}\n", format_name(plan.matrix.options),
               plan.sparsity.entries(), in_words(plan.problem().preconditioner, plan.problem().polynomial),
               plan.operators ? "none" : strategy_name(plan.problem().assembly));
  print_report("solver: {} in {} precision ({})\n", name_of(plan.solver.path), name_of(plan.solver.precision),
               plan.solver.reason);
  if (!plan.solver.precision_reason.empty())
    print_report("precision: {} ({})\n", name_of(plan.solver.precision), plan.solver.precision_reason);
  if (plan.operators) print_report("operator: {}: no global matrix is assembled\n", name_of(plan.operators->kind));
  if (cell_precision_in_use(plan.problem().cell_models, planned.is_gpu) == "single")
    print_report("cells: in single precision\n");
  if (planned.is_gpu) print_report("device memory: {:.0f} MiB\n", static_cast<double>(backend_bytes(plan)) / (1 << 20));
}

}  // namespace

void check(const Config& asked, const CheckOptions& options) {
  require_output_possible(asked);
  std::optional<SourceState> source;
  if (options.from) {
    warn_of_replaced_start(asked);
    source = read_source_state(*options.from, asked);
  }
  std::optional<ToleranceCache> tolerances = usual_tolerance_cache(options.commit);
  if (tolerances) tolerances->is_only_read = true;
  Case given = load_case(asked, !source, tolerances, SteadyCache{options.commit, true});
  const Config& config = given.config;
  const Problem& problem = given.problem;

  print_report("mesh: {} connected part{}\n", given.components.all.size(), given.components.all.size() == 1 ? "" : "s");
  for (const std::string& line : describe_groups(given.mesh())) print_report("{}\n", line);
  for (const std::string& line : given.checked->anatomy.in_words) print_report("{}\n", line);
  for (std::size_t k = 0; k < problem.stimuli.size(); ++k)
    print_report("stimulus {}: {} node{}, {}\n", config.stimuli[k].name, problem.stimuli[k].nodes.size(),
                 problem.stimuli[k].nodes.size() == 1 ? "" : "s", describe_pulses(config.stimuli[k]));
  for (const std::string& line : draw_pulses(config)) print_report("{}\n", line);
  if (!config.boundary.empty()) print_report("boundary: {} prescribed\n", prescribed_in_words(problem));
  for (const std::string& line : describe_tissue(config, problem)) print_report("{}\n", line);
  const std::size_t sets = problem.cell_models.size();
  print_report("cell model: {} with {} parameter set{}\n",
               fmt::join(cell_models_of(config.cell_model, config.regions), ", "), sets, sets == 1 ? "" : "s");
  if (problem.nodal_cells)
    print_report("parameters by arrays: {} different cells at the nodes\n", problem.nodal_cells->cells.size() - sets);
  print_front(config, problem);
  print_report("quadrature: {}\n", name_of(problem.quadrature, quadrature_names));
  print_report("time: {}, {} to {:.6g} ms, a frame every {:.6g} ms: {}\n",
               name_of(config.time.scheme, time_scheme_names), describe_steps(config.time), config.time.end_ms,
               config.output.interval_ms, describe(estimate_frames(config, given.mesh())));
  if (source) {
    const StartState start = fitted(*std::exchange(source, {}), identity_of(config, problem), problem);
    begin_with(start, given.problem);
    print_report("from: '{}' at t = {:.6g} ms, checksum {}\n", start.origin.file, start.origin.time_ms,
                 start.origin.checksum_text());
  } else if (config.prepace) {
    print_report("prepace: {}\n", describe_prepace(config, problem, options.commit));
  }
  const BackendChoice backend = possible_backend(config);
  print_report("backend: {}\n", describe_backend(backend));
  print_report("threads: {}\n", in_words(threads_in_use()));
  const Device planned = planned_device(backend);
  print_plan(plan_simulation(problem, planned), planned);
  if (config.checkpoint)
    print_report("checkpoints: every {:.6g} ms, the newest {} kept\n", config.checkpoint->interval_ms,
                 config.checkpoint->keep);
  print_report("output: {} (nothing written now)\n", config.output.directory.string());
  print_report("{}: valid\n", config.file.string());
}

}  // namespace cardiowarp
