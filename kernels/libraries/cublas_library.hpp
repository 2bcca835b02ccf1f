#pragma once
#include <cublas_v2.h>

namespace cardiowarp {

/// The functions of cuBLAS that are called, found in the library at first use (cuda_library.hpp).
struct CublasLibrary {
  decltype(&cublasGetStatusName) status_name;
  decltype(&cublasGetStatusString) status_text;
  decltype(&cublasCreate) create;
  decltype(&cublasDestroy) destroy;
  decltype(&cublasSetStream) set_stream;
  decltype(&cublasSetWorkspace) set_workspace;
  decltype(&cublasSetPointerMode) set_pointer_mode;
  decltype(&cublasDdot) dot;
  decltype(&cublasDaxpy) axpy;
  decltype(&cublasDscal) scal;
};

/// Throws MissingLibrary where the library cannot be loaded or lacks a function.
const CublasLibrary& cublas_library();

}  // namespace cardiowarp
