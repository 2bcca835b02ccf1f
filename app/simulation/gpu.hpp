#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/simulation/simulation.hpp"
#include "kernels/backend/device.hpp"

namespace cardiowarp {

// The GPU behind functions that need nothing of CUDA, so that the rest of the program is one text with and without it.
// gpu_cuda.cu and gpu_solver_cuda.cu have them in a build with CUDA, and gpu_absent.cpp in any other, where
// described_gpu(), gpu_device() and those that make a simulation throw DeviceError. app/start/backend.hpp decides
// whether a run computes there.

/// The lines of `cardiowarp info` on the GPU backend: its devices, or why there is none.
std::vector<std::string> describe_gpus();

/// The GPU as a report of measurements names it.
struct GpuInUse {
  std::string name = "none";
  std::string driver = "none";  ///< version, such as 580.95.05; unknown where the driver does not say it
  std::string cuda = "none";    ///< version that this program was built with
};

/// The device a GPU simulation runs on, or none.
GpuInUse gpu_in_use();

/// The device a GPU simulation runs on, as its driver describes it. It is known a tenth of a second and more before
/// that device can be used, so that a simulation is planned meanwhile. Throws DeviceError where there is no device.
Device described_gpu();

/// The device, once it has been seen that this build can compute there. Throws DeviceError where there is no device
/// that can be used.
Device gpu_device();

/// The number of another GPU of this machine that CUDA describes as it does the first, so that what is planned for the
/// one is right for the other; absent where there is none or GPUs cannot be used.
std::optional<int> another_gpu();

/// Simulations that the calling thread makes from here on run on the GPU with this number, in place of the first.
/// Throws DeviceError where that cannot be.
void use_gpu(int id);

/// The simulation of a problem on the first CUDA device. It is planned before that device has to be ready, and in vain
/// where the device then cannot be used. Throws DeviceError where this build has no GPU backend, there is no usable
/// device, or its memory does not suffice, and InputError where the problem is not for a GPU.
std::unique_ptr<Simulation> make_gpu_simulation(const Problem& problem);

/// A simulation on the CPU whose linear systems a GPU solves, and the bytes that have crossed the bus between them so
/// far.
struct SimulationWithGpuSolver {
  std::unique_ptr<Simulation> simulation;
  std::shared_ptr<const std::int64_t> bytes_over_bus;
};

/// The CPU evaluates elements and assembles K with OpenMP's threads; the first CUDA device gets K, 1 / K_ii and the
/// right-hand side in each Newton iteration, 8 bytes a stored entry and 16 a row, solves on the path that suits it, and
/// sends the update back, 8 a row (paper 000 sec. 8). It is there for comparisons: to assemble on the GPU, too, is
/// faster. Throws DeviceError as make_gpu_simulation() does, and InputError for a matrix that is not in ELL-WARP.
SimulationWithGpuSolver make_simulation_with_gpu_solver(const Problem& problem);

}  // namespace cardiowarp
