#include "app/bench/device_formats.cuh"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "app/bench/rivals.hpp"
#include "app/measure/stopwatch.hpp"
#include "app/simulation/window_order.hpp"
#include "assembly/formats.cuh"
#include "kernels/backend/device_error.hpp"
#include "kernels/libraries/cusparse.cuh"
#include "kernels/libraries/metis_parts.hpp"
#include "kernels/rivals/block_ell.hpp"
#include "kernels/rivals/csr_vector.cuh"
#include "kernels/rivals/ehyb.cuh"
#include "kernels/rivals/hyb.cuh"
#include "kernels/rivals/merge.cuh"
#include "kernels/rivals/sorted_csr.hpp"
#include "kernels/sparse/ell_warp_choice.hpp"
#include "kernels/sparse/ell_warp_matrix.hpp"
#include "kernels/sparse/launch.cuh"
#include "solver/parts/parts_product.cuh"

namespace cardiowarp {
namespace {

using EllWarp = FormatOf<MatrixFormat::ell_warp>;

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
  DeviceCusparseCsr(CudaBackend& backend, const BenchMatrix& matrix)
      : csr(backend, matrix), product(backend, csr.view(), matrix.entries(), CusparseAlgorithm::csr_1) {}

  DeviceCsr csr;
  CusparseMatrix product;
};

/// K1rs, whose values cuSPARSE multiplies.
struct DeviceSlicedEll {
  EllWarpMatrix slices;
  CusparseMatrix product;
};

/// The values of K1rs, which the parts multiply.
struct DeviceParts {
  Buffer<Real> value;
  PartsMatrix<CudaBackend> product;
};

/// BCSR, which cuSPARSE multiplies.
struct DeviceBsr {
  BlockEllMatrix blocks;
  Buffer<Index> row_begin;
  CusparseMatrix product;
};

/// Prepares one matrix in one format after the other.
class Formats {
 public:
  Formats(CudaBackend& backend, const BenchMatrix& matrix, const SpmvBenchOptions& options)
      : backend_(&backend),
        matrix_(&matrix),
        window_(options.window),
        order_(options.order),
        row_length_(row_lengths(matrix.row_begin)) {}

  /// The matrix as a run stores and multiplies it; `options` have the parameters.
  template <class Format>
  DeviceFormat of_a_run(const MatrixOptions& options) const {
    const FormatParameters takes = Format::parameters(options);
    auto layout = Format::layout(pattern(), options);
    const auto A = std::make_shared<typename Format::template Product<CudaBackend>>(*backend_, pattern(), layout);
    DeviceFormat format{{.bytes = Format::product_bytes(layout, pattern())},
                        [A, backend = backend_](int block_size, const Real* x, Real* y) {
                          A->multiply(*backend, block_size, A->value(), x, y);
                        },
                        nullptr,
                        Format::own_order(layout)};
    if (takes.threshold) format.choice.threshold = options.ell_warp.threshold;
    if (Format::keeps_entry_order) {
      backend_->upload(std::span<const Real>(matrix_->value), A->value());
    } else {
      const auto entries = std::make_shared<const StoredEntries>(Format::take_entries(layout, pattern()));
      format.choice.padding = padding(entries->slots);
      if (takes.window) format.choice.window = options.ell_warp.window;
      fill(*entries, A->value());
      format.entries = entries;
    }
    return format;
  }

  DeviceFormat csr_vector(Index lanes) const {
    const auto A = std::make_shared<const DeviceCsr>(*backend_, *matrix_);
    return {{.lanes = lanes, .bytes = csr_bytes()},
            [A, lanes, stream = backend_->stream()](int block_size, const Real* x, Real* y) {
              csr_vector_multiply(stream, block_size, lanes, A->view(), x, y);
            }};
  }

  /// y is zeroed, read and written.
  DeviceFormat coo() const {
    const auto A = std::make_shared<const DeviceCoo>(*backend_, coo_matrix(matrix_->view()));
    return {{.bytes = 16 * matrix_->entries() + 32 * rows()},
            [A, n = matrix_->rows(), stream = backend_->stream()](int block_size, const Real* x, Real* y) {
              A->multiply(stream, block_size, n, x, y);
            }};
  }

  DeviceFormat ell() const {
    const auto A = ell_buffers();
    return {{.padding = ell_padding(), .bytes = 12 * rows() * longest() + 16 * rows()},
            [A, stream = backend_->stream()](int block_size, const Real* x, Real* y) {
              for_each_in_blocks(stream, block_size, A->view().rows, RowsTimesVector<EllView>{A->view(), x, y});
            }};
  }

  /// ELLPACK-R, whose padding is not read.
  DeviceFormat ell_r() const {
    const auto A = ell_buffers();
    return {{.padding = ell_padding(), .bytes = csr_bytes()},
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
    return {{.padding = padding(in_ell + rest), .bytes = 12 * in_ell + 16 * rows() + 16 * rest + 16 * rows_with_rest},
            [A, stream = backend_->stream()](int block_size, const Real* x, Real* y) {
              A->multiply(stream, block_size, x, y);
            }};
  }

  DeviceFormat bell() const {
    require_blocks("ell");
    const BlockEllOptions options = bell_options(pattern(), matrix_->unknowns);
    require_fitting(std::int64_t{options.slice_rows} * options.unknowns * options.unknowns *
                    longest_block_row(pattern(), options.unknowns));
    return block_ell(options);
  }

  /// The window is in block rows.
  DeviceFormat sbell(Index slice_rows) const {
    DeviceFormat format = block_ell({.unknowns = matrix_->unknowns, .slice_rows = slice_rows, .window = window_});
    format.choice.slice_rows = slice_rows;
    format.choice.window = window_;
    return format;
  }

  DeviceFormat merge(Index share) const {
    const auto A = std::make_shared<const DeviceMerge>(*backend_, *matrix_, share);
    return {{.values_per_thread = share, .bytes = csr_bytes()},
            [A, stream = backend_->stream()](int block_size, const Real* x, Real* y) {
              A->product.multiply(stream, block_size, x, y);
            }};
  }

  /// Parts as METIS cuts them. Both kinds of entries are padded; the second launch reads x again.
  DeviceFormat ehyb(SliceSchedule schedule) const {
    const Index parts = ehyb_parts(matrix_->rows(), backend_->device());
    const Stopwatch partition;
    std::vector<Index> part = in_words([&] { return metis_parts(pattern(), parts); });
    limit_parts(part, parts, ehyb_longest_part(backend_->device()));
    const double partition_s = partition.seconds();
    const Stopwatch layout;
    EhybMatrix host = ehyb_matrix(matrix_->view(), part, parts);
    const double layout_s = layout.seconds();
    const auto A = std::make_shared<const EhybBuffers<CudaBackend>>(*backend_, host);
    return {{.padding = padding(host.stored_entries()),
             .bytes = host.product_bytes(),
             .partition_s = partition_s,
             .layout_s = layout_s},
            [A, schedule, backend = backend_](int block_size, const Real* x, Real* y) {
              ehyb_multiply(*backend, schedule, block_size, A->view(), x, y);
            },
            nullptr,
            std::move(host.row),
            cuda::largest_block};
  }

  /// Reads the row at each position too.
  DeviceFormat k1_row_major() const {
    const auto A = std::make_shared<const DeviceSortedCsr>(
        DeviceCsr(*backend_, *matrix_), uploaded(*backend_, ell_warp_shape(row_length_, {.window = window_}).row));
    return {{.window = window_, .bytes = csr_bytes() + 4 * rows()},
            [A, stream = backend_->stream()](int block_size, const Real* x, Real* y) {
              for_each_in_blocks(stream, block_size, A->csr.rows, SortedCsrRows{A->csr.view(), A->row.data(), x, y});
            }};
  }

  DeviceFormat sell() const {
    return of_a_run<EllWarp>(
        {.format = MatrixFormat::ell_warp, .ell_warp = {.renumbering = EllWarpRenumbering::rows, .sorted = false}});
  }

  /// In windows of the options or, where `parts_a_multiprocessor` is not 0, in so many for each multiprocessor.
  DeviceFormat k1rs_parts(Index parts_a_multiprocessor) const {
    const Index window = parts_a_multiprocessor == 0
                             ? window_
                             : window_for_parts(matrix_->rows(), parts_a_multiprocessor * multiprocessors());
    if (order_ != BenchOrder::metis) {
      DeviceFormat format = in_windows(*matrix_, window, parts_a_multiprocessor == 0);
      format.choice.parts_a_multiprocessor = parts_a_multiprocessor;
      return format;
    }
    if (window == 0) throw DeviceError("it needs windows to cut the matrix into");
    const Stopwatch partition;
    const std::vector<Index> order = in_words([&] { return metis_window_order(pattern(), window); });
    const BenchMatrix cut = in_order(*matrix_, order);
    const double partition_s = partition.seconds();
    DeviceFormat format = in_windows(cut, window, parts_a_multiprocessor == 0);
    for (Index& row : format.order) row = order[row];
    format.entries = nullptr;  // they are those of `cut`
    format.choice.partition_s = partition_s;
    format.choice.parts_a_multiprocessor = parts_a_multiprocessor;
    return format;
  }

  /// cuSPARSE's CSR by the algorithm whose last bits may differ; that of a run has always the same.
  DeviceFormat cusparse_csr_1() const {
    const auto A = std::make_shared<const DeviceCusparseCsr>(*backend_, *matrix_);
    return {{.bytes = csr_bytes()}, [A](int, const Real* x, Real* y) { A->product.multiply(x, y); }};
  }

  DeviceFormat cusparse_sliced_ell() const {
    EllWarpLayout layout = k1rs_layout();
    const auto entries = std::make_shared<const StoredEntries>(EllWarp::take_entries(layout, pattern()));
    EllWarpMatrix slices = filled<EllWarpMatrix>(layout, *entries);
    CusparseMatrix product(*backend_, slices.view(), matrix_->entries(), entries->slots);
    const auto A = std::make_shared<const DeviceSlicedEll>(std::move(slices), std::move(product));
    return {{.window = window_,
             .padding = layout.shape.padding_ratio(),
             .bytes = EllWarp::product_bytes(layout, pattern())},
            [A](int, const Real* x, Real* y) { A->product.multiply(x, y); },
            entries,
            EllWarp::own_order(layout)};
  }

  /// The first block of each block row is a 32-bit number.
  DeviceFormat cusparse_bsr() const {
    require_blocks("cusparse_csr_1");
    BlockEllLayout layout = block_ell_layout(pattern(), bcsr_options(matrix_->unknowns));
    const auto entries = std::make_shared<const StoredEntries>(std::move(layout.slot_of_entry), layout.value_slots());
    BlockEllMatrix blocks = filled<BlockEllMatrix>(layout, *entries);
    Buffer<Index> row_begin =
        uploaded(*backend_, std::vector<Index>(layout.slice_begin.begin(), layout.slice_begin.end()));
    const BlockEllView view = blocks.view();
    CusparseMatrix product(
        *backend_, BsrView{view.block_rows, view.unknowns, layout.blocks, row_begin.data(), view.column, view.value});
    const auto A = std::make_shared<const DeviceBsr>(std::move(blocks), std::move(row_begin), std::move(product));
    const std::int64_t b = matrix_->unknowns;
    return {{.padding = padding(entries->slots),
             .bytes = (8 * b * b + 4) * layout.blocks + 16 * rows() + 4 * std::int64_t{layout.block_rows}},
            [A](int, const Real* x, Real* y) { A->product.multiply(x, y); },
            entries};
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

  CsrPattern pattern() const { return {matrix_->row_begin, matrix_->column}; }

  /// What METIS returns. Where it fails the format is left out.
  template <class Cut>
  static std::vector<Index> in_words(const Cut& cut) {
    try {
      return cut();
    } catch (const std::runtime_error& error) {
      throw DeviceError(error.what());
    }
  }

  EllWarpLayout k1rs_layout() const {
    return ell_warp_layout(row_length_, matrix_->column,
                           {.renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window_});
  }

  std::shared_ptr<const EllBuffers> ell_buffers() const {
    require_fitting(rows() * longest());
    return std::make_shared<const EllBuffers>(*backend_, ell_matrix(matrix_->view(), static_cast<Index>(longest())));
  }

  void require_fitting(std::int64_t stored_entries) const {
    constexpr double most_padding = 10;
    if (padding(stored_entries) > most_padding)
      throw DeviceError("it would store " + std::to_string(stored_entries) + " entries for " +
                        std::to_string(matrix_->entries()) + ", more than ten times as many");
  }

  /// `same` is the format that has the same layout where blocks are single entries.
  void require_blocks(const char* same) const {
    if (matrix_->unknowns == 1) throw DeviceError(std::string("of one unknown a node it is ") + same);
  }

  Index multiprocessors() const { return std::max<Index>(1, backend_->device().multiprocessors); }

  /// K1rs in parts. The rows of halos have their number and x read, too.
  DeviceFormat in_windows(const BenchMatrix& matrix, Index window, bool as_in_a_run) const {
    const Stopwatch host;
    EllWarpLayout layout =
        ell_warp_layout(row_lengths(matrix.row_begin), matrix.column,
                        {.renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window});
    const std::optional<MatrixParts> parts = matrix_parts(layout);
    if (!parts || product_shared_bytes(parts->rows_a_part, parts->longest_halo) > largest_product(as_in_a_run))
      throw DeviceError("it needs windows that fit with the rows they read in the shared memory of a block");
    const auto entries =
        std::make_shared<const StoredEntries>(EllWarp::take_entries(layout, {matrix.row_begin, matrix.column}));
    const TeamVector<Real> stored = values_in_slots(*entries, matrix.value);
    const double layout_s = host.seconds();
    Buffer<Real> value = uploaded(*backend_, stored);
    PartsMatrix<CudaBackend> product(*backend_, layout, *parts, value.data());
    const auto A = std::make_shared<const DeviceParts>(std::move(value), std::move(product));
    const auto in_halos = static_cast<std::int64_t>(parts->halo_row.size());
    return {{.window = window,
             .parts = PartsMeasures{order_, parts->parts, static_cast<double>(in_halos) / static_cast<double>(rows()),
                                    parts->longest_halo},
             .padding = layout.shape.padding_ratio(),
             .bytes = 10 * layout.shape.stored_entries() + 16 * rows() + 8 * layout.shape.slices() + 12 * in_halos,
             .layout_s = layout_s},
            [A, backend = backend_](int block_size, const Real* x, Real* y) {
              parts_multiply_in_blocks(*backend, block_size, A->product.view(), A->product.caching(), x, y);
            },
            entries,
            EllWarp::own_order(layout),
            std::nullopt,
            block_sizes_of_parts(window, as_in_a_run)};
  }

  /// The most shared memory of a part: as in a run what any block has.
  std::size_t largest_product(bool as_in_a_run) const {
    constexpr std::size_t any_block = 47 << 10;
    return as_in_a_run ? any_block : usable_shared_bytes(backend_->device());
  }

  /// That of the paths of a run; in windows for the multiprocessors every one that a window has rows for.
  static std::vector<int> block_sizes_of_parts(Index window, bool as_in_a_run) {
    if (as_in_a_run) return {cuda::threads};
    std::vector<int> sizes;
    for (const int size : parts_block_sizes)
      if (size <= std::max<Index>(window, parts_block_sizes.front())) sizes.push_back(size);
    return sizes;
  }

  DeviceFormat block_ell(const BlockEllOptions& options) const {
    BlockEllLayout layout = block_ell_layout(pattern(), options);
    const std::int64_t bytes = layout.product_bytes();
    const auto entries = std::make_shared<const StoredEntries>(std::move(layout.slot_of_entry), layout.value_slots());
    const auto A = std::make_shared<const BlockEllMatrix>(filled<BlockEllMatrix>(layout, *entries));
    return {{.padding = padding(entries->slots), .bytes = bytes},
            [A, stream = backend_->stream()](int block_size, const Real* x, Real* y) {
              block_ell_multiply(A->view(), x, y,
                                 [&](Index n, const auto& body) { for_each_in_blocks(stream, block_size, n, body); });
            },
            entries};
  }

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

  CudaBackend* backend_;
  const BenchMatrix* matrix_;
  Index window_;
  BenchOrder order_;
  std::vector<Index> row_length_;
};

using SharedFormats = std::shared_ptr<const Formats>;

const std::vector<Index> none_needed{0};

/// The piece of a rival: all but its name.
template <std::size_t place>
FormatCandidate rival_candidate(const SharedFormats& formats) = delete;

template <>
FormatCandidate rival_candidate<rival("csr_vector")>(const SharedFormats& formats) {
  return {{2, 4, 8, 16, 32}, true, [=](Index lanes) { return formats->csr_vector(lanes); }};
}
template <>
FormatCandidate rival_candidate<rival("coo")>(const SharedFormats& formats) {
  return {none_needed, true, [=](Index) { return formats->coo(); }};
}
template <>
FormatCandidate rival_candidate<rival("ell")>(const SharedFormats& formats) {
  return {none_needed, true, [=](Index) { return formats->ell(); }};
}
template <>
FormatCandidate rival_candidate<rival("ell_r")>(const SharedFormats& formats) {
  return {none_needed, true, [=](Index) { return formats->ell_r(); }};
}
template <>
FormatCandidate rival_candidate<rival("sell")>(const SharedFormats& formats) {
  return {none_needed, true, [=](Index) { return formats->sell(); }};
}
template <>
FormatCandidate rival_candidate<rival("hyb")>(const SharedFormats& formats) {
  return {none_needed, true, [=](Index) { return formats->hyb(); }};
}
template <>
FormatCandidate rival_candidate<rival("bell")>(const SharedFormats& formats) {
  return {none_needed, true, [=](Index) { return formats->bell(); }};
}
template <>
FormatCandidate rival_candidate<rival("sbell")>(const SharedFormats& formats) {
  return {{32, 64, 96}, true, [=](Index slice_rows) { return formats->sbell(slice_rows); }};
}
template <>
FormatCandidate rival_candidate<rival("merge")>(const SharedFormats& formats) {
  return {{MergeProduct::shares.begin(), MergeProduct::shares.end()}, true, [=](Index share) {
            return formats->merge(share);
          }};
}
template <>
FormatCandidate rival_candidate<rival("ehyb")>(const SharedFormats& formats) {
  return {none_needed, true, [=](Index) { return formats->ehyb(SliceSchedule::dynamic); }};
}
template <>
FormatCandidate rival_candidate<rival("ehyb_fixed")>(const SharedFormats& formats) {
  return {none_needed, true, [=](Index) { return formats->ehyb(SliceSchedule::fixed); }};
}
template <>
FormatCandidate rival_candidate<rival("k1_row_major")>(const SharedFormats& formats) {
  return {none_needed, true, [=](Index) { return formats->k1_row_major(); }};
}
template <>
FormatCandidate rival_candidate<rival("k1rs_parts")>(const SharedFormats& formats) {
  return {none_needed, true, [=](Index parts) { return formats->k1rs_parts(parts); }};
}
template <>
FormatCandidate rival_candidate<rival("cusparse_csr_1")>(const SharedFormats& formats) {
  return {none_needed, false, [=](Index) { return formats->cusparse_csr_1(); }};
}
template <>
FormatCandidate rival_candidate<rival("cusparse_sliced_ell")>(const SharedFormats& formats) {
  return {none_needed, false, [=](Index) { return formats->cusparse_sliced_ell(); }};
}
template <>
FormatCandidate rival_candidate<rival("cusparse_bsr")>(const SharedFormats& formats) {
  return {none_needed, false, [=](Index) { return formats->cusparse_bsr(); }};
}

template <std::size_t... place>
std::vector<FormatCandidate> rival_candidates(const SharedFormats& formats, std::index_sequence<place...>) {
  std::vector<FormatCandidate> all{rival_candidate<place>(formats)...};
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
  const auto formats = std::make_shared<const Formats>(backend, matrix, options);
  const std::vector<Index> row_length = row_lengths(matrix.row_begin);
  const std::vector<Index> thresholds =
      options.thresholds.empty() ? default_thresholds(row_length) : options.thresholds;
  const EllWarpOptions rule = choose_ell_warp(row_length, options.window, backend.device()).options;

  std::vector<FormatCandidate> all;
  for_each_format([&](auto format) {
    using Format = FormatOf<format.value>;
    for (MatrixOptions variant : Format::variants()) {
      variant.ell_warp.window = options.window;
      const FormatParameters takes = Format::parameters(variant);
      all.push_back({takes.threshold ? thresholds_of(variant, thresholds, rule) : none_needed, takes.block_size,
                     [=](Index threshold) mutable {
                       if (takes.threshold) variant.ell_warp.threshold = threshold;
                       return formats->template of_a_run<Format>(variant);
                     },
                     measured_name<Format>(variant)});
    }
  });
  for (FormatCandidate& candidate : rival_candidates(formats, std::make_index_sequence<rivals.size()>())) {
    if (candidate.format == "k1rs_parts")
      candidate.parameters.insert(candidate.parameters.end(), options.parts.begin(), options.parts.end());
    all.push_back(std::move(candidate));
  }
  std::erase_if(all, [&](const FormatCandidate& candidate) {
    return !options.formats.empty() &&
           std::find(options.formats.begin(), options.formats.end(), candidate.format) == options.formats.end();
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
