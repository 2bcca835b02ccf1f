#pragma once
#include <string>
#include <vector>

#include "app/bench/matrix.hpp"
#include "app/bench/spmv.hpp"
#include "app/spread.hpp"
#include "app/table.hpp"

namespace cardiowarp {

// `cardiowarp bench solver`: conjugate gradients with Jacobi on the device.

/// One way to iterate. Seconds on the device: of on_chip, in which the host has no part, in a graph of ten solves,
/// without the wait for its report; of host_driven as a time step calls it, with the times in which the device waits.
struct SolverMeasurement {
  std::string method;        ///< on_chip, host_driven
  bool correct = false;      ///< b − A x, as the host finds it, is as small as was asked for
  int iterations = 0;        ///< to 1e-10 |b|
  double setup_s = 0;        ///< from the matrix in compressed rows to ready on the device, wall clock
  Spread solve;              ///< to 1e-10 |b|
  double iteration_s = 0;    ///< of one more iteration, from solves cut short after half of them and before the last
  double true_residual = 0;  ///< |b − A x| / |b|
};

/// For the matrix of a mesh and a random right-hand side. A method that does not suit the matrix is left out.
/// Throws DeviceError.
std::vector<SolverMeasurement> measure_solvers(const BenchMatrix& matrix, int repeats);

/// Columns without rows; see docs/benchmarks/README.md.
Table solver_table();
void add_rows(Table& table, const BenchMatrix& matrix, const std::vector<SolverMeasurement>& measurements,
              const DeviceCopy& copy);

}  // namespace cardiowarp
