#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <span>
#include <utility>

#include "app/bench/spmv.hpp"
#include "kernels/cuda_backend.cuh"
#include "kernels/cusparse.cuh"
#include "kernels/ell_warp.cuh"
#include "kernels/ell_warp_layout.hpp"
#include "kernels/ell_warp_matrix.hpp"
#include "kernels/graph_timer.cuh"

namespace cardiowarp {
namespace {

class WallClock {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Uniform in [-1, 1).
std::vector<Real> random_vector(Index n) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  std::vector<Real> x(n);
  for (Real& value : x) value = uniform(generator);
  return x;
}

/// Matrix, x, y and the first entry of each row.
std::int64_t csr_bytes(const BenchMatrix& matrix) { return 12 * matrix.entries() + 20 * std::int64_t{matrix.rows()}; }

/// Matrix with its padding, x, y, what a kernel reads of each slice, and the row at each position where results go back
/// to the given order.
std::int64_t ell_warp_bytes(const EllWarpLayout& layout) {
  const std::int64_t of_slice = layout.options.variant == EllWarpVariant::k1 ? 8 : 16;
  const std::int64_t of_row = layout.options.renumbering == EllWarpRenumbering::none ? 20 : 16;
  return 12 * layout.shape.stored_entries() + of_row * layout.shape.rows() + of_slice * layout.shape.slices();
}

struct DeviceCsr {
  DeviceCsr(CudaBackend& backend, const BenchMatrix& matrix)
      : rows(matrix.rows()),
        row_begin(uploaded(backend, matrix.row_begin)),
        column(uploaded(backend, matrix.column)),
        value(uploaded(backend, matrix.value)) {}
  CsrView view() const { return {rows, row_begin.data(), column.data(), value.data()}; }

  Index rows;
  Buffer<Index> row_begin, column;
  Buffer<Real> value;
};

/// Multiplies one matrix by one vector, format by format.
class ProductBench {
 public:
  ProductBench(const BenchMatrix& matrix, const SpmvBenchOptions& options)
      : matrix_(matrix),
        options_(options),
        row_length_(row_lengths(matrix.row_begin)),
        x_(random_vector(matrix.rows())),
        device_x_(backend_.allocate<Real>(x_.size())),
        device_y_(backend_.allocate<Real>(x_.size())) {
    const CsrView A = matrix.view();
    for (Index row = 0; row < A.rows; ++row) {
      Real magnitude = 0;
      for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e)
        magnitude += std::abs(A.value[e] * x_[A.column[e]]);
      expected_.push_back(row_times_vector(A, row, x_.data()));
      // Each of two sums of n terms is within n ε/2 Σ|a x| of the exact one.
      bound_.push_back((row_length_[row] + 1) * std::numeric_limits<Real>::epsilon() * magnitude);
    }
  }

  std::vector<SpmvMeasurement> run() {
    using enum EllWarpRenumbering;
    measure_csr();
    for (const auto renumbering : {none, rows, rows_and_columns_sorted})
      measure_ell_warp({.variant = EllWarpVariant::k1, .renumbering = renumbering, .window = options_.window});
    for (const auto renumbering : {none, rows, rows_and_columns_sorted})
      for (const Index threshold : options_.thresholds)
        measure_ell_warp({EllWarpVariant::k2, renumbering, threshold, options_.window});
    return std::move(measurements_);
  }

 private:
  void measure_csr() {
    const WallClock clock;
    const DeviceCsr csr(backend_, matrix_);
    SpmvMeasurement csr_row{.format = "csr", .block_size = cuda::threads, .bytes = csr_bytes(matrix_)};
    csr_row.setup_s = clock.seconds();
    measure(csr_row, {}, [&](const Real* x, Real* y) {
      backend_.for_each(csr.rows, RowsTimesVector<CsrView>{csr.view(), x, y});
    });

    // Loads the library, which is no part of a matrix's set-up.
    CusparseMatrix(backend_, csr.view(), matrix_.entries(), CusparseAlgorithm::csr_1);
    for (const auto& [name, algorithm] : {std::pair("cusparse_csr_1", CusparseAlgorithm::csr_1),
                                          std::pair("cusparse_csr_2", CusparseAlgorithm::csr_2)}) {
      const WallClock preprocessing;
      CusparseMatrix A(backend_, csr.view(), matrix_.entries(), algorithm);
      backend_.synchronize();
      measure({.format = name, .bytes = csr_row.bytes, .setup_s = csr_row.setup_s + preprocessing.seconds()}, {},
              [&](const Real* x, Real* y) { A.multiply(x, y); });
    }
  }

  void measure_ell_warp(const EllWarpOptions& options) {
    const WallClock clock;
    const EllWarpLayout layout = ell_warp_layout(row_length_, matrix_.column, options);
    EllWarpMatrix matrix(backend_, layout);
    {
      const Buffer<std::int64_t> slot_of_entry = uploaded(backend_, layout.slot_of_entry);
      const Buffer<Real> value = uploaded(backend_, matrix_.value);
      backend_.for_each(static_cast<Index>(matrix_.entries()),
                        ScatterEntries{slot_of_entry.data(), value.data(), matrix.value()});
      backend_.synchronize();
    }
    const EllWarpView A = matrix.view();
    const bool renumbered = options.renumbering != EllWarpRenumbering::none;
    const std::vector<Index> order = renumbered ? layout.shape.row : std::vector<Index>();
    SpmvMeasurement row{.format = ell_warp_name(options),
                        .window = options.window,
                        .padding = layout.shape.padding_ratio(),
                        .bytes = ell_warp_bytes(layout),
                        .setup_s = clock.seconds()};
    if (options.variant == EllWarpVariant::k2) row.threshold = options.threshold;
    for (const int block_size : options_.block_sizes) {
      row.block_size = block_size;
      measure(row, order,
              [&](const Real* x, Real* y) { ell_warp_multiply(backend_.stream(), block_size, A, TimesVector{x}, y); });
    }
    if (row.format == "k1rs") measure_sliced_ell(row, order, A, layout.shape.stored_entries());
  }

  /// cuSPARSE on the slices of K1rs, whose row of the table is `row`.
  void measure_sliced_ell(SpmvMeasurement row, const std::vector<Index>& order, const EllWarpView& slices,
                          std::int64_t stored_entries) {
    const WallClock preprocessing;
    CusparseMatrix A(backend_, slices, matrix_.entries(), stored_entries);
    backend_.synchronize();
    row.format = "cusparse_sliced_ell";
    row.block_size.reset();
    row.setup_s += preprocessing.seconds();
    measure(row, order, [&](const Real* x, Real* y) { A.multiply(x, y); });
  }

  /// `order` [rows], old number of each new one: x and y of `multiply` are in the new numbering; empty: in the old one.
  template <class Multiply>
  void measure(SpmvMeasurement measurement, const std::vector<Index>& order, const Multiply& multiply) {
    const auto product = [&] { multiply(device_x_.data(), device_y_.data()); };
    const auto old = [&](std::size_t position) { return order.empty() ? position : std::size_t(order[position]); };
    std::vector<Real> x(x_.size()), y(x_.size(), std::numeric_limits<Real>::max());  // a row not written is seen
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = x_[old(i)];
    backend_.upload(std::span<const Real>(x), device_x_.data());
    backend_.upload(std::span<const Real>(y), device_y_.data());
    product();
    backend_.download(static_cast<const Real*>(device_y_.data()), std::span<Real>(y));
    measurement.correct = true;
    for (std::size_t i = 0; i < y.size(); ++i)
      if (!(std::abs(y[i] - expected_[old(i)]) <= bound_[old(i)])) measurement.correct = false;
    if (measurement.correct) measurement.seconds = spread_of(seconds_a_call(backend_, options_.repeats, product));
    measurements_.push_back(std::move(measurement));
  }

  CudaBackend backend_;
  const BenchMatrix& matrix_;
  const SpmvBenchOptions& options_;
  std::vector<Index> row_length_;
  std::vector<Real> x_, expected_, bound_;  // in the matrix's own numbering
  Buffer<Real> device_x_, device_y_;
  std::vector<SpmvMeasurement> measurements_;
};

}  // namespace

DeviceCopy measure_copy(int repeats) {
  constexpr std::size_t size = std::size_t{1} << 30;
  CudaBackend backend;
  cudaDeviceProp device;
  cuda_check(cudaGetDeviceProperties(&device, 0));
  const Buffer<std::byte> from = backend.allocate<std::byte>(size), to = backend.allocate<std::byte>(size);
  std::vector<double> seconds(repeats + 1);
  for (double& copy : seconds) {  // not in a graph, where a copy engine may do it at two thirds of the speed
    const auto watch = backend.stopwatch(copy);
    cuda_check(cudaMemcpyAsync(to.data(), from.data(), size, cudaMemcpyDeviceToDevice, backend.stream()));
  }
  backend.synchronize();
  seconds.erase(seconds.begin());  // warm-up
  return {device.name, device.l2CacheSize, 2 * std::int64_t{size}, spread_of(seconds)};
}

std::vector<SpmvMeasurement> measure_products(const BenchMatrix& matrix, const SpmvBenchOptions& options) {
  return ProductBench(matrix, options).run();
}

}  // namespace cardiowarp
