#pragma once
#include <algorithm>
#include <array>
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

/// The scalar gather, SpMV as assembly with each of `variants`, straight and through CSR, and the strategies of papers
/// 003 and 004 that repeat every bit.
inline std::vector<AssemblyOptions> all_assemblies(const std::vector<EllWarpOptions>& variants) {
  std::vector<AssemblyOptions> assemblies{{}};
  for (const EllWarpOptions& variant : variants)
    for (const bool through_csr : {false, true})
      assemblies.push_back({AssemblyStrategy::spmv, variant, 0, through_csr});
  for (const auto& [name, strategy] : assembly_strategies)
    if (strategy >= AssemblyStrategy::shared_nz && repeats_bits(strategy)) assemblies.push_back({strategy});
  return assemblies;
}

/// The strategies whose sums have other last bits in every run.
inline std::vector<AssemblyOptions> unrepeatable_assemblies() {
  std::vector<AssemblyOptions> assemblies;
  for (const auto& [name, strategy] : assembly_strategies)
    if (!repeats_bits(strategy)) assemblies.push_back({.strategy = strategy, .repeatable = false});
  return assemblies;
}

/// The strategies that a mesh of quadratic tetrahedra takes and that repeat every bit, or that do not.
inline std::vector<AssemblyOptions> quadratic_assemblies(bool repeating) {
  using enum AssemblyStrategy;
  constexpr std::array of_linear_ones{automatic, scalar_gather, row_gather, slice_gather, diagonal};
  std::vector<AssemblyOptions> assemblies;
  for (auto [name, options] : named_strategies()) {
    if (std::ranges::find(of_linear_ones, options.strategy) != of_linear_ones.end()) continue;
    options.repeatable = repeats_bits(options.strategy);
    if (options.repeatable == repeating) assemblies.push_back(options);
  }
  return assemblies;
}

}  // namespace cardiowarp
