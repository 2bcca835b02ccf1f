// Stands in for gpu_cuda.cu in builds without CUDA.

#include "app/gpu.hpp"
#include "kernels/device_error.hpp"

namespace cardiowarp {

std::vector<std::string> describe_gpus() { return {"not in this build (CUDA was not found when it was configured)"}; }

std::string gpu_name() { throw DeviceError("this build has no GPU backend"); }

std::unique_ptr<Simulation> make_gpu_simulation(const Problem&) { throw DeviceError("this build has no GPU backend"); }

}  // namespace cardiowarp
