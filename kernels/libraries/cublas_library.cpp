#include "kernels/libraries/cublas_library.hpp"

#include <string>

#include "kernels/libraries/cuda_library.hpp"

namespace cardiowarp {

/// The names are those that the macros of cublas_v2.h stand for.
const CublasLibrary& cublas_library() {
  static const CublasLibrary cublas = [] {
    const CudaLibrary library("cuBLAS", "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR), "11.4");
    CublasLibrary found{};
    library.find("cublasGetStatusName", found.status_name, "cublasGetStatusString", found.status_text);
    library.find("cublasCreate_v2", found.create, "cublasDestroy_v2", found.destroy);
    library.find("cublasSetStream_v2", found.set_stream, "cublasSetWorkspace_v2", found.set_workspace);
    library.find("cublasSetPointerMode_v2", found.set_pointer_mode);
    library.find("cublasDdot_v2", found.dot, "cublasDaxpy_v2", found.axpy, "cublasDscal_v2", found.scal);
    return found;
  }();
  return cublas;
}

}  // namespace cardiowarp
