#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/bench/spmv.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/sparse/matrix_format.hpp"

namespace cardiowarp {

/// Enqueues y = A x in blocks of so many threads; a format that has no choice of these ignores the number.
template <class Number>
using Multiply = std::function<void(int block_size, const Number* x, Number* y)>;

/// A matrix in one format in device memory.
struct DeviceFormat {
  SpmvMeasurement choice;                                  ///< the parameters of the format, its padding and bytes
  std::variant<Multiply<Real>, Multiply<float>> multiply;  ///< the second with all numbers in single precision
  std::shared_ptr<const StoredEntries> entries = nullptr;  ///< of a format that does not keep those of CSR
  std::vector<Index> order = {};  ///< [rows] old number of each new one where x and y are renumbered, otherwise empty
  /// Whether y is in the order of the matrix even where x is renumbered.
  bool keeps_order_of_results = false;
  /// A block size to measure beside those of the options, where a format has one block a multiprocessor.
  std::optional<int> own_block_size = {};
  std::vector<int> only_block_sizes = {};  ///< block sizes to measure in place of all others; empty: no such
};

/// A format and what its parameter may be, {0} for one without.
struct FormatCandidate {
  std::vector<Index> parameters;
  bool has_block_size;
  /// Makes the matrix from compressed rows on the host, ready on the device. Throws DeviceError where it does not fit.
  std::function<DeviceFormat(Index parameter)> prepare;
  std::string format = {};  ///< its name
};

/// Every format with its candidates. Backend, matrix and options must outlive them.
std::vector<FormatCandidate> format_candidates(CudaBackend& backend, const BenchMatrix& matrix,
                                               const SpmvBenchOptions& options);

}  // namespace cardiowarp
