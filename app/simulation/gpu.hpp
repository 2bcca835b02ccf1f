#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/simulation/simulation.hpp"
#include "kernels/backend/device.hpp"

namespace cardiowarp {

// The GPU behind functions that need nothing of CUDA, so that the rest of the program is one text with and without it.
// gpu_cuda.cu has them in a build with CUDA, and gpu_absent.cpp in any other, where gpu_device() and
// make_gpu_simulation() throw DeviceError. app/start/backend.hpp decides whether a run computes there.

/// What `cardiowarp info` says of the GPU backend, a line each: its devices, or why there is none.
std::vector<std::string> describe_gpus();

/// The GPU as a report of measurements names it.
struct GpuInUse {
  std::string name = "none";
  std::string driver = "none";  ///< version, such as 580.95.05; unknown where the driver does not say it
  std::string cuda = "none";    ///< version that this program was built with
};

/// The device a GPU simulation runs on, or none.
GpuInUse gpu_in_use();

/// The device a GPU simulation runs on. Throws DeviceError where there is none that can be used.
Device gpu_device();

/// The simulation of a problem on the first CUDA device. Throws DeviceError where this build has no GPU backend, there
/// is no usable device, or its memory does not suffice.
std::unique_ptr<Simulation> make_gpu_simulation(const Problem& problem);

}  // namespace cardiowarp
