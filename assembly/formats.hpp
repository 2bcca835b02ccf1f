#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/libraries/cusparse_format.hpp"
#include "kernels/sparse/csr_format.hpp"
#include "kernels/sparse/ell_warp_format.hpp"
#include "kernels/sparse/matrix_format.hpp"

namespace cardiowarp {

// The pieces that a matrix format has to provide, and how the program goes through the list of them. A format is a
// specialization of FormatOf with the members of CompleteFormat, and one that lacks a member does not compile.
// for_each_format() and with_format() turn the value of an option into such a type; layouts, products, names and `bench
// spmv` go through them.

/// The pieces of a format. A layout holds what the format works out on the host beside the places of the entries.
template <class Format>
concept CompleteFormat = requires(const MatrixOptions& options, const CsrPattern& pattern,
                                  std::span<const Index> row_length, typename Format::Layout& layout,
                                  CpuBackend& backend, typename Format::template Product<CpuBackend>& product,
                                  Real* vector, const float* single, float* single_vector) {
  { Format::needs_gpu } -> std::convertible_to<bool>;                  ///< without one the CPU takes csr instead
  { Format::keeps_entry_order } -> std::convertible_to<bool>;          ///< its slots are the entries of CSR
  { Format::has_single_values } -> std::convertible_to<bool>;          ///< multiplies by values in single precision
  { Format::variants() } -> std::same_as<std::vector<MatrixOptions>>;  ///< each has a name
  { Format::name(options) } -> std::same_as<std::string>;              ///< in YAML and in reports
  { Format::parameters(options) } -> std::same_as<FormatParameters>;
  /// The numbering that the nodes of a run need: old number of each new one; empty where any will do.
  { Format::node_order(options, row_length) } -> std::same_as<std::vector<Index>>;
  { Format::layout(pattern, options) } -> std::same_as<typename Format::Layout>;
  { Format::take_entries(layout, pattern) } -> std::same_as<StoredEntries>;  ///< may move them out of the layout
  /// Where the layout has renumbered rows and columns: old number of each new one; otherwise empty.
  { Format::own_order(layout) } -> std::same_as<std::vector<Index>>;
  { Format::product_bytes(layout, pattern) } -> std::same_as<std::int64_t>;  ///< that must move if x is read once
  /// A matrix in backend memory, its values 0. For any values in its slots: y = A x; q = A p and *pq = p·q; and
  /// y_i = Σ_j |A_ij|. Where has_single_values, they may be in single precision, and then all vectors,
  /// too; p·q is summed in double.
  typename Format::template Product<CpuBackend>;
  requires std::constructible_from<typename Format::template Product<CpuBackend>, CpuBackend&, const CsrPattern&,
                                   const typename Format::Layout&>;
  { product.value() } -> std::same_as<Real*>;
  product.multiply(backend, int{}, vector, vector, vector);
  product.multiply_dot(backend, int{}, vector, vector, vector, vector);
  product.absolute_row_sums(backend, int{}, vector, vector);
  requires !Format::has_single_values || requires {
    product.multiply(backend, int{}, single, vector, vector);
    product.multiply_dot(backend, int{}, single, vector, vector, vector);
    product.multiply_dot(backend, int{}, single, single_vector, single_vector, vector);
    product.absolute_row_sums(backend, int{}, single, vector);
    product.multiply(backend, int{}, single, single, single_vector);
    product.absolute_row_sums(backend, int{}, single, single_vector);
  };
};

/// The number of formats in the list, in which `automatic` is none.
inline constexpr std::size_t number_of_formats = static_cast<std::size_t>(MatrixFormat::end_of_list) - 1;

/// The place of a format in the list, counted from 0.
constexpr std::size_t place_of(MatrixFormat format) { return static_cast<std::size_t>(format) - 1; }

/// A format that the compiler knows.
template <MatrixFormat Format>
using FormatConstant = std::integral_constant<MatrixFormat, Format>;

/// The layouts of all formats, by their places in the list.
template <class Places>
struct FormatLayouts;
template <std::size_t... Place>
struct FormatLayouts<std::index_sequence<Place...>> {
  static_assert((CompleteFormat<FormatOf<static_cast<MatrixFormat>(Place + 1)>> && ...),
                "a MatrixFormat lacks a piece of CompleteFormat (assembly/formats.hpp)");
  using Variant = std::variant<typename FormatOf<static_cast<MatrixFormat>(Place + 1)>::Layout...>;
};
using FormatLayout = FormatLayouts<std::make_index_sequence<number_of_formats>>::Variant;

/// visit(FormatConstant) for each format of the list, in its order.
template <class Visit>
void for_each_format(const Visit& visit) {
  [&]<std::size_t... Place>(std::index_sequence<Place...>) {
    (visit(FormatConstant<static_cast<MatrixFormat>(Place + 1)>()), ...);
  }
  (std::make_index_sequence<number_of_formats>());
}

/// The result of visit(FormatConstant) for the format, which is none that is automatic.
template <class Result, class Visit>
Result with_format(MatrixFormat format, const Visit& visit) {
  Result result{};
  for_each_format([&](auto constant) {
    if (format == constant) result = visit(constant);
  });
  return result;
}

/// The name under which a benchmark lists a format: its own, unless it says that another tells more.
template <class Format>
std::string measured_name(const MatrixOptions& options) {
  if constexpr (requires { Format::measured_name(options); })
    return Format::measured_name(options);
  else
    return Format::name(options);
}

}  // namespace cardiowarp
