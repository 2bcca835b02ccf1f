#pragma once
#include <cstddef>
#include <memory>
#include <source_location>

#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/cuda_check.hpp"
#include "kernels/libraries/cublas_library.hpp"

namespace cardiowarp {

/// Throws DeviceError with cuBLAS's name and text and the place of the call.
inline void cublas_check(cublasStatus_t status, std::source_location place = std::source_location::current()) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw failed_call("cuBLAS", cublas_library().status_name(status), cublas_library().status_text(status), place);
}

/// cuBLAS on vectors [n] in the backend's stream, but not inside a repetition. Its scalars are device
/// memory, so that nothing waits: all of it can be captured into a CUDA graph. The backend must outlive this. Throws
/// DeviceError.
class Cublas {
 public:
  explicit Cublas(CudaBackend& backend) : workspace_(backend.allocate<std::byte>(workspace_bytes)) {
    const CublasLibrary& cublas = cublas_library();
    cublasHandle_t handle = nullptr;
    cublas_check(cublas.create(&handle));
    handle_.reset(handle);
    cublas_check(cublas.set_stream(handle, backend.stream()));
    // After the stream, which brings back the default, memory that a graph allocates in every launch.
    cublas_check(cublas.set_workspace(handle, workspace_.data(), workspace_.size()));
    cublas_check(cublas.set_pointer_mode(handle, CUBLAS_POINTER_MODE_DEVICE));
  }

  /// *result = x·y
  void dot(Index n, const Real* x, const Real* y, Real* result) const {
    cublas_check(cublas_library().dot(handle_.get(), n, x, 1, y, 1, result));
  }

  /// y += *a x
  void axpy(Index n, const Real* a, const Real* x, Real* y) const {
    cublas_check(cublas_library().axpy(handle_.get(), n, a, x, 1, y, 1));
  }

  /// x *= *a
  void scal(Index n, const Real* a, Real* x) const { cublas_check(cublas_library().scal(handle_.get(), n, a, x, 1)); }

 private:
  struct Destroy {
    void operator()(cublasHandle_t handle) const noexcept { cublas_library().destroy(handle); }
  };

  static constexpr std::size_t workspace_bytes = 32 << 20;  ///< as its documentation recommends for an H100

  Buffer<std::byte> workspace_;
  std::unique_ptr<cublasContext, Destroy> handle_;
};

}  // namespace cardiowarp
