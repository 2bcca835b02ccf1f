#pragma once
#include <cublas_v2.h>

namespace cardiowarp {

// cuBLAS, NVIDIA's library of operations on dense vectors, as far as `cardiowarp bench solver` measures against it. The
// program is not linked with it, since it must start on machines without it, and no run needs it. CudaLibrary
// (cuda_library.hpp) loads it at the first call of cublas_library() and looks up each function, whose pointer is kept
// until the program ends. Types and signatures come from the header cublas_v2.h. cublas.cuh calls the functions.

/// The functions of cuBLAS that are called.
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
