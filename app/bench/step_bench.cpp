#include "app/bench/step_bench.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <variant>

#include "app/bench/assembly_bench.hpp"
#include "app/bench/solver_bench.hpp"
#include "app/config/config_names.hpp"
#include "kernels/backend/cpu_backend.hpp"

namespace cardiowarp {
namespace {

bool is_one_pass_over_nodes(const SimulationPlan& plan) { return std::holds_alternative<NoCentroids>(plan.assembly); }

std::int64_t bytes_of_elements(const SimulationPlan& plan) {
  if (is_one_pass_over_nodes(plan)) return 0;
  if (const auto* spmv = std::get_if<SpmvAssemblyPlan>(&plan.assembly)) return spmv->element_bytes();
  if (const auto* paper = std::get_if<PaperAssemblyPlan>(&plan.assembly)) return paper->element_bytes();
  return element_bytes(plan.sparsity.rows(), static_cast<Index>(plan.problem().mesh->tetrahedra.size()));
}

std::int64_t bytes_of_assembly(const SimulationPlan& plan) {
  if (is_one_pass_over_nodes(plan)) return diagonal_bytes(plan);
  return std::visit([](const auto& assembly) { return assembly.bytes(); }, plan.assembly);
}

/// The coordinate along the longest side of the box around the nodes, from its middle.
std::vector<Real> positions(const std::vector<Vector3>& nodes) {
  std::vector<Real> longest;
  Real longest_side = -1;
  for (Real Vector3::*coordinate : {&Vector3::x, &Vector3::y, &Vector3::z}) {
    std::vector<Real> along;
    for (const Vector3& node : nodes) along.push_back(node.*coordinate);
    const auto [low, high] = std::minmax_element(along.begin(), along.end());
    const Real side = *high - *low, middle = (*low + *high) / 2;
    if (side <= longest_side) continue;
    longest_side = side;
    for (Real& value : along) value -= middle;
    longest = std::move(along);
  }
  return longest;
}

}  // namespace

Problem front_problem(const Mesh& mesh, Quadrature quadrature) {
  const AlievPanfilov model;
  const Real diffusivity = model.scaling.diffusivity(step_bench::diffusivity_mm2_per_ms);
  const Real thickness = std::sqrt(2 * diffusivity / model.c);
  Problem problem;
  problem.mesh = borrowed(mesh);
  problem.cell_models = std::vector{model};
  problem.cell_model.assign(mesh.tetrahedra.size(), 0);
  problem.diffusivity.assign(mesh.tetrahedra.size(), {diffusivity, 0, {}});
  for (const Real x : positions(mesh.nodes)) problem.phi.push_back((1 - std::tanh(x / (2 * thickness))) / 2);
  problem.states.assign(mesh.tetrahedra.size(), 0);
  problem.quadrature = quadrature;
  problem.newton = {.max_iterations = 1, .forcing = ForcingChoice::fixed};
  problem.linear_solver = {.relative_tolerance = 0, .max_iterations = step_bench::cg_iterations};
  return problem;
}

std::vector<Real> expected_update(const SimulationPlan& plan) {
  CpuBackend cpu;
  FirstIteration<CpuBackend> iteration(cpu, plan);
  iteration.iterate();
  std::vector<Real> update(plan.sparsity.rows());
  cpu.download(iteration.update(), std::span<Real>(update));
  return update;
}

bool agrees(const std::vector<Real>& update, const std::vector<Real>& expected) {
  Real largest = 0, difference = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!std::isfinite(update[i]) || !std::isfinite(expected[i])) return false;
    largest = std::max(largest, std::fabs(expected[i]));
    difference = std::max(difference, std::fabs(update[i] - expected[i]));
  }
  return largest > 0 && difference <= 1e-9 * largest;
}

StepMeasurement described_step(const std::string& mesh, const SimulationPlan& plan) {
  const Index nodes = plan.sparsity.rows();
  const auto elements = static_cast<Index>(plan.problem().mesh->tetrahedra.size());
  const std::int64_t of_elements = bytes_of_elements(plan), of_assembly = bytes_of_assembly(plan),
                     of_cg_iteration =
                         cg_iteration_bytes(nodes, plan.sparsity.entries(), bytes_a_value(plan.solver.precision),
                                            bytes_a_number(plan.solver.precision)),
                     of_update = std::int64_t{4 * sizeof(Real)} * nodes;  // φ twice, Δφ, its lowest
  const std::int64_t once = of_elements + of_assembly + of_cg_iteration + of_update;
  const std::int64_t of_cg = step_bench::cg_iterations * of_cg_iteration;
  return {.mesh = mesh,
          .nodes = nodes,
          .elements = elements,
          .nonzeros = plan.sparsity.entries(),
          .quadrature = plan.problem().quadrature,
          .format = format_name(plan.matrix.options),
          .solver = std::string(name_of(plan.solver.path)),
          .phases = {{"elements", of_elements, of_elements},
                     {"assembly", of_assembly, of_assembly},
                     {"cg", of_cg, of_cg_iteration},
                     {"update", of_update, of_update},
                     {"whole", once - of_cg_iteration + of_cg, once}}};
}

Table step_table() {
  return {{"mesh", "nodes", "elements", "nonzeros", "quadrature", "format", "solver", "part", "correct", "median_us",
           "min_us", "max_us", "bytes", "roof_us", "ratio_to_roof", "in_l2", "device"},
          {}};
}

void add_rows(Table& table, const StepMeasurement& m, const DeviceCopy& copy) {
  for (const StepPhase& phase : m.phases) {
    if (phase.bytes == 0) continue;
    std::vector<TableCell> row{m.mesh,
                               std::int64_t{m.nodes},
                               std::int64_t{m.elements},
                               m.nonzeros,
                               name_of(m.quadrature, quadrature_names),
                               m.format,
                               m.solver,
                               phase.name,
                               m.correct};
    const auto microseconds = [&](double seconds) { return m.correct ? TableCell(1e6 * seconds) : TableCell(); };
    const double roof = copy.seconds_of(phase.bytes);
    row.insert(row.end(), {microseconds(phase.seconds.median), microseconds(phase.seconds.shortest),
                           microseconds(phase.seconds.longest), phase.bytes, 1e6 * roof,
                           m.correct && phase.bytes > 0 ? TableCell(phase.seconds.median / roof) : TableCell(),
                           phase.bytes_once < copy.l2_bytes, copy.device});
    table.rows.push_back(std::move(row));
  }
}

}  // namespace cardiowarp
