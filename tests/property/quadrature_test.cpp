// K and R of every quadrature against the formulas, summed densely over the integration points of each element.

#include "fem/quadrature.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "app/simulation/simulation_plan.hpp"
#include "fem/cells/reaction_element.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 61;
constexpr Real h = 0.05;

struct System {
  std::vector<Real> matrix;  ///< [nodes × nodes]
  std::vector<Real> negative_residual, inverse_diagonal;
};

/// Two kinds of cells that meet at many nodes, random potentials and states.
class EveryQuadrature : public testing::TestWithParam<Quadrature> {
 protected:
  EveryQuadrature() {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<Real> uniform(0, 1);
    const auto fill = [&](std::vector<Real>& values, std::size_t size, Real low, Real high) {
      values.resize(size);
      for (Real& value : values) value = low + (high - low) * uniform(generator);
    };
    problem = resting_problem(mesh, 1, 1);
    problem.quadrature = GetParam();
    fill(phi, mesh.nodes.size(), -0.1, 1.1);
    fill(load, mesh.nodes.size(), -0.1 / h, 1.1 / h);
    add_kind(problem, {.alpha = 0.1, .gamma = 0.004, .c = 6});
    for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
      problem.cell_model[e] = static_cast<std::uint16_t>(mesh.tetrahedra[e][0] % 2);
      problem.states[e] = problem.cell_model[e] == 0 ? 0.25 : 0.75;
      problem.diffusivity[e] = {1 + uniform(generator), uniform(generator), mesh.fibers[e]};
    }
  }

  System computed(const MatrixOptions& matrix_options) const {
    Problem wanted = problem;
    wanted.matrix = matrix_options;
    wanted.path = SolverPath::plain;
    const SimulationPlan plan = plan_simulation(wanted, cpu_device());
    const std::vector<Index>& node = plan.renumbered.node_in_input;
    const auto n = static_cast<Index>(node.size());
    std::vector<Real> now(n), start(n), states(plan.states.size(), NAN), negative_residual(n, NAN),
        inverse_diagonal(n, NAN);
    for (Index i = 0; i < n; ++i) {
      now[i] = phi[node[i]];
      start[i] = load[node[i]];
    }
    CpuBackend backend;
    const auto matrix = make_global_matrix(backend, plan.sparsity, plan.matrix);
    const auto assembly = make_assembly(backend, plan);
    assembly->begin(backend, *matrix);
    for (int repetition = 0; repetition < 2; ++repetition) {  // the second may not depend on the first
      assembly->evaluate_elements(backend,
                                  {now.data(), start.data(), plan.states.data(), states.data(), &h, plan.points()});
      assembly->assemble(backend, *matrix, now.data(), negative_residual.data(), inverse_diagonal.data());
    }
    System system{std::vector<Real>(std::size_t(n) * n), std::vector<Real>(n), std::vector<Real>(n)};
    for (Index row = 0; row < n; ++row) {
      system.negative_residual[node[row]] = negative_residual[row];
      system.inverse_diagonal[node[row]] = inverse_diagonal[row];
      for (Index e = plan.sparsity.row_begin[row]; e < plan.sparsity.row_begin[row + 1]; ++e)
        system.matrix[node[row] * n + node[plan.sparsity.column[e]]] = matrix->value()[plan.matrix.slot_of_entry[e]];
    }
    return system;
  }

  System expected() const {
    const std::size_t n = mesh.nodes.size();
    System system{std::vector<Real>(n * n), std::vector<Real>(n), std::vector<Real>(n)};
    const QuadratureWeights weights = weights_of(GetParam());
    for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
      const Tetrahedron& node = mesh.tetrahedra[e];
      const TetrahedronGeometry geometry = tetrahedron_geometry(mesh.nodes, node);
      const AlievPanfilov& cell = cells_of(problem)[problem.cell_model[e]];
      // The shape functions' values at the points, and the points' weights.
      const auto add_point = [&](const std::array<Real, 4>& N, Real weight) {
        Real at = 0, load_at = 0;
        for (int i = 0; i < 4; ++i) {
          at += N[i] * phi[node[i]];
          load_at += N[i] * load[node[i]];
        }
        const auto point = point_reaction(cell, at, &problem.states[e], h);
        for (int i = 0; i < 4; ++i) {
          system.negative_residual[node[i]] -= weight * N[i] * (point.residual - load_at);
          for (int j = 0; j < 4; ++j) system.matrix[node[i] * n + node[j]] += weight * N[i] * N[j] * point.tangent;
        }
      };
      add_point({0.25, 0.25, 0.25, 0.25}, weights.centroid * geometry.volume);
      for (int corner = 0; corner < 4; ++corner) {
        std::array<Real, 4> N{};
        N[corner] = 1;
        add_point(N, weights.vertices * geometry.volume / 4);
      }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
          const Real diffusion =
              geometry.volume * dot(geometry.gradient[i], problem.diffusivity[e].times(geometry.gradient[j]));
          system.matrix[node[i] * n + node[j]] += diffusion;
          system.negative_residual[node[i]] -= diffusion * phi[node[j]];
        }
    }
    for (std::size_t i = 0; i < n; ++i) system.inverse_diagonal[i] = 1 / system.matrix[i * n + i];
    return system;
  }

  const Mesh mesh = random_mesh({2.4, 1.8, 1.8}, 0.6, seed);
  Problem problem;
  std::vector<Real> phi, load;
};

TEST_P(EveryQuadrature, AssemblesTheSumsOverItsPointsInEveryFormat) {
  const System sums = expected();
  for (const MatrixOptions& matrix :
       {MatrixOptions{.format = MatrixFormat::csr},
        MatrixOptions{MatrixFormat::ell_warp, {EllWarpVariant::k1, EllWarpRenumbering::rows, 2, 64}, 0},
        MatrixOptions{MatrixFormat::ell_warp, {EllWarpVariant::k2, EllWarpRenumbering::none, 4, 64}, 0}}) {
    SCOPED_TRACE(format_name(matrix));
    const System system = computed(matrix);
    for (std::size_t k = 0; k < sums.matrix.size(); ++k) ASSERT_NEAR(system.matrix[k], sums.matrix[k], 1e-12) << k;
    for (std::size_t i = 0; i < phi.size(); ++i) {
      ASSERT_NEAR(system.negative_residual[i], sums.negative_residual[i], 1e-11) << "node " << i;
      ASSERT_NEAR(system.inverse_diagonal[i] / sums.inverse_diagonal[i], 1, 1e-12) << "node " << i;
    }
  }
}

TEST_P(EveryQuadrature, KeepsAUniformStateUniformAndFollowsTheCell) {
  Problem uniform = resting_problem(mesh, 1, 1);
  uniform.quadrature = GetParam();
  uniform.phi.assign(mesh.nodes.size(), 0.2);
  const auto simulation = make_cpu_simulation(uniform);
  Problem of_centroids = uniform;
  of_centroids.quadrature = Quadrature::centroid;
  const auto reference = make_cpu_simulation(of_centroids);
  std::vector<Real> potential(mesh.nodes.size()), expected_potential(mesh.nodes.size()),
      recovery(mesh.tetrahedra.size()), expected_recovery(mesh.tetrahedra.size());
  for (int step = 1; step <= 40; ++step) {
    ASSERT_FALSE(simulation->step_to(0.5 * step).failure);
    ASSERT_FALSE(reference->step_to(0.5 * step).failure);
  }
  simulation->potential_mv(potential);
  reference->potential_mv(expected_potential);
  simulation->state(0, recovery);
  reference->state(0, expected_recovery);
  EXPECT_GT(potential[0], 10);
  for (std::size_t i = 0; i < potential.size(); ++i) ASSERT_NEAR(potential[i], expected_potential[0], 1e-8);
  for (std::size_t e = 0; e < recovery.size(); ++e) ASSERT_NEAR(recovery[e], expected_recovery[0], 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Rules, EveryQuadrature,
                         testing::Values(Quadrature::centroid, Quadrature::vertices,
                                         Quadrature::vertices_and_centroid));

TEST(QuadratureOfAPlan, RefusesAStrategyThatItHasNoPointsFor) {
  const Mesh mesh = random_mesh({1.2, 1.2, 1.2}, 0.6, seed);
  const auto plan = [&](Quadrature quadrature, AssemblyStrategy strategy) {
    Problem problem = resting_problem(mesh, 1, 0);
    problem.quadrature = quadrature;
    problem.assembly.strategy = strategy;
    return plan_simulation(problem, cpu_device()).problem().assembly.strategy;
  };
  const auto refusal = [&](Quadrature quadrature, AssemblyStrategy strategy) {
    return test::input_error_of([&] { plan(quadrature, strategy); });
  };
  EXPECT_EQ(refusal(Quadrature::vertices, AssemblyStrategy::row_gather),
            "assembly.strategy: row_gather needs quadrature: centroid or vertices_and_centroid (auto takes what suits "
            "the quadrature)");
  EXPECT_EQ(refusal(Quadrature::centroid, AssemblyStrategy::diagonal),
            "assembly.strategy: diagonal needs quadrature: vertices (auto takes what suits the quadrature)");
  EXPECT_NE(refusal(Quadrature::vertices_and_centroid, AssemblyStrategy::spmv).find("needs quadrature: centroid ("),
            std::string::npos);
  EXPECT_EQ(plan(Quadrature::vertices, AssemblyStrategy::diagonal), AssemblyStrategy::diagonal);
  EXPECT_EQ(plan(Quadrature::vertices, AssemblyStrategy::scalar_gather), AssemblyStrategy::diagonal);
  EXPECT_EQ(plan(Quadrature::vertices_and_centroid, AssemblyStrategy::row_gather), AssemblyStrategy::row_gather);
}

}  // namespace
}  // namespace cardiowarp
