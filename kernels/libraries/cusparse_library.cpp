#include "kernels/libraries/cusparse_library.hpp"

#include <string>

#include "kernels/libraries/cuda_library.hpp"

namespace cardiowarp {

const CusparseLibrary& cusparse_library() {
  static const CusparseLibrary cusparse = [] {
    const CudaLibrary library("cuSPARSE", "libcusparse.so." + std::to_string(CUSPARSE_VER_MAJOR), "12.4");
    CusparseLibrary found{};
    library.find("cusparseGetErrorName", found.error_name);
    library.find("cusparseGetErrorString", found.error_text);
    library.find("cusparseCreate", found.create);
    library.find("cusparseDestroy", found.destroy);
    library.find("cusparseSetStream", found.set_stream);
    library.find("cusparseCreateConstCsr", found.create_csr);
    library.find("cusparseCreateConstSlicedEll", found.create_sliced_ell);
    library.find("cusparseCreateConstBsr", found.create_bsr);
    library.find("cusparseDestroySpMat", found.destroy_matrix);
    library.find("cusparseCreateDnVec", found.create_vector);
    library.find("cusparseDnVecSetValues", found.set_vector_values);
    library.find("cusparseDestroyDnVec", found.destroy_vector);
    library.find("cusparseSpMV_bufferSize", found.spmv_buffer_size);
    library.find("cusparseSpMV_preprocess", found.spmv_preprocess);
    library.find("cusparseSpMV", found.spmv);
    return found;
  }();
  return cusparse;
}

}  // namespace cardiowarp
