#pragma once
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <source_location>
#include <string>

#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/cuda_check.hpp"
#include "kernels/backend/device_error.hpp"
#include "kernels/libraries/cusparse_library.hpp"
#include "kernels/sparse/csr.hpp"
#include "kernels/sparse/ell_warp.hpp"

namespace cardiowarp {

/// Throws DeviceError with cuSPARSE's name and text and the place of the call.
inline void cusparse_check(cusparseStatus_t status, std::source_location place = std::source_location::current()) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw failed_call("cuSPARSE", cusparse_library().error_name(status), cusparse_library().error_text(status), place);
}

/// cuSPARSE's products: of CSR the fastest, of which two may differ in their last bits (csr_1), or always in the same
/// order (csr_2); or of sliced ELL, which stores a matrix as K1 does.
enum class CusparseAlgorithm { csr_1, csr_2, sliced_ell };

/// A square matrix in blocks as cuSPARSE's BSR has it, in device memory: the blocks of each block row one after the
/// other, each dense and row by row. Owns nothing.
struct BsrView {
  Index block_rows = 0, unknowns = 1;  ///< a block is unknowns × unknowns
  std::int64_t blocks = 0;
  const Index* row_begin = nullptr;  ///< [block rows + 1]
  const Index* column = nullptr;     ///< [blocks] block column
  const Real* value = nullptr;       ///< [unknowns² × blocks]
};

namespace cuda {

/// Loop body over the first slots of slices, which cuSPARSE takes as 32-bit numbers.
struct NarrowOffsets {
  const std::int64_t* wide;
  Index* narrow;
  CARDIOWARP_HD void operator()(Index i) const { narrow[i] = static_cast<Index>(wide[i]); }
};

}  // namespace cuda

/// A square matrix in device memory as cuSPARSE multiplies it: generic API, preprocessed once. Owns nothing of the
/// matrix. Its values may change between products (cuSPARSE's documentation excepts them, and x and y, from what
/// cusparseSpMV_preprocess binds), the pattern and where the values are may not: matrices of one pattern each need
/// their own. The backend must outlive this. Constructors wait and throw DeviceError.
class CusparseMatrix {
 public:
  CusparseMatrix(CudaBackend& backend, const CsrView& A, std::int64_t entries,
                 CusparseAlgorithm algorithm = CusparseAlgorithm::csr_1)
      : backend_(backend),
        algorithm_(algorithm == CusparseAlgorithm::csr_1 ? CUSPARSE_SPMV_CSR_ALG1 : CUSPARSE_SPMV_CSR_ALG2) {
    assert(algorithm != CusparseAlgorithm::sliced_ell);
    cusparseConstSpMatDescr_t matrix = nullptr;
    cusparse_check(cusparse_library().create_csr(&matrix, A.rows, A.rows, entries, A.row_begin, A.column, A.value,
                                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                                 CUDA_R_64F));
    matrix_.reset(matrix);
    prepare(backend, A.rows);
  }

  /// Sliced ELL of K1r or K1rs, `stored_entries` with padding: 2³¹ − 1 at most, because cuSPARSE has no 64-bit offsets
  /// beside 32-bit columns; a 32-bit copy of ours is owned. Its own padding has column −1; ours, a column of the matrix
  /// with value 0, is multiplied.
  CusparseMatrix(CudaBackend& backend, const EllWarpView& A, std::int64_t entries, std::int64_t stored_entries)
      : backend_(backend), algorithm_(CUSPARSE_SPMV_ALG_DEFAULT) {  // the format has one
    assert(A.one_lane_a_row && !A.row && A.column);
    if (stored_entries > std::numeric_limits<Index>::max())
      throw DeviceError("cuSPARSE: sliced ELL has at most " + std::to_string(std::numeric_limits<Index>::max()) +
                        " stored entries, got " + std::to_string(stored_entries));
    const cusparseIndexType_t index = CUSPARSE_INDEX_32I;
    slice_begin_ = backend.allocate<Index>(static_cast<std::size_t>(A.slices) + 1);
    backend.for_each(A.slices + 1, cuda::NarrowOffsets{A.slice_begin, slice_begin_.data()});
    cusparseConstSpMatDescr_t matrix = nullptr;
    cusparse_check(cusparse_library().create_sliced_ell(&matrix, A.rows, A.rows, entries, stored_entries, warp_lanes,
                                                        slice_begin_.data(), A.column, A.value, index, index,
                                                        CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    matrix_.reset(matrix);
    prepare(backend, A.rows);
  }

  /// BSR, which cuSPARSE multiplies since CUDA 13; before that this throws DeviceError.
  CusparseMatrix(CudaBackend& backend, const BsrView& A)
      : backend_(backend), algorithm_(CUSPARSE_SPMV_ALG_DEFAULT) {  // the format has one
    cusparseConstSpMatDescr_t matrix = nullptr;
    cusparse_check(cusparse_library().create_bsr(&matrix, A.block_rows, A.block_rows, A.blocks, A.unknowns, A.unknowns,
                                                 A.row_begin, A.column, A.value, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                                 CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F, CUSPARSE_ORDER_ROW));
    matrix_.reset(matrix);
    prepare(backend, A.block_rows * A.unknowns);
  }

  /// y = A x, x and y apart, enqueued in the backend's stream; can be captured into a CUDA graph. One thread at a time.
  void multiply(const Real* x, Real* y) const {
    const CusparseLibrary& cusparse = cusparse_library();
    // The descriptor of a constant vector would have to be made anew for each x.
    cusparse_check(cusparse.set_vector_values(x_.get(), const_cast<Real*>(x)));
    cusparse_check(cusparse.set_vector_values(y_.get(), y));
    cusparse_check(cusparse.set_stream(handle_.get(), backend_.stream()));  // in a repetition it is another
    cusparse_check(apply(cusparse.spmv));
  }

  /// Device memory that this takes beside the matrix, in bytes.
  std::size_t workspace_bytes() const { return workspace_.size() + slice_begin_.size() * sizeof(Index); }

 private:
  struct Destroy {
    void operator()(cusparseHandle_t handle) const noexcept { cusparse_library().destroy(handle); }
    void operator()(cusparseConstSpMatDescr_t matrix) const noexcept { cusparse_library().destroy_matrix(matrix); }
    void operator()(cusparseConstDnVecDescr_t vector) const noexcept { cusparse_library().destroy_vector(vector); }
  };

  static constexpr Real one = 1, zero = 0;

  void prepare(CudaBackend& backend, Index rows) {
    const CusparseLibrary& cusparse = cusparse_library();
    cusparseHandle_t handle = nullptr;
    cusparse_check(cusparse.create(&handle));
    handle_.reset(handle);
    cusparse_check(cusparse.set_stream(handle, backend.stream()));

    const Buffer<Real> x = backend.allocate<Real>(rows), y = backend.allocate<Real>(rows);  // until the first product
    const auto describe = [&](const Buffer<Real>& values, auto& vector) {
      cusparseDnVecDescr_t description = nullptr;
      cusparse_check(cusparse.create_vector(&description, rows, values.data(), CUDA_R_64F));
      vector.reset(description);
    };
    describe(x, x_);
    describe(y, y_);

    std::size_t bytes = 0;
    cusparse_check(cusparse.spmv_buffer_size(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_.get(), x_.get(),
                                             &zero, y_.get(), CUDA_R_64F, algorithm_, &bytes));
    workspace_ = backend.allocate<std::byte>(bytes);
    const cusparseStatus_t status = apply(cusparse.spmv_preprocess);  // which not every format needs to have
    if (status != CUSPARSE_STATUS_NOT_SUPPORTED) cusparse_check(status);
    backend.synchronize();
  }

  /// Calls the product or its preprocessing, which have the same parameters.
  cusparseStatus_t apply(decltype(&cusparseSpMV) function) const {
    return function(handle_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_.get(), x_.get(), &zero, y_.get(),
                    CUDA_R_64F, algorithm_, workspace_.data());
  }

  const CudaBackend& backend_;
  cusparseSpMVAlg_t algorithm_;
  Buffer<Index> slice_begin_;    ///< [slices + 1] of sliced ELL, otherwise empty
  Buffer<std::byte> workspace_;  ///< of this matrix alone: it holds what the preprocessing found
  std::unique_ptr<cusparseContext, Destroy> handle_;
  std::unique_ptr<const cusparseSpMatDescr, Destroy> matrix_;
  std::unique_ptr<cusparseDnVecDescr, Destroy> x_, y_;
};

}  // namespace cardiowarp
