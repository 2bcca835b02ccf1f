#pragma once
#include <variant>

#include "assembly/papers/element_scatter.hpp"
#include "assembly/papers/global_nz.hpp"
#include "assembly/papers/lazy_ell.hpp"
#include "assembly/papers/local_sums.hpp"
#include "assembly/papers/paper_assembly.hpp"
#include "assembly/papers/quadratic_global_nz.hpp"
#include "assembly/papers/shared_nz.hpp"
#include "assembly/papers/shared_nz_general.hpp"

namespace cardiowarp {

/// The content of a PaperAssemblyPlan: the plan of one of the strategies. The plans of SharedNz and GlobalNz are of a
/// linear mesh, that of QuadraticGlobalNz of a quadratic one, and the others of either.
struct PaperAssemblyPlan::Plans {
  std::variant<SharedNzPlan, SharedNzGeneralPlan, GlobalNzPlan, QuadraticGlobalNzPlan, LocalSumsPlan,
               ElementScatterPlan, LazyEllPlan>
      of;
};

}  // namespace cardiowarp
