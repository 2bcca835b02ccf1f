#pragma once
#include <cusparse.h>

namespace cardiowarp {

// cuSPARSE, NVIDIA's library of sparse matrices. It multiplies in the format `cusparse`, which a run on a GPU uses if
// the user names it, and as a rival that `cardiowarp bench` measures. The program is not linked with it, since it must
// start on machines without it. CudaLibrary (cuda_library.hpp) loads it at the first call of cusparse_library() and
// looks up each function, whose pointer is kept until the program ends. Types and signatures come from the header
// cusparse.h. cusparse.cuh calls the functions.

/// The functions of cuSPARSE that are called.
struct CusparseLibrary {
  decltype(&cusparseGetErrorName) error_name;
  decltype(&cusparseGetErrorString) error_text;
  decltype(&cusparseCreate) create;
  decltype(&cusparseDestroy) destroy;
  decltype(&cusparseSetStream) set_stream;
  decltype(&cusparseCreateConstCsr) create_csr;
  decltype(&cusparseCreateConstSlicedEll) create_sliced_ell;
  decltype(&cusparseCreateConstBsr) create_bsr;
  decltype(&cusparseDestroySpMat) destroy_matrix;
  decltype(&cusparseCreateDnVec) create_vector;
  decltype(&cusparseDnVecSetValues) set_vector_values;
  decltype(&cusparseDestroyDnVec) destroy_vector;
  decltype(&cusparseSpMV_bufferSize) spmv_buffer_size;
  decltype(&cusparseSpMV) spmv_preprocess;  ///< has the parameters of spmv; CUDA before 12.4 does not declare it
  decltype(&cusparseSpMV) spmv;
};

/// Throws MissingLibrary where the library cannot be loaded or lacks a function.
const CusparseLibrary& cusparse_library();

}  // namespace cardiowarp
