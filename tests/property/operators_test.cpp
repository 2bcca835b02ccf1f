// The operators without a global matrix against the sum of element matrices: products, the right-hand side and the
// diagonal, for every kind, quadrature and precision.

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "assembly/operators/element_operator.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "meshes/generate.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 17;
constexpr Real epsilon = std::numeric_limits<Real>::epsilon();
constexpr OperatorKind all_kinds[]{OperatorKind::local, OperatorKind::local_full, OperatorKind::matrix_free,
                                   OperatorKind::split};

std::vector<Real> random_values(std::size_t n, unsigned of) {
  std::mt19937 generator(of);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  std::vector<Real> values(n);
  for (Real& value : values) value = uniform(generator);
  return values;
}

/// `tetrahedra` around one edge: each of its two nodes has all of them.
Mesh fan(int tetrahedra) {
  Mesh mesh;
  mesh.nodes = {{0, 0, 0}, {0.1, -0.05, 1}};
  for (int k = 0; k < tetrahedra; ++k) {
    const Real angle = 2 * M_PI * k / tetrahedra, radius = 1 + 0.2 * std::sin(3 * angle);
    mesh.nodes.push_back({radius * std::cos(angle), radius * std::sin(angle), 0.5 + 0.1 * std::cos(2 * angle)});
    mesh.tetrahedra.push_back({0, 2 + k, 2 + (k + 1) % tetrahedra, 1});
  }
  return mesh;
}

/// Two boxes that share no node.
Mesh apart() {
  Mesh mesh = random_mesh({3, 2, 2}, 0.7, seed), other = random_mesh({2, 2, 1}, 0.5, seed + 1);
  const auto nodes = static_cast<Index>(mesh.nodes.size());
  for (const Vector3& node : other.nodes) mesh.nodes.push_back(node + Vector3{9, 0, 0});
  for (const Tetrahedron& corner : other.tetrahedra)
    mesh.tetrahedra.push_back({nodes + corner[0], nodes + corner[1], nodes + corner[2], nodes + corner[3]});
  return mesh;
}

struct NamedMesh {
  std::string name;
  Mesh mesh;
};

std::vector<NamedMesh> all_meshes() {
  Mesh one;
  one.nodes = {{0, 0, 0}, {1, 0.1, 0}, {0, 1, 0.2}, {0.1, 0, 1}};
  one.tetrahedra = {{0, 1, 2, 3}};
  return {{"one tetrahedron", one},
          {"a fan of 41", fan(41)},
          {"two boxes apart", apart()},
          {"a distorted box", random_mesh({5, 4, 3}, 0.6, seed + 2)}};
}

/// What a quadrature has: points at centroids, at vertices.
struct Points {
  bool centroids, vertices;
};
constexpr Points all_points[]{{true, false}, {false, true}, {true, true}};

/// One state of a Newton iteration on a mesh, as numbers at random, and the sums of its elements.
struct Case {
  Case(const Mesh& given, const Points& points)
      : mesh(given),
        sparsity(build_sparsity(mesh.tetrahedra, static_cast<Index>(mesh.nodes.size()))),
        layout(matrix_layout(sparsity, {.format = MatrixFormat::csr})),
        phi(random_values(mesh.nodes.size(), seed + 3)),
        x(random_values(mesh.nodes.size(), seed + 4)) {
    const std::size_t elements = mesh.tetrahedra.size(), nodes = mesh.nodes.size();
    const std::vector<Real> random = random_values(5 * elements + 2 * nodes, seed + 5);
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
    for (std::vector<Real>* vector : {&product, &residual, &diagonal, &size, &residual_size})
      vector->assign(mesh.nodes.size(), 0);
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
          const Real terms = of.volume * norm(of.gradient[i]) * norm(of.gradient[j]) *
                             (diffusivity[e].isotropic + diffusivity[e].anisotropic);
          product[row] += entry * x[column];
          residual[row] += diffusion * phi[column];
          size[row] += (terms + std::fabs(add.tangent)) * std::fabs(x[column]);
          residual_size[row] += terms * std::fabs(phi[column]);
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

  /// The most terms that a row has.
  Real longest() const {
    Index most = 0;
    for (Index node = 0; node < sparsity.rows(); ++node)
      most = std::max(most, sparsity.incidence.begin[node + 1] - sparsity.incidence.begin[node]);
    return 16.0 * most;
  }

  OperatorPlan plan(OperatorKind kind) const {
    OperatorPlan made = operator_plan(kind, mesh, diffusivity, sparsity, layout, adds.empty() ? 0 : 1);
    made.in_single = true;
    return made;
  }

  Mesh mesh;
  Sparsity sparsity;
  MatrixLayout layout;
  std::vector<Real> phi, x;
  std::vector<Diffusivity> diffusivity;
  std::vector<TangentResidual> adds, at_nodes;
  std::vector<Real> product, residual, diagonal;  ///< K x, R, K_ii
  std::vector<Real> size, residual_size;          ///< the sums of the sizes of their terms
};

/// K x and x·K x, −R and 1 / K_ii of an operator.
struct Found {
  std::vector<Real> product, only_product, negative_residual, inverse_diagonal;
  Real dot = 0;
};

template <class Value, class Number>
Found found(const Case& of, OperatorKind kind) {
  CpuBackend backend;
  const std::size_t nodes = of.mesh.nodes.size();
  const OperatorPlan plan = of.plan(kind);
  ElementOperator<CpuBackend> K(backend, plan, of.mesh, of.diffusivity, of.sparsity, of.layout);
  Found result{{}, {}, std::vector<Real>(nodes), std::vector<Real>(nodes)};
  K.assemble(backend, of.adds.empty() ? nullptr : of.adds.data(), of.at_nodes.empty() ? nullptr : of.at_nodes.data(),
             of.phi.data(), result.negative_residual.data(), result.inverse_diagonal.data());
  const std::vector<Value> values(K.value(), K.value() + plan.values());
  const std::vector<Number> x(of.x.begin(), of.x.end());
  std::vector<Number> y(nodes, 7), only(nodes, 7);
  K.multiply_dot(backend, values.data(), x.data(), y.data(), &result.dot);
  K.multiply(backend, values.data(), x.data(), only.data());
  result.product.assign(y.begin(), y.end());
  result.only_product.assign(only.begin(), only.end());
  return result;
}

template <class Value, class Number>
void expect_the_sum_of_element_matrices(Real rounding) {
  for (const NamedMesh& named : all_meshes())
    for (const Points& points : all_points) {
      const Case of(named.mesh, points);
      const Real terms = of.longest();
      for (const OperatorKind kind : all_kinds) {
        SCOPED_TRACE(named.name + ", " + std::string(name_of(kind)) + (points.centroids ? ", centroids" : "") +
                     (points.vertices ? ", vertices" : ""));
        const Found is = found<Value, Number>(of, kind);
        Real dot = 0, dot_size = 0;
        for (std::size_t i = 0; i < of.x.size(); ++i) {
          ASSERT_NEAR(is.product[i], of.product[i], terms * rounding * of.size[i]) << "row " << i;
          ASSERT_EQ(is.product[i], is.only_product[i]);
          ASSERT_NEAR(is.negative_residual[i], -of.residual[i], terms * epsilon * of.residual_size[i]) << "row " << i;
          ASSERT_NEAR(is.inverse_diagonal[i] * of.diagonal[i], 1, terms * 4 * epsilon) << "row " << i;
          dot += of.x[i] * of.product[i];
          dot_size += std::fabs(of.x[i]) * of.size[i];
        }
        EXPECT_NEAR(is.dot, dot, (terms * rounding + static_cast<Real>(of.x.size()) * epsilon) * dot_size);
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
  const int threads = omp_get_max_threads();
  for (const OperatorKind kind : all_kinds) {
    omp_set_num_threads(1);
    const Found one = found<Real, Real>(of, kind);
    omp_set_num_threads(3);
    const Found three = found<Real, Real>(of, kind);
    omp_set_num_threads(threads);
    EXPECT_EQ(one.product, three.product) << name_of(kind);
    EXPECT_EQ(one.dot, three.dot) << name_of(kind);
    EXPECT_EQ(one.negative_residual, three.negative_residual) << name_of(kind);
    EXPECT_EQ(one.inverse_diagonal, three.inverse_diagonal) << name_of(kind);
  }
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
