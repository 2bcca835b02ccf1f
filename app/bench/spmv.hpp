#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/bench/matrix.hpp"
#include "app/bench/options.hpp"
#include "app/measure/spread.hpp"

namespace cardiowarp {

// `cardiowarp bench spmv` measures how long the GPU takes for y = A x in each format, with each choice of its
// parameters. run_bench() calls measure_products() for each matrix and makes a table of the report
// (app/bench/spmv_table.hpp). A product is first held against the host's, and a wrong one is not timed. measure_copy()
// gives the bandwidth that the products are compared with, on the device and in the process that multiplies.

/// Names of the formats, in the order of the table: those of a run, then their rivals.
const std::vector<std::string>& spmv_formats();

/// Throws InputError with the name of the option and what is expected; also for a format that this build lacks.
void require_valid(const SpmvBenchOptions& options);

/// Up to 8 thresholds for K2, ascending: the median, the 90 % quantile and the longest of the row lengths, and of 4, 8,
/// 16, .. those below the longest. Where these are more than five, they grow by a factor of 4, 8, .. in place of 2.
std::vector<Index> default_thresholds(std::span<const Index> row_length);

/// The thresholds of K2 to measure for rows of these lengths: those that the options name. Where they name none, it is
/// default_thresholds(), or with `every_choice` all lengths from the shortest row to the longest but 0.
std::vector<Index> thresholds_to_try(const SpmvBenchOptions& options, std::span<const Index> row_length);

/// The block sizes that `every_choice` measures: 32, 64, .. 512.
std::vector<int> every_block_size();

/// The number of products by which the best choice of a format is found: the largest number of the options that is at
/// most 50, or the smallest where all are larger. Numbers above it are measured with that best choice alone. With
/// `every_choice` it is the largest, so that all numbers are measured with each choice.
int tuning_products(const SpmvBenchOptions& options);

/// The device that multiplies, and the bandwidth that its products are held against.
struct DeviceCopy {
  std::string device;
  std::int64_t l2_bytes = 0;
  std::int64_t bytes = 0;  ///< read and written by one copy
  Spread seconds;

  /// The seconds it takes to move so many bytes as fast as the copy does.
  double seconds_of(std::int64_t moved) const {
    return seconds.median * static_cast<double>(moved) / static_cast<double>(bytes);
  }
};

/// The seconds that it takes to bring the values of CSR into the slots of a format (paper 000 sec. 6.1).
struct ReorderingSeconds {
  double gpu = 0, cpu = 0;  ///< by thrust::scatter on the device, and by a loop on all cores of the host
};

/// How a matrix was cut into parts.
struct PartsMeasures {
  BenchOrder order = BenchOrder::hilbert;
  Index parts = 0;
  double halo_rows_a_row = 0;  ///< rows of all halos together over the rows of the matrix
  Index longest_halo = 0;
};

/// The measurements of y = A x in one format with one choice of its parameters.
struct SpmvMeasurement {
  std::string format = {};  ///< csr, k1, k1r, .., cusparse_csr_1, ..
  std::optional<int> block_size = {};
  std::optional<Index> threshold = {}, lanes = {}, values_per_thread = {}, slice_rows = {}, window = {};
  Index parts_a_multiprocessor = 0;                  ///< of k1rs_parts; 0: as many as the windows of the options make
  std::optional<PartsMeasures> parts = {};           ///< of a format in parts
  int products = 1;                                  ///< measured together
  double padding = 1;                                ///< stored entries for each entry
  std::int64_t bytes = 0;                            ///< that a product must move when x is read once: matrix, x and y
  bool by_rule = false;                              ///< whether choose_ell_warp() would make this choice
  bool correct = false;                              ///< up to the rounding of a sum in another order
  double setup_s = 0;                                ///< from host CSR to ready on the device, wall clock
  std::optional<double> partition_s = {};            ///< of setup_s: cutting the matrix into parts, on the host
  std::optional<double> layout_s = {};               ///< of setup_s: sorting and storing the parts, on the host
  Spread seconds = {};                               ///< of one product, device time; only of a correct one
  std::optional<ReorderingSeconds> reordering = {};  ///< of the best choice of a format with slots
};

/// A method or format that could not be measured here, and why.
struct LeftOut {
  std::string name, reason;
};

struct SpmvReport {
  std::vector<SpmvMeasurement> measurements;  ///< one for each choice and number of products
  std::vector<LeftOut> left_out;
};

/// A copy of 1 GiB on the first device. Throws DeviceError where there is none or it has not 2 GiB.
DeviceCopy measure_copy(int repeats);

/// Measures every format on the first device. x is random, its seed fixed. A format that does not fit is left out.
/// Throws DeviceError.
SpmvReport measure_products(const BenchMatrix& matrix, const SpmvBenchOptions& options);

/// For each format, in the order in which formats appear, its best measurement of so many products: the correct one
/// with the shortest median, or a wrong one where none is correct.
std::vector<SpmvMeasurement> best_of_each_format(const std::vector<SpmvMeasurement>& measurements, int products);

}  // namespace cardiowarp
