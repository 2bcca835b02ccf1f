// The linear solver of a simulation on the CPU; simulation_plan.hpp names what is compiled here.

#include "app/simulation/simulation_plan.hpp"

namespace cardiowarp {

template std::unique_ptr<LinearSolver<CpuBackend>> make_linear_solver(CpuBackend&, const SolverPlan&,
                                                                      const EllWarpLayout&,
                                                                      const GlobalMatrix<CpuBackend>&,
                                                                      const SystemInMemory&, const EntriesOfK&);

}  // namespace cardiowarp
