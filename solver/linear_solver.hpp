#pragma once
#include <memory>

#include "kernels/backend/backend.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "kernels/sparse/sparse_matrix.hpp"
#include "solver/linear_system.hpp"
#include "solver/preconditioners/spectrum_memory.hpp"
#include "solver/solver_plan.hpp"

namespace cardiowarp {

/// The solver that the plan names, for a system in the memory of a backend. Where the device turns out to have no room
/// for the blocks of `on_chip` or `persistent` it is the next best one: LinearSolver::path() says which, and
/// reason_for_path() (app/simulation/choose_solver.hpp) whether that may be. `layout` is the one that the plan's parts
/// were cut from; `A` multiplies on the path `plain` and lives as long as the solver. Throws std::logic_error for a
/// preconditioner that this backend or the precision does not have.
///
/// It is compiled for CpuBackend in linear_solver_cpu.cpp, for SizingBackend in linear_solver_sizes.cpp and for
/// CudaBackend in linear_solver_cuda.cu and the files of the solvers beside it (given_system.hpp names them).
template <Backend B>
std::unique_ptr<LinearSolver<B>> make_linear_solver(B& backend, const SolverPlan& plan, const EllWarpLayout& layout,
                                                    const SparseMatrix<B>& A, const SystemInMemory& system,
                                                    const EntriesOfK& entries = {});

}  // namespace cardiowarp
