#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/matrix.hpp"
#include "app/bench/spmv.hpp"
#include "app/measure/spread.hpp"
#include "app/measure/table.hpp"
#include "solver/preconditioners/polynomial.hpp"
#include "solver/preconditioners/ssor.hpp"

namespace cardiowarp {

// `cardiowarp bench solver`: how long conjugate gradients take. On a GPU with Jacobi by each path that suits the
// matrix, in double, in mixed and in single precision (solver/solver_precision.hpp), and by NVIDIA's libraries where
// they are installed; with polynomials (solver/preconditioners/polynomial.hpp), where they are asked for, by the paths
// that have them, in double and in mixed precision. On the CPU by the path `plain`, in these two. BenchCommand calls
// measure_solvers() for each matrix and adds the measurements to the table. A method is right if b − A x, computed by
// the host, is as small as was asked for: 1e-10 |b|, and 1e-6 |b| of a solve in single precision; a wrong one has no
// times in the table.

/// What `bench solver` is to measure.
struct SolverBenchOptions {
  bool on_cpu = false;
  bool jacobi = true;
  bool defect_correction = false;  ///< with Jacobi inside (defect_correction.hpp)
  std::vector<PolynomialOptions> polynomials = {};
  std::vector<SsorKind> ssor = {};
  int repeats = 20;
  /// In the order `metis` every method in parts has the matrix in that of its own windows (metis_window_order()).
  BenchOrder order = BenchOrder::hilbert;
};

/// The preconditioners that words name (jacobi, ssor, ssor_eisenstat, neumann, least_squares, chebyshev), the
/// polynomials in every degree and precision (double, single). Throws InputError for another word or degree, with the
/// name of the option.
void set_preconditioners(SolverBenchOptions& options, const std::vector<std::string>& words,
                         const std::vector<int>& degrees, const std::vector<std::string>& precisions = {"double"});

/// What an iteration in two launches must move of a system in memory: values and 16-bit columns once, and 11 vectors:
/// r, 1 / D, p before, p and q by the product; r twice, q and 1 / D by the update, and every second time x and p twice.
/// A value has 8 bytes, or 4 where the product reads it in single precision, and so has a number of a vector.
std::int64_t cg_iteration_bytes(Index rows, std::int64_t nonzeros, std::size_t bytes_a_value = sizeof(Real),
                                std::size_t bytes_a_number = sizeof(Real));

/// The same with a polynomial on the path `in_parts` (the ledger in solver/cg/conjugate_gradient.hpp); `persistent`
/// moves fewer (solver/persistent/persistent_rows.hpp).
std::int64_t polynomial_iteration_bytes(Index rows, std::int64_t nonzeros, const PolynomialOptions& options,
                                        std::size_t bytes_a_value = sizeof(Real));

/// The same with SSOR, whose halves store `stored` entries with padding: by sweeps beside a product on the path
/// `plain`, with halves in single precision, or by Eisenstat's trick (solver/preconditioners/ssor_cg.hpp).
std::int64_t ssor_iteration_bytes(Index rows, std::int64_t nonzeros, std::int64_t stored, SsorKind kind,
                                  std::size_t bytes_a_value = sizeof(Real));

/// What SSOR makes of a matrix.
struct SsorMeasures {
  SsorKind kind;
  Index colours;
  std::int64_t stored;  ///< entries of both halves, padding included
};

/// One way to iterate. Seconds on the device: of on_chip and library_graph, in which the host has no part, in a graph
/// of ten solves; of in_graph, in_parts and persistent as a time step calls them, and of library_host, with the times
/// in which the device waits.
struct SolverMeasurement {
  /// in_graph, in_parts, persistent and on_chip, each with _mixed and _single, too; library_host, library_graph; on the
  /// CPU plain and plain_mixed
  std::string method;
  std::optional<PolynomialOptions> polynomial = {};  ///< the preconditioner, else Jacobi
  std::optional<SsorMeasures> ssor = {};             ///< where that is the preconditioner
  bool correct = false;                              ///< b − A x, as the host finds it, is as small as was asked for
  int iterations = 0;                                ///< to 1e-10 |b|, in single precision to 1e-6 |b|, as all here
  double setup_s = 0;  ///< from the matrix in compressed rows to ready on the device, wall clock
  Spread solve;
  double iteration_s = 0;  ///< of one more iteration, from solves cut short after half of them and before the last
  std::optional<double> bounds_s = {};        ///< of computing the bounds of the spectrum, median
  std::optional<SpectrumBounds> bounds = {};  ///< those of the polynomial
  double true_residual = 0;                   ///< |b − A x| / |b|, for the A that the method multiplies by
  std::size_t bytes_a_value = sizeof(Real), bytes_a_number = sizeof(Real);  ///< of that A, and of x
  std::optional<PartsMeasures> parts = {};                                  ///< of a method in parts
  std::optional<double> partition_s = {};    ///< beside setup_s: cutting the matrix by METIS and numbering it so
  bool is_single_inside = false;             ///< of defect correction: `iterations` are those of the inner solves,
  std::optional<int> outer_iterations = {};  ///< and this is the number of these

  /// The products of a solve: one an iteration, as many as the degree for each z = M⁻¹ r, and one for each defect. Two
  /// sweeps of SSOR count as one: beside the product of each iteration and the first z, or in its place.
  std::int64_t products() const {
    if (ssor) return ssor->kind == SsorKind::sweeps ? 2 * std::int64_t{iterations} + 1 : std::int64_t{iterations} + 1;
    const std::int64_t degree = polynomial ? polynomial->degree : 0;
    return iterations + degree * (iterations + 1) + outer_iterations.value_or(0);
  }
};

struct SolverReport {
  std::vector<SolverMeasurement> measurements;
  std::vector<LeftOut> left_out;  ///< whose library is not here; a method that does not suit the matrix is in neither
};

/// Times every method for a random right-hand side. Throws DeviceError, and InputError for a matrix that is not
/// positive definite.
SolverReport measure_solvers(const BenchMatrix& matrix, const SolverBenchOptions& options);
/// The same on the CPU, and on the GPU.
SolverReport measure_solvers_on_cpu(const BenchMatrix& matrix, const SolverBenchOptions& options);
SolverReport measure_solvers_on_gpu(const BenchMatrix& matrix, const SolverBenchOptions& options);

/// Columns without rows; see docs/benchmarks/README.md.
Table solver_table();
void add_rows(Table& table, const BenchMatrix& matrix, const std::vector<SolverMeasurement>& measurements,
              const DeviceCopy& copy);

}  // namespace cardiowarp
