// Rivals in slices of rows or of blocks, and in parts of them.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/bench/rival_pieces.cuh"
#include "app/measure/stopwatch.hpp"
#include "app/simulation/window_order.hpp"
#include "kernels/backend/team_vector.hpp"
#include "kernels/libraries/metis_parts.hpp"
#include "kernels/rivals/block_ell.hpp"
#include "kernels/rivals/ehyb.cuh"
#include "kernels/rivals/sorted_csr.hpp"
#include "solver/parts/parts_product.cuh"

namespace cardiowarp {
namespace {

DeviceFormat sell(const FormatMaker& maker) {
  return maker.of_a_run<EllWarp>(
      {.format = MatrixFormat::ell_warp, .ell_warp = {.renumbering = EllWarpRenumbering::rows, .sorted = false}});
}

struct DeviceSortedCsr {
  DeviceCsr csr;
  Buffer<Index> row;
};

/// Reads the row at each position too.
DeviceFormat k1_row_major(const FormatMaker& maker) {
  const auto A = std::make_shared<const DeviceSortedCsr>(
      DeviceCsr(maker.backend(), maker.matrix()),
      uploaded(maker.backend(), ell_warp_shape(maker.row_length(), {.window = maker.window()}).row));
  return {{.window = maker.window(), .bytes = maker.csr_bytes() + 4 * maker.rows()},
          [A, stream = maker.stream()](int block_size, const Real* x, Real* y) {
            for_each_in_blocks(stream, block_size, A->csr.rows, SortedCsrRows{A->csr.view(), A->row.data(), x, y});
          }};
}

struct DeviceMapped {
  EllWarpMatrix matrix;
  Buffer<Index> row;
};

/// K1r that brings its results back to the order of the matrix as K1 does (paper 000 sec. A.2). Reads the row at each
/// position too.
DeviceFormat k1r_mapped(const FormatMaker& maker) {
  const MatrixOptions options{.format = MatrixFormat::ell_warp,
                              .ell_warp = {.renumbering = EllWarpRenumbering::rows, .window = maker.window()}};
  EllWarpLayout layout = EllWarp::layout(maker.pattern(), options);
  const std::int64_t bytes = EllWarp::product_bytes(layout, maker.pattern()) + 4 * maker.rows();
  const StoredEntries entries = EllWarp::take_entries(layout, maker.pattern());
  const auto A = std::make_shared<const DeviceMapped>(maker.filled<EllWarpMatrix>(layout, entries),
                                                      uploaded(maker.backend(), layout.shape.row));
  return {{.window = maker.window(), .padding = layout.shape.padding_ratio(), .bytes = bytes},
          [A, stream = maker.stream()](int block_size, const Real* x, Real* y) {
            EllWarpView view = A->matrix.view();
            view.row = A->row.data();
            ell_warp_multiply(stream, block_size, view, TimesVector{x}, y);
          },
          nullptr,
          EllWarp::own_order(layout),
          true};
}

template <FetchWay W>
DeviceFormat fetching_x(const FormatMaker& maker, const MatrixOptions& options) {
  EllWarpLayout layout = EllWarp::layout(maker.pattern(), options);
  const std::int64_t bytes = EllWarp::product_bytes(layout, maker.pattern());
  const StoredEntries entries = EllWarp::take_entries(layout, maker.pattern());
  const auto A = std::make_shared<const EllWarpMatrix>(maker.filled<EllWarpMatrix>(layout, entries));
  return {{.window = maker.window(), .padding = layout.shape.padding_ratio(), .bytes = bytes},
          [A, stream = maker.stream()](int block_size, const Real* x, Real* y) {
            ell_warp_multiply(stream, block_size, A->view(), TimesVector<Caching::cached, W>{x}, y);
          },
          nullptr,
          EllWarp::own_order(layout)};
}

/// The values of K1rs, which the parts multiply.
template <class Value>
struct DeviceParts {
  Buffer<Value> value;
  PartsMatrix<CudaBackend, Value> product;
};

/// The most shared memory of a part: as in a run what any block has.
std::size_t largest_product(const FormatMaker& maker, bool as_in_a_run) {
  constexpr std::size_t any_block = 47 << 10;
  return as_in_a_run ? any_block : usable_shared_bytes(maker.backend().device());
}

/// The block sizes to try: that of a run's paths, or each for which a window has enough rows.
std::vector<int> block_sizes_of_parts(Index window, bool as_in_a_run) {
  if (as_in_a_run) return {cuda::threads};
  std::vector<int> sizes;
  for (const int size : parts_block_sizes)
    if (size <= std::max<Index>(window, parts_block_sizes.front())) sizes.push_back(size);
  return sizes;
}

/// K1rs in parts, with values and vectors of `Number`. The rows of halos have their number and x read, too.
template <class Number>
DeviceFormat in_windows(const FormatMaker& maker, const BenchMatrix& matrix, Index window, bool as_in_a_run) {
  const Stopwatch host;
  EllWarpLayout layout =
      ell_warp_layout(row_lengths(matrix.row_begin), matrix.column,
                      {.renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window});
  const std::optional<MatrixParts> parts = matrix_parts(layout);
  if (!parts || product_shared_bytes(parts->rows_a_part, parts->longest_halo, sizeof(Number)) >
                    largest_product(maker, as_in_a_run))
    throw DeviceError("it needs windows that fit with the rows they read in the shared memory of a block");
  const auto entries =
      std::make_shared<const StoredEntries>(EllWarp::take_entries(layout, {matrix.row_begin, matrix.column}));
  const TeamVector<Real> stored = values_in_slots(*entries, matrix.value);
  const double layout_s = host.seconds();
  Buffer<Number> value = uploaded(maker.backend(), std::vector<Number>(stored.begin(), stored.end()));
  PartsMatrix<CudaBackend, Number> product(maker.backend(), layout, *parts, value.data());
  const auto A = std::make_shared<const DeviceParts<Number>>(std::move(value), std::move(product));
  constexpr auto of_number = static_cast<std::int64_t>(sizeof(Number));
  const auto in_halos = static_cast<std::int64_t>(parts->halo_row.size());
  DeviceFormat format{
      {.window = window,
       .parts = PartsMeasures{maker.order(), parts->parts,
                              static_cast<double>(in_halos) / static_cast<double>(maker.rows()), parts->longest_halo},
       .padding = layout.shape.padding_ratio(),
       .bytes = (of_number + 2) * layout.shape.stored_entries() + 2 * of_number * maker.rows() +
                8 * layout.shape.slices() + (of_number + 4) * in_halos,
       .layout_s = layout_s},
      [A, backend = &maker.backend()](int block_size, const Number* x, Number* y) {
        parts_multiply_in_blocks(*backend, block_size, A->product.view(), A->product.caching(), x, y);
      },
      sizeof(Number) == sizeof(Real) ? entries : nullptr,
      EllWarp::own_order(layout)};
  format.only_block_sizes = block_sizes_of_parts(window, as_in_a_run);
  return format;
}

/// In windows of the options or, where `parts_a_multiprocessor` is not 0, in so many for each multiprocessor.
template <class Number>
DeviceFormat k1rs_parts(const FormatMaker& maker, Index parts_a_multiprocessor) {
  const Index multiprocessors = std::max<Index>(1, maker.backend().device().multiprocessors);
  const bool as_in_a_run = parts_a_multiprocessor == 0;
  const Index window =
      as_in_a_run ? maker.window() : window_for_parts(maker.matrix().rows(), parts_a_multiprocessor * multiprocessors);
  if (maker.order() != BenchOrder::metis) {
    DeviceFormat format = in_windows<Number>(maker, maker.matrix(), window, as_in_a_run);
    format.choice.parts_a_multiprocessor = parts_a_multiprocessor;
    return format;
  }
  if (window == 0) throw DeviceError("it needs windows to cut the matrix into");
  const Stopwatch partition;
  const std::vector<Index> order = metis_window_order(maker.pattern(), window);
  const BenchMatrix cut = in_order(maker.matrix(), order);
  const double partition_s = partition.seconds();
  DeviceFormat format = in_windows<Number>(maker, cut, window, as_in_a_run);
  for (Index& row : format.order) row = order[row];
  format.entries = nullptr;  // they are those of `cut`
  format.choice.partition_s = partition_s;
  format.choice.parts_a_multiprocessor = parts_a_multiprocessor;
  return format;
}

DeviceFormat block_ell(const FormatMaker& maker, const BlockEllOptions& options, Index rows_a_thread = 1) {
  BlockEllLayout layout = block_ell_layout(maker.pattern(), options);
  const std::int64_t bytes = layout.product_bytes();
  const auto entries = std::make_shared<const StoredEntries>(std::move(layout.slot_of_entry), layout.value_slots());
  const auto A = std::make_shared<const BlockEllMatrix>(maker.filled<BlockEllMatrix>(layout, *entries));
  return {{.padding = maker.padding(entries->slots), .bytes = bytes},
          [A, rows_a_thread, stream = maker.stream()](int block_size, const Real* x, Real* y) {
            block_ell_multiply(
                A->view(), x, y, [&](Index n, const auto& body) { for_each_in_blocks(stream, block_size, n, body); },
                rows_a_thread);
          },
          entries};
}

DeviceFormat bell(const FormatMaker& maker) {
  if (maker.matrix().unknowns == 1) throw DeviceError("of one unknown a node it is ell");
  const BlockEllOptions options = bell_options(maker.pattern(), maker.matrix().unknowns);
  maker.require_fitting(std::int64_t{options.slice_rows} * options.unknowns * options.unknowns *
                        longest_block_row(maker.pattern(), options.unknowns));
  return block_ell(maker, options);
}

/// The window is in block rows.
DeviceFormat sbell(const FormatMaker& maker, Index slice_rows, Index threads_a_slice) {
  DeviceFormat format =
      block_ell(maker, {.unknowns = maker.matrix().unknowns, .slice_rows = slice_rows, .window = maker.window()},
                slice_rows / threads_a_slice);
  format.choice.slice_rows = slice_rows;
  format.choice.window = maker.window();
  return format;
}

/// Parts as METIS cuts them. Both kinds of entries are padded; the second launch reads x again.
DeviceFormat ehyb(const FormatMaker& maker, SliceSchedule schedule) {
  CudaBackend& backend = maker.backend();
  const Index parts = ehyb_parts(maker.matrix().rows(), backend.device());
  const Stopwatch partition;
  std::vector<Index> part = metis_parts(maker.pattern(), parts);
  limit_parts(part, parts, ehyb_longest_part(backend.device()));
  const double partition_s = partition.seconds();
  const Stopwatch layout;
  EhybMatrix host = ehyb_matrix(maker.matrix().view(), part, parts);
  const double layout_s = layout.seconds();
  const auto A = std::make_shared<const EhybBuffers<CudaBackend>>(backend, host);
  return {{.padding = maker.padding(host.stored_entries()),
           .bytes = host.product_bytes(),
           .partition_s = partition_s,
           .layout_s = layout_s},
          [A, schedule, &backend](int block_size, const Real* x, Real* y) {
            ehyb_multiply(backend, schedule, block_size, A->view(), x, y);
          },
          nullptr,
          std::move(host.row),
          false,
          cuda::largest_block};
}

/// The variant of a format with this name; nothing where there is none in single precision.
template <class Format>
std::optional<FormatCandidate> variant_in_single(const SharedMaker& maker, std::string_view name) {
  if constexpr (Format::has_single_values) {
    for (MatrixOptions variant : Format::variants()) {
      if (measured_name<Format>(variant) != name) continue;
      variant.ell_warp.window = maker->window();
      const FormatParameters takes = Format::parameters(variant);
      const auto prepare = [=](Index threshold) mutable {
        if (takes.threshold) variant.ell_warp.threshold = threshold;
        return maker->template of_a_run<Format, float>(variant);
      };
      return FormatCandidate{takes.threshold ? maker->thresholds() : none_needed, takes.block_size, prepare};
    }
  }
  return std::nullopt;
}

}  // namespace

FormatCandidate ell_warp_fetching_x_otherwise(const SharedMaker& maker, std::string_view name) {
  const std::vector<MatrixOptions> variants = EllWarp::variants();
  const std::string_view variant = name.substr(0, name.find('_'));
  MatrixOptions options = *std::find_if(variants.begin(), variants.end(),
                                        [&](const MatrixOptions& each) { return EllWarp::name(each) == variant; });
  options.ell_warp.window = maker->window();
  const bool has_threshold = EllWarp::parameters(options).threshold;
  const auto make = name.ends_with("_nc") ? fetching_x<FetchWay::read_only> : fetching_x<FetchWay::past_l1>;
  return {has_threshold ? maker->thresholds() : none_needed, true, [=](Index threshold) mutable {
            if (!has_threshold) return make(*maker, options);
            options.ell_warp.threshold = threshold;
            DeviceFormat format = make(*maker, options);
            format.choice.threshold = threshold;
            return format;
          }};
}

FormatCandidate format_in_single(const SharedMaker& maker, std::string_view name) {
  name.remove_suffix(std::string_view("_single").size());
  std::optional<FormatCandidate> found;
  for_each_format([&](auto format) {
    using Format = FormatOf<format.value>;
    if (!found) found = variant_in_single<Format>(maker, name);
  });
  return found.value();
}

template <>
FormatCandidate rival_candidate<rival("sell")>(const SharedMaker& maker) {
  return {none_needed, true, [=](Index) { return sell(*maker); }};
}
template <>
FormatCandidate rival_candidate<rival("k1_row_major")>(const SharedMaker& maker) {
  return {none_needed, true, [=](Index) { return k1_row_major(*maker); }};
}
template <>
FormatCandidate rival_candidate<rival("k1r_mapped")>(const SharedMaker& maker) {
  return {none_needed, true, [=](Index) { return k1r_mapped(*maker); }};
}
template <>
FormatCandidate rival_candidate<rival("k1rs_parts")>(const SharedMaker& maker) {
  return {none_needed, true, [=](Index parts) { return k1rs_parts<Real>(*maker, parts); }};
}
template <>
FormatCandidate rival_candidate<rival("k1rs_parts_single")>(const SharedMaker& maker) {
  return {none_needed, true, [=](Index parts) { return k1rs_parts<float>(*maker, parts); }};
}
template <>
FormatCandidate rival_candidate<rival("bell")>(const SharedMaker& maker) {
  return {none_needed, true, [=](Index) { return bell(*maker); }};
}
template <>
FormatCandidate rival_candidate<rival("sbell")>(const SharedMaker& maker) {
  return {{32, 64, 96}, true, [=](Index slice_rows) { return sbell(*maker, slice_rows, slice_rows); }};
}
template <>
FormatCandidate rival_candidate<rival("sbell_32")>(const SharedMaker& maker) {
  return {{64, 96}, true, [=](Index slice_rows) { return sbell(*maker, slice_rows, 32); }};
}
template <>
FormatCandidate rival_candidate<rival("ehyb")>(const SharedMaker& maker) {
  return {none_needed, true, [=](Index) { return ehyb(*maker, SliceSchedule::dynamic); }};
}
template <>
FormatCandidate rival_candidate<rival("ehyb_fixed")>(const SharedMaker& maker) {
  return {none_needed, true, [=](Index) { return ehyb(*maker, SliceSchedule::fixed); }};
}

}  // namespace cardiowarp
