// The linear solvers on the CPU.

#include "solver/jacobi_solvers.hpp"
#include "solver/make_linear_solver.hpp"
#include "solver/preconditioned_solver.hpp"

namespace cardiowarp {

template std::unique_ptr<LinearSolver<CpuBackend>> make_linear_solver(CpuBackend&, const SolverPlan&,
                                                                      const EllWarpLayout&,
                                                                      const SparseMatrix<CpuBackend>&,
                                                                      const SystemInMemory&, const EntriesOfK&);

}  // namespace cardiowarp
