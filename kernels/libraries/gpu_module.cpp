#include "kernels/libraries/gpu_module.hpp"

#include <bit>
#include <vector>

#include "kernels/backend/device_error.hpp"
#include "kernels/backend/device_wait.hpp"
#include "kernels/libraries/cuda_library.hpp"

namespace cardiowarp {
namespace {

/// The functions of cuda.h that are called.
struct CudaDriver {
  decltype(&cuModuleLoadData) load;
  decltype(&cuModuleUnload) unload;
  decltype(&cuModuleGetFunction) get_function;
  decltype(&cuModuleGetGlobal) get_global;
  decltype(&cuLaunchKernel) launch;
  decltype(&cuGetErrorString) error_text;
};

/// The names are those that the macros of cuda.h stand for.
const CudaDriver& cuda_driver() {
  static const CudaDriver driver = [] {
    const CudaLibrary library("CUDA driver", "libcuda.so.1", "6.0");
    CudaDriver found{};
    library.find("cuModuleLoadData", found.load, "cuModuleUnload", found.unload);
    library.find("cuModuleGetFunction", found.get_function, "cuModuleGetGlobal_v2", found.get_global);
    library.find("cuLaunchKernel", found.launch, "cuGetErrorString", found.error_text);
    return found;
  }();
  return driver;
}

void require(CUresult status, const std::string& what) {
  if (status == CUDA_SUCCESS) return;
  const char* text = nullptr;
  const bool is_known = cuda_driver().error_text(status, &text) == CUDA_SUCCESS && text;
  throw DeviceError("CUDA driver: " + what + ": " + (is_known ? text : "error " + std::to_string(status)));
}

}  // namespace

GpuModule::GpuModule(const std::string& code) {
  const DeviceWait wait;
  require(cuda_driver().load(&module_, code.data()), "code that was compiled at run time cannot be loaded");
}

GpuModule::~GpuModule() {
  const DeviceWait wait;
  cuda_driver().unload(module_);
}

void* GpuModule::variable(const char* name, std::size_t bytes) const {
  CUdeviceptr place = 0;
  std::size_t size = 0;
  require(cuda_driver().get_global(&place, &size, module_, name), name);
  if (size < bytes) throw DeviceError(std::string(name) + " of compiled code is too small");
  return std::bit_cast<void*>(place);
}

CUfunction GpuModule::kernel(const char* name) const {
  CUfunction function = nullptr;
  require(cuda_driver().get_function(&function, module_, name), name);
  return function;
}

void GpuModule::launch(CUfunction kernel, unsigned blocks, unsigned threads, cudaStream_t stream,
                       std::span<void* const> arguments) {
  std::vector<void*> places(arguments.begin(), arguments.end());
  require(cuda_driver().launch(kernel, blocks, 1, 1, threads, 1, 1, 0, stream, places.data(), nullptr),
          "a kernel that was compiled at run time cannot be launched");
}

}  // namespace cardiowarp
