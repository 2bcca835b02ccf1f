#include "app/bench/spmv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "fem/input_error.hpp"
#include "kernels/ell_warp_layout.hpp"

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

/// Shortest median of the correct products of formats whose names begin with `prefix`; empty where there is none.
std::optional<double> shortest_median(const std::vector<SpmvMeasurement>& measurements, const std::string& prefix) {
  std::optional<double> shortest;
  for (const SpmvMeasurement& m : measurements)
    if (m.correct && m.format.starts_with(prefix))
      shortest = std::min(shortest.value_or(m.seconds.median), m.seconds.median);
  return shortest;
}

template <class Value>
TableCell integer_cell(const std::optional<Value>& value) {
  return value ? TableCell(std::int64_t{*value}) : TableCell();
}

}  // namespace

void require_valid(const SpmvBenchOptions& options) {
  for (const int block_size : options.block_sizes)
    require("--block-size", [&] { require_valid_block_size(block_size); });
  for (const Index threshold : options.thresholds)
    require("--threshold",
            [&] { require_valid(EllWarpOptions{.variant = EllWarpVariant::k2, .threshold = threshold}); });
  require("--window", [&] { require_valid(EllWarpOptions{.window = options.window}); });
  if (options.repeats < 1 || options.repeats > 10'000)
    throw InputError(fmt::format("--repeats: expected a number in [1, 10000], got {}", options.repeats));
}

std::vector<SpmvMeasurement> best_of_each_format(const std::vector<SpmvMeasurement>& measurements) {
  const auto rank = [](const SpmvMeasurement& m) {
    return m.correct ? m.seconds.median : std::numeric_limits<double>::infinity();
  };
  std::vector<SpmvMeasurement> best;
  for (const SpmvMeasurement& m : measurements) {
    const auto same = std::find_if(best.begin(), best.end(), [&](const auto& b) { return b.format == m.format; });
    if (same == best.end())
      best.push_back(m);
    else if (rank(m) < rank(*same))
      *same = m;
  }
  return best;
}

Table spmv_table(const DeviceCopy& copy) {
  const Spread& s = copy.seconds;
  return {{"mesh",
           "nodes",
           "nonzeros",
           "format",
           "block_size",
           "threshold",
           "window",
           "padding",
           "correct",
           "setup_s",
           "median_us",
           "min_us",
           "max_us",
           "bytes",
           "gb_per_s",
           "percent_of_copy",
           "ratio_to_cusparse_csr_1",
           "ratio_to_best_cusparse",
           "in_l2",
           "device"},
          {{{},
            {},
            {},
            "copy",
            {},
            {},
            {},
            {},
            {},
            {},
            1e6 * s.median,
            1e6 * s.shortest,
            1e6 * s.longest,
            copy.bytes,
            1e-9 * static_cast<double>(copy.bytes) / s.median,
            100.0,
            {},
            {},
            copy.bytes < copy.l2_bytes,
            copy.device}}};
}

void add_rows(Table& table, const BenchMatrix& matrix, const std::vector<SpmvMeasurement>& shown,
              const std::vector<SpmvMeasurement>& measurements, const DeviceCopy& copy) {
  const auto csr_1 = shortest_median(measurements, "cusparse_csr_1"), best = shortest_median(measurements, "cusparse_");
  const double copy_bytes_per_s = static_cast<double>(copy.bytes) / copy.seconds.median;
  for (const SpmvMeasurement& m : shown) {
    const Spread& s = m.seconds;
    const double bytes_per_s = static_cast<double>(m.bytes) / s.median;
    const auto timed = [&](double value) { return m.correct ? TableCell(value) : TableCell(); };
    const auto ratio = [&](const std::optional<double>& rival) {
      return rival ? timed(*rival / s.median) : TableCell();
    };
    table.rows.push_back({matrix.name,
                          std::int64_t{matrix.rows()},
                          matrix.entries(),
                          m.format,
                          integer_cell(m.block_size),
                          integer_cell(m.threshold),
                          integer_cell(m.window),
                          m.padding,
                          m.correct,
                          m.setup_s,
                          timed(1e6 * s.median),
                          timed(1e6 * s.shortest),
                          timed(1e6 * s.longest),
                          m.bytes,
                          timed(1e-9 * bytes_per_s),
                          timed(100 * bytes_per_s / copy_bytes_per_s),
                          ratio(csr_1),
                          ratio(best),
                          m.bytes < copy.l2_bytes,
                          copy.device});
  }
}

}  // namespace cardiowarp
