// The operators without a global matrix against the sum of element matrices: products, the right-hand side and the
// diagonal, for every kind, quadrature and precision.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "assembly/build_sparsity.hpp"
#include "assembly/operators/element_operator.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "meshes/generate.hpp"
#include "tests/support/element_sums.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 17;

std::vector<NamedMesh> all_meshes() {
  return {{"one tetrahedron", one_tetrahedron()},
          {"a fan of 41", fan(41)},
          {"two boxes apart", apart(random_mesh({3, 2, 2}, 0.7, seed), random_mesh({2, 2, 1}, 0.5, seed + 1))},
          {"a distorted box", random_mesh({5, 4, 3}, 0.6, seed + 2)}};
}

/// What a quadrature has: points at centroids, at vertices.
struct Points {
  bool centroids, vertices;
};
constexpr Points all_points[]{{true, false}, {false, true}, {true, true}};

/// One state of a Newton iteration on a mesh, as numbers at random, and the sums of its elements.
struct Case : ExpectedSums {
  Case(const Mesh& given, const Points& points)
      : mesh(given),
        sparsity(build_sparsity(mesh.tetrahedra, static_cast<Index>(mesh.nodes.size()))),
        layout(matrix_layout(sparsity, {.format = MatrixFormat::csr})),
        phi(random_values(mesh.nodes.size(), seed + 3, -1, 1)) {
    x = random_values(mesh.nodes.size(), seed + 4, -1, 1);
    terms = 16.0 * most_elements(sparsity);
    const std::size_t elements = mesh.tetrahedra.size(), nodes = mesh.nodes.size();
    const std::vector<Real> random = random_values(5 * elements + 2 * nodes, seed + 5, -1, 1);
    for (std::size_t e = 0; e < elements; ++e) {
      const Real* of = &random[5 * e];
      const Vector3 fiber{of[0], of[1], 1};
      diffusivity.push_back({0.1 + of[2] * of[2], of[3] * of[3], (1 / norm(fiber)) * fiber});
      adds.push_back({of[4] + 1.5, of[3]});
    }
    for (std::size_t i = 0; i < nodes; ++i)
      at_nodes.push_back({random[5 * elements + 2 * i] + 1.5, random[5 * elements + 2 * i + 1]});
    if (!points.centroids) adds.clear();
    if (!points.vertices) at_nodes.clear();
    sum_elements();
  }

  /// By its definition: an element adds V G_i · D G_j + tangent, a node its own tangent to the diagonal.
  void sum_elements() {
    begin(mesh.nodes.size());
    for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
      const TetrahedronGeometry of = tetrahedron_geometry(mesh.nodes, mesh.tetrahedra[e]);
      const TangentResidual add = adds.empty() ? TangentResidual{} : adds[e];
      for (int i = 0; i < 4; ++i) {
        const Index row = mesh.tetrahedra[e][i];
        residual[row] += add.residual;
        residual_size[row] += std::fabs(add.residual);
        for (int j = 0; j < 4; ++j) {
          const Index column = mesh.tetrahedra[e][j];
          const Vector3 flux = diffusivity[e].times(of.gradient[j]);
          const Real diffusion = of.volume * dot(of.gradient[i], flux), entry = diffusion + add.tangent;
          // What rounding acts on: the terms of the dot product, not what is left of them.
          const Real of_entry = of.volume * norm(of.gradient[i]) * norm(of.gradient[j]) *
                                (diffusivity[e].isotropic + diffusivity[e].anisotropic);
          product[row] += entry * x[column];
          residual[row] += diffusion * phi[column];
          size[row] += (of_entry + std::fabs(add.tangent)) * std::fabs(x[column]);
          residual_size[row] += of_entry * std::fabs(phi[column]);
          if (i == j) diagonal[row] += entry;
        }
      }
    }
    if (at_nodes.empty()) return;
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
      product[i] += at_nodes[i].tangent * x[i];
      size[i] += std::fabs(at_nodes[i].tangent * x[i]);
      diagonal[i] += at_nodes[i].tangent;
      residual[i] += at_nodes[i].residual;
      residual_size[i] += std::fabs(at_nodes[i].residual);
    }
  }

  OperatorPlan plan(OperatorKind kind) const {
    OperatorPlan made = operator_plan(kind, mesh, diffusivity, sparsity, layout, adds.empty() ? 0 : 1);
    made.in_single = true;
    return made;
  }

  Mesh mesh;
  Sparsity sparsity;
  MatrixLayout layout;
  std::vector<Real> phi;
  std::vector<Diffusivity> diffusivity;
  std::vector<TangentResidual> adds, at_nodes;
};

template <class Value, class Number>
Found found(const Case& of, OperatorKind kind) {
  CpuBackend backend;
  const OperatorPlan plan = of.plan(kind);
  ElementOperator<CpuBackend> K(backend, plan, of.mesh, of.diffusivity, of.sparsity, of.layout);
  return found_by<Value, Number>(backend, K, plan.values(), of.x,
                                 [&](auto& matrix, Real* negative_residual, Real* inverse_diagonal) {
                                   matrix.assemble(backend, of.adds.empty() ? nullptr : of.adds.data(),
                                                   of.at_nodes.empty() ? nullptr : of.at_nodes.data(), of.phi.data(),
                                                   negative_residual, inverse_diagonal);
                                 });
}

template <class Value, class Number>
void expect_the_sum_of_element_matrices(Real rounding) {
  for (const NamedMesh& named : all_meshes())
    for (const Points& points : all_points) {
      const Case of(named.mesh, points);
      for (const OperatorKind kind : all_kinds) {
        SCOPED_TRACE(named.name + ", " + std::string(name_of(kind)) + (points.centroids ? ", centroids" : "") +
                     (points.vertices ? ", vertices" : ""));
        expect_sums(found<Value, Number>(of, kind), of, rounding);
      }
    }
}

TEST(Operators, AreTheSumOfTheMatricesOfTheElements) { expect_the_sum_of_element_matrices<Real, Real>(epsilon); }

TEST(Operators, AreThatInMixedAndInSinglePrecisionUpToItsRounding) {
  expect_the_sum_of_element_matrices<float, Real>(std::numeric_limits<float>::epsilon());
  expect_the_sum_of_element_matrices<float, float>(std::numeric_limits<float>::epsilon());
}

TEST(Operators, AreTheSameForAnyNumberOfThreads) {
  const Case of(random_mesh({9, 7, 6}, 0.5, seed + 2), {true, true});
  expect_no_difference_of_threads([&](OperatorKind kind) { return found<Real, Real>(of, kind); });
}

TEST(Operators, StoreTenOrSixteenNumbersOfAnElementOrOne) {
  const Case of(random_mesh({2, 2, 1}, 0.7, seed), {true, false});
  const auto elements = static_cast<std::int64_t>(of.mesh.tetrahedra.size());
  const auto nodes = static_cast<std::int64_t>(of.mesh.nodes.size());
  EXPECT_EQ(of.plan(OperatorKind::local).values(), 10 * elements + nodes);
  EXPECT_EQ(of.plan(OperatorKind::local_full).values(), 16 * elements + nodes);
  EXPECT_EQ(of.plan(OperatorKind::matrix_free).values(), elements + nodes);
  EXPECT_EQ(of.plan(OperatorKind::split).values(), elements + nodes);
}

}  // namespace
}  // namespace cardiowarp
