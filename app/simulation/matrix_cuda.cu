// The matrix of a simulation on a GPU; simulation_plan.hpp names what is compiled here.

#include "app/simulation/make_assembly.hpp"
#include "app/simulation/step_on_gpu.cuh"
#include "assembly/formats.cuh"
#include "kernels/sparse/scatter.cuh"

namespace cardiowarp {

template std::unique_ptr<GlobalMatrix<CudaBackend>> make_matrix(CudaBackend&, const SimulationPlan&);
template std::unique_ptr<GlobalMatrix<CudaBackend>> make_global_matrix(CudaBackend&, const Sparsity&,
                                                                       const MatrixLayout&);

}  // namespace cardiowarp
