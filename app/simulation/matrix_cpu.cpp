// The matrix of a simulation on the CPU; simulation_plan.hpp names what is compiled here.

#include "app/simulation/make_assembly.hpp"

namespace cardiowarp {

template std::unique_ptr<GlobalMatrix<CpuBackend>> make_matrix(CpuBackend&, const SimulationPlan&);
template std::unique_ptr<GlobalMatrix<CpuBackend>> make_global_matrix(CpuBackend&, const Sparsity&,
                                                                      const MatrixLayout&);

}  // namespace cardiowarp
