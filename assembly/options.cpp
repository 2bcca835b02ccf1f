#include "assembly/options.hpp"

#include "assembly/formats.hpp"

namespace cardiowarp {

std::string format_name(const MatrixOptions& options) {
  if (options.format == MatrixFormat::automatic) return "auto";
  return with_format<std::string>(options.format, [&](auto format) { return FormatOf<format.value>::name(options); });
}

std::vector<std::pair<std::string, MatrixOptions>> named_formats() {
  std::vector<std::pair<std::string, MatrixOptions>> named{{"auto", {}}};
  for_each_format([&](auto format) {
    for (const MatrixOptions& options : FormatOf<format.value>::variants())
      named.emplace_back(format_name(options), options);
  });
  return named;
}

FormatParameters format_parameters(const MatrixOptions& options) {
  return with_format<FormatParameters>(options.format,
                                       [&](auto format) { return FormatOf<format.value>::parameters(options); });
}

bool needs_gpu(MatrixFormat format) {
  return with_format<bool>(format, [](auto constant) { return FormatOf<constant.value>::needs_gpu; });
}

bool has_single_values(MatrixFormat format) {
  return with_format<bool>(format, [](auto constant) { return FormatOf<constant.value>::has_single_values; });
}

bool keeps_entry_order(MatrixFormat format) {
  return with_format<bool>(format, [](auto constant) { return FormatOf<constant.value>::keeps_entry_order; });
}

std::string strategy_name(const AssemblyOptions& options) {
  std::string name;
  for (const auto& [of_strategy, strategy] : assembly_strategies)
    if (strategy == options.strategy) name = of_strategy;
  return options.strategy == AssemblyStrategy::spmv ? name + ell_warp_name(options.ell_warp) : name;
}

std::vector<std::pair<std::string, AssemblyOptions>> named_strategies() {
  std::vector<std::pair<std::string, AssemblyOptions>> named;
  const auto add = [&](const AssemblyOptions& options) { named.emplace_back(strategy_name(options), options); };
  for (const auto& [name, strategy] : assembly_strategies) {
    if (strategy != AssemblyStrategy::spmv) {
      add({.strategy = strategy});
      continue;
    }
    for (const MatrixOptions& variant : FormatOf<MatrixFormat::ell_warp>::variants())
      add({.strategy = strategy, .ell_warp = variant.ell_warp});
  }
  return named;
}

}  // namespace cardiowarp
