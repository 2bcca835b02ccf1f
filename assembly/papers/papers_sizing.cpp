// The assemblies of the papers where only their memory is counted.

#include "assembly/papers/make_assembly.hpp"
#include "kernels/backend/sizing_backend.hpp"

namespace cardiowarp {

template std::unique_ptr<Assembly<SizingBackend>> make_paper_assembly(SizingBackend&, const PaperAssemblyPlan&,
                                                                      const TissueToAssemble&);

}  // namespace cardiowarp
