// Nodes whose potential is prescribed: what is left of the linear system, and that they keep their bits in whole runs.

#include "assembly/prescribed_nodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "app/simulation/simulation.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "meshes/generate.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/prescribed_problem.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

constexpr Real h = 0.05;

/// K [slots], −R and 1 / K_ii [nodes] of a problem at a random state, after two assemblies.
struct System {
  System(const Problem& problem, const std::vector<Real>& phi) : plan(plan_simulation(problem, cpu_device())) {
    const auto nodes = phi.size();
    std::vector<Real> now, load(nodes, 3), states = plan.states, states_now(plan.states.size());
    for (const Index i : plan.renumbered.node_in_input) now.push_back(phi[i]);
    negative_residual.assign(nodes, NAN);
    inverse_diagonal.assign(nodes, NAN);
    CpuBackend backend;
    const auto K = make_global_matrix(backend, plan.sparsity, plan.matrix);
    const auto assembly = make_assembly(backend, plan);
    assembly->begin(backend, *K);
    for (int iteration = 0; iteration < 2; ++iteration) {
      assembly->evaluate_elements(backend,
                                  {now.data(), load.data(), states.data(), states_now.data(), &h, plan.points()});
      assembly->assemble(backend, *K, now.data(), negative_residual.data(), inverse_diagonal.data());
    }
    value.assign(K->value(), K->value() + plan.matrix.slots);
  }
  Real entry(Index e) const { return value[plan.matrix.slot_of_entry[e]]; }

  SimulationPlan plan;
  std::vector<Real> value, negative_residual, inverse_diagonal;
};

/// The eliminated system beside the one that no node is taken out of.
void expect_eliminated(const System& held, const System& free) {
  const Sparsity& sparsity = held.plan.sparsity;
  std::vector<bool> is_held(sparsity.rows(), false);
  for (const Index node : held.plan.prescribed.node) is_held[node] = true;
  ASSERT_GT(held.plan.prescribed.coupling_slot.size(), 0u);
  Index couplings = 0;
  for (Index row = 0; row < sparsity.rows(); ++row) {
    ASSERT_EQ(held.negative_residual[row], is_held[row] ? 0 : free.negative_residual[row]);
    ASSERT_EQ(held.inverse_diagonal[row], is_held[row] ? 1 : free.inverse_diagonal[row]);
    for (Index e = sparsity.row_begin[row]; e < sparsity.row_begin[row + 1]; ++e) {
      const Index column = sparsity.column[e];
      Index mirrored = sparsity.row_begin[column];
      while (sparsity.column[mirrored] != row) ++mirrored;
      ASSERT_NEAR(held.entry(e), held.entry(mirrored), 1e-15) << "not symmetric in row " << row;
      if (row == column) {
        ASSERT_EQ(held.entry(e), is_held[row] ? 1 : free.entry(e));
      } else {
        const bool couples = is_held[row] || is_held[column];
        couplings += couples;
        ASSERT_EQ(held.entry(e), couples ? 0 : free.entry(e)) << "row " << row << ", column " << column;
      }
    }
  }
  EXPECT_EQ(couplings, static_cast<Index>(held.plan.prescribed.coupling_slot.size()));
  std::vector<Real> padding = held.value;
  for (const std::int64_t slot : held.plan.matrix.slot_of_entry) padding[slot] = 0;
  for (const Real stored : padding) ASSERT_EQ(stored, 0);
}

class PrescribedNodesOfABox : public testing::Test {
 protected:
  PrescribedNodesOfABox() {
    std::mt19937 generator(11);
    std::uniform_real_distribution<Real> uniform(-0.1, 1.1);
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i) phi.push_back(uniform(generator));
  }
  void expect_eliminated_with(const std::string& name, const MatrixOptions& matrix, const AssemblyOptions& assembly,
                              Quadrature quadrature) {
    SCOPED_TRACE(name);
    Problem problem = test::held_box(mesh);
    problem.matrix = matrix;
    problem.path = SolverPath::plain;
    problem.assembly = assembly;
    problem.quadrature = quadrature;
    const System held(problem, phi);
    problem.prescribed.clear();
    expect_eliminated(held, System(problem, phi));
  }
  const Mesh mesh = random_mesh({5, 3, 2.5}, 0.5, 31);
  std::vector<Real> phi;
};

TEST_F(PrescribedNodesOfABox, LeaveASymmetricSystemOfTheOthersInEveryFormatStrategyAndQuadrature) {
  const std::vector<EllWarpOptions> variants = all_variants(8, 64);
  std::vector<MatrixOptions> formats{{.format = MatrixFormat::csr}};
  for (const EllWarpOptions& variant : variants) formats.push_back({MatrixFormat::ell_warp, variant, 64});
  for (const MatrixOptions& format : formats)
    for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices, Quadrature::vertices_and_centroid})
      expect_eliminated_with(format_name(format), format, {}, quadrature);
  for (const AssemblyOptions& assembly : all_assemblies(variants))
    expect_eliminated_with("assembly " + strategy_name(assembly), {.format = MatrixFormat::csr}, assembly,
                           Quadrature::centroid);
  for (const AssemblyStrategy gather : {AssemblyStrategy::entry_gather, AssemblyStrategy::slice_gather})
    expect_eliminated_with("gather", {MatrixFormat::ell_warp, variants.back(), 64}, {gather, {}, 0, false},
                           Quadrature::centroid);
}

/// Numbers of the first within 1e-13 of the largest of the second.
void expect_near(const std::vector<Real>& found, const std::vector<Real>& expected) {
  Real largest = 0;
  for (const Real of : expected) largest = std::max(largest, std::fabs(of));
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-13 * largest) << i;
}

// Straight elements, and elements whose edges are curved; in compressed rows and in slices.
TEST(PrescribedNodes, LeaveTheSystemOfThePlainSumsInEveryStrategyOfQuadraticTetrahedra) {
  const Mesh straight = quadratic_mesh(random_mesh({3, 2.5, 2}, 0.7, 41));
  Mesh moved = straight;
  for (Vector3& p : moved.nodes) {
    const Real inside = p.x * (3 - p.x) * p.y * (2.5 - p.y) * p.z * (2 - p.z);
    p = p + 0.01 * inside * Vector3{1, -2, 1.5};
  }
  const Mesh curved = moved;
  const std::vector<MatrixOptions> formats{{.format = MatrixFormat::csr},
                                           {MatrixFormat::ell_warp, all_variants(8, 64).back(), 64}};
  for (const Mesh* mesh : {&straight, &curved})
    for (const MatrixOptions& format : formats) {
      Problem problem = test::held_box(*mesh);
      problem.quadrature = Quadrature::fourteen_points;
      problem.matrix = format;
      problem.path = SolverPath::plain;
      std::vector<Real> phi;
      for (const Vector3& p : mesh->nodes) phi.push_back(0.5 + 0.4 * std::sin(3 * p.x + p.y - 2 * p.z));
      problem.assembly.strategy = AssemblyStrategy::entry_gather;
      const System expected(problem, phi);
      for (const bool repeating : {true, false})
        for (const AssemblyOptions& assembly : quadratic_assemblies(repeating)) {
          SCOPED_TRACE(strategy_name(assembly) + (mesh == &curved ? ", curved, " : ", straight, ") +
                       format_name(format));
          problem.assembly = assembly;
          const System found(problem, phi);
          ASSERT_EQ(found.plan.renumbered.node_in_input, expected.plan.renumbered.node_in_input);
          for (const Index node : found.plan.prescribed.node) ASSERT_EQ(found.negative_residual[node], 0);
          expect_near(found.value, expected.value);
          expect_near(found.negative_residual, expected.negative_residual);
          expect_near(found.inverse_diagonal, expected.inverse_diagonal);
        }
    }
}

/// Runs with steps of 0.3 ms, adaptive ones, too, and looks between their ends.
void expect_held(const Problem& problem, const std::string& name) {
  SCOPED_TRACE(name);
  const auto simulation = make_cpu_simulation(problem);
  const std::size_t nodes = problem.mesh->nodes.size();
  std::vector<Real> start_mv(nodes), now_mv(nodes);
  std::vector<Real> start_state(problem.mesh->tetrahedra.size()), state(start_state.size());
  simulation->potential_mv(start_mv);
  simulation->state(0, start_state);
  ASSERT_NEAR(start_mv[problem.prescribed.front()], 20, 1e-9);
  for (int step = 1; step <= 20; ++step) {
    const StepReport report =
        step % 2 == 0 ? simulation->try_step_to(0.3 * step, INFINITY) : simulation->step_to(0.3 * step);
    ASSERT_FALSE(report.failure) << report.failure->reason;
    simulation->potential_mv(now_mv);
    ASSERT_TRUE(test::are_held(problem, now_mv, start_mv)) << "after step " << step;
    simulation->look_at(0.3 * step - 0.11);
    simulation->potential_mv(now_mv);
    ASSERT_TRUE(test::are_held(problem, now_mv, start_mv)) << "in step " << step;
  }
  simulation->look_at(6);
  simulation->potential_mv(now_mv);
  Index activated = 0;
  for (std::size_t i = 0; i < nodes; ++i) activated += now_mv[i] > 0;
  EXPECT_GT(activated, static_cast<Index>(problem.prescribed.size())) << "no front has started";
  EXPECT_LT(activated, static_cast<Index>(nodes));
  simulation->state(0, state);
  EXPECT_NE(state, start_state);
}

TEST(PrescribedNodes, KeepTheirBitsInEveryScheme) {
  const Mesh mesh = random_mesh({6, 3, 3}, 0.5, 32);
  Problem problem = test::held_box(mesh);
  for (const TimeScheme scheme :
       {TimeScheme::backward_euler, TimeScheme::sdirk2, TimeScheme::trbdf2, TimeScheme::bdf2, TimeScheme::rkc2})
    for (const Quadrature quadrature :
         {Quadrature::centroid, Quadrature::vertices, Quadrature::vertices_and_centroid}) {
      if (scheme == TimeScheme::rkc2 && quadrature != Quadrature::vertices) continue;
      problem.time.scheme = scheme;
      problem.quadrature = quadrature;
      problem.time.linear_follows = scheme == TimeScheme::sdirk2;
      if (problem.time.linear_follows) problem.linear_solver.relative_tolerance = 0;
      expect_held(problem, "scheme " + std::to_string(static_cast<int>(scheme)) + ", quadrature " +
                               std::to_string(static_cast<int>(quadrature)));
      problem.linear_solver = tight_cg;
    }
}

TEST(PrescribedNodes, KeepTheirBitsWithEveryPreconditionerPrecisionAndPath) {
  const Mesh mesh = random_mesh({6, 3, 3}, 0.5, 33);
  Problem problem = test::held_box(mesh);
  problem.time.scheme = TimeScheme::sdirk2;
  problem.newton.forcing = ForcingChoice::fixed;
  problem.linear_solver.relative_tolerance = 1e-6;
  for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices}) {
    problem.quadrature = quadrature;
    for (const SolverPrecision precision :
         {SolverPrecision::double_precision, SolverPrecision::mixed, SolverPrecision::single})
      for (const SolverPath path : {SolverPath::plain, SolverPath::in_parts}) {
        problem.precision = precision;
        problem.path = path;
        expect_held(problem, std::string(name_of(precision)) + " " + std::string(name_of(path)));
      }
    problem.precision = SolverPrecision::double_precision;
    problem.path = SolverPath::plain;
    for (const PreconditionerChoice preconditioner :
         {PreconditionerChoice::block_jacobi, PreconditionerChoice::polynomial, PreconditionerChoice::ssor,
          PreconditionerChoice::ssor_eisenstat}) {
      problem.preconditioner = preconditioner;
      expect_held(problem, "preconditioner " + std::to_string(static_cast<int>(preconditioner)));
    }
    problem.preconditioner = PreconditionerChoice::jacobi;
  }
}

/// K x, x·K x, −R and 1 / K_ii of a problem at a random state, after two assemblies, for an x that is 0 at the
/// prescribed nodes, with the values and vectors of a precision.
template <class Value, class Number>
struct HeldProduct {
  explicit HeldProduct(const Problem& problem)
      : plan(plan_simulation(problem, cpu_device())),
        product(problem.phi.size(), 7),
        only_product(product),
        negative_residual(product.size(), NAN),
        inverse_diagonal(product.size(), NAN) {
    const std::size_t nodes = problem.phi.size();
    std::mt19937 generator(19);
    std::uniform_real_distribution<Real> uniform(-0.1, 1.1);
    std::vector<Real> phi(nodes), load(nodes, 3), states = plan.states, states_now(plan.states.size());
    std::vector<Number> x(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
      phi[i] = uniform(generator);
      x[i] = static_cast<Number>(uniform(generator) - 0.5);
    }
    for (const Index node : plan.problem().prescribed) x[node] = 0;
    CpuBackend backend;
    const auto K = make_matrix(backend, plan);
    const auto assembly = make_assembly(backend, plan);
    assembly->begin(backend, *K);
    for (int iteration = 0; iteration < 2; ++iteration) {
      assembly->evaluate_elements(backend,
                                  {phi.data(), load.data(), states.data(), states_now.data(), &h, plan.points()});
      assembly->assemble(backend, *K, phi.data(), negative_residual.data(), inverse_diagonal.data());
    }
    const std::vector<Value> value(K->value(), K->value() + plan.values());
    K->multiply_dot(backend, value.data(), x.data(), product.data(), &dot);
    K->multiply(backend, value.data(), x.data(), only_product.data());
  }

  SimulationPlan plan;
  std::vector<Number> product, only_product;
  std::vector<Real> negative_residual, inverse_diagonal;
  Real dot = 0;
};

template <class Value, class Number>
void expect_operators_to_hold(Problem problem, Real most) {
  problem.path = SolverPath::plain;
  if (!std::is_same_v<Value, Real>)
    problem.precision = std::is_same_v<Number, Real> ? SolverPrecision::mixed : SolverPrecision::single;
  problem.matrix_operator = OperatorKind::assembled;
  const HeldProduct<Real, Real> expected(problem);
  for (const OperatorKind kind :
       {OperatorKind::local, OperatorKind::local_full, OperatorKind::matrix_free, OperatorKind::split}) {
    SCOPED_TRACE(name_of(kind));
    problem.matrix_operator = kind;
    const HeldProduct<Value, Number> held(problem);
    ASSERT_EQ(held.plan.renumbered.node_in_input, expected.plan.renumbered.node_in_input);
    for (const Index node : held.plan.problem().prescribed) {
      ASSERT_EQ(held.product[node], 0);
      ASSERT_EQ(held.negative_residual[node], 0);
      ASSERT_EQ(held.inverse_diagonal[node], 1);
    }
    EXPECT_EQ(held.product, held.only_product);
    Real largest = 0;
    for (const Real of : expected.product) largest = std::max(largest, std::fabs(of));
    for (std::size_t i = 0; i < held.product.size(); ++i) {
      ASSERT_NEAR(held.product[i], expected.product[i], most * largest) << "row " << i;
      ASSERT_NEAR(held.negative_residual[i], expected.negative_residual[i], 1e-12) << "row " << i;
      ASSERT_NEAR(held.inverse_diagonal[i] / expected.inverse_diagonal[i], 1, 1e-12) << "row " << i;
    }
    EXPECT_NEAR(held.dot, expected.dot, most * std::fabs(expected.dot));
  }
}

Problem quadratic_held_box(const Mesh& mesh) {
  Problem problem = test::held_box(mesh);
  problem.quadrature = Quadrature::fourteen_points;
  return problem;
}

TEST(PrescribedNodes, AreHeldByEveryOperatorAsByTheMatrix) {
  const Mesh linear = random_mesh({5, 3, 2.5}, 0.5, 36), quadratic = quadratic_mesh(random_mesh({3, 2.5, 2}, 0.7, 37));
  std::vector<Problem> problems{quadratic_held_box(quadratic)};
  for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices, Quadrature::vertices_and_centroid}) {
    problems.push_back(test::held_box(linear));
    problems.back().quadrature = quadrature;
  }
  for (const Problem& problem : problems) {
    SCOPED_TRACE("quadrature " + std::to_string(static_cast<int>(problem.quadrature)));
    ASSERT_GT(problem.prescribed.size(), 3u);
    expect_operators_to_hold<Real, Real>(problem, 1e-13);
    expect_operators_to_hold<float, Real>(problem, 1e-5);
    expect_operators_to_hold<float, float>(problem, 1e-5);
  }
}

TEST(PrescribedNodes, KeepTheirBitsWithEveryOperatorAndTheOthersFollowTheMatrix) {
  const Mesh linear = random_mesh({6, 3, 3}, 0.5, 38), quadratic = quadratic_mesh(random_mesh({4, 3, 2}, 0.9, 39));
  std::vector<Problem> problems{quadratic_held_box(quadratic)};
  for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices}) {
    problems.push_back(test::held_box(linear));
    problems.back().quadrature = quadrature;
  }
  const auto after_steps = [](const Problem& problem) {
    const auto simulation = make_cpu_simulation(problem);
    for (int step = 1; step <= 8; ++step) EXPECT_FALSE(simulation->step_to(0.3 * step).failure);
    std::vector<Real> potential_mv(problem.mesh->nodes.size());
    simulation->potential_mv(potential_mv);
    return potential_mv;
  };
  for (Problem& problem : problems) {
    problem.time.scheme = TimeScheme::sdirk2;
    problem.matrix_operator = OperatorKind::assembled;
    const std::vector<Real> expected = after_steps(problem);
    for (const OperatorKind kind :
         {OperatorKind::local, OperatorKind::local_full, OperatorKind::matrix_free, OperatorKind::split}) {
      SCOPED_TRACE(std::string(name_of(kind)) + ", quadrature " + std::to_string(static_cast<int>(problem.quadrature)));
      problem.matrix_operator = kind;
      const std::vector<Real> found = after_steps(problem);
      EXPECT_TRUE(test::are_held(problem, found, expected));
      for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-7) << "node " << i;
      if (problem.quadrature == Quadrature::fourteen_points) continue;  // has other states
      expect_held(problem, "with adaptive steps");
    }
  }
}

TEST(PrescribedNodes, FindTheSameAnswerInEveryNumbering) {
  const Mesh mesh = random_mesh({6, 3, 3}, 0.5, 34);
  const Renumbering other = renumbered(mesh, 5);
  const auto run = [](const Problem& problem) {
    const auto simulation = make_cpu_simulation(problem);
    for (int step = 1; step <= 20; ++step) EXPECT_FALSE(simulation->step_to(0.3 * step).failure);
    std::vector<Real> potential_mv(problem.mesh->nodes.size());
    simulation->potential_mv(potential_mv);
    return potential_mv;
  };
  const std::vector<Real> expected = run(test::held_box(mesh)), found = run(test::held_box(other.mesh));
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[other.node_order[i]], 1e-7);
}

}  // namespace
}  // namespace cardiowarp
