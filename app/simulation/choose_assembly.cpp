#include "app/simulation/choose_assembly.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "assembly/papers/paper_assembly.hpp"
#include "assembly/slice_gather.hpp"
#include "fem/input_error.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {
namespace {

bool is_in_slices(const MatrixOptions& options) {
  return options.format == MatrixFormat::ell_warp && options.ell_warp.renumbering != EllWarpRenumbering::none;
}

/// The names of the formats for which `suits` is true of the options.
template <class Suits>
std::string formats_that(const Suits& suits) {
  std::vector<std::string> names;
  for (const auto& [name, options] : named_formats())
    if (suits(options)) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The quadrature that a strategy needs in place of this one; empty where it suits.
std::string needed_quadrature(AssemblyStrategy strategy, Quadrature quadrature) {
  using enum AssemblyStrategy;
  const bool any_gather = strategy == automatic || strategy == scalar_gather;
  if (any_gather) return "";
  if (strategy == diagonal) return quadrature == Quadrature::vertices ? "" : "vertices";
  if (takes_general_elements(strategy)) return quadrature == Quadrature::centroid ? "" : "centroid";
  return quadrature == Quadrature::vertices ? "centroid or vertices_and_centroid" : "";
}

/// What a strategy needs that this matrix does not have; empty where it is possible.
std::string missing_for(AssemblyStrategy strategy, const MatrixLayout& layout, const Sparsity& sparsity) {
  const std::string got = format_name(layout.options);
  if (strategy == AssemblyStrategy::row_gather && !keeps_entry_order(layout.options.format))
    return fmt::format("linear_solver.spmv to be one of {}, got '{}'",
                       formats_that([](const MatrixOptions& options) { return keeps_entry_order(options.format); }),
                       got);
  if (is_of_the_papers(strategy)) return missing_for_paper_assembly(strategy, layout);
  if (strategy != AssemblyStrategy::slice_gather || slice_gather_suits(layout, sparsity)) return "";
  if (!is_in_slices(layout.options))
    return fmt::format("linear_solver.spmv to be one of {}, got '{}'", formats_that(is_in_slices), got);
  return fmt::format("rows of which {} neighboring slices have no more than {} sums; the longest has {} entries",
                     slices_a_block, sums_a_block, std::ranges::max(row_lengths(sparsity.row_begin)));
}

/// Throws where a strategy repeats no bits though it has to; `others` do.
void require_repeatable(const AssemblyOptions& wish, const char* others) {
  if (wish.repeatable && !repeats_bits(wish.strategy))
    throw InputError(fmt::format(
        "assembly.strategy: {} adds in another order in every run, so that the last bits of results differ; "
        "assembly.repeatable: false allows it ({} repeat every bit)",
        strategy_name(wish), others));
}

}  // namespace

AssemblyOptions choose_assembly(const AssemblyOptions& wish, Quadrature quadrature, const Device& device,
                                const MatrixLayout& layout, const Sparsity& sparsity) {
  if (const std::string needed = needed_quadrature(wish.strategy, quadrature); !needed.empty())
    throw InputError(fmt::format("assembly.strategy: {} needs quadrature: {} (auto takes what suits the quadrature)",
                                 strategy_name(wish), needed));
  require_repeatable(wish, "elem_color and shared_nz");
  AssemblyOptions chosen = wish;
  if (quadrature == Quadrature::vertices) {
    chosen.strategy = AssemblyStrategy::diagonal;
    chosen.through_csr = false;
    return chosen;
  }
  chosen.through_csr = wish.through_csr && wish.strategy == AssemblyStrategy::spmv;
  if (wish.strategy == AssemblyStrategy::automatic || wish.strategy == AssemblyStrategy::scalar_gather) {
    if (!device.is_gpu && layout.options.format == MatrixFormat::csr)
      chosen.strategy = AssemblyStrategy::row_gather;
    else if (device.is_gpu && slice_gather_suits(layout, sparsity))
      chosen.strategy = AssemblyStrategy::slice_gather;
    else
      chosen.strategy = AssemblyStrategy::entry_gather;
    return chosen;
  }
  if (const std::string missing = missing_for(wish.strategy, layout, sparsity); !missing.empty())
    throw InputError(fmt::format("assembly.strategy: {} needs {} (auto takes the gather that suits the matrix)",
                                 strategy_name(wish), missing));
  return chosen;
}

bool suits_quadratic_elements(AssemblyStrategy strategy) {
  using enum AssemblyStrategy;
  constexpr std::array unsuitable{row_gather, slice_gather, diagonal};
  return std::ranges::find(unsuitable, strategy) == unsuitable.end();
}

AssemblyOptions choose_quadratic_assembly(const AssemblyOptions& wish) {
  using enum AssemblyStrategy;
  AssemblyOptions chosen = wish;
  chosen.through_csr = wish.through_csr && wish.strategy == spmv;
  if (wish.strategy == automatic || wish.strategy == scalar_gather) {
    chosen.strategy = entry_gather;
    return chosen;
  }
  if (!suits_quadratic_elements(wish.strategy)) {
    std::vector<std::string> names;
    for (const auto& [name, options] : named_strategies())
      if (suits_quadratic_elements(options.strategy)) names.push_back(name);
    throw InputError(
        fmt::format("assembly.strategy: {} is for linear tetrahedra: a mesh of quadratic ones needs one of {}",
                    strategy_name(wish), fmt::join(names, ", ")));
  }
  require_repeatable(wish, "entry_gather and elem_color");
  return chosen;
}

}  // namespace cardiowarp
