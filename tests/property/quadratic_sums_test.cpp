// Every assembly and every operator of quadratic tetrahedra against the sum of element matrices: entries, products, the
// right-hand side and the diagonal, on meshes with straight and with curved edges.

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "assembly/operators/quadratic_operator.hpp"
#include "assembly/quadratic_scatter.hpp"
#include "fem/cells/aliev_panfilov.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "meshes/generate.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 29;
constexpr Real epsilon = std::numeric_limits<Real>::epsilon();
constexpr OperatorKind all_kinds[]{OperatorKind::local, OperatorKind::local_full, OperatorKind::matrix_free,
                                   OperatorKind::split};
constexpr QuadraticSums all_sums[]{QuadraticSums::gather, QuadraticSums::elem_color, QuadraticSums::atomics};

std::vector<Real> random_values(std::size_t n, unsigned of) {
  std::mt19937 generator(of);
  std::uniform_real_distribution<Real> uniform(0.1, 0.9);
  std::vector<Real> values(n);
  for (Real& value : values) value = uniform(generator);
  return values;
}

/// `tetrahedra` around one edge: each of its two nodes, and the one between them, has all of them.
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

/// Quadratic tetrahedra with the nodes of their edges moved by up to a twentieth of the edge.
Mesh curved(const Mesh& linear) {
  const std::size_t corners = linear.nodes.size();
  Mesh mesh = quadratic_mesh(linear);
  std::mt19937 generator(seed);
  std::uniform_real_distribution<Real> shift(-1, 1);
  std::vector<Real> length(mesh.nodes.size(), std::numeric_limits<Real>::max());
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
    for (int k = 0; k < 6; ++k)
      length[mesh.edge_nodes[e][k]] =
          norm(mesh.nodes[mesh.tetrahedra[e][edge_corners[k][0]]] - mesh.nodes[mesh.tetrahedra[e][edge_corners[k][1]]]);
  for (std::size_t i = corners; i < mesh.nodes.size(); ++i)
    mesh.nodes[i] = mesh.nodes[i] + (0.03 * length[i]) * Vector3{shift(generator), shift(generator), shift(generator)};
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
  Mesh apart = random_mesh({3, 2, 2}, 1, seed), other = random_mesh({2, 2, 1}, 1, seed + 1);
  const auto nodes = static_cast<Index>(apart.nodes.size());
  for (const Vector3& node : other.nodes) apart.nodes.push_back(node + Vector3{9, 0, 0});
  for (const Tetrahedron& corner : other.tetrahedra)
    apart.tetrahedra.push_back({nodes + corner[0], nodes + corner[1], nodes + corner[2], nodes + corner[3]});
  apart.element_tags.clear();
  apart.fibers.clear();
  return {{"one straight tetrahedron", quadratic_mesh(one)},
          {"one curved tetrahedron", curved(one)},
          {"a fan of 41", curved(fan(41))},
          {"two boxes apart", curved(apart)},
          {"a distorted box", quadratic_mesh(random_mesh({4, 3, 3}, 0.9, seed + 2))}};
}

/// One state of a Newton iteration on a mesh, and the sums of its elements.
struct Case {
  explicit Case(const Mesh& given)
      : mesh(given),
        sparsity(build_quadratic_sparsity(quadratic_nodes_of(mesh), static_cast<Index>(mesh.nodes.size()))),
        layout(matrix_layout(sparsity, {.format = MatrixFormat::csr})),
        points(quadratic_points_of(mesh)),
        cells{{.b = 0.1}, {.b = 0.2}},
        phi(random_values(mesh.nodes.size(), seed + 3)),
        load(random_values(mesh.nodes.size(), seed + 4)),
        x(random_values(mesh.nodes.size(), seed + 5)),
        old(random_values(points.volume.size(), seed + 6)),
        now(points.volume.size()) {
    const std::size_t elements = mesh.tetrahedra.size();
    const std::vector<Real> random = random_values(4 * elements, seed + 7);
    for (std::size_t e = 0; e < elements; ++e) {
      const Real* of = &random[4 * e];
      const Vector3 fiber{of[0], of[1] - 0.5, 1};
      diffusivity.push_back({of[2], of[3], (1 / norm(fiber)) * fiber});
      cell_model.push_back(static_cast<std::uint16_t>(e % 2));
    }
    CpuBackend backend;
    QuadraticPointLoop<CpuBackend, AlievPanfilov> loop(backend, points, cells, cell_model);
    loop.evaluate(backend, state());
    adds.assign(loop.adds(), loop.adds() + points.volume.size());
    sum_elements();
  }

  ElementState state() {
    return {phi.data(), load.data(), old.data(), now.data(), &step, static_cast<Index>(points.volume.size())};
  }

  /// By its definition: a point adds v ∇N_i · D ∇N_j + tangent N_i N_j and v ∇N_i · D ∇φ + residual N_i.
  void sum_elements() {
    matrix.assign(sparsity.entries(), 0);
    entry_size = matrix;
    for (std::vector<Real>* vector : {&product, &residual, &diagonal, &size, &residual_size})
      vector->assign(mesh.nodes.size(), 0);
    constexpr auto rule = fourteen_points();
    for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
      const QuadraticNodes nodes = nodes_of(mesh, e);
      for (int q = 0; q < quadratic_points; ++q) {
        const TangentResidual& add = adds[quadratic_points * e + q];
        const QuadraticGeometry of = quadratic_geometry(positions_of(mesh, e), rule[q].at);
        const auto shape = quadratic_shapes(rule[q].at);
        const Real volume = rule[q].share * of.determinant / 6;
        for (int i = 0; i < quadratic_nodes; ++i) {
          const Index row = nodes[i];
          residual[row] += add.residual * shape[i];
          residual_size[row] += std::fabs(add.residual * shape[i]);
          for (int j = 0; j < quadratic_nodes; ++j) {
            const Index column = nodes[j];
            const Real diffusion = volume * dot(of.gradient[i], diffusivity[e].times(of.gradient[j])),
                       entry = diffusion + add.tangent * shape[i] * shape[j],
                       terms = volume * norm(of.gradient[i]) * norm(of.gradient[j]) *
                                   (diffusivity[e].isotropic + diffusivity[e].anisotropic) +
                               std::fabs(add.tangent * shape[i] * shape[j]);
            const Index at = entry_of(row, column);
            matrix[at] += entry;
            entry_size[at] += terms;
            product[row] += entry * x[column];
            size[row] += terms * std::fabs(x[column]);
            residual[row] += diffusion * phi[column];
            residual_size[row] += terms * std::fabs(phi[column]);
            if (i == j) diagonal[row] += entry;
          }
        }
      }
    }
  }

  Index entry_of(Index row, Index column) const {
    const auto begin = sparsity.column.begin() + sparsity.row_begin[row],
               end = sparsity.column.begin() + sparsity.row_begin[row + 1];
    return static_cast<Index>(std::find(begin, end, column) - sparsity.column.begin());
  }

  /// The most terms that a row has, and what a frame costs.
  Real terms() const {
    Index most = 0;
    for (Index node = 0; node < sparsity.rows(); ++node)
      most = std::max(most, sparsity.incidence.begin[node + 1] - sparsity.incidence.begin[node]);
    return 140.0 * most;
  }

  void expect_system(const std::vector<Real>& negative_residual, const std::vector<Real>& inverse_diagonal) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(negative_residual[i], -residual[i], terms() * epsilon * residual_size[i]) << "row " << i;
      ASSERT_NEAR(inverse_diagonal[i] * diagonal[i], 1, terms() * 4 * epsilon) << "row " << i;
    }
  }

  Mesh mesh;
  Sparsity sparsity;
  MatrixLayout layout;
  QuadraticPoints points;
  std::vector<AlievPanfilov> cells;
  std::vector<std::uint16_t> cell_model;
  std::vector<Diffusivity> diffusivity;
  Real step = 0.05;
  std::vector<Real> phi, load, x, old, now;
  std::vector<TangentResidual> adds;
  std::vector<Real> matrix, product, residual, diagonal;  ///< K, K x, R, K_ii
  std::vector<Real> entry_size, size, residual_size;      ///< the sums of the sizes of their terms
};

/// K x and x·K x, −R and 1 / K_ii of an operator.
struct Found {
  std::vector<Real> product, only_product, negative_residual, inverse_diagonal;
  Real dot = 0;
};

template <class Value, class Number>
Found found(Case& of, OperatorKind kind) {
  CpuBackend backend;
  const std::size_t nodes = of.mesh.nodes.size();
  OperatorPlan plan = quadratic_operator_plan(kind, of.mesh, of.diffusivity, of.sparsity, of.layout);
  plan.in_single = true;
  QuadraticOperator<CpuBackend> K(backend, plan, of.mesh, of.diffusivity, of.sparsity, of.layout);
  QuadraticOperatorAssembly<CpuBackend, AlievPanfilov> assembly(backend, of.points, of.cells, of.cell_model);
  Found result{{}, {}, std::vector<Real>(nodes), std::vector<Real>(nodes)};
  assembly.evaluate_elements(backend, of.state());
  assembly.assemble(backend, K, of.phi.data(), result.negative_residual.data(), result.inverse_diagonal.data());
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
  for (const NamedMesh& named : all_meshes()) {
    Case of(named.mesh);
    for (const OperatorKind kind : all_kinds) {
      SCOPED_TRACE(named.name + ", " + std::string(name_of(kind)));
      const Found is = found<Value, Number>(of, kind);
      of.expect_system(is.negative_residual, is.inverse_diagonal);
      Real dot = 0, dot_size = 0;
      for (std::size_t i = 0; i < of.x.size(); ++i) {
        ASSERT_NEAR(is.product[i], of.product[i], of.terms() * rounding * of.size[i]) << "row " << i;
        ASSERT_EQ(is.product[i], is.only_product[i]);
        dot += of.x[i] * of.product[i];
        dot_size += std::fabs(of.x[i]) * of.size[i];
      }
      EXPECT_NEAR(is.dot, dot, (of.terms() * rounding + static_cast<Real>(of.x.size()) * epsilon) * dot_size);
    }
  }
}

TEST(QuadraticOperators, AreTheSumOfTheMatricesOfTheElements) {
  expect_the_sum_of_element_matrices<Real, Real>(epsilon);
}

TEST(QuadraticOperators, AreThatInMixedAndInSinglePrecisionUpToItsRounding) {
  expect_the_sum_of_element_matrices<float, Real>(std::numeric_limits<float>::epsilon());
  expect_the_sum_of_element_matrices<float, float>(std::numeric_limits<float>::epsilon());
}

TEST(QuadraticOperators, AreTheSameForAnyNumberOfThreads) {
  Case of(curved(random_mesh({5, 4, 3}, 0.7, seed + 2)));
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

TEST(QuadraticOperators, StoreTheNumbersOfAMatrixOrTheTangentsOfThePoints) {
  const Case of(quadratic_mesh(random_mesh({2, 2, 1}, 0.7, seed)));
  const auto elements = static_cast<std::int64_t>(of.mesh.tetrahedra.size());
  const auto values = [&](OperatorKind kind) {
    return quadratic_operator_plan(kind, of.mesh, of.diffusivity, of.sparsity, of.layout).values();
  };
  EXPECT_EQ(values(OperatorKind::local), 55 * elements);
  EXPECT_EQ(values(OperatorKind::local_full), 100 * elements);
  EXPECT_EQ(values(OperatorKind::matrix_free), 14 * elements);
  EXPECT_EQ(values(OperatorKind::split), 14 * elements);
}

/// K in CSR, −R and 1 / K_ii of an assembly.
struct System {
  std::vector<Real> matrix, negative_residual, inverse_diagonal;
  friend bool operator==(const System&, const System&) = default;
};

System assembled(Case& of, const MatrixLayout& layout, QuadraticSums sums, bool general) {
  CpuBackend backend;
  const QuadraticPlan plan = quadratic_plan(sums, general, of.mesh, of.diffusivity, of.sparsity, layout);
  std::unique_ptr<Assembly<CpuBackend>> assembly;
  if (sums == QuadraticSums::gather)
    assembly = std::make_unique<QuadraticAssembly<CpuBackend, AlievPanfilov>>(backend, plan, of.mesh, of.diffusivity,
                                                                              of.cells, of.cell_model);
  else
    assembly = std::make_unique<QuadraticScatter<CpuBackend, AlievPanfilov>>(backend, plan, of.mesh, of.diffusivity,
                                                                             of.cells, of.cell_model);
  const auto K = make_global_matrix(backend, of.sparsity, layout);
  System system{{}, std::vector<Real>(of.x.size(), 3), std::vector<Real>(of.x.size(), 3)};
  for (int call = 0; call < 2; ++call) {  // what the first has left is no part of the second
    assembly->evaluate_elements(backend, of.state());
    assembly->assemble(backend, *K, of.phi.data(), system.negative_residual.data(), system.inverse_diagonal.data());
  }
  for (const std::int64_t slot : layout.slot_of_entry) system.matrix.push_back(K->value()[slot]);
  return system;
}

TEST(QuadraticAssemblies, AreTheSumOfTheMatricesOfTheElements) {
  const MatrixOptions slices{.format = MatrixFormat::ell_warp};
  for (const NamedMesh& named : all_meshes()) {
    Case of(named.mesh);
    for (const MatrixLayout& layout : {of.layout, matrix_layout(of.sparsity, slices)})
      for (const QuadraticSums sums : all_sums)
        for (const bool general : {false, true}) {
          SCOPED_TRACE(named.name + ", " + format_name(layout.options) + ", way " +
                       std::to_string(static_cast<int>(sums)) + (general ? ", general" : ""));
          const System is = assembled(of, layout, sums, general);
          of.expect_system(is.negative_residual, is.inverse_diagonal);
          for (std::size_t e = 0; e < of.matrix.size(); ++e)
            ASSERT_NEAR(is.matrix[e], of.matrix[e], of.terms() * epsilon * of.entry_size[e]) << "entry " << e;
        }
  }
}

TEST(QuadraticAssemblies, RepeatEveryBitWithoutAtomicAdditions) {
  Case of(curved(random_mesh({5, 4, 3}, 0.7, seed + 2)));
  const int threads = omp_get_max_threads();
  for (const QuadraticSums sums : {QuadraticSums::gather, QuadraticSums::elem_color})
    for (const bool general : {false, true}) {
      omp_set_num_threads(1);
      const System one = assembled(of, of.layout, sums, general);
      omp_set_num_threads(3);
      EXPECT_EQ(assembled(of, of.layout, sums, general), one);
      omp_set_num_threads(threads);
    }
}

// A colour has no two elements with a node in common, corner or not.
TEST(QuadraticAssemblies, HaveColoursWithoutNeighbours) {
  const Case of(quadratic_mesh(random_mesh({3, 3, 2}, 0.7, seed)));
  const QuadraticPlan plan =
      quadratic_plan(QuadraticSums::elem_color, false, of.mesh, of.diffusivity, of.sparsity, of.layout);
  ASSERT_EQ(plan.scatter.color_begin.back(), plan.elements());
  for (std::size_t color = 0; color + 1 < plan.scatter.color_begin.size(); ++color) {
    std::vector<int> met(of.mesh.nodes.size(), 0);
    for (Index place = plan.scatter.color_begin[color]; place < plan.scatter.color_begin[color + 1]; ++place)
      for (const Index node : plan.points.nodes[plan.scatter.order[place]]) ASSERT_EQ(met[node]++, 0) << node;
  }
}

}  // namespace
}  // namespace cardiowarp
