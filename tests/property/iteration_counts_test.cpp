// How many iterations of conjugate gradients the systems of hearts take to 1e-10, with SSOR and with polynomials. Those
// of the human heart are held against counts that other programs found for matrices of the same mesh, those of the
// program's own heart against what it has taken before. docs/benchmarks/counts.py counts those of finer meshes.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/matrix.hpp"
#include "app/simulation/choose_solver.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/generate.hpp"
#include "tests/support/polynomial_case.hpp"
#include "tests/support/solver_for.hpp"

namespace cardiowarp {
namespace {

using namespace polynomial_case;
using enum PolynomialKind;

constexpr std::array degrees{1, 2, 3, 4, 6, 8};

/// Iterations by the degrees above.
struct PolynomialCounts {
  PolynomialKind kind;
  std::array<int, degrees.size()> iterations;
};

/// The system of one step of a heart.
class HeartSystem {
 public:
  HeartSystem(const Mesh& mesh, const MeshMatrixOptions& options)
      : matrix_(mesh_matrix("heart", mesh, options)), product_(backend_, matrix_.view()) {}

  int with(const std::optional<PolynomialOptions>& polynomial) { return iterations_of(backend_, product_, polynomial); }

  /// With as many colors as rows need, which are few.
  int with(SsorKind kind) {
    std::vector<std::int64_t> slot(matrix_.column.size());
    for (std::size_t e = 0; e < slot.size(); ++e) slot[e] = static_cast<std::int64_t>(e);
    SolverPlan plan;
    plan.preconditioner = ssor_plan(kind, {matrix_.row_begin, matrix_.column}, slot);
    EXPECT_GE(std::get<SsorPlan>(plan.preconditioner).halves.colors(), 9);
    EXPECT_LE(std::get<SsorPlan>(plan.preconditioner).halves.colors(), 12);
    std::vector<Real> r = random_values(product_.rows, seed + 6), x(product_.rows);
    CgState state{};
    test::solver_for(backend_, plan, {}, product_,
                     {product_.rows, product_.slots(), product_.product.value(), product_.inverse_diagonal.data(),
                      r.data(), x.data(), &state})
        ->solve(backend_, {1e-10, 500}, nullptr);
    EXPECT_EQ(state.report.status, CgStatus::converged);
    return state.report.iterations;
  }

  void expect(int jacobi, int ssor) {
    EXPECT_NEAR(with(std::nullopt), jacobi, 1);
    for (const SsorKind kind : {SsorKind::sweeps, SsorKind::eisenstat}) EXPECT_NEAR(with(kind), ssor, 1);
  }

  void expect(const std::vector<PolynomialCounts>& counts) {
    for (const PolynomialCounts& of : counts)
      for (std::size_t k = 0; k < degrees.size(); ++k) {
        const PolynomialOptions options{of.kind, degrees[k]};
        EXPECT_NEAR(with(options), of.iterations[k], 1) << words(options, product_.rows);
      }
  }

 private:
  CpuBackend backend_;
  BenchMatrix matrix_;
  Matrix product_;
};

constexpr MeshMatrixOptions short_step{0.1, true}, long_step{1, false};

class HumanHeart : public testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path surface = CARDIOWARP_SHARED_MESHES "/human_biventricle_surface.vtp";
    if (!std::filesystem::exists(surface)) GTEST_SKIP() << surface << " is not there";
    mesh = fill_surface(surface, 0);
    check_mesh(mesh);
    ASSERT_EQ(mesh.nodes.size(), 38'131u);
  }
  Mesh mesh;
};

TEST_F(HumanHeart, Of38ThousandNodesTakesTheIterationsThatOtherProgramsFound) {
  HeartSystem of_a_short_step(mesh, short_step), of_a_long_step(mesh, long_step);
  of_a_short_step.expect(13, 6);
  of_a_long_step.expect(31, 14);
  of_a_short_step.expect(
      {{neumann, {7, 6, 4, 4, 3, 3}}, {least_squares, {7, 5, 4, 3, 3, 2}}, {chebyshev, {7, 5, 4, 3, 3, 2}}});
}

TEST_F(HumanHeart, Of259ThousandNodesTakesTheIterationsThatOtherProgramsFound) {
  mesh = refine_mesh(mesh, 1);
  ASSERT_EQ(mesh.nodes.size(), 259'419u);
  HeartSystem(mesh, short_step).expect(23, 11);
}

TEST(GeneratedHeart, TakesAsManyIterationsAsBefore) {
  Mesh mesh = biventricle_mesh(3);
  check_mesh(mesh);
  HeartSystem of_a_short_step(mesh, short_step), of_a_long_step(mesh, long_step);
  of_a_short_step.expect(10, 5);
  of_a_long_step.expect(26, 11);
  of_a_long_step.expect(
      {{neumann, {14, 12, 10, 9, 7, 6}}, {least_squares, {15, 11, 8, 7, 5, 4}}, {chebyshev, {14, 10, 8, 6, 5, 4}}});
}

}  // namespace
}  // namespace cardiowarp
