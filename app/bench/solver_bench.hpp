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

// `cardiowarp bench solver` measures how long conjugate gradients take. On a GPU each path that suits the matrix solves
// with Jacobi in double, mixed and single precision (solver/solver_precision.hpp), and so do NVIDIA's libraries where
// they are installed. Polynomial preconditioners (solver/preconditioners/polynomial.hpp) are measured where they are
// asked for, by the paths that have them, in double and mixed precision. On the CPU the path `plain` is measured in
// double and mixed precision. run_bench() calls measure_solvers() for each matrix and adds the measurements to the
// table. A method counts as right where b − A x, computed by the host, is as small as was asked for: 1e-10 |b|, or
// 1e-6 |b| for a solve in single precision. A wrong method has no times in the table.

/// The wishes of `bench solver`.
struct SolverBenchOptions {
  bool on_cpu = false;
  bool jacobi = true;
  bool defect_correction = false;  ///< with Jacobi inside (defect_correction.hpp)
  std::vector<PolynomialOptions> polynomials = {};
  std::vector<SsorKind> ssor = {};
  int repeats = 20;
  /// How the rows are numbered. With `metis`, a method that cuts the matrix into parts has METIS cut them, each method
  /// for the size of its own parts (metis_window_order()); the other methods have the order by locality.
  BenchOrder order = BenchOrder::hilbert;
};

/// Puts the preconditioners that `words` name (jacobi, defect_correction, ssor, ssor_eisenstat, neumann, least_squares,
/// chebyshev) into the options. A polynomial is put there once for each of `degrees` and `precisions` (double, single).
/// Throws InputError, with the name of the option, for another word or degree.
void set_preconditioners(SolverBenchOptions& options, const std::vector<std::string>& words,
                         const std::vector<int>& degrees, const std::vector<std::string>& precisions = {"double"});

/// The bytes that an iteration in two launches must move where the system is in memory: each value and each 16-bit
/// column once, and 11 vectors. The product reads r, 1 / D and the last p and writes p and q. The update reads and
/// writes r and reads q and 1 / D, and in every second iteration reads and writes x and reads p twice. A value takes 8
/// bytes, or 4 where the product reads it in single precision; a number of a vector likewise.
std::int64_t cg_iteration_bytes(Index rows, std::int64_t nonzeros, std::size_t bytes_a_value = sizeof(Real),
                                std::size_t bytes_a_number = sizeof(Real));

/// The bytes of an iteration with a polynomial on the path `in_parts` (the ledger in solver/cg/conjugate_gradient.hpp);
/// `persistent` moves fewer (solver/persistent/persistent_rows.hpp).
std::int64_t polynomial_iteration_bytes(Index rows, std::int64_t nonzeros, const PolynomialOptions& options,
                                        std::size_t bytes_a_value = sizeof(Real));

/// The bytes of an iteration with SSOR, whose two halves of the matrix store `stored` entries with padding. SSOR is
/// either two sweeps beside a product on the path `plain`, with the halves in single precision, or Eisenstat's trick
/// (solver/preconditioners/ssor_cg.hpp).
std::int64_t ssor_iteration_bytes(Index rows, std::int64_t nonzeros, std::int64_t stored, SsorKind kind,
                                  std::size_t bytes_a_value = sizeof(Real));

/// How SSOR has colored and stored a matrix.
struct SsorMeasures {
  SsorKind kind;
  Index colors;
  std::int64_t stored;  ///< entries of both halves, padding included
};

/// The measurements of one method. Seconds are of the device. The host has no part in solves of on_chip and
/// library_graph, which are timed as ten solves in one graph. Solves of in_graph, in_parts and persistent are timed as
/// a time step calls them, and those of library_host with the host in between: both include the times in which the
/// device waits.
struct SolverMeasurement {
  /// in_graph, in_parts, persistent and on_chip, each with _mixed and _single, too; library_host, library_graph; on the
  /// CPU plain and plain_mixed
  std::string method;
  std::optional<PolynomialOptions> polynomial = {};  ///< the preconditioner, else Jacobi
  std::optional<SsorMeasures> ssor = {};             ///< where that is the preconditioner
  bool correct = false;                              ///< b − A x, as the host finds it, is as small as was asked for
  int iterations = 0;                                ///< until |b − A x| was as small as was asked for
  double setup_s = 0;  ///< from the matrix in compressed rows to ready on the device, wall clock
  Spread solve;
  /// The time of one iteration, without what a solve takes beside its iterations: the difference between solves that
  /// end before the last iteration and solves that end after half of them.
  double iteration_s = 0;
  std::optional<double> bounds_s = {};        ///< of computing the bounds of the spectrum, median
  std::optional<SpectrumBounds> bounds = {};  ///< those of the polynomial
  double true_residual = 0;                   ///< |b − A x| / |b|, for the A that the method multiplies by
  std::size_t bytes_a_value = sizeof(Real), bytes_a_number = sizeof(Real);  ///< of that A, and of x
  std::optional<PartsMeasures> parts = {};                                  ///< of a method in parts
  std::optional<double> partition_s = {};  ///< for METIS to cut the matrix, and to renumber it; not in setup_s
  bool is_single_inside = false;           ///< whether it is a defect correction, which solves in single precision
  /// The corrections of a defect correction; `iterations` are then those of all its inner solves together.
  std::optional<int> outer_iterations = {};

  /// How many products with the matrix a solve takes: one in each iteration, as many as the degree of a polynomial each
  /// time that it is applied, and one for each defect of a defect correction. Two sweeps of SSOR count as one product.
  /// They come beside that of each iteration and once before the first; with Eisenstat's trick they replace it.
  std::int64_t products() const {
    if (ssor) return ssor->kind == SsorKind::sweeps ? 2 * std::int64_t{iterations} + 1 : std::int64_t{iterations} + 1;
    const std::int64_t degree = polynomial ? polynomial->degree : 0;
    return iterations + degree * (iterations + 1) + outer_iterations.value_or(0);
  }
};

struct SolverReport {
  std::vector<SolverMeasurement> measurements;
  std::vector<LeftOut> left_out;  ///< methods whose library is missing; what does not suit the matrix is in no list
};

/// Times every method for a random right-hand side. Throws DeviceError, and InputError for a matrix that is not
/// positive definite.
SolverReport measure_solvers(const BenchMatrix& matrix, const SolverBenchOptions& options);
/// The parts of measure_solvers() for the CPU and for the GPU.
SolverReport measure_solvers_on_cpu(const BenchMatrix& matrix, const SolverBenchOptions& options);
SolverReport measure_solvers_on_gpu(const BenchMatrix& matrix, const SolverBenchOptions& options);

/// Columns without rows; see docs/benchmarks/README.md.
Table solver_table();
void add_rows(Table& table, const BenchMatrix& matrix, const std::vector<SolverMeasurement>& measurements,
              const DeviceCopy& copy);

}  // namespace cardiowarp
