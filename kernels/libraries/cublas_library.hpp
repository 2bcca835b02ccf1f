#pragma once
#include <cublas_v2.h>

namespace cardiowarp {

/// What is called of cuBLAS, loaded at first use as CudaLibrary says.
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
