#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "assembly/formats.hpp"
#include "assembly/sparsity.hpp"
#include "kernels/backend/backend.hpp"
#include "kernels/backend/device.hpp"
#include "kernels/sparse/ell_warp.hpp"
#include "kernels/sparse/matrix_format.hpp"
#include "kernels/sparse/sparse_matrix.hpp"

namespace cardiowarp {

// The matrix K of the linear system, in whichever format the run has. chosen_options() finds the format, MatrixLayout
// says where its entries are stored, and a GlobalMatrix has the values in backend memory and multiplies by them. A
// layout is made once for a mesh, and takes 8 bytes an entry in host memory beside what the format needs. Assemblies
// write straight to the slots, so that nothing is copied between assembly and solve.

/// Where the entries of the global matrix K are stored, in the format of its options. Host memory.
struct MatrixLayout {
  MatrixOptions options;                   ///< never automatic
  TeamVector<std::int64_t> slot_of_entry;  ///< [entries] slot of each entry, in the order of CSR
  std::int64_t slots = 0;                  ///< stored entries, padding included
  FormatLayout own;                        ///< what the format of the options needs beside

  /// The layout of K in ELL-WARP; empty in another format.
  const EllWarpLayout& ell_warp() const;
};

/// `options` without `automatic`, for a matrix with rows of these lengths on a machine: in its place stands CSR on a
/// CPU, and on a GPU what choose_ell_warp() says. A format that needs a GPU becomes CSR on a CPU, too. The paths of the
/// solver that cut the matrix into parts have a format of their own (app/simulation/choose_solver.hpp).
MatrixOptions chosen_options(const MatrixOptions& options, const Device& device, std::span<const Index> row_length);

/// The order in which the nodes have to be numbered for `options`: the old number of each new one, from the lengths of
/// the rows in the old numbering. Empty where the format does not ask for one.
std::vector<Index> node_order_for(const MatrixOptions& options, std::span<const Index> row_length);

/// The layout of K for `options`, which are not automatic, with the nodes numbered by node_order_for(options).
MatrixLayout matrix_layout(const Sparsity& sparsity, const MatrixOptions& options);

/// [nodes] The slot of the diagonal entry of each row.
std::vector<Index> diagonal_slots(const Sparsity& sparsity, const MatrixLayout& layout);

inline CsrPattern pattern_of(const Sparsity& sparsity) { return {sparsity.row_begin, sparsity.column}; }

/// The global matrix K in the memory of a backend, in one of the formats. Padding stays 0. It multiplies by its own
/// values or by others in the same slots, of double or of single precision; not all formats have the latter
/// (has_single_values(), options.hpp).
template <Backend B>
class GlobalMatrix : public SparseMatrix<B> {
 public:
  virtual Real* value() = 0;  ///< [slots]
  /// The slices of ELL-WARP with `values`, [slots], in place of its own; another format has none.
  virtual EllWarpView slices(const Real* /*values*/) const { return {}; }
};

/// K in one format.
template <Backend B, class Format>
class MatrixInFormat final : public GlobalMatrix<B> {
 public:
  MatrixInFormat(B& backend, const CsrPattern& pattern, const typename Format::Layout& layout, int block_size)
      : product_(backend, pattern, layout), block_size_(block_size) {}

  Real* value() override { return product_.value(); }
  EllWarpView slices(const Real* values) const override {
    if constexpr (requires { product_.slices(values); })
      return product_.slices(values);
    else
      return {};
  }
  void multiply(B& backend, const Real* values, const Real* x, Real* y) const override {
    product_.multiply(backend, block_size_, values, x, y);
  }
  void multiply(B& backend, const float* values, const Real* x, Real* y) const override {
    with_single([&](const auto& product) { product.multiply(backend, block_size_, values, x, y); });
  }
  void multiply(B& backend, const float* values, const float* x, float* y) const override {
    with_single([&](const auto& product) { product.multiply(backend, block_size_, values, x, y); });
  }
  void multiply_dot(B& backend, const Real* values, const Real* p, Real* q, Real* pq) const override {
    product_.multiply_dot(backend, block_size_, values, p, q, pq);
  }
  void multiply_dot(B& backend, const float* values, const Real* p, Real* q, Real* pq) const override {
    with_single([&](const auto& product) { product.multiply_dot(backend, block_size_, values, p, q, pq); });
  }
  void multiply_dot(B& backend, const float* values, const float* p, float* q, Real* pq) const override {
    with_single([&](const auto& product) { product.multiply_dot(backend, block_size_, values, p, q, pq); });
  }
  void absolute_row_sums(B& backend, const Real* values, Real* y) const override {
    product_.absolute_row_sums(backend, block_size_, values, y);
  }
  void absolute_row_sums(B& backend, const float* values, Real* y) const override {
    with_single([&](const auto& product) { product.absolute_row_sums(backend, block_size_, values, y); });
  }
  void absolute_row_sums(B& backend, const float* values, float* y) const override {
    with_single([&](const auto& product) { product.absolute_row_sums(backend, block_size_, values, y); });
  }

 private:
  template <class Use>
  void with_single(const Use& use) const {
    if constexpr (Format::has_single_values)
      use(product_);
    else
      throw std::logic_error("this format has no values in single precision");
  }

  typename Format::template Product<B> product_;
  int block_size_;
};

/// K in the format of `layout`, its values 0.
template <Backend B>
std::unique_ptr<GlobalMatrix<B>> make_global_matrix(B& backend, const Sparsity& sparsity, const MatrixLayout& layout) {
  const MatrixOptions& options = layout.options;
  return with_format<std::unique_ptr<GlobalMatrix<B>>>(options.format, [&](auto format) {
    using Format = FormatOf<format.value>;
    return std::make_unique<MatrixInFormat<B, Format>>(backend, pattern_of(sparsity),
                                                       std::get<place_of(format.value)>(layout.own),
                                                       Format::parameters(options).block_size ? options.block_size : 0);
  });
}

}  // namespace cardiowarp
