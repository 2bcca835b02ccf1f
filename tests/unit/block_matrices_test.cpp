// The matrices of a mesh with two and three unknowns a node, against what their equations say of known fields.

#include "app/bench/block_matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "fem/tetrahedron.hpp"
#include "tests/support/random_csr.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

using Reals = std::vector<Real>;

constexpr unsigned seed = 5;
constexpr Vector3 size_mm{3, 2, 1};
constexpr Real volume_mm3 = 6;

/// An irregular box and its nodes in the order of its matrices.
struct Box {
  Mesh mesh = random_mesh(size_mm, 0.5, seed);
  std::vector<Vector3> nodes = in_local_order(mesh).nodes;
};

/// A x, and Σ|a x| of each row with which its rounding is measured.
struct Product {
  Product(const BenchMatrix& A, const Reals& x) : y(x.size()), magnitude(x.size()) {
    for (Index row = 0; row < A.rows(); ++row)
      for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e) {
        y[row] += A.value[e] * x[A.column[e]];
        magnitude[row] += std::abs(A.value[e] * x[A.column[e]]);
      }
  }
  Reals y, magnitude;
};

Real dot(const Reals& a, const Reals& b) { return std::inner_product(a.begin(), a.end(), b.begin(), Real{0}); }
Real energy(const BenchMatrix& A, const Reals& x) { return dot(x, Product(A, x).y); }

/// Of an entry that adds up to 24 terms of about 20 roundings each, in sums over a row.
constexpr Real bound = 1000 * std::numeric_limits<Real>::epsilon();

void expect_symmetric_in_full_blocks(const BenchMatrix& A, const BenchMatrix& one_unknown, Index unknowns) {
  ASSERT_EQ(A.unknowns, unknowns);
  ASSERT_EQ(A.rows(), unknowns * one_unknown.rows());
  ASSERT_EQ(A.entries(), std::int64_t{unknowns} * unknowns * one_unknown.entries());
  std::vector<Reals> dense(A.rows(), Reals(A.rows()));
  for (Index row = 0; row < A.rows(); ++row) {
    const Index node = row / unknowns, first = one_unknown.row_begin[node];
    ASSERT_EQ(A.row_begin[row + 1] - A.row_begin[row], unknowns * (one_unknown.row_begin[node + 1] - first));
    for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e) {
      const Index k = e - A.row_begin[row];
      ASSERT_EQ(A.column[e], unknowns * one_unknown.column[first + k / unknowns] + k % unknowns);
      dense[row][A.column[e]] = A.value[e];
    }
  }
  for (Index i = 0; i < A.rows(); ++i)
    for (Index j = 0; j < i; ++j)
      ASSERT_NEAR(dense[i][j], dense[j][i], bound * std::max(dense[i][i], dense[j][j])) << i << ", " << j;
}

/// [3 nodes] The field u(x) at each node.
template <class Field>
Reals displacement(const std::vector<Vector3>& nodes, const Field& field) {
  Reals u;
  for (const Vector3& node : nodes) {
    const Vector3 at = field(node);
    u.insert(u.end(), {at.x, at.y, at.z});
  }
  return u;
}

TEST(Elasticity, IsSymmetricInFullBlocksNodeByNode) {
  const Box box;
  expect_symmetric_in_full_blocks(elasticity_matrix("box", box.mesh), mesh_matrix("box", box.mesh), 3);
}

TEST(Elasticity, HasNoForcesInARigidMotion) {
  const Box box;
  const BenchMatrix K = elasticity_matrix("box", box.mesh);
  const std::vector<Vector3> axes{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const Vector3& axis : axes)
    for (const bool turns : {false, true}) {
      const Reals u = displacement(box.nodes, [&](Vector3 x) { return turns ? cross(axis, x) : axis; });
      const Product force(K, u);
      for (std::size_t row = 0; row < u.size(); ++row)
        ASSERT_NEAR(force.y[row], 0, bound * force.magnitude[row]) << "row " << row;
    }
}

/// uᵀ K u is twice the energy: (λ + 2 μ) V of a stretch by 1, μ V of a shear by 1, 9 λ + 6 μ in all of a swelling.
TEST(Elasticity, HasTheEnergyOfAHomogeneousStrain) {
  const Box box;
  const Real E = 7, nu = 0.25, lambda = 2.8, mu = 2.8;  // E ν / ((1 + ν)(1 − 2ν)) and E / (2 (1 + ν))
  const BenchMatrix K = elasticity_matrix("box", box.mesh, {.young_modulus_kpa = E, .poisson_ratio = nu});
  const auto energy_of = [&](const auto& field) { return energy(K, displacement(box.nodes, field)); };
  EXPECT_NEAR(energy_of([](Vector3 x) { return Vector3{x.x, 0, 0}; }), (lambda + 2 * mu) * volume_mm3, 1e-10);
  EXPECT_NEAR(energy_of([](Vector3 x) { return Vector3{0, 0, x.z}; }), (lambda + 2 * mu) * volume_mm3, 1e-10);
  EXPECT_NEAR(energy_of([](Vector3 x) { return Vector3{x.y, 0, 0}; }), mu * volume_mm3, 1e-10);
  EXPECT_NEAR(energy_of([](Vector3 x) { return x; }), (9 * lambda + 6 * mu) * volume_mm3, 1e-10);
  const BenchMatrix stiffer =
      elasticity_matrix("box", box.mesh, {.young_modulus_kpa = E, .poisson_ratio = 0.4});  // λ = 10, μ = 2.5
  EXPECT_NEAR(energy(stiffer, displacement(box.nodes,
                                           [](Vector3 x) {
                                             return Vector3{0, x.y, 0};
                                           })),
              15 * volume_mm3, 1e-10);
}

TEST(Elasticity, IsPositiveSemidefinite) {
  const Box box;
  const BenchMatrix K = elasticity_matrix("box", box.mesh);
  for (unsigned k = 0; k < 50; ++k) EXPECT_GT(energy(K, random_values(K.rows(), seed + k)), 0) << "seed " << seed + k;
}

/// [2 nodes] v and u at each node.
Reals two_fields(const Reals& v, const Reals& u) {
  Reals both;
  for (std::size_t node = 0; node < v.size(); ++node) both.insert(both.end(), {v[node], u[node]});
  return both;
}

TEST(Bidomain, IsSymmetricInFullBlocksNodeByNode) {
  const Box box;
  expect_symmetric_in_full_blocks(bidomain_matrix("box", box.mesh), mesh_matrix("box", box.mesh), 2);
}

/// By Cholesky's factorization, whose pivots are positive for such matrices alone.
TEST(Bidomain, IsPositiveDefinite) {
  const Box box;
  for (const BidomainMedium& medium : {BidomainMedium{}, BidomainMedium{1, 0.1, 10}}) {
    const BenchMatrix A = bidomain_matrix("box", box.mesh, medium);
    std::vector<Reals> L(A.rows(), Reals(A.rows()));
    for (Index row = 0; row < A.rows(); ++row)
      for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e) L[row][A.column[e]] = A.value[e];
    for (Index j = 0; j < A.rows(); ++j) {
      const Real diagonal = L[j][j];
      for (Index k = 0; k < j; ++k) L[j][j] -= L[j][k] * L[j][k];
      ASSERT_GT(L[j][j], 1e-9 * diagonal) << "pivot " << j;
      L[j][j] = std::sqrt(L[j][j]);
      for (Index i = j + 1; i < A.rows(); ++i) {
        for (Index k = 0; k < j; ++k) L[i][j] -= L[i][k] * L[j][k];
        L[i][j] /= L[j][j];
      }
    }
  }
}

/// Of fields that are 0 at the first node, which is joined to ground: v M v / h + ∇(v + u) D_i ∇(v + u) + ∇u D_e ∇u.
TEST(Bidomain, HasTheEnergyOfLinearPotentials) {
  const Box box;
  const BidomainMedium medium{.intracellular_mm2_per_ms = 0.3, .extracellular_mm2_per_ms = 0.7, .step_ms = 0.25};
  const BenchMatrix A = bidomain_matrix("box", box.mesh, medium);
  Reals x, minus_x, mass(box.nodes.size());
  for (const Vector3& node : box.nodes) {
    x.push_back(node.x - box.nodes[0].x);
    minus_x.push_back(-x.back());
  }
  const Mesh ordered = in_local_order(box.mesh);
  for (const Tetrahedron& corner : ordered.tetrahedra)
    for (const Index node : corner) mass[node] += tetrahedron_geometry(ordered.nodes, corner).volume / 4;
  Real stored = 0;
  for (std::size_t node = 0; node < x.size(); ++node) stored += mass[node] * x[node] * x[node] / medium.step_ms;
  const Reals none(x.size());
  EXPECT_NEAR(energy(A, two_fields(x, none)), stored + 0.3 * volume_mm3, 1e-10);
  EXPECT_NEAR(energy(A, two_fields(none, x)), (0.3 + 0.7) * volume_mm3, 1e-10);
  EXPECT_NEAR(energy(A, two_fields(x, minus_x)), stored + 0.7 * volume_mm3, 1e-10);
  EXPECT_NEAR(energy(A, two_fields(x, x)), stored + (4 * 0.3 + 0.7) * volume_mm3, 1e-10);
}

TEST(Bidomain, AConstantExtracellularPotentialHasACurrentToGroundAlone) {
  const Box box;
  const BenchMatrix A = bidomain_matrix("box", box.mesh);
  const Product current(A, two_fields(Reals(box.nodes.size()), Reals(box.nodes.size(), 1)));
  for (Index row = 0; row < A.rows(); ++row) {
    if (row == 1)
      EXPECT_GT(current.y[row], 1e-3 * current.magnitude[row]);
    else
      EXPECT_NEAR(current.y[row], 0, bound * current.magnitude[row]) << row;
  }
}

TEST(BlockMatrices, TheNumberOfUnknownsSaysWhichMatrixAMeshHas) {
  const Box box;
  EXPECT_EQ(mesh_matrix("box", box.mesh, 1).value, mesh_matrix("box", box.mesh).value);
  EXPECT_EQ(mesh_matrix("box", box.mesh, 2).value, bidomain_matrix("box", box.mesh).value);
  EXPECT_EQ(mesh_matrix("box", box.mesh, 3).value, elasticity_matrix("box", box.mesh).value);
}

}  // namespace
}  // namespace cardiowarp
