// The linear solver of a simulation on a GPU; step_on_gpu.cuh names what is compiled here.

#include "app/simulation/step_on_gpu.cuh"
#include "solver/on_chip/on_chip_cg.cuh"
#include "solver/parts/parts_product.cuh"
#include "solver/persistent/persistent_cg.cuh"

namespace cardiowarp {

template std::unique_ptr<LinearSolver<CudaBackend>> make_linear_solver(CudaBackend&, const SolverPlan&,
                                                                       const EllWarpLayout&,
                                                                       const GlobalMatrix<CudaBackend>&,
                                                                       const SystemInMemory&, const EntriesOfK&);

}  // namespace cardiowarp
