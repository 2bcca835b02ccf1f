#include "solver/linear_solver.hpp"

namespace cardiowarp {

template std::unique_ptr<LinearSolver<CpuBackend>> make_jacobi_solver_for_parts(CpuBackend&, const SolverPlan&,
                                                                                const EllWarpLayout&,
                                                                                const SystemOf<Real, Real>&);
template std::unique_ptr<LinearSolver<CpuBackend>> make_jacobi_solver_for_parts(CpuBackend&, const SolverPlan&,
                                                                                const EllWarpLayout&,
                                                                                const SystemOf<float, Real>&);
template std::unique_ptr<LinearSolver<CpuBackend>> make_jacobi_solver_for_parts(CpuBackend&, const SolverPlan&,
                                                                                const EllWarpLayout&,
                                                                                const SystemOf<float, float>&);
template std::unique_ptr<LinearSolver<CpuBackend>> make_polynomial_solver(CpuBackend&, PartsMatrix<CpuBackend, Real>,
                                                                          const PolynomialOptions&,
                                                                          const SystemOf<Real>&, const Index*,
                                                                          const PolynomialCgByLoops&);
template std::unique_ptr<LinearSolver<CpuBackend>> make_polynomial_solver(CpuBackend&, PartsMatrix<CpuBackend, float>,
                                                                          const PolynomialOptions&,
                                                                          const SystemOf<float>&, const Index*,
                                                                          const PolynomialCgByLoops&);

}  // namespace cardiowarp
