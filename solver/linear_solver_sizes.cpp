// The linear solvers on the backend that counts memory alone.

#include "kernels/backend/sizing_backend.hpp"
#include "solver/jacobi_solvers.hpp"
#include "solver/make_linear_solver.hpp"
#include "solver/preconditioned_solver.hpp"

namespace cardiowarp {

template std::unique_ptr<LinearSolver<SizingBackend>> make_linear_solver(SizingBackend&, const SolverPlan&,
                                                                         const EllWarpLayout&,
                                                                         const SparseMatrix<SizingBackend>&,
                                                                         const SystemInMemory&, const EntriesOfK&);

}  // namespace cardiowarp
