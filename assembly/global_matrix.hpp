#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assembly/options.hpp"
#include "assembly/sparsity.hpp"
#include "kernels/backend/backend.hpp"
#include "kernels/backend/device.hpp"
#include "kernels/sparse/csr.hpp"
#include "kernels/sparse/ell_warp.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "kernels/sparse/ell_warp_matrix.hpp"

namespace cardiowarp {

/// Where the entries of the global matrix are stored. Host memory.
struct MatrixLayout {
  MatrixOptions options;                    ///< never automatic
  std::vector<std::int64_t> slot_of_entry;  ///< [CSR entries]
  std::int64_t slots = 0;                   ///< stored entries, padding included
  EllWarpLayout ell_warp;                   ///< of MatrixFormat::ell_warp
};

/// What `options` mean on a machine for a matrix with rows of these lengths. `automatic` is CSR on the CPU and what
/// choose_ell_warp() says on a GPU.
MatrixOptions chosen_options(const MatrixOptions& options, const Device& device, std::span<const Index> row_length);

/// The order in which the nodes have to be numbered for `options`: old number of each new one, from row lengths in the
/// old numbering. Empty where any will do. Compressed rows multiply in any, but with neighbouring rows of one length a
/// CPU foresees where each ends: 1.7 times as fast as in the locality order alone.
std::vector<Index> node_order_for(const MatrixOptions& options, std::span<const Index> row_length);

/// The nodes are numbered by node_order_for(options).
MatrixLayout matrix_layout(const Sparsity& sparsity, const MatrixOptions& options);

/// The global matrix in the memory of a backend. Padding stays 0.
template <Backend B>
class GlobalMatrix {
 public:
  virtual ~GlobalMatrix() = default;
  virtual Real* value() = 0;  ///< [slots]
  /// Its slices, with `values` [slots]; a matrix in another format than ELL-WARP has none.
  virtual EllWarpView slices(const Real* /*values*/) const { return {}; }
  /// y = A x, for `values` [slots] in place of its own.
  virtual void multiply(B& backend, const Real* values, const Real* x, Real* y) const = 0;
  /// q = A p and *pq = p·q.
  virtual void multiply_dot(B& backend, const Real* p, Real* q, Real* pq) const = 0;
};

/// Compressed rows. A product reads 12 bytes an entry; on a GPU neighbouring threads read distant entries.
template <Backend B>
class CsrMatrix : public GlobalMatrix<B> {
 public:
  CsrMatrix(B& backend, const Sparsity& sparsity)
      : rows_(sparsity.rows()),
        row_begin_(uploaded(backend, sparsity.row_begin)),
        column_(uploaded(backend, sparsity.column)),
        value_(backend.template allocate<Real>(sparsity.column.size())) {}

  CsrView view() const { return {rows_, row_begin_.data(), column_.data(), value_.data()}; }
  Real* value() override { return value_.data(); }

  void multiply(B& backend, const Real* values, const Real* x, Real* y) const override {
    backend.for_each(rows_, RowsTimesVector<CsrView>{{rows_, row_begin_.data(), column_.data(), values}, x, y});
  }
  void multiply_dot(B& backend, const Real* p, Real* q, Real* pq) const override {
    CsrProduct{view()}.multiply_dot(backend, p, q, pq);
  }

 private:
  Index rows_;
  Buffer<Index> row_begin_, column_;
  Buffer<Real> value_;
};

/// ELL-WARP, any variant. The dot is a pass of its own: in one with the product, each thread has several rows, one
/// after the other, which costs a device more than reading p and q again.
template <Backend B>
class EllWarpGlobalMatrix final : public GlobalMatrix<B> {
 public:
  EllWarpGlobalMatrix(B& backend, const MatrixLayout& layout)
      : matrix_(backend, layout.ell_warp), block_size_(layout.options.block_size) {}

  Real* value() override { return matrix_.value(); }
  EllWarpView slices(const Real* values) const override { return matrix_.view(values); }

  void multiply(B& backend, const Real* values, const Real* x, Real* y) const override {
    ell_warp_multiply(backend, block_size_, matrix_.view(values), TimesVector{x}, y);
  }
  void multiply_dot(B& backend, const Real* p, Real* q, Real* pq) const override {
    const EllWarpView A = matrix_.view();
    ell_warp_multiply(backend, block_size_, A, TimesVector{p}, q);
    backend.template sum<1>(A.rows, pq, Dot{p, q});
  }

 private:
  EllWarpMatrix matrix_;
  int block_size_;
};

/// Of any format but cuSPARSE's, which a backend has or has not.
template <Backend B>
std::unique_ptr<GlobalMatrix<B>> make_global_matrix(B& backend, const Sparsity& sparsity, const MatrixLayout& layout) {
  if (layout.options.format == MatrixFormat::ell_warp) return std::make_unique<EllWarpGlobalMatrix<B>>(backend, layout);
  return std::make_unique<CsrMatrix<B>>(backend, sparsity);
}

}  // namespace cardiowarp
