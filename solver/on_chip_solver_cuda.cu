// The path `on_chip` of a run on a GPU.

#include "solver/jacobi_solvers.hpp"
#include "solver/on_chip/on_chip_cg.cuh"

namespace cardiowarp {

template std::unique_ptr<LinearSolver<CudaBackend>> on_chip_solver(CudaBackend&,
                                                                   const GivenSystem<CudaBackend, Real, Real>&);
template std::unique_ptr<LinearSolver<CudaBackend>> on_chip_solver(CudaBackend&,
                                                                   const GivenSystem<CudaBackend, float, Real>&);
template std::unique_ptr<LinearSolver<CudaBackend>> on_chip_solver(CudaBackend&,
                                                                   const GivenSystem<CudaBackend, float, float>&);

}  // namespace cardiowarp
