// Stands in for run_time_compiler.cpp in builds without CUDA.

#include "kernels/backend/device_error.hpp"
#include "kernels/libraries/run_time_compiler.hpp"

namespace cardiowarp {

std::string run_time_compiler(int) { throw MissingLibrary("no NVRTC: this build has no GPU backend"); }

std::string compiled_for_gpu(const std::string&, int) {
  throw MissingLibrary("no NVRTC: this build has no GPU backend");
}

}  // namespace cardiowarp
