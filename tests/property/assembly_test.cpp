#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "app/simulation/simulation_plan.hpp"
#include "assembly/build_sparsity.hpp"
#include "assembly/diffusion_matrix.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/joint_sums.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 5;
constexpr Real h = 0.05;

/// The linear system of a random state, in the order of the mesh.
struct System {
  std::vector<Real> matrix;   ///< [nodes × nodes]
  std::vector<Real> padding;  ///< stored values that belong to no entry
  std::vector<Real> negative_residual, inverse_diagonal;
};

class Assembly : public testing::Test {
 protected:
  Assembly() {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<Real> uniform(0, 1);
    const auto fill = [&](std::vector<Real>& values, std::size_t size, Real low, Real high) {
      values.resize(size);
      for (Real& value : values) value = low + (high - low) * uniform(generator);
    };
    fill(phi, mesh.nodes.size(), -0.1, 1.1);
    fill(phi_old, mesh.nodes.size(), -0.1, 1.1);
    fill(source, mesh.nodes.size(), -1, 5);
    problem = resting_problem(mesh, 1, 1);
    fill(problem.states, mesh.tetrahedra.size(), 0, 2);
    add_kind(problem, {.alpha = 0.1, .gamma = 0.004, .c = 6});
    for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
      problem.cell_model[e] = static_cast<std::uint16_t>(e % 2);
      problem.diffusivity[e] = {1 + uniform(generator), uniform(generator), mesh.fibers[e]};
    }
  }

  /// The system at the potential `at`, assembled as a run does it.
  System assemble(const std::vector<Real>& at) const {
    const SimulationPlan plan = plan_simulation(problem, cpu_device());
    const std::vector<Index>& node = plan.renumbered.node_in_input;
    const auto in_plan = [](const std::vector<Real>& values, const std::vector<Index>& order) {
      std::vector<Real> permuted;
      for (const Index i : order) permuted.push_back(values[i]);
      return permuted;
    };
    std::vector<Real> load = phi_old;
    for (std::size_t i = 0; i < load.size(); ++i) load[i] = load[i] / h + source[i];
    const std::vector<Real> now = in_plan(at, node), start = in_plan(load, node),
                            recovery_old = in_plan(problem.states, plan.renumbered.element_in_input);
    std::vector<Real> recovery(recovery_old.size(), NAN), negative_residual(now.size(), NAN),
        inverse_diagonal(now.size(), NAN);
    CpuBackend backend;
    const auto matrix = make_global_matrix(backend, plan.sparsity, plan.matrix);
    const auto assembly = make_assembly(backend, plan);
    assembly->evaluate_elements(backend, {now.data(), start.data(), recovery_old.data(), recovery.data(), &h,
                                          static_cast<Index>(mesh.tetrahedra.size())});
    assembly->assemble(backend, *matrix, now.data(), negative_residual.data(), inverse_diagonal.data());

    const Index n = plan.sparsity.rows();
    System system{std::vector<Real>(std::size_t(n) * n), {}, std::vector<Real>(n), std::vector<Real>(n)};
    std::vector<bool> is_entry(plan.matrix.slots, false);
    for (Index row = 0; row < n; ++row) {
      system.negative_residual[node[row]] = negative_residual[row];
      system.inverse_diagonal[node[row]] = inverse_diagonal[row];
      for (Index e = plan.sparsity.row_begin[row]; e < plan.sparsity.row_begin[row + 1]; ++e) {
        const std::int64_t slot = plan.matrix.slot_of_entry[e];
        system.matrix[node[row] * n + node[plan.sparsity.column[e]]] = matrix->value()[slot];
        is_entry[slot] = true;
      }
    }
    for (std::size_t slot = 0; slot < is_entry.size(); ++slot)
      if (!is_entry[slot]) system.padding.push_back(matrix->value()[slot]);
    return system;
  }

  /// K and R summed densely, straight from the formulas of paper 000 Table I.
  void expect_system_of_the_formulas(const System& system) const;

  const Mesh mesh = random_mesh({3, 2, 2}, 0.6, seed);
  const Sparsity sparsity = build_sparsity(mesh.tetrahedra, static_cast<Index>(mesh.nodes.size()));
  Problem problem;
  std::vector<Real> phi, phi_old, source;
};

TEST_F(Assembly, DiffusionOfAConstantIsZeroAndTheMatrixIsSymmetric) {
  const std::vector<Real> value = diffusion_matrix(mesh, problem.diffusivity, sparsity);
  const Index n = sparsity.rows();
  std::vector<Real> matrix(std::size_t(n) * n, 0.0);
  for (Index row = 0; row < n; ++row)
    for (Index e = sparsity.row_begin[row]; e < sparsity.row_begin[row + 1]; ++e)
      matrix[row * n + sparsity.column[e]] = value[e];
  const Real largest = *std::max_element(value.begin(), value.end());
  EXPECT_GT(largest, 0.1);
  for (Index row = 0; row < n; ++row) {
    Real row_sum = 0;
    for (Index column = 0; column < n; ++column) {
      row_sum += matrix[row * n + column];
      EXPECT_NEAR(matrix[row * n + column], matrix[column * n + row], 1e-15 * largest);
    }
    EXPECT_NEAR(row_sum, 0, 1e-14 * largest);
  }
}

TEST_F(Assembly, IntegratesTheDiffusionOfALinearFieldExactly) {
  // φ = x gives ∫ ∇φ·D̃∇φ = D̃_xx V for a uniform tensor
  const Vector3 fiber{0.6, 0.8, 0};
  std::fill(problem.diffusivity.begin(), problem.diffusivity.end(), Diffusivity{2, 3, fiber});
  const std::vector<Real> value = diffusion_matrix(mesh, problem.diffusivity, sparsity);
  const CsrView K{sparsity.rows(), sparsity.row_begin.data(), sparsity.column.data(), value.data()};
  std::vector<Real> x;
  for (const Vector3& node : mesh.nodes) x.push_back(node.x);
  Real energy = 0;
  for (Index row = 0; row < K.rows; ++row) energy += x[row] * row_times_vector(K, row, x.data());
  EXPECT_NEAR(energy, (2 + 3 * 0.36) * 12, 1e-12);
}

void Assembly::expect_system_of_the_formulas(const System& system) const {
  const Index n = sparsity.rows();
  std::vector<Real> K(std::size_t(n) * n, 0.0), R(n, 0.0);
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
    const Tetrahedron& node = mesh.tetrahedra[e];
    const AlievPanfilov& cell = cells_of(problem)[problem.cell_model[e]];
    const auto G =
        tetrahedron_geometry(mesh.nodes[node[0]], mesh.nodes[node[1]], mesh.nodes[node[2]], mesh.nodes[node[3]]);
    Real phi_q = 0, phi_q_old = 0, source_q = 0;
    Vector3 gradient;
    for (int i = 0; i < 4; ++i) {
      phi_q += phi[node[i]] / 4;
      phi_q_old += phi_old[node[i]] / 4;
      source_q += source[node[i]] / 4;
      gradient = gradient + phi[node[i]] * G.gradient[i];
    }
    const StateStep<1> r = newton_states(cell, phi_q, &problem.states[e], h);
    const auto rates = cell.rates(phi_q, r.state);
    const Real slope = rates.df_dphi + rates.df_dstate[0] * r.slope[0];
    for (int i = 0; i < 4; ++i) {
      R[node[i]] += G.volume * (((phi_q - phi_q_old) / h - rates.f - source_q) / 4 +
                                dot(G.gradient[i], problem.diffusivity[e].times(gradient)));
      for (int j = 0; j < 4; ++j)
        K[node[i] * n + node[j]] +=
            G.volume * ((1 / h - slope) / 16 + dot(G.gradient[i], problem.diffusivity[e].times(G.gradient[j])));
    }
  }
  const std::vector<Real>& matrix = system.matrix;
  const Real largest = *std::max_element(K.begin(), K.end());
  const Real bound = 24 * 40 * 2.3e-16 * largest;  // up to 24 elements at a node, some 40 operations each
  for (std::size_t k = 0; k < K.size(); ++k) ASSERT_NEAR(matrix[k], K[k], bound);
  for (const Real padding : system.padding) ASSERT_EQ(padding, 0);
  for (Index row = 0; row < n; ++row) {
    ASSERT_NEAR(-system.negative_residual[row], R[row], bound * 24);
    ASSERT_EQ(system.inverse_diagonal[row], 1 / matrix[row * n + row]);
  }
}

TEST_F(Assembly, EqualsTheSumOfElementMatricesAndResidualsForEveryStrategyAndFormat) {
  const MatrixOptions compressed{.format = MatrixFormat::csr};
  const std::vector<EllWarpOptions> variants = all_variants(2, 64);
  std::vector<AssemblyOptions> assemblies = all_assemblies(variants);
  for (const AssemblyOptions& assembly : unrepeatable_assemblies()) assemblies.push_back(assembly);
  for (const AssemblyOptions& assembly : assemblies) {
    problem.assembly = assembly;
    problem.matrix = compressed;
    expect_system_of_the_formulas(assemble(phi));
    for (const EllWarpOptions& variant : variants) {
      SCOPED_TRACE(strategy_name(assembly) + (assembly.through_csr ? " through CSR" : "") + " for " +
                   ell_warp_name(variant));
      problem.matrix = {MatrixFormat::ell_warp, variant, 0};
      expect_system_of_the_formulas(assemble(phi));
    }
  }
}

TEST_F(Assembly, TangentIsTheDerivativeOfTheResidual) {
  std::mt19937 generator(seed + 1);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  constexpr Real d = 1e-5;
  std::vector<Real> direction(phi.size()), up = phi, down = phi;
  for (std::size_t i = 0; i < phi.size(); ++i) {
    direction[i] = uniform(generator);
    up[i] += d * direction[i];
    down[i] -= d * direction[i];
  }
  const std::vector<Real> residual_up = assemble(up).negative_residual,
                          residual_down = assemble(down).negative_residual, matrix = assemble(phi).matrix;
  Real largest = 0;
  for (std::size_t row = 0; row < phi.size(); ++row) {
    Real product = 0;
    for (std::size_t column = 0; column < phi.size(); ++column)
      product += matrix[row * phi.size() + column] * direction[column];
    EXPECT_NEAR(product, (residual_down[row] - residual_up[row]) / (2 * d), 1e-7);
    largest = std::max(largest, std::fabs(product));
  }
  EXPECT_GT(largest, 1.0);
}

TEST_F(Assembly, ANodeOutsideTheModelsRangeGivesNotANumber) {
  phi[7] = -0.31;  // μ2 = 0.3
  for (const AssemblyOptions& assembly : all_assemblies(all_variants(2, 64))) {
    problem.assembly = assembly;
    EXPECT_TRUE(std::isnan(assemble(phi).negative_residual[7]));
  }
}

TEST(Sparsity, KeepsTheEntriesOfARowInTheOrderOfAKey) {
  // the same two tetrahedra; columns by descending number
  const Sparsity sparsity = build_sparsity({{0, 1, 2, 3}, {2, 1, 3, 4}}, 5, {4, 3, 2, 1, 0});
  EXPECT_EQ(sparsity.column, (std::vector<Index>{3, 2, 1, 0, 4, 3, 2, 1, 0, 4, 3, 2, 1, 0, 4, 3, 2, 1, 0, 4, 3, 2, 1}));
  EXPECT_EQ(sparsity.diagonal, (std::vector<Index>{3, 7, 11, 15, 19}));
  EXPECT_EQ(sparsity.incident_slots[7], (Sparsity::Slots{2, 3, 1, 0}));
}

TEST(Sparsity, OfMoreIncidencesThanAnIndexNumbersIsRefusedWithTheNumbers) {
  EXPECT_NO_THROW(require_countable_incidences(536'870'911));
  EXPECT_EQ(test::input_error_of([] { require_countable_incidences(536'870'912); }),
            "mesh too large: 2147483648 element contributions, at most 2147483647 fit");
}

TEST(SpmvAssembly, OfMoreContributionsThanFitIsRefusedWithTheNumbers) {
  EXPECT_NO_THROW(require_slots_fit(4'294'967'295));
  EXPECT_EQ(test::input_error_of([] { require_slots_fit(4'294'967'296); }),
            "mesh too large for assembly.strategy: spmv: 4294967296 stored contributions, at most 4294967295 fit; "
            "scalar_gather takes more");
}

TEST(SpmvAssembly, OneProductForMatrixAndResidualHasTheBitsOfTwo) {
  CpuBackend cpu;
  expect_joint_sums_are_two(cpu, 71);
}

TEST(Sparsity, OfTwoTetrahedraThatShareAFace) {
  // nodes 0..3 and 1..4: row 0 sees 0 1 2 3, rows 1 2 3 see all, row 4 sees 1 2 3 4
  const Sparsity sparsity = build_sparsity({{0, 1, 2, 3}, {2, 1, 3, 4}}, 5);
  EXPECT_EQ(sparsity.row_begin, (std::vector<Index>{0, 4, 9, 14, 19, 23}));
  EXPECT_EQ(sparsity.column, (std::vector<Index>{0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 1, 2, 3, 4}));
  EXPECT_EQ(sparsity.diagonal, (std::vector<Index>{0, 5, 11, 17, 22}));
  EXPECT_EQ(sparsity.incidence.begin, (std::vector<Index>{0, 1, 3, 5, 7, 8}));
  EXPECT_EQ(sparsity.incidence.element, (std::vector<Index>{0, 0, 1, 0, 1, 0, 1, 1}));
  EXPECT_EQ(sparsity.incident_slots[7], (Sparsity::Slots{1, 0, 2, 3}));
}

}  // namespace
}  // namespace cardiowarp
