#pragma once
#include <cuda_runtime.h>

#include <source_location>
#include <string>

#include "kernels/device_error.hpp"

namespace cardiowarp {

/// Throws DeviceError with CUDA's name and text and the place of the call.
inline void cuda_check(cudaError_t status, std::source_location place = std::source_location::current()) {
  if (status == cudaSuccess) return;
  throw DeviceError(std::string("CUDA: ") + cudaGetErrorName(status) + ": " + cudaGetErrorString(status) + " (" +
                    place.file_name() + ":" + std::to_string(place.line()) + ")");
}

}  // namespace cardiowarp
