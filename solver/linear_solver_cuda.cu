// The linear solver on a GPU: what picks a solver, and the precisions. The solvers themselves are in the files that
// given_system.hpp names.

#include "kernels/backend/cuda_backend.cuh"
#include "solver/make_linear_solver.hpp"

namespace cardiowarp {

template std::unique_ptr<LinearSolver<CudaBackend>> make_linear_solver(CudaBackend&, const SolverPlan&,
                                                                       const EllWarpLayout&,
                                                                       const SparseMatrix<CudaBackend>&,
                                                                       const SystemInMemory&, const EntriesOfK&);

}  // namespace cardiowarp
