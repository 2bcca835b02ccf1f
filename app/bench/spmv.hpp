#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/matrix.hpp"
#include "app/spread.hpp"
#include "app/table.hpp"

namespace cardiowarp {

// `cardiowarp bench spmv`: what is measured on the device (SpmvMeasurement) and the table of it.

struct SpmvBenchOptions {
  std::vector<int> block_sizes{64, 128, 256, 512};
  std::vector<Index> thresholds{8, 16, 32};  ///< of K2
  Index window = 1024;                       ///< of ELL-WARP
  int repeats = 20;
};

/// Throws InputError with the name of the option and what is expected.
void require_valid(const SpmvBenchOptions& options);

/// The device that multiplies, and the bandwidth that its products are held against.
struct DeviceCopy {
  std::string device;
  std::int64_t l2_bytes = 0;
  std::int64_t bytes = 0;  ///< read and written by one copy
  Spread seconds;
};

/// y = A x in one format with one choice of its parameters.
struct SpmvMeasurement {
  std::string format;  ///< csr, k1, k1r, .., cusparse_csr_1, ..
  std::optional<int> block_size = {};
  std::optional<Index> threshold = {}, window = {};
  double padding = 1;      ///< stored entries for each entry
  std::int64_t bytes = 0;  ///< that a product must move when x is read once: matrix, x and y
  bool correct = false;    ///< up to the rounding of a sum in another order
  double setup_s = 0;      ///< from host CSR to ready on the device, wall clock
  Spread seconds = {};     ///< of one product, device time; only of a correct one
};

/// A copy of 1 GiB on the first device. Throws DeviceError where there is none or it has not 2 GiB.
DeviceCopy measure_copy(int repeats);

/// Every format on the first device. x is random, its seed fixed. Throws DeviceError.
std::vector<SpmvMeasurement> measure_products(const BenchMatrix& matrix, const SpmvBenchOptions& options);

/// Of each format the correct measurement with the shortest median, or a wrong one where none is correct; in order of
/// first appearance.
std::vector<SpmvMeasurement> best_of_each_format(const std::vector<SpmvMeasurement>& measurements);

/// Its first row is the copy. Columns as in docs/benchmarks/README.md.
Table spmv_table(const DeviceCopy& copy);

/// A row for each of `shown`; the ratios are to the best products of cuSPARSE among `measurements`.
void add_rows(Table& table, const BenchMatrix& matrix, const std::vector<SpmvMeasurement>& shown,
              const std::vector<SpmvMeasurement>& measurements, const DeviceCopy& copy);

}  // namespace cardiowarp
