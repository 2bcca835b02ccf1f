#pragma once
#include <cusparse.h>

namespace cardiowarp {

/// The functions of cuSPARSE that are called, found in the library at first use (cuda_library.hpp).
struct CusparseLibrary {
  decltype(&cusparseGetErrorName) error_name;
  decltype(&cusparseGetErrorString) error_text;
  decltype(&cusparseCreate) create;
  decltype(&cusparseDestroy) destroy;
  decltype(&cusparseSetStream) set_stream;
  decltype(&cusparseCreateConstCsr) create_csr;
  decltype(&cusparseCreateConstSlicedEll) create_sliced_ell;
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
