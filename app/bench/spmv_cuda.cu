#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/bench/device_formats.cuh"
#include "app/bench/expected_product.hpp"
#include "app/bench/graph_timer.cuh"
#include "app/bench/spmv.hpp"
#include "app/measure/stopwatch.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/device_error.hpp"
#include "kernels/sparse/ell_warp_choice.hpp"
#include "kernels/sparse/scatter.cuh"

namespace cardiowarp {
namespace {

cudaDeviceProp first_device() {
  cudaDeviceProp device;
  cuda_check(cudaGetDeviceProperties(&device, 0));
  return device;
}

/// Uniform in [-1, 1).
std::vector<Real> random_vector(Index n) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  std::vector<Real> x(n);
  for (Real& value : x) value = uniform(generator);
  return x;
}

/// Multiplies one matrix by one vector, format by format.
class ProductBench {
 public:
  ProductBench(const BenchMatrix& matrix, const SpmvBenchOptions& options)
      : matrix_(matrix),
        options_(options),
        tuning_(tuning_products(options)),
        rule_(choose_ell_warp(row_lengths(matrix.row_begin), options.window, backend_.device())),
        x_(random_vector(matrix.rows())),
        scratch_(backend_.allocate<std::byte>(2 * static_cast<std::size_t>(first_device().l2CacheSize))),
        in_double_(backend_, matrix, x_),
        in_single_(backend_, matrix, x_) {}

  SpmvReport run() {
    const std::vector<FormatCandidate> candidates = format_candidates(backend_, matrix_, options_);
    // Loads the library, which is no part of a matrix's set-up, or misses it before the rest is measured.
    for (const FormatCandidate& candidate : candidates)
      if (candidate.format.starts_with("cusparse_")) prepared(candidate, 0);
    report_ = {};
    for (const FormatCandidate& candidate : candidates) tune(candidate);
    return std::move(report_);
  }

 private:
  /// Measures every choice of a format, and the best one further.
  void tune(const FormatCandidate& candidate) {
    std::vector<SpmvMeasurement> found;
    std::optional<DeviceFormat> format;
    const auto prepare = [&](Index parameter) {
      format.reset();  // its memory may be needed
      format = prepared(candidate, parameter);
      return format.has_value();
    };
    for (const Index parameter : candidate.parameters) {
      if (!prepare(parameter)) continue;
      if (!candidate.has_block_size) measure_choice(*format, std::nullopt, found);
      for (const int block_size : block_sizes_of(*format))
        if (candidate.has_block_size) measure_choice(*format, block_size, found);
    }
    for (const SpmvMeasurement& best : best_of_each_format(found, tuning_)) {
      if (!best.correct) continue;
      const Index parameter = parameter_of(best);
      if (!format || parameter_of(format->choice) != parameter)
        if (!prepare(parameter)) continue;
      measure_further(*format, best, found);
    }
    report_.measurements.insert(report_.measurements.end(), found.begin(), found.end());
  }

  bool is_of_rule(const SpmvMeasurement& choice) const {
    return choice.format == ell_warp_name(rule_.options) &&
           (rule_.options.variant == EllWarpVariant::k1 || choice.threshold == rule_.options.threshold);
  }

  /// The block sizes to measure: those that alone the format has, or those of the options, for the rule's choice the
  /// rule's own, and the format's own.
  std::vector<int> block_sizes_of(const DeviceFormat& format) const {
    if (!format.only_block_sizes.empty()) return format.only_block_sizes;
    std::vector<int> sizes = options_.block_sizes;
    const auto add = [&](int size) {
      if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
    };
    if (is_of_rule(format.choice)) add(rule_.block_size);
    if (format.own_block_size) add(*format.own_block_size);
    return sizes;
  }

  std::optional<DeviceFormat> prepared(const FormatCandidate& candidate, Index parameter) {
    return where_it_fits(candidate.format, [&] {
      const Stopwatch watch;
      DeviceFormat format = candidate.prepare(parameter);
      backend_.synchronize();
      format.choice.setup_s = watch.seconds();
      return format;
    });
  }

  /// What `make()` returns, or nothing, with the reason in the report, where the device has no room for it. A device
  /// that has failed says so at the next call.
  template <class Make>
  auto where_it_fits(const std::string& format, const Make& make) -> std::optional<decltype(make())> {
    try {
      return make();
    } catch (const MissingLibrary&) {
      throw;
    } catch (const DeviceError& error) {
      report_.left_out.push_back({format, error.what()});
      return std::nullopt;
    }
  }

  /// The parameter that the choice was prepared with.
  static Index parameter_of(const SpmvMeasurement& choice) {
    return choice.threshold.value_or(choice.lanes.value_or(
        choice.values_per_thread.value_or(choice.slice_rows.value_or(choice.parts_a_multiprocessor))));
  }

  /// A measurement for each number of products up to that for tuning, or one that says that they are wrong.
  void measure_choice(const DeviceFormat& format, std::optional<int> block_size, std::vector<SpmvMeasurement>& found) {
    SpmvMeasurement m = format.choice;
    m.block_size = block_size;
    m.by_rule = is_of_rule(m) && block_size == rule_.block_size;
    m.products = tuning_;
    m.correct = is_correct(format, block_size.value_or(0));
    if (!m.correct) {
      found.push_back(m);
      return;
    }
    for (const int products : options_.products)
      if (products <= tuning_) found.push_back(timed(format, m, products));
  }

  /// The larger numbers of products, and for all the time that it takes to reorder values.
  void measure_further(const DeviceFormat& format, const SpmvMeasurement& best, std::vector<SpmvMeasurement>& found) {
    for (const int products : options_.products)
      if (products > tuning_) found.push_back(timed(format, best, products));
    if (!format.entries) return;
    const auto reordering = where_it_fits(best.format, [&] { return measure_reordering(*format.entries); });
    for (SpmvMeasurement& m : found)
      if (m.block_size == best.block_size && parameter_of(m) == parameter_of(best)) m.reordering = reordering;
  }

  /// x and y on the device for products in one precision, and what is expected of y.
  template <class Number>
  struct Vectors {
    Vectors(CudaBackend& backend, const BenchMatrix& matrix, const std::vector<Real>& given_x)
        : x(given_x.begin(), given_x.end()),
          product(expected_product(matrix, x)),
          device_x(backend.allocate<Number>(x.size())),
          device_y(backend.allocate<Number>(x.size())) {}

    std::vector<Number> x;  ///< in the matrix's own numbering, as what is expected
    ExpectedProduct product;
    Buffer<Number> device_x, device_y;
  };
  template <class Number>
  Vectors<Number>& vectors_of(const Multiply<Number>&) {
    if constexpr (std::is_same_v<Number, Real>)
      return in_double_;
    else
      return in_single_;
  }

  /// The first product, of each row its bound; a row that is not written is seen.
  bool is_correct(const DeviceFormat& format, int block_size) {
    return std::visit([&](const auto& multiply) { return is_correct(format, multiply, block_size); }, format.multiply);
  }
  template <class Number>
  bool is_correct(const DeviceFormat& format, const Multiply<Number>& multiply, int block_size) {
    const std::vector<Index>& order = format.order;
    const auto old = [&](std::size_t position) { return order.empty() ? position : std::size_t(order[position]); };
    const Vectors<Number>& of = vectors_of(multiply);
    std::vector<Number> x(of.x.size()), y(of.x.size(), std::numeric_limits<Number>::max());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = of.x[old(i)];
    backend_.upload(std::span<const Number>(x), of.device_x.data());
    backend_.upload(std::span<const Number>(y), of.device_y.data());
    multiply(block_size, of.device_x.data(), of.device_y.data());
    backend_.download(static_cast<const Number*>(of.device_y.data()), std::span<Number>(y));
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t row = format.keeps_order_of_results ? i : old(i);
      if (!of.product.holds(static_cast<Index>(row), y[i])) return false;
    }
    return true;
  }

  /// `m` with the times of so many products of the x that is on the device.
  SpmvMeasurement timed(const DeviceFormat& format, SpmvMeasurement m, int products) {
    const auto product = [&] {
      std::visit(
          [&](const auto& multiply) {
            const auto& of = vectors_of(multiply);
            multiply(m.block_size.value_or(0), of.device_x.data(), of.device_y.data());
          },
          format.multiply);
    };
    const int repeats = options_.repeats;
    m.products = products;
    m.seconds = spread_of(products == 1 ? cold_seconds(backend_, scratch_, repeats, product)
                                        : seconds_a_call(backend_, products, repeats, product));
    return m;
  }

  /// The values of CSR into the slots of a format, on the device and on the host. Medians.
  ReorderingSeconds measure_reordering(const StoredEntries& stored) {
    constexpr int calls = 10;
    const Index entries = static_cast<Index>(matrix_.entries());
    ReorderingSeconds median;
    {
      const Buffer<std::int64_t> slot = uploaded(backend_, stored.slot_of_entry);
      const Buffer<Real> from = uploaded(backend_, matrix_.value), to = backend_.allocate<Real>(stored.slots);
      const auto reorder = [&] { scatter(backend_, entries, slot.data(), from.data(), to.data()); };
      median.gpu = spread_of(seconds_a_call(backend_, calls, options_.repeats, reorder)).median;
    }
    CpuBackend cpu;
    const Buffer<std::int64_t> slot = uploaded(cpu, stored.slot_of_entry);
    const Buffer<Real> from = uploaded(cpu, matrix_.value), to = cpu.allocate<Real>(stored.slots);
    std::vector<double> seconds(options_.repeats);
    scatter(cpu, entries, slot.data(), from.data(), to.data());  // warm-up
    for (double& once : seconds) {
      const auto watch = cpu.stopwatch(once);
      scatter(cpu, entries, slot.data(), from.data(), to.data());
    }
    median.cpu = spread_of(std::move(seconds)).median;
    return median;
  }

  CudaBackend backend_;
  const BenchMatrix& matrix_;
  const SpmvBenchOptions& options_;
  int tuning_;
  EllWarpChoice rule_;
  std::vector<Real> x_;
  Buffer<std::byte> scratch_;
  Vectors<Real> in_double_;
  Vectors<float> in_single_;
  SpmvReport report_;
};

}  // namespace

DeviceCopy measure_copy(int repeats) {
  constexpr std::size_t size = std::size_t{1} << 30;
  CudaBackend backend;
  const cudaDeviceProp device = first_device();
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

SpmvReport measure_products(const BenchMatrix& matrix, const SpmvBenchOptions& options) {
  return ProductBench(matrix, options).run();
}

}  // namespace cardiowarp
