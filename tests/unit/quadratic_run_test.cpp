#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/checkpoint/state_archive.hpp"
#include "app/config/config.hpp"
#include "app/config/config_names.hpp"
#include "app/simulation/probes.hpp"
#include "app/simulation/renumbering.hpp"
#include "app/simulation/selection.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "app/simulation/stimulated_nodes.hpp"
#include "assembly/papers/quadratic_global_nz.hpp"
#include "fem/input_error.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "meshes/generate.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;

constexpr Real step_ms = 0.1;

/// A box of quadratic tetrahedra whose inner nodes and edges are moved a little.
Mesh curved_box() {
  Mesh mesh = quadratic_mesh(slab_mesh({2, 1, 1}, 0.5, true));
  for (Vector3& p : mesh.nodes) {
    const Real inside = p.x * (2 - p.x) * p.y * (1 - p.y) * p.z * (1 - p.z);
    p = p + inside * Vector3{0.2, -0.3, 0.25};
  }
  mesh.fibers.assign(mesh.tetrahedra.size(), {0.6, 0.8, 0});
  check_mesh(mesh);
  return mesh;
}

/// A wave from one side through cells of two kinds.
struct Wave {
  explicit Wave(TimeScheme scheme = TimeScheme::sdirk2) : problem(resting_problem(mesh, 0.2, 0.2)) {
    problem.cell_models = std::vector<AlievPanfilov>{{.b = 0.1}, {.b = 0.2}};
    for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) problem.cell_model[e] = static_cast<std::uint16_t>(e % 2);
    problem.time.scheme = scheme;
    problem.quadrature = Quadrature::fourteen_points;
    std::vector<Index> nodes;
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
      if (mesh.nodes[i].x < 0.3) nodes.push_back(static_cast<Index>(i));
    problem.stimuli = {{nodes, {0, 2}, AlievPanfilov::scaling.stimulus(150)}};
  }
  Mesh mesh = curved_box();
  Problem problem;
};

struct Answer {
  std::vector<Real> potential_mv, recovery, activation_ms;
  friend bool operator==(const Answer&, const Answer&) = default;
};

void advance(Simulation& simulation, int first, int end) {
  for (int step = first; step < end; ++step) {
    const StepReport report = simulation.step_to((step + 1) * step_ms);
    ASSERT_FALSE(report.failure) << step << ": " << report.failure->reason;
  }
}

Answer answer_of(Simulation& simulation, const Mesh& mesh) {
  Answer answer{std::vector<Real>(mesh.nodes.size()), std::vector<Real>(mesh.tetrahedra.size()),
                std::vector<Real>(mesh.nodes.size())};
  simulation.potential_mv(answer.potential_mv);
  simulation.state(0, answer.recovery);
  simulation.activation_time_ms(answer.activation_ms);
  return answer;
}

Answer answer_after(const Problem& problem, int steps) {
  const auto simulation = make_cpu_simulation(problem);
  advance(*simulation, 0, steps);
  return answer_of(*simulation, *problem.mesh);
}

constexpr TimeScheme implicit_schemes[]{TimeScheme::backward_euler, TimeScheme::sdirk2, TimeScheme::trbdf2,
                                        TimeScheme::bdf2};

TEST(QuadraticRun, HasAWaveWithEveryImplicitScheme) {
  const Answer expected = answer_after(Wave().problem, 120);
  EXPECT_GT(std::ranges::min(expected.activation_ms), 0);
  EXPECT_GT(std::ranges::max(expected.recovery), 0.002);
  for (const TimeScheme scheme : implicit_schemes) {
    const Answer answer = answer_after(Wave(scheme).problem, 120);
    const Real bound_mv = scheme == TimeScheme::backward_euler ? 10 : 1;
    for (std::size_t i = 0; i < answer.potential_mv.size(); ++i)
      ASSERT_NEAR(answer.potential_mv[i], expected.potential_mv[i], bound_mv) << i;
  }
}

TEST(QuadraticRun, GoesOnBitForBitFromWhatItSaved) {
  for (const TimeScheme scheme : implicit_schemes) {
    const Wave wave(scheme);
    const auto begun = make_cpu_simulation(wave.problem), other = make_cpu_simulation(wave.problem);
    advance(*begun, 0, 13);
    StateArchive saved;
    begun->exchange(saved);
    StateArchive loaded(saved.sections());
    other->exchange(loaded);
    advance(*other, 13, 30);
    EXPECT_EQ(answer_of(*other, wave.mesh), answer_after(wave.problem, 30));
  }
}

TEST(QuadraticRun, HasTheSameAnswerInEveryFormat) {
  Wave wave;
  const Answer expected = answer_after(wave.problem, 20);
  for (const auto& [name, options] : named_formats()) {
    if (options.format == MatrixFormat::automatic || needs_gpu(options.format)) continue;
    wave.problem.matrix = options;
    const Answer answer = answer_after(wave.problem, 20);
    for (std::size_t i = 0; i < answer.potential_mv.size(); ++i)
      ASSERT_NEAR(answer.potential_mv[i], expected.potential_mv[i], 1e-6) << name << " " << i;
  }
}

TEST(QuadraticRun, HasTheSameAnswerByEveryAssembly) {
  Wave wave;
  const Answer expected = answer_after(wave.problem, 20);
  std::vector<AssemblyOptions> assemblies{{.strategy = AssemblyStrategy::scalar_gather}};
  for (const bool repeating : {true, false})
    for (const AssemblyOptions& assembly : quadratic_assemblies(repeating)) assemblies.push_back(assembly);
  ASSERT_EQ(assemblies.size(), 1u + 15 + 6 + 4);  // .., those that repeat bits, spmv_.., those that do not
  for (const AssemblyOptions& assembly : assemblies) {
    const bool is_gather = assembly.strategy == AssemblyStrategy::scalar_gather;
    wave.problem.assembly = assembly;
    const auto simulation = make_cpu_simulation(wave.problem);
    EXPECT_EQ(simulation->methods().assembly, is_gather ? "entry_gather" : strategy_name(assembly));
    advance(*simulation, 0, 20);
    const Answer answer = answer_of(*simulation, wave.mesh);
    for (std::size_t i = 0; i < answer.potential_mv.size(); ++i)
      ASSERT_NEAR(answer.potential_mv[i], expected.potential_mv[i], 1e-7) << strategy_name(assembly);
  }
}

TEST(QuadraticRun, HasTheSameAnswerByEveryOperator) {
  Wave wave;
  const Answer expected = answer_after(wave.problem, 20);
  for (const OperatorKind kind :
       {OperatorKind::local, OperatorKind::local_full, OperatorKind::matrix_free, OperatorKind::split})
    for (const SolverPrecision precision :
         {SolverPrecision::double_precision, SolverPrecision::mixed, SolverPrecision::single}) {
      wave.problem.matrix_operator = kind;
      wave.problem.precision = precision;
      const auto simulation = make_cpu_simulation(wave.problem);
      EXPECT_EQ(simulation->methods().matrix_operator, name_of(kind));
      advance(*simulation, 0, 20);
      const Answer answer = answer_of(*simulation, wave.mesh);
      for (std::size_t i = 0; i < answer.potential_mv.size(); ++i)
        ASSERT_NEAR(answer.potential_mv[i], expected.potential_mv[i], 1e-6)
            << name_of(kind) << " " << name_of(precision);
    }
}

// The tolerances of linear systems come from the diagonal of the diffusion matrix, which a plan makes once.
TEST(QuadraticRun, TakesTheDiagonalOfTheDiffusionFromItsOperator) {
  Wave wave;
  wave.problem.time.linear_follows = true;
  wave.problem.matrix_operator = OperatorKind::split;
  const SimulationPlan plan = plan_simulation(wave.problem, cpu_device());
  const Problem& problem = plan.problem();
  EXPECT_TRUE(
      quadratic_plan(false, *problem.mesh, problem.diffusivity, plan.sparsity, plan.matrix).diffusion_diagonal.empty());
  ASSERT_EQ(plan.operators->diagonal.size(), wave.mesh.nodes.size());
  for (std::size_t node = 0; node < wave.mesh.nodes.size(); ++node)
    EXPECT_EQ(plan.residual_scales.inverse_diffusion[node], 1 / plan.operators->diagonal[node]) << node;
}

// Strategies that have the diffusion matrix in their plan, and those of general elements, for which one is made.
TEST(QuadraticRun, HasTheSameDiagonalOfTheDiffusionByEveryAssembly) {
  Wave wave;
  const auto diagonal_by = [&](const AssemblyOptions& assembly) {
    wave.problem.assembly = assembly;
    const SimulationPlan plan = plan_simulation(wave.problem, cpu_device());
    return plan.quadratic->diffusion_diagonal;
  };
  const std::vector<Real> expected = diagonal_by({.strategy = AssemblyStrategy::entry_gather});
  ASSERT_EQ(expected.size(), wave.mesh.nodes.size());
  for (const bool repeating : {true, false})
    for (const AssemblyOptions& assembly : quadratic_assemblies(repeating))
      EXPECT_EQ(diagonal_by(assembly), expected) << strategy_name(assembly);
}

// `bench assembly` plans a quadratic mesh once and each strategy in the order that this has.
TEST(QuadraticRun, IsPlannedAgainInItsOrderWithAnotherAssembly) {
  Wave wave;
  const SimulationPlan first = plan_simulation(wave.problem, cpu_device());
  for (const bool repeating : {true, false})
    for (const AssemblyOptions& assembly : quadratic_assemblies(repeating)) {
      RenumberedProblem in_order = first.renumbered;
      in_order.problem.assembly = assembly;
      const SimulationPlan again = plan_in_given_order(std::move(in_order), cpu_device());
      EXPECT_EQ(again.sparsity.column, first.sparsity.column) << strategy_name(assembly);
      EXPECT_EQ(again.matrix.slot_of_entry, first.matrix.slot_of_entry) << strategy_name(assembly);
      EXPECT_EQ(again.states, first.states) << strategy_name(assembly);
      EXPECT_EQ(again.problem().assembly.strategy, assembly.strategy) << strategy_name(assembly);
    }
}

// At rest without coupling, with equal cells, every node does what one cell does.
TEST(QuadraticRun, OfTissueThatIsAlikeEverywhereStaysAlike) {
  Wave wave;
  wave.problem.cell_models = std::vector<AlievPanfilov>(1);
  std::ranges::fill(wave.problem.cell_model, std::uint16_t{0});
  wave.problem.stimuli.clear();
  std::ranges::fill(wave.problem.phi, 0.2);
  const Answer answer = answer_after(wave.problem, 50);
  EXPECT_GT(answer.potential_mv[0], -60);
  EXPECT_NEAR(std::ranges::max(answer.potential_mv), std::ranges::min(answer.potential_mv), 1e-6);
  EXPECT_NEAR(std::ranges::max(answer.recovery), std::ranges::min(answer.recovery), 1e-9);
}

TEST(QuadraticRun, KeepsPrescribedNodes) {
  Wave wave;
  for (std::size_t i = 0; i < wave.mesh.nodes.size(); ++i)
    if (wave.mesh.nodes[i].x > 1.99) wave.problem.prescribed.push_back(static_cast<Index>(i));
  ASSERT_EQ(wave.problem.prescribed.size(), 25U);
  const Answer answer = answer_after(wave.problem, 60);
  for (const Index node : wave.problem.prescribed) EXPECT_EQ(answer.potential_mv[node], -80);
  EXPECT_GT(std::ranges::max(answer.potential_mv), 0);
}

TEST(QuadraticRun, ReadsProbesInQuadraticFieldsExactly) {
  const auto field = [](Vector3 p) { return 0.1 + 0.05 * p.x * p.x - 0.1 * p.x * p.y + 0.07 * p.z * p.z; };
  const std::vector<ProbeConfig> probes{
      {"inside", {0.93, 0.31, 0.57}}, {"corner", {2, 1, 1}}, {"surface", {0.4, 0.3, 0}}};
  const Mesh straight = quadratic_mesh(slab_mesh({2, 1, 1}, 0.5, true));
  for (const ProbeConfig& probe : probes) {
    const ProbePoint point = locate_probes(straight, {probe}).at(0);
    Real value = 0;
    for (int i = 0; i < 4; ++i) value += point.weights[i] * field(straight.nodes[point.nodes[i]]);
    for (int k = 0; k < 6; ++k) value += point.edge_weights[k] * field(straight.nodes[point.edge_nodes[k]]);
    EXPECT_NEAR(value, field(probe.point), 1e-14) << probe.name;
  }
  // Between curved edges a field that is linear in space is exact.
  Wave wave;
  wave.problem.probes = locate_probes(wave.mesh, probes);
  for (std::size_t i = 0; i < wave.mesh.nodes.size(); ++i)
    wave.problem.phi[i] = 0.1 + 0.02 * wave.mesh.nodes[i].x + 0.03 * wave.mesh.nodes[i].z;
  std::vector<Real> read_mv(probes.size());
  make_cpu_simulation(wave.problem)->probe_mv(read_mv);
  for (std::size_t k = 0; k < probes.size(); ++k) {
    const Vector3 p = probes[k].point;
    EXPECT_NEAR(read_mv[k], AlievPanfilov::scaling.mv_from_phi(0.1 + 0.02 * p.x + 0.03 * p.z), 1e-10) << k;
  }
}

/// A box whose bottom and top are z = bowl(x, y) and 1 mm above; between the nodes they are what they are at the nodes.
Mesh bowl_mesh() {
  Mesh mesh = quadratic_mesh(slab_mesh({2, 1, 1}, 0.5, true));
  for (Vector3& p : mesh.nodes) p.z += 0.4 * (p.x - 1) * (p.x - 1) - 0.3 * p.y * p.y;
  return mesh;
}

/// The point that the weights of a probe make of the nodes.
Vector3 place_of(const Mesh& mesh, const ProbePoint& found) {
  Vector3 place;
  for (int i = 0; i < 4; ++i) place = place + found.weights[i] * mesh.nodes[found.nodes[i]];
  for (int i = 0; i < 6; ++i) place = place + found.edge_weights[i] * mesh.nodes[found.edge_nodes[i]];
  return place;
}

TEST(QuadraticRun, FindsProbesAnywhereBetweenCurvedFaces) {
  const Mesh mesh = bowl_mesh();
  // Near the faces of each element, where the pieces between its nodes are off by more than the distance.
  std::vector<ProbeConfig> probes;
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element)
    for (int face = 0; face < 4; ++face) {
      Barycentric at{0.4, 0.31, 0.289, 0.289};
      at[face] = 1e-3;
      at[(face + 1) % 4] += 1 - at[0] - at[1] - at[2] - at[3];
      const QuadraticNodes nodes = nodes_of(mesh, element);
      const auto shapes = quadratic_shapes(at);
      Vector3 point;
      for (int i = 0; i < quadratic_nodes; ++i) point = point + shapes[i] * mesh.nodes[nodes[i]];
      probes.push_back({std::to_string(element), point});
    }
  const std::vector<ProbePoint> found = locate_probes(mesh, probes);
  for (std::size_t k = 0; k < probes.size(); ++k)
    EXPECT_LT(norm(place_of(mesh, found[k]) - probes[k].point), 1e-11) << probes[k].name;
}

// At x = 0.375 mm, half-way between two nodes, the straight pieces are 6.25 µm above the curved bottom and top.
TEST(QuadraticRun, MovesAPointJustOutsideACurvedFaceOntoIt) {
  const Mesh mesh = bowl_mesh();
  for (const Vector3 beyond : {Vector3{0.375, 0, 0.15625 - 5e-7}, Vector3{0.375, 0, 1.15625 + 5e-7},
                               Vector3{0.375, 0.3, 0.12925 - 1e-6}, Vector3{1, 0.375, 0.9578125 + 1e-6}}) {
    const Vector3 moved = place_of(mesh, locate_probes(mesh, {{"p", beyond}}).at(0));
    EXPECT_GT(norm(moved - beyond), 3e-7) << beyond.z;
    EXPECT_LT(norm(moved - beyond), 1e-6) << beyond.z;
  }
}

TEST(QuadraticRun, RefusesAProbeBetweenACurvedFaceAndItsChord) {
  const Mesh mesh = bowl_mesh();
  const std::string message = input_error_of([&] {
    locate_probes(mesh, {{"apex", {0.375, 0, 1.16025}, "a.yaml:3:7: probes[0].point"}});
  });
  EXPECT_NE(message.find("a.yaml:3:7: probes[0].point: probe 'apex': [0.375, 0, 1.16025] lies 0.00357"), message.npos)
      << message;
  EXPECT_NE(message.find("outside the mesh; its nearest point is [0.373397, 0, 1.15705]"), message.npos) << message;
}

TEST(QuadraticRun, SelectsNodesOnEdges) {
  Mesh mesh = quadratic_mesh(slab_mesh({2, 1, 1}, 0.5, true));
  EXPECT_EQ(select_nodes(mesh, {Surface{"x1"}, "here"}).size(), 25U);
  EXPECT_EQ(select_nodes(mesh, {Tag{"slab"}, "here"}).size(), mesh.nodes.size());
  // The share of a box that ends half-way between two planes of nodes.
  const StimulatedNodes nodes = stimulated_nodes(mesh, {Box{{0, 0, 0}, {0.5, 1, 1}}, "here"}, StimulusEdge::weighted);
  Real on_plane = 0;
  for (std::size_t i = 0; i < nodes.nodes.size(); ++i) {
    const bool inside = mesh.nodes[nodes.nodes[i]].x < 0.4;
    EXPECT_TRUE(!inside || nodes.share[i] == 1) << nodes.share[i];
    if (!inside) on_plane += nodes.share[i] / 25;
  }
  EXPECT_NEAR(on_plane, 0.5, 0.01);
}

TEST(QuadraticRun, RefusesWhatIsForLinearTetrahedra) {
  const auto refusal = [](const auto& change) {
    Wave wave;
    change(wave.problem);
    return input_error_of([&] { plan_simulation(wave.problem, cpu_device()); });
  };
  EXPECT_EQ(refusal([](Problem& problem) { problem.assembly.strategy = AssemblyStrategy::slice_gather; }),
            "assembly.strategy: slice_gather is for linear tetrahedra: a mesh of quadratic ones needs one of auto, "
            "scalar_gather, entry_gather, spmv_k1, spmv_k1r, spmv_k1rs, spmv_k2, spmv_k2r, spmv_k2rs, shared_nz, "
            "shared_nz_general, global_nz_general, global_nz_prefetched_general, global_nz_nodal_general, "
            "global_nz_packed_general, local_row, local_row_general, local_nz, local_nz_general, "
            "elem_color, elem_color_general, two_level_color, two_level_color_general, atomics, atomics_general, "
            "lazy_ell, lazy_ell_general");
  EXPECT_EQ(refusal([](Problem& problem) { problem.assembly.strategy = AssemblyStrategy::atomics; }),
            "assembly.strategy: atomics adds in another order in every run, so that the last bits of results differ; "
            "assembly.repeatable: false allows it (entry_gather and elem_color repeat every bit)");
  EXPECT_EQ(refusal([](Problem& problem) {
              problem.matrix_operator = OperatorKind::local;
              problem.assembly.strategy = AssemblyStrategy::entry_gather;
            }),
            "linear_solver.operator: local needs assembly.strategy: auto (auto takes what suits)");
  EXPECT_EQ(refusal([](Problem& problem) {
              problem.matrix_operator = OperatorKind::split;
              problem.path = SolverPath::in_parts;
            }),
            "linear_solver.path: in_parts needs linear_solver.operator: assembled (auto takes the fastest path that is "
            "possible)");
  EXPECT_EQ(refusal([](Problem& problem) { problem.time.scheme = TimeScheme::rkc2; }),
            "time.scheme: rkc2, which needs a lumped mass, is for linear tetrahedra: a mesh of quadratic ones needs "
            "another scheme");
  EXPECT_EQ(refusal([](Problem& problem) { problem.quadrature = Quadrature::vertices; }),
            "quadrature: vertices is for linear tetrahedra: a mesh of quadratic ones needs fourteen_points");
}

TEST(QuadraticRun, RefusesBlocksOfElementsThatDoNotFitAGpu) {
  Wave wave;
  wave.problem.assembly.strategy = AssemblyStrategy::global_nz_prefetched_general;
  const RenumberedProblem in_order = choose_solver_and_order(wave.problem, nvidia_h200());
  const Index nodes = quadratic_blocks(quadratic_nodes_of(*in_order.problem.mesh)).most_nodes;
  ASSERT_GT(nodes, 10);
  Device small = nvidia_h200();
  small.shared_bytes = 2048 + static_cast<std::size_t>(32 * nodes);
  EXPECT_NO_THROW(plan_simulation(wave.problem, small));
  small.shared_bytes -= 1;
  EXPECT_EQ(
      input_error_of([&] { plan_simulation(wave.problem, small); }),
      fmt::format("assembly.strategy: global_nz_prefetched_general: a block of elements has {} nodes, and at most "
                  "{} fit into the shared memory of this GPU",
                  nodes, nodes - 1));
}

TEST(QuadraticRun, TakesTheQuadratureOfItsMesh) {
  const Mesh quadratic = curved_box(), linear = slab_mesh({1, 1, 1}, 0.5, true);
  Config config;
  EXPECT_EQ(quadrature_for(config, quadratic), Quadrature::fourteen_points);
  EXPECT_EQ(quadrature_for(config, linear), Quadrature::vertices);
  config.quadrature_place = "a.yaml:3:1: quadrature";
  EXPECT_EQ(
      input_error_of([&] { quadrature_for(config, quadratic); }),
      "a.yaml:3:1: quadrature: expected fourteen_points, or none, for a mesh of quadratic tetrahedra, got 'vertices'");
  config.quadrature = Quadrature::fourteen_points;
  EXPECT_EQ(quadrature_for(config, quadratic), Quadrature::fourteen_points);
  EXPECT_EQ(input_error_of([&] { quadrature_for(config, linear); }),
            "a.yaml:3:1: quadrature: expected centroid, vertices or vertices_and_centroid for a mesh of linear "
            "tetrahedra, got 'fourteen_points'");
}

}  // namespace
}  // namespace cardiowarp
