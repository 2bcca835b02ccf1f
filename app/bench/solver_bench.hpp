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

namespace cardiowarp {

// `cardiowarp bench solver`: how long conjugate gradients with Jacobi take on the GPU, by each path that suits the
// matrix, in double, in mixed and in single precision (solver/solver_precision.hpp), and by NVIDIA's libraries where
// they are installed. BenchCommand calls measure_solvers() for the matrix of each mesh and adds the measurements to the
// table. A method is right if b − A x, computed by the host, is as small as was asked for: 1e-10 |b|, and 1e-6 |b| of a
// solve in single precision; a wrong one has no times in the table.

/// What an iteration in two launches must move of a system in memory: values and 16-bit columns once, and 11 vectors:
/// r, 1 / D, p before, p and q by the product; r twice, q and 1 / D by the update, and every second time x and p twice.
/// A value has 8 bytes, or 4 where the product reads it in single precision, and so has a number of a vector.
std::int64_t cg_iteration_bytes(Index rows, std::int64_t nonzeros, std::size_t bytes_a_value = sizeof(Real),
                                std::size_t bytes_a_number = sizeof(Real));

/// One way to iterate. Seconds on the device: of on_chip and library_graph, in which the host has no part, in a graph
/// of ten solves; of in_graph, in_parts and persistent as a time step calls them, and of library_host, with the times
/// in which the device waits.
struct SolverMeasurement {
  std::string method;  ///< in_graph, in_parts, persistent, on_chip, each with _mixed and _single, too, and of in_parts
                       ///< and persistent with _wide after it; library_host, library_graph
  bool correct = false;  ///< b − A x, as the host finds it, is as small as was asked for
  int iterations = 0;    ///< to 1e-10 |b|, in single precision to 1e-6 |b|, as all here
  double setup_s = 0;    ///< from the matrix in compressed rows to ready on the device, wall clock
  Spread solve;
  double iteration_s = 0;    ///< of one more iteration, from solves cut short after half of them and before the last
  double true_residual = 0;  ///< |b − A x| / |b|, for the A that the method multiplies by
  std::size_t bytes_a_value = sizeof(Real), bytes_a_number = sizeof(Real);  ///< of that A, and of x
  std::optional<PartsMeasures> parts = {};                                  ///< of a method in parts
  std::optional<double> partition_s = {};  ///< beside setup_s: cutting the matrix by METIS and numbering it so
};

struct SolverReport {
  std::vector<SolverMeasurement> measurements;
  std::vector<LeftOut> left_out;  ///< whose library is not here; a method that does not suit the matrix is in neither
};

/// Times every method for the matrix of a mesh and a random right-hand side. In the order `metis` every method in parts
/// has the matrix in that of its own windows (metis_window_order()). Throws DeviceError.
SolverReport measure_solvers(const BenchMatrix& matrix, int repeats, BenchOrder order = BenchOrder::hilbert);

/// Columns without rows; see docs/benchmarks/README.md.
Table solver_table();
void add_rows(Table& table, const BenchMatrix& matrix, const std::vector<SolverMeasurement>& measurements,
              const DeviceCopy& copy);

}  // namespace cardiowarp
