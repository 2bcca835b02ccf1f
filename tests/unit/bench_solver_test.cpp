// `bench solver`: its options, the systems it solves and what it measures of them on the CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "app/bench/matrix_sources.hpp"
#include "app/bench/solver_bench.hpp"
#include "app/bench/ssor_bench.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/sparse/csr_format.hpp"
#include "kernels/sparse/ell_warp_format.hpp"
#include "meshes/generate.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;

TEST(BenchSolver, TakesTheNamesOfPreconditionersAndEveryDegreeOfThePolynomials) {
  SolverBenchOptions options;
  set_preconditioners(options, {"chebyshev", "neumann"}, {2, 8});
  EXPECT_FALSE(options.jacobi);
  ASSERT_EQ(options.polynomials.size(), 4u);
  EXPECT_EQ(options.polynomials[1].kind, PolynomialKind::chebyshev);
  EXPECT_EQ(options.polynomials[1].degree, 8);
  EXPECT_EQ(options.polynomials[2].kind, PolynomialKind::neumann);
  EXPECT_EQ(options.polynomials[2].degree, 2);
  set_preconditioners(options, {"jacobi"}, {2, 8});
  EXPECT_TRUE(options.jacobi);
  EXPECT_TRUE(options.polynomials.empty());
}

TEST(BenchSolver, RefusesOtherPreconditionersAndDegrees) {
  SolverBenchOptions options;
  for (const int degree : {0, 9, 99, -1})
    EXPECT_EQ(input_error_of([&] {
                set_preconditioners(options, {"chebyshev"}, {1, degree});
              }),
              "--degree: expected degrees of 1 to 8, got " + std::to_string(degree));
  EXPECT_EQ(input_error_of([&] {
              set_preconditioners(options, {"jacobi", "chebychev"}, {1});
            }),
            "--preconditioner: expected jacobi, defect_correction, ssor, ssor_eisenstat, neumann, least_squares, "
            "chebyshev, got 'chebychev'; "
            "did you mean "
            "'chebyshev'?");
}

class MatrixFile : public testing::Test {
 protected:
  std::vector<BenchMatrix> systems_of(const std::string& entries) {
    test::write_text(file, "%%MatrixMarket matrix coordinate real general\n2 2 " + entries);
    return read_systems({.meshes = {}, .matrix_files = {file}, .stand_ins = {}}, {0.1}, true);
  }
  std::string refusal_of(const std::string& entries) {
    return input_error_of([&] { systems_of(entries); });
  }
  test::TemporaryDirectory folder;
  std::string file = folder / "two.mtx";
};

TEST_F(MatrixFile, HasToBeSymmetricWithAPositiveDiagonal) {
  const std::vector<BenchMatrix> systems = systems_of("4\n1 1 2\n1 2 1\n2 1 1\n2 2 3\n");
  ASSERT_EQ(systems.size(), 1u);
  EXPECT_FALSE(systems[0].step_ms);
  EXPECT_EQ(refusal_of("4\n1 1 2\n1 2 1\n2 1 0.5\n2 2 3\n"),
            file + ": expected a symmetric matrix, got 1 in row 1, column 2 and 0.5 in row 2, column 1");
  EXPECT_EQ(refusal_of("3\n1 1 2\n1 2 1\n2 2 3\n"),
            file + ": expected a symmetric matrix, got 1 in row 1, column 2 and 0 in row 2, column 1");
  EXPECT_EQ(refusal_of("1\n1 1 2\n"),
            file + ": expected a symmetric positive definite matrix, got 0 on the diagonal of row 2");
  EXPECT_EQ(refusal_of("2\n1 1 -2\n2 2 1\n"),
            file + ": expected a symmetric positive definite matrix, got -2 on the diagonal of row 1");
}

TEST_F(MatrixFile, IsRefusedWhereASolveFindsThatItIsNotPositiveDefinite) {
  const std::vector<BenchMatrix> systems = systems_of("4\n1 1 1\n1 2 2\n2 1 2\n2 2 1\n");  // eigenvalues 3 and −1
  for (const char* preconditioner : {"jacobi", "chebyshev"}) {
    SolverBenchOptions options{.on_cpu = true, .repeats = 1};
    set_preconditioners(options, {preconditioner}, {2});
    const std::string error = input_error_of([&] { measure_solvers(systems[0], options); });
    EXPECT_EQ(error.find("two: expected a positive definite matrix, but conjugate gradients found"), 0u) << error;
  }
}

TEST(BenchSystem, HasTheMassOfTheQuadratureAndTheStep) {
  const Mesh mesh = random_mesh({3, 2, 2}, 0.6, 6);
  const auto mass_of = [&](Real step_ms, bool lumped) {
    const BenchMatrix matrix = mesh_matrix("box", mesh, {step_ms, lumped});
    Real sum = 0;
    for (const Real value : matrix.value) sum += value;  // K has none
    return sum * step_ms;
  };
  const Real lumped = mass_of(0.1, true);
  EXPECT_GT(lumped, 0);
  for (const Real step_ms : {0.1, 1.0})
    for (const bool is_lumped : {true, false}) EXPECT_NEAR(mass_of(step_ms, is_lumped), lumped, 1e-11 * lumped);
  const BenchMatrix diagonal = mesh_matrix("box", mesh, {1e-6, true}), full = mesh_matrix("box", mesh, {1e-6, false});
  // With short steps mass is all there is: lumped it is the diagonal, else four times as much beside it as there.
  Real beside[2] = {0, 0}, all = 0;
  for (Index row = 0; row < full.rows(); ++row)
    for (Index e = full.row_begin[row]; e < full.row_begin[row + 1]; ++e) {
      all += full.value[e];
      if (full.column[e] != row) beside[0] += diagonal.value[e], beside[1] += full.value[e];
    }
  EXPECT_NEAR(beside[0] / all, 0, 1e-4);
  EXPECT_NEAR(beside[1] / all, 0.75, 1e-4);
  EXPECT_EQ(full.step_ms, 1e-6);
}

TableCell cell(const Table& table, std::size_t row, const std::string& column) {
  return with_columns(table, {column}).rows.at(row).front();
}

TEST(BenchSolver, MeasuresEveryPolynomialOnTheCpu) {
  const BenchMatrix matrix = mesh_matrix("box", random_mesh({9, 6, 5}, 0.5, 4), {1, true});
  SolverBenchOptions options{.on_cpu = true, .repeats = 2};
  set_preconditioners(options, {"jacobi", "neumann", "least_squares", "chebyshev"}, {1, 4}, {"double", "single"});
  const SolverReport report = measure_solvers(matrix, options);
  ASSERT_EQ(report.measurements.size(), 2u * (1 + 2 * 6));
  const int jacobi = report.measurements.front().iterations;
  EXPECT_GT(jacobi, 20);
  for (const SolverMeasurement& m : report.measurements) {
    EXPECT_TRUE(m.correct) << m.method;
    EXPECT_GT(m.solve.median, 0);
    EXPECT_LE(m.true_residual, 2e-10);
    ASSERT_EQ(m.polynomial.has_value(), m.bounds.has_value());
    if (!m.polynomial) {
      EXPECT_EQ(m.products(), m.iterations);
      continue;
    }
    EXPECT_EQ(m.products(), m.iterations * (m.polynomial->degree + 1) + m.polynomial->degree);
    EXPECT_LT(m.iterations, 0.7 * jacobi);
    EXPECT_GT(*m.bounds_s, 0);
    EXPECT_GT(m.bounds->lower, 0);
    EXPECT_LT(m.bounds->upper, 4);
  }
}

TEST(BenchSolver, MeasuresSsorInBothWaysOnTheCpu) {
  const BenchMatrix matrix = mesh_matrix("box", random_mesh({9, 6, 5}, 0.5, 4), {1, true});
  SolverBenchOptions options{.on_cpu = true, .repeats = 2};
  set_preconditioners(options, {"ssor_eisenstat", "jacobi", "ssor"}, {});
  const SolverReport report = measure_solvers(matrix, options);
  ASSERT_EQ(report.measurements.size(), 2u * 3);
  const int jacobi = report.measurements.front().iterations;
  EXPECT_GT(jacobi, 20);
  for (const SolverMeasurement& m : report.measurements) {
    EXPECT_TRUE(m.correct) << m.method;
    if (!m.ssor) continue;
    EXPECT_LT(m.iterations, 0.7 * jacobi);
    EXPECT_EQ(m.iterations, report.measurements[1].iterations);
    EXPECT_GE(m.ssor->colors, 4);
    EXPECT_LE(m.ssor->colors, 16);
    EXPECT_GE(m.ssor->stored, matrix.entries() - matrix.rows());
    EXPECT_LE(m.ssor->stored, 1.5 * static_cast<double>(matrix.entries()));
  }
  EXPECT_EQ(report.measurements[1].ssor->kind, SsorKind::eisenstat);
  EXPECT_EQ(report.measurements[2].ssor->kind, SsorKind::sweeps);
  Table table = solver_table();
  add_rows(table, matrix, report.measurements, {.device = "a CPU", .seconds = {}});
  EXPECT_EQ(cell(table, 0, "colors"), TableCell());
  EXPECT_EQ(cell(table, 0, "node_order"), TableCell(std::string("hilbert")));
  EXPECT_EQ(cell(table, 1, "preconditioner"), TableCell(std::string("ssor_eisenstat")));
  EXPECT_EQ(cell(table, 2, "preconditioner"), TableCell(std::string("ssor")));
  EXPECT_EQ(cell(table, 2, "colors"), TableCell(std::int64_t{report.measurements[2].ssor->colors}));
  // An entry and its mirror image once, and once more by a product.
  EXPECT_EQ(ssor_iteration_bytes(3, 7, 4, SsorKind::eisenstat), 4 * 12 + 3 * 208);
  EXPECT_EQ(ssor_iteration_bytes(3, 7, 4, SsorKind::sweeps), 7 * 12 + 4 * 8 + 3 * 184);
}

TEST(BenchSolver, SsorNeedsHalfOfJacobisIterationsOnAHeart) {
  const Mesh heart = biventricle_mesh(biventricle_edge_mm(3000, "--nodes"));
  for (const double step_ms : {0.1, 1.0}) {
    SCOPED_TRACE(step_ms);
    SolverBenchOptions options{.on_cpu = true, .repeats = 1};
    set_preconditioners(options, {"jacobi", "ssor", "ssor_eisenstat"}, {});
    const SolverReport report = measure_solvers(mesh_matrix("heart", heart, {step_ms, true}), options);
    ASSERT_EQ(report.measurements.size(), 2u * 3);
    const int jacobi = report.measurements.front().iterations;
    for (const SolverMeasurement& m : report.measurements) {
      EXPECT_TRUE(m.correct) << m.method;
      if (!m.ssor) continue;
      EXPECT_LE(2 * m.iterations, jacobi + 2) << m.method;
      EXPECT_GE(3 * m.iterations, jacobi) << m.method;
    }
  }
}

TEST(BenchSolver, MeasuresSsorOfAFormatThatNumbersRowsAnewAsOfCompressedRows) {
  const BenchMatrix matrix = mesh_matrix("box", random_mesh({9, 6, 5}, 0.5, 4), {1, true});
  SolverBenchOptions options{.on_cpu = true, .repeats = 1};
  set_preconditioners(options, {"ssor", "ssor_eisenstat"}, {});
  CpuBackend backend;
  SolveBench<CpuBackend> bench(backend, matrix, options.repeats);
  const auto add = [&](const auto& system) {
    const SolveValues<CpuBackend, Real> values(backend, system);
    const auto A = product_of(system, values.data());
    measure_ssor(bench, SystemOnPath{"plain", system, A, values, 0.0}, options);
  };
  add(BenchSystem<CpuBackend, FormatOf<MatrixFormat::csr>>(backend, matrix, bench.b(), {}));
  const BenchSystem<CpuBackend, FormatOf<MatrixFormat::ell_warp>> sorted(
      backend, matrix, bench.b(),
      {.format = MatrixFormat::ell_warp,
       .ell_warp = {.renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = 64},
       .block_size = 256});
  ASSERT_FALSE(std::ranges::is_sorted(sorted.order));
  add(sorted);
  const std::vector<SolverMeasurement>& found = bench.report().measurements;
  ASSERT_EQ(found.size(), 4u);
  for (const SolverMeasurement& m : found) {
    EXPECT_TRUE(m.correct);
    EXPECT_NEAR(m.iterations, found.front().iterations, 2);  // other colors
  }
}

TEST(BenchSolver, CorrectsDefectsOfASolveInSinglePrecisionToDouble) {
  const Mesh mesh = random_mesh({9, 6, 5}, 0.5, 4);
  for (const Real step_ms : {0.1, 1.0, 10.0}) {
    const BenchMatrix matrix = mesh_matrix("box", mesh, {step_ms, true});
    SolverBenchOptions options{.on_cpu = true, .repeats = 1};
    set_preconditioners(options, {"jacobi", "defect_correction"}, {});
    const SolverReport report = measure_solvers(matrix, options);
    ASSERT_EQ(report.measurements.size(), 3u);
    const SolverMeasurement &jacobi = report.measurements[0], &correction = report.measurements[1];
    EXPECT_EQ(correction.method, "defect_correction");
    EXPECT_TRUE(correction.correct);
    EXPECT_LE(correction.true_residual, 1.01e-10);
    // Each of the corrections gains two digits or a little more; its directions are not those of the one before.
    ASSERT_TRUE(correction.outer_iterations);
    EXPECT_GE(*correction.outer_iterations, 4);
    EXPECT_LE(*correction.outer_iterations, 5);
    EXPECT_GE(correction.iterations, jacobi.iterations);
    EXPECT_LE(correction.iterations, 2 * jacobi.iterations);
    EXPECT_EQ(correction.products(), correction.iterations + *correction.outer_iterations);
  }
}

TEST(BenchSolver, ALineHasThePolynomialItsProductsAndItsBounds) {
  const DeviceCopy no_copy{.device = "a CPU", .seconds = {}};
  const BenchMatrix matrix{"heart", {0, 1, 3}, {0, 0, 1}, {1, 2, 3}, 1, 0.5};
  SolverMeasurement jacobi{.method = "plain", .correct = true, .iterations = 7, .solve = {}, .iteration_s = 1e-6};
  SolverMeasurement polynomial = jacobi;
  polynomial.polynomial = {PolynomialKind::least_squares, 3};
  polynomial.bounds_s = 2e-6;
  polynomial.bounds = {0.5, 1.5};
  Table table = solver_table();
  add_rows(table, matrix, {jacobi, polynomial}, no_copy);
  EXPECT_EQ(cell(table, 0, "preconditioner"), TableCell(std::string("jacobi")));
  EXPECT_EQ(cell(table, 0, "degree"), TableCell());
  EXPECT_EQ(cell(table, 0, "products"), TableCell(std::int64_t{7}));
  EXPECT_EQ(cell(table, 0, "bounds_us"), TableCell());
  EXPECT_EQ(cell(table, 0, "percent_of_copy"), TableCell());
  EXPECT_EQ(cell(table, 1, "step_ms"), TableCell(0.5));
  EXPECT_EQ(cell(table, 1, "preconditioner"), TableCell(std::string("least_squares")));
  EXPECT_EQ(cell(table, 1, "degree"), TableCell(std::int64_t{3}));
  EXPECT_EQ(cell(table, 1, "products"), TableCell(std::int64_t{7 + 3 * 8}));
  EXPECT_EQ(cell(table, 1, "bounds_us"), TableCell(2.0));
  EXPECT_EQ(cell(table, 1, "upper_bound"), TableCell(1.5));
  // In place of 11 vectors and a product 14, and for each degree a product and 8 more.
  EXPECT_EQ(cell(table, 1, "iteration_bytes"), TableCell(std::int64_t{4 * 3 * 10 + (14 + 3 * 8) * 2 * 8}));
  EXPECT_EQ(cell(table, 1, "inside"), TableCell(std::string("double")));
  // In single precision each product has values of 4 bytes and vectors of half as many.
  polynomial.polynomial->precision = PolynomialPrecision::single;
  add_rows(table, matrix, {polynomial}, no_copy);
  EXPECT_EQ(cell(table, 2, "iteration_bytes"), TableCell(std::int64_t{3 * 10 + 3 * 3 * 6 + (14 + 3 * 4) * 2 * 8}));
  EXPECT_EQ(cell(table, 2, "inside"), TableCell(std::string("single")));
}

}  // namespace
}  // namespace cardiowarp
