// The operators without a global matrix and SSOR on a GPU: loops are those of the CPU, so that the results are too, up
// to the order of sums, and the same in every run.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "assembly/build_sparsity.hpp"
#include "assembly/formats.cuh"
#include "assembly/operators/element_operator.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "solver/preconditioners/ssor_cg.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/random_symmetric.hpp"

namespace cardiowarp {
namespace {

using OperatorsOnAGpu = GpuTest;
using SsorOnAGpu = GpuTest;

constexpr Real epsilon = std::numeric_limits<Real>::epsilon();

template <Backend B, class T>
std::vector<T> downloaded(B& backend, const Buffer<T>& from) {
  std::vector<T> host(from.size());
  backend.download(static_cast<const T*>(from.data()), std::span<T>(host));
  return host;
}

/// K x, x·K x, −R and 1 / K_ii of an operator.
struct Found {
  std::vector<Real> product, negative_residual, inverse_diagonal;
  Real dot = 0;
};

template <Backend B>
Found found(B& backend, OperatorKind kind, const Mesh& mesh) {
  const Sparsity sparsity = build_sparsity(mesh.tetrahedra, static_cast<Index>(mesh.nodes.size()));
  const MatrixLayout layout = matrix_layout(sparsity, {.format = MatrixFormat::csr});
  std::vector<Diffusivity> diffusivity;
  std::vector<TangentResidual> adds, at_nodes;
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
    diffusivity.push_back({1, 0.5, mesh.fibers[e]});
    adds.push_back({1 + 0.1 * std::sin(e), std::cos(e)});
  }
  std::vector<Real> x(mesh.nodes.size()), phi(mesh.nodes.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::sin(7.0 * i);
    phi[i] = std::cos(5.0 * i);
    at_nodes.push_back({2 + std::sin(i), std::cos(i)});
  }
  const OperatorPlan plan = operator_plan(kind, mesh, diffusivity, sparsity, layout, 0.2);
  ElementOperator<B> K(backend, plan, mesh, diffusivity, sparsity, layout);
  const auto of_elements = uploaded(backend, adds), of_nodes = uploaded(backend, at_nodes);
  const Buffer<Real> on_x = uploaded(backend, x), on_phi = uploaded(backend, phi),
                     y = backend.template allocate<Real>(x.size()), r = backend.template allocate<Real>(x.size()),
                     inverse = backend.template allocate<Real>(x.size()), dot = backend.template allocate<Real>(1);
  K.assemble(backend, of_elements.data(), of_nodes.data(), on_phi.data(), r.data(), inverse.data());
  K.multiply_dot(backend, static_cast<const Real*>(K.value()), static_cast<const Real*>(on_x.data()), y.data(),
                 dot.data());
  return {downloaded(backend, y), downloaded(backend, r), downloaded(backend, inverse),
          backend.read(static_cast<const Real*>(dot.data()))};
}

Real largest(const std::vector<Real>& values) {
  Real most = 0;
  for (const Real value : values) most = std::max(most, std::fabs(value));
  return most;
}

void expect_near(const std::vector<Real>& values, const std::vector<Real>& expected, Real tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], expected[i], tolerance) << "row " << i;
}

TEST_F(OperatorsOnAGpu, AreThoseOfTheCpuAndTheSameInEveryRun) {
  CpuBackend cpu;
  CudaBackend gpu;
  for (const Real edge_mm : {2.0, 0.4}) {
    const Mesh mesh = random_mesh({6, 4, 4}, edge_mm, 3);
    for (const OperatorKind kind :
         {OperatorKind::local, OperatorKind::local_full, OperatorKind::matrix_free, OperatorKind::split}) {
      SCOPED_TRACE(name_of(kind));
      const Found expected = found(cpu, kind, mesh), here = found(gpu, kind, mesh), again = found(gpu, kind, mesh);
      // A row has at most 44 elements of 16 terms.
      constexpr Real terms = 44 * 16;
      expect_near(here.product, expected.product, terms * epsilon * largest(expected.product));
      expect_near(here.negative_residual, expected.negative_residual,
                  terms * epsilon * largest(expected.negative_residual));
      expect_near(here.inverse_diagonal, expected.inverse_diagonal,
                  terms * epsilon * largest(expected.inverse_diagonal));
      EXPECT_NEAR(here.dot, expected.dot,
                  terms * epsilon * static_cast<Real>(mesh.nodes.size()) * largest(expected.product));
      EXPECT_EQ(here.product, again.product);
      EXPECT_EQ(here.negative_residual, again.negative_residual);
      EXPECT_EQ(here.dot, again.dot);
    }
  }
}

/// A matrix in compressed rows in backend memory.
struct Product {
  CsrView A;
  template <Backend B>
  void multiply_dot(B& backend, const Real* p, Real* q, Real* pq) const {
    backend.for_each(A.rows, RowsTimesVector<CsrView>{A, p, q});
    backend.template sum<1>(A.rows, pq, EisenstatDot{p, q});
  }
};

/// x of A x = b by Eisenstat's trick, and by sweeps beside a product.
template <Backend B>
struct Solved {
  Solved(B& backend, const RandomSymmetric& A, bool by_eisenstat) {
    const CsrPattern pattern{A.row_begin, A.column};
    const ColoredHalves halves = colored_halves(pattern, A.slot, greedy_colors(pattern));
    const std::vector<Real> given = random_values(pattern.rows(), 5);
    const Buffer<Real> value = uploaded(backend, A.value), b = uploaded(backend, given),
                       solution = backend.template allocate<Real>(given.size());
    const Buffer<Index> row_begin = uploaded(backend, A.row_begin), column = uploaded(backend, A.column);
    const Buffer<CgState> state = backend.template allocate<CgState>(1);
    if (by_eisenstat) {
      EisenstatCg<B, Real> cg(backend, halves, value.data(), false,
                              {pattern.rows(), b.data(), solution.data(), state.data()});
      cg.solve(backend, {1e-12, 500});
    } else {
      const Product product{{pattern.rows(), row_begin.data(), column.data(), value.data()}};
      SsorPreconditioner<B, Real> M(backend, pattern.rows(), halves, value.data(), false);
      M.follow_matrix();
      ConjugateGradient<B, Product, PreparedZ<Real>> cg(backend, product, M.preconditioner(),
                                                        {pattern.rows(), b.data(), solution.data(), state.data()});
      cg.solve(backend, {1e-12, 500});
    }
    x = downloaded(backend, solution);
    report = backend.read(static_cast<const CgState*>(state.data())).report;
  }
  std::vector<Real> x;
  CgReport report;
};

TEST_F(SsorOnAGpu, IsThatOfTheCpuAndTheSameInEveryRun) {
  CpuBackend cpu;
  CudaBackend gpu;
  for (const Index rows : {1, 31, 32, 33, 2049, 50021}) {
    const RandomSymmetric A(rows, 13, 7);
    for (const bool by_eisenstat : {false, true}) {
      SCOPED_TRACE(std::to_string(rows) + (by_eisenstat ? " rows, eisenstat" : " rows, sweeps"));
      const Solved<CpuBackend> expected(cpu, A, by_eisenstat);
      const Solved<CudaBackend> here(gpu, A, by_eisenstat), again(gpu, A, by_eisenstat);
      EXPECT_EQ(here.report.status, CgStatus::converged);
      EXPECT_EQ(here.report.iterations, expected.report.iterations);
      // Both are 1e-12 of |b| away from the solution; the eigenvalues of D⁻¹ A are in [0.2, 1.8].
      expect_near(here.x, expected.x, 1e-11 * largest(expected.x));
      EXPECT_EQ(here.x, again.x);
    }
  }
}

}  // namespace
}  // namespace cardiowarp
