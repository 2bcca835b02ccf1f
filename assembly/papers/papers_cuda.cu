// The assemblies of the papers on a GPU, with the kernels with which it differs from the general text.

#include "assembly/papers/element_scatter.cuh"
#include "assembly/papers/global_nz.cuh"
#include "assembly/papers/make_assembly.hpp"
#include "assembly/papers/shared_nz.cuh"

namespace cardiowarp {

template std::unique_ptr<Assembly<CudaBackend>> make_paper_assembly(CudaBackend&, const PaperAssemblyPlan&,
                                                                    const TissueToAssemble&);

}  // namespace cardiowarp
