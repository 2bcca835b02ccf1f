// The assembly of a simulation on a GPU; simulation_plan.hpp names what is compiled here.

#include "app/simulation/make_assembly.hpp"
#include "app/simulation/step_on_gpu.cuh"
#include "assembly/formats.cuh"
#include "assembly/slice_gather.cuh"
#include "kernels/sparse/scatter.cuh"

namespace cardiowarp {

template std::unique_ptr<Assembly<CudaBackend>> make_assembly(CudaBackend&, const SimulationPlan&);

}  // namespace cardiowarp
