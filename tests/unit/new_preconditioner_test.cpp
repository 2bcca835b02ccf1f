// A preconditioner that nobody knows but this file: its plan and its make() are all that a solver asks for.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/sparse/csr.hpp"
#include "solver/preconditioned_solver.hpp"
#include "tests/support/random_csr.hpp"
#include "tests/support/random_symmetric.hpp"
#include "tests/support/solver_for.hpp"

namespace cardiowarp {
namespace {

/// M = D / 2: conjugate gradients take the iterations that they take with Jacobi.
template <Backend B>
class HalfOfTheDiagonal final : public PreparesZ {
 public:
  HalfOfTheDiagonal(B& backend, Index rows, const Real* inverse_diagonal, int* follows)
      : inverse_diagonal_(inverse_diagonal), follows_(follows), z_(backend.template allocate<Real>(rows)) {}
  void follow_matrix(const CgState* /*last_solve*/) { ++*follows_; }
  void apply(const Real* r) const override {
    for (std::size_t i = 0; i < z_.size(); ++i) z_.data()[i] = 2 * inverse_diagonal_[i] * r[i];
  }
  PreparedZ<Real> preconditioner() const { return {this, z_.data(), nullptr}; }

 private:
  const Real* inverse_diagonal_;
  int* follows_;
  Buffer<Real> z_;
};

struct HalfPlan {
  int* follows;
  template <Backend B, class Value>
  auto make(B& backend, const MatrixToPrecondition<Value>& matrix) const {
    return HalfOfTheDiagonal<B>(backend, matrix.rows, matrix.inverse_diagonal, follows);
  }
};

/// Compressed rows as a test's matrix multiplies.
struct Csr {
  CsrView A;
  template <class Value, class Number>
  CsrViewOf<Value> with(const Value* values) const {
    return {A.rows, A.row_begin, A.column, values};
  }
  template <class Value, class Number>
  void multiply(CpuBackend& backend, const Value* values, const Number* x, Number* y) const {
    backend.for_each(A.rows, RowsTimesVector<CsrViewOf<Value>, Number>{with<Value, Number>(values), x, y});
  }
  template <class Value, class Number>
  void multiply_dot(CpuBackend& backend, const Value* values, const Number* p, Number* q, Real* pq) const {
    CsrProduct<Value>{with<Value, Number>(values)}.multiply_dot(backend, p, q, pq);
  }
  template <class Value, class Number>
  void absolute_row_sums(CpuBackend& backend, const Value* values, Number* y) const {
    backend.for_each(A.rows, AbsoluteRowSums<CsrViewOf<Value>, Number>{with<Value, Number>(values), y});
  }
};

TEST(NewPreconditioner, SolvesByItsPlanAlone) {
  CpuBackend backend;
  constexpr Index n = 97;
  const RandomSymmetric given(n, 13, 5);
  std::vector<Real> inverse(n), r(n), x(n);
  for (Index row = 0; row < n; ++row)
    for (Index e = given.row_begin[row]; e < given.row_begin[row + 1]; ++e)
      if (given.column[e] == row) inverse[row] = 1 / given.value[e];
  const Csr csr{given.view()};
  const test::MatrixOfATest<CpuBackend, Csr> A(csr);
  const SolverPlan plan;
  const EllWarpLayout layout;
  const EntriesOfK entries;
  CgState state{};
  const SystemInMemory system{
      n, static_cast<std::int64_t>(given.value.size()), given.value.data(), inverse.data(), r.data(), x.data(), &state};
  const auto jacobi = make_linear_solver(backend, plan, layout, A, system);
  int follows = 0;
  const auto half = solver_of_plan(
      backend, GivenSystem<CpuBackend, Real>{plan, layout, A, system, system.value, entries}, HalfPlan{&follows});
  EXPECT_EQ(half->path(), SolverPath::plain);
  EXPECT_EQ(half->spectrum(), nullptr);

  const std::vector<Real> b = random_values(n, 6);
  std::copy(b.begin(), b.end(), r.begin());  // a solver knows the place of r
  jacobi->solve(backend, {1e-10, 200}, nullptr);
  ASSERT_EQ(state.report.status, CgStatus::converged);
  const int iterations = state.report.iterations;
  const std::vector<Real> expected = x;
  for (const int solve : {1, 2}) {
    std::copy(b.begin(), b.end(), r.begin());
    half->begin_step();
    half->solve(backend, {1e-10, 200}, nullptr);
    EXPECT_EQ(state.report.status, CgStatus::converged);
    EXPECT_EQ(state.report.iterations, iterations);
    EXPECT_EQ(follows, solve);
    for (Index i = 0; i < n; ++i) EXPECT_NEAR(x[i], expected[i], 1e-12) << "row " << i;
  }
}

}  // namespace
}  // namespace cardiowarp
