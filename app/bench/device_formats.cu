#include "app/bench/device_formats.cuh"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "app/bench/rival_pieces.cuh"
#include "kernels/sparse/ell_warp_choice.hpp"

namespace cardiowarp {
namespace {

template <std::size_t... place>
std::vector<FormatCandidate> rival_candidates(const SharedMaker& maker, std::index_sequence<place...>) {
  std::vector<FormatCandidate> all{rival_candidate<place>(maker)...};
  for (std::size_t k = 0; k < all.size(); ++k) all[k].format = rivals.at(k);
  return all;
}

/// The thresholds to try of a format that has one, that of the rule among them where it chooses this format.
std::vector<Index> thresholds_of(const MatrixOptions& format, std::vector<Index> thresholds,
                                 const EllWarpOptions& rule) {
  const bool by_rule = format.ell_warp.variant == rule.variant && format.ell_warp.renumbering == rule.renumbering;
  if (by_rule && std::find(thresholds.begin(), thresholds.end(), rule.threshold) == thresholds.end())
    thresholds.push_back(rule.threshold);
  return thresholds;
}

}  // namespace

std::vector<FormatCandidate> format_candidates(CudaBackend& backend, const BenchMatrix& matrix,
                                               const SpmvBenchOptions& options) {
  const auto maker = std::make_shared<const FormatMaker>(backend, matrix, options);
  const EllWarpOptions rule = choose_ell_warp(maker->row_length(), options.window, backend.device()).options;

  std::vector<FormatCandidate> all;
  for_each_format([&](auto format) {
    using Format = FormatOf<format.value>;
    for (MatrixOptions variant : Format::variants()) {
      variant.ell_warp.window = options.window;
      const FormatParameters takes = Format::parameters(variant);
      all.push_back({takes.threshold ? thresholds_of(variant, maker->thresholds(), rule) : none_needed,
                     takes.block_size,
                     [=](Index threshold) mutable {
                       if (takes.threshold) variant.ell_warp.threshold = threshold;
                       return maker->template of_a_run<Format>(variant);
                     },
                     measured_name<Format>(variant)});
    }
  });
  for (FormatCandidate& candidate : rival_candidates(maker, std::make_index_sequence<rivals.size()>())) {
    if (candidate.format.starts_with("k1rs_parts"))
      candidate.parameters.insert(candidate.parameters.end(), options.parts.begin(), options.parts.end());
    all.push_back(std::move(candidate));
  }
  std::erase_if(all, [&](const FormatCandidate& candidate) {
    if (options.formats.empty()) return is_asked_for_by_name(candidate.format);
    return std::find(options.formats.begin(), options.formats.end(), candidate.format) == options.formats.end();
  });
  for (FormatCandidate& candidate : all)
    candidate.prepare = [name = candidate.format, prepare = candidate.prepare](Index parameter) {
      DeviceFormat format = prepare(parameter);
      format.choice.format = name;
      return format;
    };
  return all;
}

}  // namespace cardiowarp
