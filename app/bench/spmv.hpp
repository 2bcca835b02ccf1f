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

// `cardiowarp bench spmv`: how long the GPU takes for y = A x in each format, with each choice of its parameters.
// BenchCommand calls measure_products() for each matrix and makes a table of the report (app/bench/spmv_table.hpp). A
// product is first held against the host's, and a wrong one is not timed. measure_copy() gives the bandwidth that the
// products are compared with, on the device and in the process that multiplies.

/// Names of the formats, in the order of the table: those of a run, then their rivals.
const std::vector<std::string>& spmv_formats();

/// Throws InputError with the name of the option and what is expected; also for a format that this build lacks.
void require_valid(const SpmvBenchOptions& options);

/// Up to 8 thresholds for K2, ascending: the median, the 90 % quantile and the longest of the rows, and 4, 8, 16, ..
/// below the longest, or 4, 16, 64, .. and so on where that were more than five.
std::vector<Index> default_thresholds(std::span<const Index> row_length);

/// The thresholds of K2 to measure for rows of these lengths: those of the options, or else all from the shortest to
/// the longest row, but no 0, where every choice is to be measured, or else default_thresholds().
std::vector<Index> thresholds_to_try(const SpmvBenchOptions& options, std::span<const Index> row_length);

/// 32, 64, .. 512: the block sizes of every choice.
std::vector<int> every_block_size();

/// The number of products by which the best choice of a format is found: the largest of the list up to 50, or its
/// smallest; the largest where every choice is to be measured. Larger numbers are measured with that choice only.
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

/// What it takes to bring the values of CSR into the slots of a format (paper 000 sec. 6.1).
struct ReorderingSeconds {
  double gpu = 0, cpu = 0;  ///< thrust::scatter, and the loop on all cores of the host
};

/// How a matrix was cut into parts.
struct PartsMeasures {
  BenchOrder order = BenchOrder::hilbert;
  Index parts = 0;
  double halo_rows_a_row = 0;  ///< rows of all halos together over the rows of the matrix
  Index longest_halo = 0;
};

/// y = A x in one format with one choice of its parameters.
struct SpmvMeasurement {
  std::string format = {};  ///< csr, k1, k1r, .., cusparse_csr_1, ..
  std::optional<int> block_size = {};
  std::optional<Index> threshold = {}, lanes = {}, values_per_thread = {}, slice_rows = {}, window = {};
  Index parts_a_multiprocessor = 0;                  ///< of k1rs_parts; 0: as many as the windows of the options make
  std::optional<PartsMeasures> parts = {};           ///< of a format in parts
  int products = 1;                                  ///< measured together
  double padding = 1;                                ///< stored entries for each entry
  std::int64_t bytes = 0;                            ///< that a product must move when x is read once: matrix, x and y
  bool by_rule = false;                              ///< what choose_ell_warp() says
  bool correct = false;                              ///< up to the rounding of a sum in another order
  double setup_s = 0;                                ///< from host CSR to ready on the device, wall clock
  std::optional<double> partition_s = {};            ///< of setup_s: cutting the matrix into parts, on the host
  std::optional<double> layout_s = {};               ///< of setup_s: sorting and storing the parts, on the host
  Spread seconds = {};                               ///< of one product, device time; only of a correct one
  std::optional<ReorderingSeconds> reordering = {};  ///< of the best choice of a format with slots
};

/// What could not be measured here, and why.
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

/// The best measurement of so many products of each format: the correct one with the shortest median, or a wrong one
/// where none is correct. In order of first appearance.
std::vector<SpmvMeasurement> best_of_each_format(const std::vector<SpmvMeasurement>& measurements, int products);

}  // namespace cardiowarp
