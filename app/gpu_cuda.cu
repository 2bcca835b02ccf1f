#include "app/backend_simulation.hpp"
#include "app/gpu.hpp"
#include "kernels/cuda_backend.cuh"

namespace cardiowarp {

std::vector<std::string> describe_gpus() {
  try {
    require_cuda_device();
  } catch (const DeviceError& error) {
    return {error.what()};
  }
  int devices = 0;
  cuda_check(cudaGetDeviceCount(&devices));
  std::vector<std::string> lines;
  for (int id = 0; id < devices; ++id) {
    cudaDeviceProp device;
    cuda_check(cudaGetDeviceProperties(&device, id));
    lines.push_back(std::string(device.name) + ", compute capability " + std::to_string(device.major) + "." +
                    std::to_string(device.minor) + ", " + std::to_string(device.multiProcessorCount) +
                    " multiprocessors, " + std::to_string(device.totalGlobalMem >> 20) + " MiB");
  }
  return lines;
}

std::string gpu_name() {
  const CudaBackend usable;
  cudaDeviceProp device;
  cuda_check(cudaGetDeviceProperties(&device, 0));
  return device.name;
}

std::unique_ptr<Simulation> make_gpu_simulation(const Problem& problem) {
  if (problem.format == MatrixFormat::csr)
    return std::make_unique<BackendSimulation<CudaBackend, StoredAsCsr>>(problem);
  return std::make_unique<BackendSimulation<CudaBackend, StoredAsEllWarp>>(problem);
}

}  // namespace cardiowarp
