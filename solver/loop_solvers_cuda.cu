// The paths `plain` and `in_parts` of a run on a GPU, with each preconditioner that a GPU has.

#include "solver/jacobi_solvers.hpp"
#include "solver/parts/parts_product.cuh"
#include "solver/preconditioned_solver.hpp"

namespace cardiowarp {

template std::unique_ptr<LinearSolver<CudaBackend>> loop_solver(CudaBackend&,
                                                                const GivenSystem<CudaBackend, Real, Real>&);
template std::unique_ptr<LinearSolver<CudaBackend>> loop_solver(CudaBackend&,
                                                                const GivenSystem<CudaBackend, float, Real>&);
template std::unique_ptr<LinearSolver<CudaBackend>> loop_solver(CudaBackend&,
                                                                const GivenSystem<CudaBackend, float, float>&);
template std::unique_ptr<LinearSolver<CudaBackend>> preconditioned_loop_solver(CudaBackend&,
                                                                               const GivenSystem<CudaBackend, Real>&);
template std::unique_ptr<LinearSolver<CudaBackend>> preconditioned_loop_solver(CudaBackend&,
                                                                               const GivenSystem<CudaBackend, float>&);

}  // namespace cardiowarp
