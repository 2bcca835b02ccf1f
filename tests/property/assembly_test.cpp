#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "app/backward_euler.hpp"
#include "assembly/diffusion_matrix.hpp"
#include "assembly/scalar_gather.hpp"
#include "assembly/sparsity.hpp"
#include "fem/reaction_element.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/cpu_backend.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 5;
constexpr Real h = 0.05;

/// K and −R of a random state, from the gather and, densely, straight from the formulas of paper 000 Table I.
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
    fill(recovery_old, mesh.tetrahedra.size(), 0, 2);
    for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
      cell_model.push_back(static_cast<std::uint16_t>(e % 2));
      diffusivity.push_back({1 + uniform(generator), uniform(generator), mesh.fibers[e]});
      const Tetrahedron& n = mesh.tetrahedra[e];
      volume.push_back(
          tetrahedron_geometry(mesh.nodes[n[0]], mesh.nodes[n[1]], mesh.nodes[n[2]], mesh.nodes[n[3]]).volume);
    }
  }

  /// −R and K at `at`, by the production path.
  void assemble(const std::vector<Real>& at, std::vector<Real>& negative_residual, std::vector<Real>& value,
                std::vector<Real>& inverse_diagonal) {
    std::vector<Real> recovery = recovery_old, tangent(recovery.size()), residual(recovery.size());
    const std::vector<Real> diffusion = diffusion_matrix(mesh, diffusivity, sparsity);
    value.assign(sparsity.entries(), NAN);
    negative_residual.assign(sparsity.rows(), NAN);
    inverse_diagonal.assign(sparsity.rows(), NAN);
    std::vector<std::uint16_t> diagonal;
    for (Index row = 0; row < sparsity.rows(); ++row)
      diagonal.push_back(static_cast<std::uint16_t>(sparsity.diagonal[row] - sparsity.row_begin[row]));
    CpuBackend backend;
    backend.for_each(
        static_cast<Index>(recovery.size()),
        ReactionElements<AlievPanfilov>{mesh.tetrahedra.data(), volume.data(), cells.data(), cell_model.data(),
                                        at.data(), phi_old.data(), source.data(), recovery_old.data(), recovery.data(),
                                        tangent.data(), residual.data(), h});
    backend.for_each(sparsity.rows(), ScalarGather<CsrView>{{sparsity.rows(), sparsity.row_begin.data(),
                                                             sparsity.column.data(), diffusion.data()},
                                                            diagonal.data(),
                                                            sparsity.incidence_begin.data(),
                                                            sparsity.incident_element.data(),
                                                            sparsity.incident_slots.data(),
                                                            tangent.data(),
                                                            residual.data(),
                                                            at.data(),
                                                            value.data(),
                                                            negative_residual.data(),
                                                            inverse_diagonal.data()});
  }

  std::vector<Real> dense(const std::vector<Real>& value) const {
    const Index n = sparsity.rows();
    std::vector<Real> matrix(std::size_t(n) * n, 0.0);
    for (Index row = 0; row < n; ++row)
      for (Index e = sparsity.row_begin[row]; e < sparsity.row_begin[row + 1]; ++e)
        matrix[row * n + sparsity.column[e]] = value[e];
    return matrix;
  }

  const Mesh mesh = random_mesh({3, 2, 2}, 0.7, seed);
  const Sparsity sparsity = build_sparsity(mesh.tetrahedra, static_cast<Index>(mesh.nodes.size()));
  std::vector<AlievPanfilov> cells{{}, {.alpha = 0.1, .gamma = 0.004, .c = 6}};
  std::vector<std::uint16_t> cell_model;
  std::vector<Diffusivity> diffusivity;
  std::vector<Real> volume, phi, phi_old, source, recovery_old;
};

TEST_F(Assembly, DiffusionOfAConstantIsZeroAndTheMatrixIsSymmetric) {
  const std::vector<Real> value = diffusion_matrix(mesh, diffusivity, sparsity);
  const std::vector<Real> matrix = dense(value);
  const Index n = sparsity.rows();
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
  std::fill(diffusivity.begin(), diffusivity.end(), Diffusivity{2, 3, fiber});
  const std::vector<Real> value = diffusion_matrix(mesh, diffusivity, sparsity);
  const CsrView K{sparsity.rows(), sparsity.row_begin.data(), sparsity.column.data(), value.data()};
  std::vector<Real> x;
  for (const Vector3& node : mesh.nodes) x.push_back(node.x);
  Real energy = 0;
  for (Index row = 0; row < K.rows; ++row) energy += x[row] * row_times_vector(K, row, x.data());
  EXPECT_NEAR(energy, (2 + 3 * 0.36) * 12, 1e-12);
}

TEST_F(Assembly, GatherEqualsTheSumOfElementMatricesAndResiduals) {
  const Index n = sparsity.rows();
  std::vector<Real> K(std::size_t(n) * n, 0.0), R(n, 0.0);
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
    const Tetrahedron& node = mesh.tetrahedra[e];
    const AlievPanfilov& cell = cells[cell_model[e]];
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
    const RecoveryStep r = advance_recovery(cell, phi_q, recovery_old[e], recovery_old[e], h);
    const auto rates = cell.rates(phi_q, r.recovery);
    const Real slope = rates.df_dphi + rates.df_dr * r.slope;
    for (int i = 0; i < 4; ++i) {
      R[node[i]] += G.volume * (((phi_q - phi_q_old) / h - rates.f - source_q) / 4 +
                                dot(G.gradient[i], diffusivity[e].times(gradient)));
      for (int j = 0; j < 4; ++j)
        K[node[i] * n + node[j]] +=
            G.volume * ((1 / h - slope) / 16 + dot(G.gradient[i], diffusivity[e].times(G.gradient[j])));
    }
  }
  std::vector<Real> negative_residual, value, inverse_diagonal;
  assemble(phi, negative_residual, value, inverse_diagonal);
  const std::vector<Real> matrix = dense(value);
  const Real largest = *std::max_element(K.begin(), K.end());
  const Real bound = 24 * 40 * 2.3e-16 * largest;  // up to 24 elements at a node, some 40 operations each
  for (std::size_t k = 0; k < K.size(); ++k) ASSERT_NEAR(matrix[k], K[k], bound);
  for (Index row = 0; row < n; ++row) {
    ASSERT_NEAR(-negative_residual[row], R[row], bound * 24);
    ASSERT_NEAR(inverse_diagonal[row], 1 / K[row * n + row], 1e-12 / K[row * n + row]);
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
  std::vector<Real> residual_up, residual_down, residual, value, unused_value, inverse_diagonal;
  assemble(up, residual_up, unused_value, inverse_diagonal);
  assemble(down, residual_down, unused_value, inverse_diagonal);
  assemble(phi, residual, value, inverse_diagonal);
  const CsrView K{sparsity.rows(), sparsity.row_begin.data(), sparsity.column.data(), value.data()};
  Real largest = 0;
  for (Index row = 0; row < K.rows; ++row) {
    const Real product = row_times_vector(K, row, direction.data());
    EXPECT_NEAR(product, (residual_down[row] - residual_up[row]) / (2 * d), 1e-7);
    largest = std::max(largest, std::fabs(product));
  }
  EXPECT_GT(largest, 1.0);
}

TEST_F(Assembly, ANodeOutsideTheModelsRangeGivesNotANumber) {
  phi[7] = -0.31;  // μ2 = 0.3
  std::vector<Real> negative_residual, value, inverse_diagonal;
  assemble(phi, negative_residual, value, inverse_diagonal);
  EXPECT_TRUE(std::isnan(negative_residual[7]));
}

TEST(Sparsity, OfTwoTetrahedraThatShareAFace) {
  // nodes 0..3 and 1..4: row 0 sees 0 1 2 3, rows 1 2 3 see all, row 4 sees 1 2 3 4
  const Sparsity sparsity = build_sparsity({{0, 1, 2, 3}, {2, 1, 3, 4}}, 5);
  EXPECT_EQ(sparsity.row_begin, (std::vector<Index>{0, 4, 9, 14, 19, 23}));
  EXPECT_EQ(sparsity.column, (std::vector<Index>{0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 1, 2, 3, 4}));
  EXPECT_EQ(sparsity.diagonal, (std::vector<Index>{0, 5, 11, 17, 22}));
  EXPECT_EQ(sparsity.incidence_begin, (std::vector<Index>{0, 1, 3, 5, 7, 8}));
  EXPECT_EQ(sparsity.incident_element, (std::vector<Index>{0, 0, 1, 0, 1, 0, 1, 1}));
  EXPECT_EQ(sparsity.incident_slots[7], (Sparsity::Slots{1, 0, 2, 3}));
}

}  // namespace
}  // namespace cardiowarp
