#pragma once
#include "kernels/rivals/coo.cuh"
#include "kernels/rivals/ell.hpp"

namespace cardiowarp {

/// A matrix in the format HYB (Bell & Garland 2009) in device memory: the first hyb_width() entries of each row are in
/// ELLPACK (ell.hpp), the others in coordinates (coo.hpp).
class DeviceHyb {
 public:
  DeviceHyb(CudaBackend& backend, const CsrView& A) : DeviceHyb(backend, A, hyb_width(A)) {}

  /// The matrix with up to `width` entries of each row in ELLPACK.
  DeviceHyb(CudaBackend& backend, const CsrView& A, Index width)
      : ell_(backend, ell_matrix(A, width)), rest_(backend, coo_matrix(A, width)) {}

  /// y = A x, the same bits for any block size; up to three launches. Throws std::invalid_argument for a bad block
  /// size, DeviceError.
  void multiply(cudaStream_t stream, int block_size, const Real* x, Real* y) const {
    const EllView ell = ell_.view();
    for_each_in_blocks(stream, block_size, ell.rows, RowsTimesVector<EllView>{ell, x, y});
    rest_.add_product(stream, block_size, x, y);
  }

 private:
  EllBuffers ell_;
  DeviceCoo rest_;
};

}  // namespace cardiowarp
