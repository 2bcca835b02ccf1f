#pragma once
#include <cstddef>

#include "kernels/backend/cuda_backend.cuh"
#include "kernels/rivals/carries.hpp"
#include "kernels/rivals/coo.hpp"
#include "kernels/sparse/ell_warp.hpp"
#include "kernels/sparse/launch.cuh"

namespace cardiowarp {

namespace cuda {

/// y += A x, but for the carries of the pieces (carries.hpp). A warp goes through its piece 32 entries at a time and
/// adds them row by row in a segmented scan; the last entry of a row adds its sum to y.
template <Index piece_length>
__global__ void __launch_bounds__(1024) coo_kernel(const CooView A, const Real* x, const CarriesView carries, Real* y) {
  constexpr unsigned all = 0xffffffffu;
  const std::int64_t warp = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / warp_lanes;
  if (warp >= carries.pieces) return;  // all lanes of the warp at once
  const Index piece = static_cast<Index>(warp), lane = threadIdx.x % warp_lanes;
  const std::int64_t begin = warp * piece_length;
  const std::int64_t end = begin + piece_length < A.entries ? begin + piece_length : A.entries;
  Index row_before = -1;  // of the last of the 32 entries before, with the sum up to it
  Real sum_before = 0;
  for (std::int64_t first = begin; first < end; first += warp_lanes) {
    const std::int64_t e = first + lane;
    const bool inside = e < end;
    const Index row = inside ? A.row[e] : -1;
    Real sum = inside ? A.value[e] * x[A.column[e]] : 0;
    if (lane == 0 && row == row_before) sum += sum_before;
    for (Index distance = 1; distance < warp_lanes; distance *= 2) {
      const Real other_sum = __shfl_up_sync(all, sum, distance);
      const Index other_row = __shfl_up_sync(all, row, distance);
      if (lane >= distance && other_row == row) sum += other_sum;
    }
    const bool goes_on = inside && e + 1 < A.entries && A.row[e + 1] == row;
    if (inside && !goes_on) y[row] += sum;
    if (e == end - 1) {
      carries.row[piece] = goes_on ? row : -1;
      carries.sum[piece] = sum;
    }
    row_before = __shfl_sync(all, row, warp_lanes - 1);
    sum_before = __shfl_sync(all, sum, warp_lanes - 1);
  }
}

}  // namespace cuda

/// A coordinate matrix in device memory; a warp multiplies a piece of 256 entries.
class DeviceCoo {
 public:
  DeviceCoo(CudaBackend& backend, const CooMatrix& A)
      : row_(uploaded(backend, A.row)),
        column_(uploaded(backend, A.column)),
        value_(uploaded(backend, A.value)),
        carries_(backend, pieces()) {}

  /// y += A x, the same bits for any block size; two launches. Throws std::invalid_argument for a bad block size,
  /// DeviceError.
  void add_product(cudaStream_t stream, int block_size, const Real* x, Real* y) const {
    require_valid_block_size(block_size);
    if (pieces() == 0) return;
    const CooView A{static_cast<Index>(value_.size()), row_.data(), column_.data(), value_.data()};
    const CarriesView carries = carries_.view(pieces());
    const unsigned blocks = cuda::blocks_of(std::int64_t{pieces()} * warp_lanes, block_size);
    cuda::coo_kernel<piece_length><<<blocks, block_size, 0, stream>>>(A, x, carries, y);
    cuda_check(cudaGetLastError());
    for_each_in_blocks(stream, block_size, pieces(), AddCarries{carries, y});
  }

  /// y = A x: y [rows] is zeroed, then added to.
  void multiply(cudaStream_t stream, int block_size, Index rows, const Real* x, Real* y) const {
    cuda_check(cudaMemsetAsync(y, 0, static_cast<std::size_t>(rows) * sizeof(Real), stream));
    add_product(stream, block_size, x, y);
  }

 private:
  static constexpr Index piece_length = 8 * warp_lanes;

  Index pieces() const { return static_cast<Index>((value_.size() + piece_length - 1) / piece_length); }

  Buffer<Index> row_, column_;
  Buffer<Real> value_;
  Carries carries_;
};

}  // namespace cardiowarp
