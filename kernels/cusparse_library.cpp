#include "kernels/cusparse_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/device_error.hpp"

namespace cardiowarp {

namespace {

/// Of the major version that is declared here: with another one the functions need not have these parameters.
const std::string file_name = "libcusparse.so." + std::to_string(CUSPARSE_VER_MAJOR);

/// As the loader searches, then in the usual folders of a CUDA installation. Never unloaded.
void* load() {
  std::vector<std::string> files{file_name};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* folder = std::getenv(variable)) files.push_back(std::string(folder) + "/lib64/" + file_name);
  files.push_back("/usr/local/cuda/lib64/" + file_name);

  std::string reasons;
  for (const std::string& file : files) {
    if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    reasons += (reasons.empty() ? "" : "; ") + std::string(dlerror());
  }
  throw MissingLibrary("no cuSPARSE: " + file_name + " could not be loaded: " + reasons);
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function)
    throw MissingLibrary("no cuSPARSE: " + file_name + " lacks " + name + ", which CUDA 12.4 and newer have");
}

CusparseLibrary loaded() {
  void* const library = load();
  CusparseLibrary cusparse{};
  find(library, "cusparseGetErrorName", cusparse.error_name);
  find(library, "cusparseGetErrorString", cusparse.error_text);
  find(library, "cusparseCreate", cusparse.create);
  find(library, "cusparseDestroy", cusparse.destroy);
  find(library, "cusparseSetStream", cusparse.set_stream);
  find(library, "cusparseCreateConstCsr", cusparse.create_csr);
  find(library, "cusparseCreateConstSlicedEll", cusparse.create_sliced_ell);
  find(library, "cusparseDestroySpMat", cusparse.destroy_matrix);
  find(library, "cusparseCreateDnVec", cusparse.create_vector);
  find(library, "cusparseDnVecSetValues", cusparse.set_vector_values);
  find(library, "cusparseDestroyDnVec", cusparse.destroy_vector);
  find(library, "cusparseSpMV_bufferSize", cusparse.spmv_buffer_size);
  find(library, "cusparseSpMV_preprocess", cusparse.spmv_preprocess);
  find(library, "cusparseSpMV", cusparse.spmv);
  return cusparse;
}

}  // namespace

const CusparseLibrary& cusparse_library() {
  static const CusparseLibrary cusparse = loaded();
  return cusparse;
}

}  // namespace cardiowarp
