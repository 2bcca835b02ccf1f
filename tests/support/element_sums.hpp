#pragma once
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "assembly/global_matrix.hpp"
#include "assembly/operators/operator_kind.hpp"
#include "assembly/sparsity.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {

// What the tests have in common that hold operators and assemblies against the sum of element matrices: meshes, random
// values, and the comparison of an operator with what its case has summed.

inline constexpr Real epsilon = std::numeric_limits<Real>::epsilon();
inline constexpr OperatorKind all_kinds[]{OperatorKind::local, OperatorKind::local_full, OperatorKind::matrix_free,
                                          OperatorKind::split};

inline std::vector<Real> random_values(std::size_t n, unsigned seed, Real low, Real high) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<Real> uniform(low, high);
  std::vector<Real> values(n);
  for (Real& value : values) value = uniform(generator);
  return values;
}

/// `tetrahedra` around one edge: each of its two nodes has all of them.
inline Mesh fan(int tetrahedra) {
  Mesh mesh;
  mesh.nodes = {{0, 0, 0}, {0.1, -0.05, 1}};
  for (int k = 0; k < tetrahedra; ++k) {
    const Real angle = 2 * M_PI * k / tetrahedra, radius = 1 + 0.2 * std::sin(3 * angle);
    mesh.nodes.push_back({radius * std::cos(angle), radius * std::sin(angle), 0.5 + 0.1 * std::cos(2 * angle)});
    mesh.tetrahedra.push_back({0, 2 + k, 2 + (k + 1) % tetrahedra, 1});
  }
  return mesh;
}

inline Mesh one_tetrahedron() {
  Mesh one;
  one.nodes = {{0, 0, 0}, {1, 0.1, 0}, {0, 1, 0.2}, {0.1, 0, 1}};
  one.tetrahedra = {{0, 1, 2, 3}};
  return one;
}

/// Two meshes that share no node, in one.
inline Mesh apart(Mesh mesh, const Mesh& other) {
  const auto nodes = static_cast<Index>(mesh.nodes.size());
  for (const Vector3& node : other.nodes) mesh.nodes.push_back(node + Vector3{9, 0, 0});
  for (const Tetrahedron& corner : other.tetrahedra)
    mesh.tetrahedra.push_back({nodes + corner[0], nodes + corner[1], nodes + corner[2], nodes + corner[3]});
  mesh.element_tags.clear();
  mesh.fibers.clear();
  return mesh;
}

/// The most elements that a node has.
inline Index most_elements(const Sparsity& sparsity) {
  Index most = 0;
  for (Index node = 0; node < sparsity.rows(); ++node)
    most = std::max(most, sparsity.incidence.begin[node + 1] - sparsity.incidence.begin[node]);
  return most;
}

struct NamedMesh {
  std::string name;
  Mesh mesh;
};

/// A matrix and a right-hand side as sums over the elements, each with the sum of the sizes of its terms.
struct ExpectedSums {
  std::vector<Real> x;
  std::vector<Real> product, residual, diagonal;  ///< K x, R, K_ii
  std::vector<Real> size, residual_size;          ///< of the terms of the first two
  Real terms = 0;                                 ///< the most that a row has

  void begin(std::size_t nodes) {
    for (std::vector<Real>* vector : {&product, &residual, &diagonal, &size, &residual_size}) vector->assign(nodes, 0);
  }
  void expect_system(const std::vector<Real>& negative_residual, const std::vector<Real>& inverse_diagonal) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(negative_residual[i], -residual[i], terms * epsilon * residual_size[i]) << "row " << i;
      ASSERT_NEAR(inverse_diagonal[i] * diagonal[i], 1, terms * 4 * epsilon) << "row " << i;
    }
  }
};

/// K x and x·K x, −R and 1 / K_ii of an operator.
struct Found {
  std::vector<Real> product, only_product, negative_residual, inverse_diagonal;
  Real dot = 0;
};

/// What an operator makes of `in`, with −R and 1 / K_ii by assemble(K, negative_residual, inverse_diagonal).
template <class Value, class Number, class Operator, class Assemble>
Found found_by(CpuBackend& backend, Operator& K, std::int64_t stored, const std::vector<Real>& in,
               const Assemble& assemble) {
  const std::size_t nodes = in.size();
  Found result{{}, {}, std::vector<Real>(nodes), std::vector<Real>(nodes)};
  assemble(K, result.negative_residual.data(), result.inverse_diagonal.data());
  const std::vector<Value> values(K.value(), K.value() + stored);
  const std::vector<Number> x(in.begin(), in.end());
  std::vector<Number> y(nodes, 7), only(nodes, 7);
  K.multiply_dot(backend, values.data(), x.data(), y.data(), &result.dot);
  K.multiply(backend, values.data(), x.data(), only.data());
  result.product.assign(y.begin(), y.end());
  result.only_product.assign(only.begin(), only.end());
  return result;
}

/// `rounding` is the epsilon of the precision in which the operator multiplies.
inline void expect_sums(const Found& is, const ExpectedSums& of, Real rounding) {
  of.expect_system(is.negative_residual, is.inverse_diagonal);
  Real dot = 0, dot_size = 0;
  for (std::size_t i = 0; i < of.x.size(); ++i) {
    ASSERT_NEAR(is.product[i], of.product[i], of.terms * rounding * of.size[i]) << "row " << i;
    ASSERT_EQ(is.product[i], is.only_product[i]);
    dot += of.x[i] * of.product[i];
    dot_size += std::fabs(of.x[i]) * of.size[i];
  }
  EXPECT_NEAR(is.dot, dot, (of.terms * rounding + static_cast<Real>(of.x.size()) * epsilon) * dot_size);
}

/// What call(kind) finds has the same bits with one thread and with three, for every kind of operator.
template <class Call>
void expect_no_difference_of_threads(const Call& call) {
  const int threads = omp_get_max_threads();
  for (const OperatorKind kind : all_kinds) {
    omp_set_num_threads(1);
    const Found one = call(kind);
    omp_set_num_threads(3);
    const Found three = call(kind);
    omp_set_num_threads(threads);
    EXPECT_EQ(one.product, three.product) << name_of(kind);
    EXPECT_EQ(one.dot, three.dot) << name_of(kind);
    EXPECT_EQ(one.negative_residual, three.negative_residual) << name_of(kind);
    EXPECT_EQ(one.inverse_diagonal, three.inverse_diagonal) << name_of(kind);
  }
}

}  // namespace cardiowarp
