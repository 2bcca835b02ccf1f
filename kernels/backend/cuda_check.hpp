#pragma once
#include <cuda_runtime.h>

#include <source_location>
#include <string>

#include "kernels/backend/device_error.hpp"

namespace cardiowarp {

/// The error for a call that failed, with the library's name and text of its status and the place of the call.
inline DeviceError failed_call(const std::string& library, const char* status_name, const char* status_text,
                               const std::source_location& place) {
  return DeviceError(library + ": " + status_name + ": " + status_text + " (" + place.file_name() + ":" +
                     std::to_string(place.line()) + ")");
}

/// Throws DeviceError with CUDA's name and text and the place of the call.
inline void cuda_check(cudaError_t status, std::source_location place = std::source_location::current()) {
  if (status != cudaSuccess) throw failed_call("CUDA", cudaGetErrorName(status), cudaGetErrorString(status), place);
}

}  // namespace cardiowarp
