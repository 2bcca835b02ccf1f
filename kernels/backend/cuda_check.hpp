#pragma once
#include <cuda_runtime.h>

#include <source_location>
#include <string>

#include "kernels/backend/device_error.hpp"

namespace cardiowarp {

// How failed calls of CUDA become exceptions. Each call of the CUDA runtime returns a status; cuda_check() is written
// around every call whose failure the program has to know, and turns a failure into a DeviceError, which main() turns
// into exit code 4. An asynchronous operation that fails is reported by a later call, so that the message names the
// place where the failure was noticed. The checks of cuSPARSE and cuBLAS (kernels/libraries) use failed_call(), too.

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
