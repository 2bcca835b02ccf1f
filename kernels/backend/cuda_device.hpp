#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <string>

#include "kernels/backend/cuda_check.hpp"
#include "kernels/backend/device.hpp"
#include "kernels/backend/device_wait.hpp"

namespace cardiowarp {

// Asking CUDA for a device: whether there is one, what it is, and whether it has the memory that a run needs.

namespace cuda {

/// `13.0` of 13000.
inline std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace cuda

/// Throws DeviceError where CUDA finds no device it can use. Makes no context.
inline void require_cuda_device() {
  int driver = 0, devices = 0;
  cuda_check(cudaDriverGetVersion(&driver));
  if (driver == 0) throw DeviceError("no CUDA device: this machine has no NVIDIA driver");
  if (driver / 1000 < CUDART_VERSION / 1000)  // inside a major version older drivers run newer programs
    throw DeviceError("no CUDA device: the NVIDIA driver supports CUDA " + cuda::version_text(driver) +
                      ", this build needs " + cuda::version_text(CUDART_VERSION));
  const DeviceWait wait;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess)
    throw DeviceError(std::string("no CUDA device: ") + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) +
                      ")");
  if (devices == 0) throw DeviceError("no CUDA device: none was found");
}

/// Makes the context of the current device where it is not there yet, which takes a driver a tenth of a second and
/// more. Throws DeviceError.
inline void make_cuda_context() {
  const DeviceWait wait;
  const cudaError_t context = cudaFree(nullptr);
  if (context == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw DeviceError("not enough device memory: there is no room for a CUDA context");
  }
  cuda_check(context);
}

/// A device of this machine, as CUDA describes it. Makes no context. Throws DeviceError.
inline Device cuda_device(int id) {
  cudaDeviceProp device;
  cuda_check(cudaGetDeviceProperties(&device, id));
  return {.name = device.name,
          .is_gpu = true,
          .compute_capability = 10 * device.major + device.minor,
          .multiprocessors = device.multiProcessorCount,
          .resident_warps = device.maxThreadsPerMultiProcessor / device.warpSize,
          .shared_bytes = device.sharedMemPerBlockOptin,
          .l2_bytes = device.l2CacheSize,
          .memory_bytes = device.totalGlobalMem,
          .launches_at_once = device.cooperativeLaunch != 0};
}

/// Throws DeviceError where less than `bytes` of device memory is free.
inline void require_device_memory(std::size_t bytes) {
  std::size_t free = 0, total = 0;
  cuda_check(cudaMemGetInfo(&free, &total));
  if (bytes > free)
    throw DeviceError("not enough device memory: the run needs " + std::to_string(bytes) + " bytes, " +
                      std::to_string(free) + " of " + std::to_string(total) + " are free");
}

}  // namespace cardiowarp
