// The assemblies of the papers on the CPU.

#include "assembly/papers/make_assembly.hpp"
#include "kernels/backend/cpu_backend.hpp"

namespace cardiowarp {

template std::unique_ptr<Assembly<CpuBackend>> make_paper_assembly(CpuBackend&, const PaperAssemblyPlan&,
                                                                   const TissueToAssemble&);

}  // namespace cardiowarp
