#include "app/simulation/backend_simulation.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/step_kernels.cuh"
#include "kernels/libraries/cusparse.cuh"

namespace cardiowarp {
namespace {

/// Compressed rows, multiplied by cuSPARSE; by the algorithm that promises the same bits in every run.
class CusparseGlobalMatrix final : public CsrMatrix<CudaBackend> {
 public:
  CusparseGlobalMatrix(CudaBackend& backend, const Sparsity& sparsity)
      : CsrMatrix(backend, sparsity), product_(backend, view(), sparsity.entries(), CusparseAlgorithm::csr_2) {}

  void multiply_dot(CudaBackend& backend, const Real* p, Real* q, Real* pq) const override {
    product_.multiply(p, q);
    backend.sum<1>(view().rows, pq, Dot{p, q});
  }

 private:
  CusparseMatrix product_;
};

std::unique_ptr<GlobalMatrix<CudaBackend>> make_matrix(CudaBackend& backend, const SimulationPlan& plan) {
  if (plan.matrix.options.format == MatrixFormat::cusparse)
    return std::make_unique<CusparseGlobalMatrix>(backend, plan.sparsity);
  return make_matrix_of_plan(backend, plan);
}

}  // namespace

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
    const Device device = cuda_device(id);
    lines.push_back(device.name + ", compute capability " + std::to_string(device.compute_capability / 10) + "." +
                    std::to_string(device.compute_capability % 10) + ", " + std::to_string(device.multiprocessors) +
                    " multiprocessors, " + std::to_string(device.memory_bytes >> 20) + " MiB");
  }
  return lines;
}

Device gpu_device() { return CudaBackend().device(); }

std::unique_ptr<Simulation> make_gpu_simulation(const Problem& problem) {
  require_cuda_device();
  const SimulationPlan plan = plan_simulation(problem, gpu_device());
  require_device_memory(backend_bytes(plan));
  return std::make_unique<BackendSimulation<CudaBackend>>(plan, make_matrix);
}

}  // namespace cardiowarp
