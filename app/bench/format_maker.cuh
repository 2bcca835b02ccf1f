#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/bench/device_formats.cuh"
#include "app/bench/matrix.hpp"
#include "assembly/formats.cuh"
#include "assembly/options.hpp"
#include "kernels/backend/device_error.hpp"
#include "kernels/backend/team_vector.hpp"
#include "kernels/sparse/ell_warp_matrix.hpp"

namespace cardiowarp {

using EllWarp = FormatOf<MatrixFormat::ell_warp>;

/// Makes formats of one matrix for `bench spmv`. It knows the matrix in compressed rows on the host and the bytes of a
/// product, and brings its values into the slots of a format on the device. It owns neither the matrix nor the backend.
class FormatMaker {
 public:
  FormatMaker(CudaBackend& backend, const BenchMatrix& matrix, const SpmvBenchOptions& options)
      : backend_(&backend),
        matrix_(&matrix),
        window_(options.window),
        order_(options.order),
        row_length_(row_lengths(matrix.row_begin)),
        thresholds_(thresholds_to_try(options, row_length_)) {}

  CudaBackend& backend() const { return *backend_; }
  cudaStream_t stream() const { return backend_->stream(); }
  const BenchMatrix& matrix() const { return *matrix_; }
  CsrPattern pattern() const { return {matrix_->row_begin, matrix_->column}; }
  const std::vector<Index>& row_length() const { return row_length_; }
  Index window() const { return window_; }                              ///< in which rows are sorted
  BenchOrder order() const { return order_; }                           ///< of the rows that parts have
  const std::vector<Index>& thresholds() const { return thresholds_; }  ///< of K2
  std::int64_t rows() const { return matrix_->rows(); }
  std::int64_t longest() const { return *std::max_element(row_length_.begin(), row_length_.end()); }

  /// Matrix, x, y and the first entry of each row.
  std::int64_t csr_bytes() const { return 12 * matrix_->entries() + 20 * rows(); }

  double padding(std::int64_t stored_entries) const {
    return matrix_->entries() == 0 ? 1 : static_cast<double>(stored_entries) / static_cast<double>(matrix_->entries());
  }

  /// Throws DeviceError, upon which a format is left out, where it would store many times the entries of the matrix.
  void require_fitting(std::int64_t stored_entries) const {
    constexpr double most_padding = 10;
    if (padding(stored_entries) > most_padding)
      throw DeviceError("it would store " + std::to_string(stored_entries) + " entries for " +
                        std::to_string(matrix_->entries()) + ", more than ten times as many");
  }

  /// Brings the values of the matrix into their slots.
  void fill(const StoredEntries& entries, Real* values) const {
    const TeamVector<Real> stored = values_in_slots(entries, matrix_->value);
    backend_->upload(std::span<const Real>(stored), values);
  }

  template <class Matrix, class Layout>
  Matrix filled(const Layout& layout, const StoredEntries& entries) const {
    Matrix A(*backend_, layout);
    fill(entries, A.value());
    return A;
  }

  /// The values of a matrix in its slots, rounded to single precision, in a buffer of their own.
  std::shared_ptr<const Buffer<float>> single_values(const StoredEntries& entries) const {
    const TeamVector<Real> stored = values_in_slots(entries, matrix_->value);
    return std::make_shared<const Buffer<float>>(uploaded(*backend_, std::vector<float>(stored.begin(), stored.end())));
  }

  /// The matrix as a run stores and multiplies it; `options` have the parameters. With values, x and y of `Number`: in
  /// single precision a product moves 4 bytes less for each.
  template <class Format, class Number = Real>
  DeviceFormat of_a_run(const MatrixOptions& options) const {
    constexpr bool is_single = std::is_same_v<Number, float>;
    const FormatParameters takes = Format::parameters(options);
    auto layout = Format::layout(pattern(), options);
    const auto A = std::make_shared<typename Format::template Product<CudaBackend>>(*backend_, pattern(), layout);
    DeviceFormat format{{.bytes = Format::product_bytes(layout, pattern())}, {}, nullptr, Format::own_order(layout)};
    if (takes.threshold) format.choice.threshold = options.ell_warp.threshold;
    const auto multiply_by = [&](const auto& value) {
      format.multiply = [A, value, backend = backend_](int block_size, const Number* x, Number* y) {
        A->multiply(*backend, block_size, value(), x, y);
      };
    };
    if (Format::keeps_entry_order && !is_single) {
      backend_->upload(std::span<const Real>(matrix_->value), A->value());
    } else {
      const auto entries = std::make_shared<const StoredEntries>(Format::take_entries(layout, pattern()));
      format.choice.padding = padding(entries->slots);
      if (takes.window) format.choice.window = options.ell_warp.window;
      if constexpr (is_single) {
        format.choice.bytes -= 4 * entries->slots + 8 * rows();
        multiply_by([values = single_values(*entries)] { return values->data(); });
      } else {
        fill(*entries, A->value());
        format.entries = entries;
      }
    }
    if constexpr (!is_single) multiply_by([A] { return A->value(); });
    return format;
  }

 private:
  CudaBackend* backend_;
  const BenchMatrix* matrix_;
  Index window_;
  BenchOrder order_;
  std::vector<Index> row_length_, thresholds_;
};

using SharedMaker = std::shared_ptr<const FormatMaker>;

/// Compressed rows on the device.
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

}  // namespace cardiowarp
