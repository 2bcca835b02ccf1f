// Stands in for gpu_cuda.cu in builds without CUDA.

#include "app/simulation/gpu.hpp"
#include "app/simulation/laplace.hpp"
#include "kernels/backend/device_error.hpp"

namespace cardiowarp {

std::vector<std::string> describe_gpus() { return {"not in this build (CUDA was not found when it was configured)"}; }

GpuInUse gpu_in_use() { return {}; }

Device described_gpu() { throw DeviceError("this build has no GPU backend"); }

Device gpu_device() { throw DeviceError("this build has no GPU backend"); }

std::optional<int> another_gpu() { return std::nullopt; }

void use_gpu(int) { throw DeviceError("this build has no GPU backend"); }

std::unique_ptr<Simulation> make_gpu_simulation(const Problem&) { throw DeviceError("this build has no GPU backend"); }

LaplaceField solve_laplace_on_gpu(const Mesh&, const PrescribedValues&, const LaplaceOptions&) {
  throw DeviceError("this build has no GPU backend");
}

SimulationWithGpuSolver make_simulation_with_gpu_solver(const Problem&) {
  throw DeviceError("this build has no GPU backend");
}

}  // namespace cardiowarp
