#include "app/bench/device_formats.cuh"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <optional>
#include <utility>

#include "kernels/backend/device_error.hpp"
#include "kernels/libraries/cusparse.cuh"
#include "kernels/rivals/csr_vector.cuh"
#include "kernels/rivals/hyb.cuh"
#include "kernels/rivals/merge.cuh"
#include "kernels/rivals/sorted_csr.hpp"
#include "kernels/sparse/ell_warp.cuh"
#include "kernels/sparse/ell_warp_choice.hpp"
#include "kernels/sparse/ell_warp_matrix.hpp"
#include "kernels/sparse/launch.cuh"
#include "solver/parts/parts_product.cuh"

namespace cardiowarp {
namespace {

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

struct DeviceSortedCsr {
  DeviceCsr csr;
  Buffer<Index> row;
};

struct DeviceMerge {
  DeviceMerge(CudaBackend& backend, const BenchMatrix& matrix, Index share)
      : csr(backend, matrix), product(backend, csr.view(), static_cast<Index>(matrix.entries()), share) {}

  DeviceCsr csr;
  MergeProduct product;
};

struct DeviceCusparseCsr {
  DeviceCusparseCsr(CudaBackend& backend, const BenchMatrix& matrix, CusparseAlgorithm algorithm)
      : csr(backend, matrix), product(backend, csr.view(), matrix.entries(), algorithm) {}

  DeviceCsr csr;
  CusparseMatrix product;
};

/// K1rs, whose values cuSPARSE multiplies.
struct DeviceSlicedEll {
  EllWarpMatrix slices;
  CusparseMatrix product;
};

/// K1rs, whose values the parts multiply.
struct DeviceParts {
  EllWarpMatrix slices;
  PartsMatrix<CudaBackend> product;
};

/// Prepares one matrix in one format after the other.
class Formats {
 public:
  Formats(CudaBackend& backend, const BenchMatrix& matrix, const SpmvBenchOptions& options)
      : backend_(&backend), matrix_(&matrix), window_(options.window), row_length_(row_lengths(matrix.row_begin)) {}

  DeviceFormat csr() const {
    const auto A = std::make_shared<const DeviceCsr>(*backend_, *matrix_);
    return {{.format = "csr", .bytes = csr_bytes()},
            [A, stream = backend_->stream()](int block_size, const Real* x, Real* y) {
              for_each_in_blocks(stream, block_size, A->rows, RowsTimesVector<CsrView>{A->view(), x, y});
            }};
  }

  DeviceFormat csr_vector(Index lanes) const {
    const auto A = std::make_shared<const DeviceCsr>(*backend_, *matrix_);
    return {{.format = "csr_vector", .lanes = lanes, .bytes = csr_bytes()},
            [A, lanes, stream = backend_->stream()](int block_size, const Real* x, Real* y) {
              csr_vector_multiply(stream, block_size, lanes, A->view(), x, y);
            }};
  }

  /// y is zeroed, read and written.
  DeviceFormat coo() const {
    const auto A = std::make_shared<const DeviceCoo>(*backend_, coo_matrix(matrix_->view()));
    return {{.format = "coo", .bytes = 16 * matrix_->entries() + 32 * rows()},
            [A, n = matrix_->rows(), stream = backend_->stream()](int block_size, const Real* x, Real* y) {
              A->multiply(stream, block_size, n, x, y);
            }};
  }

  DeviceFormat ell() const {
    const auto A = ell_buffers();
    return {{.format = "ell", .padding = ell_padding(), .bytes = 12 * rows() * longest() + 16 * rows()},
            [A, stream = backend_->stream()](int block_size, const Real* x, Real* y) {
              for_each_in_blocks(stream, block_size, A->view().rows, RowsTimesVector<EllView>{A->view(), x, y});
            }};
  }

  /// Its padding is not read.
  DeviceFormat ell_r() const {
    const auto A = ell_buffers();
    return {{.format = "ell_r", .padding = ell_padding(), .bytes = csr_bytes()},
            [A, stream = backend_->stream()](int block_size, const Real* x, Real* y) {
              const EllRView view = A->view_with_lengths();
              for_each_in_blocks(stream, block_size, view.ell.rows, RowsTimesVector<EllRView>{view, x, y});
            }};
  }

  /// A row that goes on in the coordinates has its y read and written again.
  DeviceFormat hyb() const {
    const CsrView host = matrix_->view();
    const Index width = hyb_width(host);
    const auto A = std::make_shared<const DeviceHyb>(*backend_, host, width);
    std::int64_t rest = 0, rows_with_rest = 0;
    for (const Index length : row_length_) {
      rest += std::max(0, length - width);
      rows_with_rest += length > width ? 1 : 0;
    }
    const std::int64_t in_ell = rows() * width;
    return {{.format = "hyb",
             .padding = padding(in_ell + rest),
             .bytes = 12 * in_ell + 16 * rows() + 16 * rest + 16 * rows_with_rest},
            [A, stream = backend_->stream()](int block_size, const Real* x, Real* y) {
              A->multiply(stream, block_size, x, y);
            }};
  }

  DeviceFormat merge(Index share) const {
    const auto A = std::make_shared<const DeviceMerge>(*backend_, *matrix_, share);
    return {{.format = "merge", .values_per_thread = share, .bytes = csr_bytes()},
            [A, stream = backend_->stream()](int block_size, const Real* x, Real* y) {
              A->product.multiply(stream, block_size, x, y);
            }};
  }

  /// Reads the row at each position too.
  DeviceFormat k1_row_major() const {
    const auto A = std::make_shared<const DeviceSortedCsr>(
        DeviceCsr(*backend_, *matrix_), uploaded(*backend_, ell_warp_shape(row_length_, {.window = window_}).row));
    return {{.format = "k1_row_major", .window = window_, .bytes = csr_bytes() + 4 * rows()},
            [A, stream = backend_->stream()](int block_size, const Real* x, Real* y) {
              for_each_in_blocks(stream, block_size, A->csr.rows, SortedCsrRows{A->csr.view(), A->row.data(), x, y});
            }};
  }

  DeviceFormat ell_warp(const std::string& name, const EllWarpOptions& options) const {
    const auto layout = std::make_shared<const EllWarpLayout>(ell_warp_layout(row_length_, matrix_->column, options));
    const auto A = std::make_shared<const EllWarpMatrix>(filled(*layout));
    SpmvMeasurement choice{.format = name, .padding = layout->shape.padding_ratio(), .bytes = ell_warp_bytes(*layout)};
    if (options.variant == EllWarpVariant::k2) choice.threshold = options.threshold;
    if (options.sorted) choice.window = options.window;
    return {std::move(choice),
            [A, stream = backend_->stream()](int block_size, const Real* x, Real* y) {
              ell_warp_multiply(stream, block_size, A->view(), TimesVector{x}, y);
            },
            layout};
  }

  /// The rows of halos have their number and x read, too.
  DeviceFormat k1rs_parts() const {
    const auto layout = k1rs_layout();
    const std::optional<MatrixParts> parts = matrix_parts(*layout);
    if (!parts || !fits_any_block(*parts))
      throw DeviceError("it needs windows that fit with the rows they read in the 48 KB of a block");
    EllWarpMatrix slices = filled(*layout);
    PartsMatrix<CudaBackend> product(*backend_, *layout, *parts, slices.value());
    const auto A = std::make_shared<const DeviceParts>(std::move(slices), std::move(product));
    return {{.format = "k1rs_parts",
             .window = window_,
             .padding = layout->shape.padding_ratio(),
             .bytes = 10 * layout->shape.stored_entries() + 16 * rows() + 8 * layout->shape.slices() +
                      12 * static_cast<std::int64_t>(parts->halo_row.size())},
            [A, backend = backend_](int, const Real* x, Real* y) { A->product.multiply(*backend, x, y); },
            layout};
  }

  DeviceFormat cusparse_csr(const std::string& name, CusparseAlgorithm algorithm) const {
    const auto A = std::make_shared<const DeviceCusparseCsr>(*backend_, *matrix_, algorithm);
    return {{.format = name, .bytes = csr_bytes()}, [A](int, const Real* x, Real* y) { A->product.multiply(x, y); }};
  }

  DeviceFormat cusparse_sliced_ell() const {
    const auto layout = k1rs_layout();
    EllWarpMatrix slices = filled(*layout);
    CusparseMatrix product(*backend_, slices.view(), matrix_->entries(), layout->shape.stored_entries());
    const auto A = std::make_shared<const DeviceSlicedEll>(std::move(slices), std::move(product));
    return {{.format = "cusparse_sliced_ell",
             .window = window_,
             .padding = layout->shape.padding_ratio(),
             .bytes = ell_warp_bytes(*layout)},
            [A](int, const Real* x, Real* y) { A->product.multiply(x, y); },
            layout};
  }

 private:
  std::int64_t rows() const { return matrix_->rows(); }
  std::int64_t longest() const { return *std::max_element(row_length_.begin(), row_length_.end()); }

  double padding(std::int64_t stored_entries) const {
    return matrix_->entries() == 0 ? 1 : static_cast<double>(stored_entries) / static_cast<double>(matrix_->entries());
  }
  double ell_padding() const { return padding(rows() * longest()); }

  /// Matrix, x, y and the first entry of each row.
  std::int64_t csr_bytes() const { return 12 * matrix_->entries() + 20 * rows(); }

  /// Matrix with its padding, x, y, what a kernel reads of each slice, and the row at each position where results go
  /// back to the given order.
  static std::int64_t ell_warp_bytes(const EllWarpLayout& layout) {
    const std::int64_t of_slice = layout.options.variant == EllWarpVariant::k1 ? 8 : 16;
    const std::int64_t of_row = layout.options.renumbering == EllWarpRenumbering::none ? 20 : 16;
    return 12 * layout.shape.stored_entries() + of_row * layout.shape.rows() + of_slice * layout.shape.slices();
  }

  std::shared_ptr<const EllWarpLayout> k1rs_layout() const {
    const EllWarpOptions options{.renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window_};
    return std::make_shared<const EllWarpLayout>(ell_warp_layout(row_length_, matrix_->column, options));
  }

  std::shared_ptr<const EllBuffers> ell_buffers() const {
    constexpr double most_padding = 10;
    if (ell_padding() > most_padding)
      throw DeviceError("it would store " + std::to_string(rows() * longest()) + " entries for " +
                        std::to_string(matrix_->entries()) + ", more than ten times as many");
    return std::make_shared<const EllBuffers>(*backend_, ell_matrix(matrix_->view(), static_cast<Index>(longest())));
  }

  EllWarpMatrix filled(const EllWarpLayout& layout) const {
    EllWarpMatrix A(*backend_, layout);
    const Buffer<std::int64_t> slot_of_entry = uploaded(*backend_, layout.slot_of_entry);
    const Buffer<Real> value = uploaded(*backend_, matrix_->value);
    backend_->for_each(static_cast<Index>(matrix_->entries()),
                       ScatterEntries{slot_of_entry.data(), value.data(), A.value()});
    backend_->synchronize();
    return A;
  }

  CudaBackend* backend_;
  const BenchMatrix* matrix_;
  Index window_;
  std::vector<Index> row_length_;
};

}  // namespace

std::vector<FormatCandidate> format_candidates(CudaBackend& backend, const BenchMatrix& matrix,
                                               const SpmvBenchOptions& options) {
  using enum EllWarpRenumbering;
  const auto formats = std::make_shared<const Formats>(backend, matrix, options);
  const std::vector<Index> none_needed{0};
  const std::vector<Index> row_length = row_lengths(matrix.row_begin);
  const std::vector<Index> thresholds =
      options.thresholds.empty() ? default_thresholds(row_length) : options.thresholds;
  std::vector<Index> with_the_rule = thresholds;
  const EllWarpOptions rule = choose_ell_warp(row_length, options.window, backend.device()).options;
  if (rule.variant == EllWarpVariant::k2 &&
      std::find(thresholds.begin(), thresholds.end(), rule.threshold) == thresholds.end())
    with_the_rule.push_back(rule.threshold);

  std::vector<FormatCandidate> all{
      {"csr", none_needed, true, [=](Index) { return formats->csr(); }},
      {"csr_vector", {2, 4, 8, 16, 32}, true, [=](Index lanes) { return formats->csr_vector(lanes); }},
      {"coo", none_needed, true, [=](Index) { return formats->coo(); }},
      {"ell", none_needed, true, [=](Index) { return formats->ell(); }},
      {"ell_r", none_needed, true, [=](Index) { return formats->ell_r(); }},
      {"sell", none_needed, true,
       [=](Index) { return formats->ell_warp("sell", {.renumbering = rows, .sorted = false}); }},
      {"hyb", none_needed, true, [=](Index) { return formats->hyb(); }},
      {"merge", std::vector<Index>(MergeProduct::shares.begin(), MergeProduct::shares.end()), true,
       [=](Index share) { return formats->merge(share); }},
      {"k1_row_major", none_needed, true, [=](Index) { return formats->k1_row_major(); }}};

  for (const EllWarpVariant variant : {EllWarpVariant::k1, EllWarpVariant::k2})
    for (const EllWarpRenumbering renumbering : {none, rows, rows_and_columns_sorted}) {
      EllWarpOptions layout{.variant = variant, .renumbering = renumbering, .window = options.window};
      const std::string name = ell_warp_name(layout);
      all.push_back({name,
                     variant == EllWarpVariant::k1 ? none_needed
                     : name == "k2rs"              ? with_the_rule
                                                   : thresholds,
                     true, [=](Index threshold) mutable {
                       if (variant == EllWarpVariant::k2) layout.threshold = threshold;
                       return formats->ell_warp(name, layout);
                     }});
    }
  all.push_back({"k1rs_parts", none_needed, false, [=](Index) { return formats->k1rs_parts(); }});

  for (const auto& [name, algorithm] :
       {std::pair("cusparse_csr_1", CusparseAlgorithm::csr_1), std::pair("cusparse_csr_2", CusparseAlgorithm::csr_2)})
    all.push_back({name, none_needed, false, [=, name = std::string(name), algorithm = algorithm](Index) {
                     return formats->cusparse_csr(name, algorithm);
                   }});
  all.push_back({"cusparse_sliced_ell", none_needed, false, [=](Index) { return formats->cusparse_sliced_ell(); }});
  assert(all.size() == spmv_formats().size());
  std::erase_if(all, [&](const FormatCandidate& candidate) {
    return !options.formats.empty() &&
           std::find(options.formats.begin(), options.formats.end(), candidate.format) == options.formats.end();
  });
  return all;
}

}  // namespace cardiowarp
