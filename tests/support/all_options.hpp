#pragma once
#include <vector>

#include "assembly/options.hpp"

namespace cardiowarp {

/// K1, K1r, K1rs, K2, K2r, K2rs.
inline std::vector<EllWarpOptions> all_variants(Index threshold, Index window) {
  std::vector<EllWarpOptions> variants;
  for (const auto variant : {EllWarpVariant::k1, EllWarpVariant::k2})
    for (const auto renumbering :
         {EllWarpRenumbering::none, EllWarpRenumbering::rows, EllWarpRenumbering::rows_and_columns_sorted})
      variants.push_back({variant, renumbering, threshold, window});
  return variants;
}

/// The scalar gather and SpMV as assembly with each of `variants`, straight and through CSR.
inline std::vector<AssemblyOptions> all_assemblies(const std::vector<EllWarpOptions>& variants) {
  std::vector<AssemblyOptions> assemblies{{}};
  for (const EllWarpOptions& variant : variants)
    for (const bool through_csr : {false, true})
      assemblies.push_back({AssemblyStrategy::spmv, variant, 0, through_csr});
  return assemblies;
}

}  // namespace cardiowarp
