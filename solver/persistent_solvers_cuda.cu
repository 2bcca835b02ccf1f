// The path `persistent` of a run on a GPU, with Jacobi and with polynomials.

#include "solver/jacobi_solvers.hpp"
#include "solver/persistent/persistent_cg.cuh"
#include "solver/preconditioned_solver.hpp"

namespace cardiowarp {

template std::unique_ptr<LinearSolver<CudaBackend>> persistent_solver(CudaBackend&,
                                                                      const GivenSystem<CudaBackend, Real, Real>&);
template std::unique_ptr<LinearSolver<CudaBackend>> persistent_solver(CudaBackend&,
                                                                      const GivenSystem<CudaBackend, float, Real>&);
template std::unique_ptr<LinearSolver<CudaBackend>> persistent_solver(CudaBackend&,
                                                                      const GivenSystem<CudaBackend, float, float>&);
template std::unique_ptr<LinearSolver<CudaBackend>> persistent_polynomial_solver(CudaBackend&,
                                                                                 const GivenSystem<CudaBackend, Real>&);
template std::unique_ptr<LinearSolver<CudaBackend>> persistent_polynomial_solver(
    CudaBackend&, const GivenSystem<CudaBackend, float>&);

}  // namespace cardiowarp
