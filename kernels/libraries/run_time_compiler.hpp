#pragma once
#include <string>

namespace cardiowarp {

// NVRTC, NVIDIA's compiler of CUDA C++ as a library, for texts that are made while the program runs. It is loaded and
// not linked (cuda_library.hpp), since it has 100 MB and comes with a CUDA toolkit: libnvrtc.so of the major version of
// CUDA that this program was built with. In a build without CUDA each function throws MissingLibrary.

/// All that the code of a text depends on beside the text: `NVRTC 13.0 --gpu-architecture=sm_90 ..`.
/// `compute_capability` is 90 for 9.0. Throws MissingLibrary.
std::string run_time_compiler(int compute_capability);

/// The machine code of a text that includes nothing, a file in NVIDIA's format `cubin`. Takes some tenths of a second
/// to some ten. Throws MissingLibrary, and DeviceError with the compiler's first messages.
std::string compiled_for_gpu(const std::string& text, int compute_capability);

}  // namespace cardiowarp
