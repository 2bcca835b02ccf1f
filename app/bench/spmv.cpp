#include "app/bench/spmv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>

#include "app/bench/rivals.hpp"
#include "assembly/formats.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"
#include "kernels/libraries/metis_parts.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {
namespace {

template <class Check>
void require(const char* option, const Check& check) {
  try {
    check();
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", option, error.what()));
  }
}

void require_in_range(const char* option, int value, int largest) {
  if (value < 1 || value > largest)
    throw InputError(fmt::format("{}: expected a number in [1, {}], got {}", option, largest, value));
}

}  // namespace

const std::vector<std::string>& spmv_formats() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for_each_format([&](auto format) {
      for (const MatrixOptions& options : FormatOf<format.value>::variants())
        all.push_back(measured_name<FormatOf<format.value>>(options));
    });
    all.insert(all.end(), rivals.begin(), rivals.end());
    return all;
  }();
  return names;
}

void require_valid(const SpmvBenchOptions& options) {
  for (const std::string& format : options.formats) {
    if (std::find(spmv_formats().begin(), spmv_formats().end(), format) == spmv_formats().end())
      throw InputError(fmt::format("--format: unknown format '{}'; expected {}{}", format,
                                   fmt::join(spmv_formats(), ", "), suggestion(format, spmv_formats())));
    if (needs_metis(format) && !has_metis())
      throw InputError(fmt::format("--format: '{}' needs METIS, which this build does not have", format));
  }
  for (const int block_size : options.block_sizes)
    require("--block-size", [&] { require_valid_block_size(block_size); });
  for (const Index threshold : options.thresholds)
    require("--threshold",
            [&] { require_valid(EllWarpOptions{.variant = EllWarpVariant::k2, .threshold = threshold}); });
  require("--window", [&] { require_valid(EllWarpOptions{.window = options.window}); });
  for (const int products : options.products) require_in_range("--products", products, 10'000);
  for (const Index parts : options.parts) require_in_range("--parts", parts, 1024);
  require_in_range("--repeats", options.repeats, 10'000);
}

std::vector<Index> default_thresholds(std::span<const Index> row_length) {
  constexpr Index first = 4, most_powers = 5;
  std::vector<Index> sorted(row_length.begin(), row_length.end());
  std::sort(sorted.begin(), sorted.end());
  const auto quantile = [&](double share) {
    return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  const Index longest = quantile(1);
  std::set<Index> thresholds;
  for (const double share : {0.5, 0.9, 1.0}) thresholds.insert(std::max<Index>(1, quantile(share)));
  const auto powers = [&](std::int64_t factor) {
    std::vector<Index> values;
    for (std::int64_t value = first; value < longest; value *= factor) values.push_back(static_cast<Index>(value));
    return values;
  };
  std::int64_t factor = 2;
  while (powers(factor).size() > most_powers) factor *= 2;
  for (const Index value : powers(factor)) thresholds.insert(value);
  return {thresholds.begin(), thresholds.end()};
}

std::vector<Index> thresholds_to_try(const SpmvBenchOptions& options, std::span<const Index> row_length) {
  if (!options.thresholds.empty()) return options.thresholds;
  if (!options.every_choice || row_length.empty()) return default_thresholds(row_length);
  const auto [shortest, longest] = std::minmax_element(row_length.begin(), row_length.end());
  std::vector<Index> all;
  for (std::int64_t threshold = std::max<Index>(1, *shortest); threshold <= std::max<Index>(1, *longest); ++threshold)
    all.push_back(static_cast<Index>(threshold));
  return all;
}

std::vector<int> every_block_size() {
  std::vector<int> all;
  for (int threads = 32; threads <= 512; threads += 32) all.push_back(threads);
  return all;
}

int tuning_products(const SpmvBenchOptions& options) {
  constexpr int most = 50;
  const std::vector<int>& products = options.products;
  if (options.every_choice) return *std::max_element(products.begin(), products.end());
  int largest = 0;
  for (const int n : products)
    if (n <= most) largest = std::max(largest, n);
  return largest > 0 ? largest : *std::min_element(products.begin(), products.end());
}

std::vector<SpmvMeasurement> best_of_each_format(const std::vector<SpmvMeasurement>& measurements, int products) {
  const auto rank = [](const SpmvMeasurement& m) {
    return m.correct ? m.seconds.median : std::numeric_limits<double>::infinity();
  };
  std::vector<SpmvMeasurement> best;
  for (const SpmvMeasurement& m : measurements) {
    if (m.products != products) continue;
    const auto same = std::find_if(best.begin(), best.end(), [&](const auto& b) { return b.format == m.format; });
    if (same == best.end())
      best.push_back(m);
    else if (rank(m) < rank(*same))
      *same = m;
  }
  return best;
}

}  // namespace cardiowarp
