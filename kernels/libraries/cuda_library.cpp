#include "kernels/libraries/cuda_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <utility>
#include <vector>

namespace cardiowarp {

CudaLibrary::CudaLibrary(std::string name, std::string file, std::string since)
    : name_(std::move(name)), file_(std::move(file)), since_(std::move(since)) {
  std::vector<std::string> files{file_};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* folder = std::getenv(variable)) files.push_back(std::string(folder) + "/lib64/" + file_);
  files.push_back("/usr/local/cuda/lib64/" + file_);

  std::string reasons;
  for (const std::string& path : files) {
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_) return;
    reasons += (reasons.empty() ? "" : "; ") + std::string(dlerror());
  }
  throw MissingLibrary("no " + name_ + ": " + file_ + " could not be loaded: " + reasons);
}

void* CudaLibrary::address(const char* symbol) const {
  void* const found = dlsym(library_, symbol);
  if (!found)
    throw MissingLibrary("no " + name_ + ": " + file_ + " lacks " + symbol + ", which CUDA " + since_ +
                         " and newer have");
  return found;
}

}  // namespace cardiowarp
