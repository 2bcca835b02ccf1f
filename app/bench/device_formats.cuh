#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/bench/spmv.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {

/// A matrix in one format in device memory.
struct DeviceFormat {
  SpmvMeasurement choice;  ///< the format, its parameters, padding and bytes
  /// Enqueues y = A x, in blocks of so many threads where the format has a choice.
  std::function<void(int block_size, const Real* x, Real* y)> multiply;
  std::shared_ptr<const EllWarpLayout> layout = nullptr;  ///< of a format with slots

  /// [rows] old number of each new one where x and y are renumbered, otherwise empty.
  std::vector<Index> order() const {
    return layout && layout->options.renumbering != EllWarpRenumbering::none ? layout->shape.row : std::vector<Index>();
  }
};

/// A format and what its parameter may be, {0} for one without.
struct FormatCandidate {
  std::string format;
  std::vector<Index> parameters;
  bool has_block_size;
  /// From compressed rows on the host to ready on the device. Throws DeviceError where it does not fit.
  std::function<DeviceFormat(Index parameter)> prepare;
};

/// Every format. Backend, matrix and options must outlive them.
std::vector<FormatCandidate> format_candidates(CudaBackend& backend, const BenchMatrix& matrix,
                                               const SpmvBenchOptions& options);

}  // namespace cardiowarp
