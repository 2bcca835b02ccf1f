#include <tuple>

#include "app/simulation/backend_simulation.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/step_on_gpu.cuh"
#include "fem/input_error.hpp"
#include "kernels/backend/cuda_device.hpp"
#include "kernels/libraries/cuda_library.hpp"

namespace cardiowarp {
namespace {

/// The version of the driver, as NVIDIA's management library says it, which comes with the driver.
std::string driver_version() {
  try {
    int (*start)() = nullptr;
    int (*version)(char*, unsigned) = nullptr;
    int (*stop)() = nullptr;
    CudaLibrary("NVML", "libnvidia-ml.so.1", "4")
        .find("nvmlInit_v2", start, "nvmlSystemGetDriverVersion", version, "nvmlShutdown", stop);
    if (start() != 0) return "unknown";
    char text[80] = "";
    const bool known = version(text, sizeof text) == 0;
    stop();
    return known ? text : "unknown";
  } catch (const MissingLibrary&) {
    return "unknown";
  }
}

/// What is planned for one of them is right for the other.
bool are_alike(const Device& a, const Device& b) {
  const auto described = [](const Device& device) {
    return std::tie(device.name, device.compute_capability, device.multiprocessors, device.resident_warps,
                    device.shared_bytes, device.l2_bytes, device.memory_bytes, device.launches_at_once);
  };
  return described(a) == described(b);
}

/// Throws DeviceError, and not what is wrong with the problem for a GPU, where there is a GPU that cannot be used:
/// where `auto` may take the CPU, the problem can be right for that.
SimulationPlan plan_for_gpu(const Problem& problem) {
  try {
    return plan_simulation(problem, described_gpu());
  } catch (const InputError&) {
    gpu_device();
    throw;
  }
}

}  // namespace

std::vector<std::string> describe_gpus() {
  try {
    require_cuda_device();
    make_cuda_context();
  } catch (const DeviceError& error) {
    return {error.what()};
  }
  int devices = 0;
  cuda_check(cudaGetDeviceCount(&devices));
  std::vector<std::string> lines;
  for (int id = 0; id < devices; ++id) {
    const Device device = cuda_device(id);
    lines.push_back(device.name + ", compute capability " + std::to_string(device.compute_capability / 10) + "." +
                    std::to_string(device.compute_capability % 10) + ", " + std::to_string(device.multiprocessors) +
                    " multiprocessors, " + std::to_string(device.memory_bytes >> 20) + " MiB");
  }
  return lines;
}

GpuInUse gpu_in_use() {
  try {
    return {gpu_device().name, driver_version(), cuda::version_text(CUDART_VERSION)};
  } catch (const DeviceError&) {
    return {};
  }
}

Device described_gpu() {
  static const Device device = [] {
    require_cuda_device();
    return cuda_device(0);
  }();
  return device;
}

Device gpu_device() {
  described_gpu();  // before the context is made: until that is done CUDA may let nobody else ask for the description
  return CudaBackend().device();
}

std::optional<int> another_gpu() {
  try {
    const Device first = described_gpu();
    int devices = 0;
    cuda_check(cudaGetDeviceCount(&devices));
    for (int id = 1; id < devices; ++id)
      if (are_alike(cuda_device(id), first)) return id;
  } catch (const DeviceError&) {  // who uses the first will say so
  }
  return std::nullopt;
}

void use_gpu(int id) { cuda_check(cudaSetDevice(id)); }

std::unique_ptr<Simulation> make_gpu_simulation(const Problem& problem) {
  const SimulationPlan plan = plan_for_gpu(problem);
  gpu_device();  // throws where it cannot be used
  require_device_memory(backend_bytes(plan));
  return std::make_unique<BackendSimulation<CudaBackend>>(plan);
}

}  // namespace cardiowarp
