// Assembly and matrix of a simulation on a GPU; step_on_gpu.cuh names what is compiled here.

#include "app/simulation/step_on_gpu.cuh"
#include "assembly/formats.cuh"
#include "assembly/slice_gather.cuh"
#include "kernels/sparse/scatter.cuh"

namespace cardiowarp {

template std::unique_ptr<Assembly<CudaBackend>> make_assembly(CudaBackend&, const SimulationPlan&);
template std::unique_ptr<GlobalMatrix<CudaBackend>> make_matrix(CudaBackend&, const SimulationPlan&);
template std::unique_ptr<GlobalMatrix<CudaBackend>> make_global_matrix(CudaBackend&, const Sparsity&,
                                                                       const MatrixLayout&);

}  // namespace cardiowarp
