#pragma once
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <string>

namespace cardiowarp {

/// Machine code that was compiled while the program runs (run_time_code.hpp), loaded into the present CUDA device by
/// the functions of the driver, which the program is not linked with. Launches may be recorded into a CUDA graph.
class GpuModule {
 public:
  /// Throws DeviceError, as all members do, also where the code is for another device.
  explicit GpuModule(const std::string& code);
  GpuModule(const GpuModule&) = delete;
  GpuModule& operator=(const GpuModule&) = delete;
  ~GpuModule();

  /// A variable of the code in device memory, which has at least so many bytes.
  void* variable(const char* name, std::size_t bytes) const;
  CUfunction kernel(const char* name) const;
  /// One launch of so many blocks of so many threads; `arguments` point to those of the kernel, in their order.
  static void launch(CUfunction kernel, unsigned blocks, unsigned threads, cudaStream_t stream,
                     std::span<void* const> arguments);

 private:
  CUmodule module_ = nullptr;
};

}  // namespace cardiowarp
