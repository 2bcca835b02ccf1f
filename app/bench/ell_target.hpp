#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "assembly/global_matrix.hpp"
#include "kernels/rivals/ell.hpp"

namespace cardiowarp {

// ELLPACK as the format of K in `bench assembly --format ell`: every row padded to the longest, entry k of all rows
// before entry k + 1 of any (kernels/rivals/ell.hpp). It is no format of a run, and so has no
// FormatOf (assembly/formats.hpp). Here is only what assemblies ask a format for: where the entries are, and the
// product with the diffusion matrix. With a coloring or atomic additions this is the assembly with precomputed places
// of Reguly and Giles (2013, "paper 003", sec. 7.1). 12 bytes for each of width × rows stored entries.

/// Entries of the longest row.
inline Index ell_width(const Sparsity& sparsity) {
  Index width = 0;
  for (Index row = 0; row < sparsity.rows(); ++row)
    width = std::max(width, sparsity.row_begin[row + 1] - sparsity.row_begin[row]);
  return width;
}

/// The layout of a matrix in ELLPACK. Only the slots of the entries are its own; options and all else are taken over
/// from `csr`, a layout of the same matrix.
inline MatrixLayout ell_layout(const Sparsity& sparsity, const MatrixLayout& csr) {
  MatrixLayout layout = csr;
  const std::int64_t rows = sparsity.rows();
  layout.slots = rows * ell_width(sparsity);
  layout.slot_of_entry = TeamVector<std::int64_t>(sparsity.entries());
  for (Index row = 0; row < sparsity.rows(); ++row)
    for (Index e = sparsity.row_begin[row]; e < sparsity.row_begin[row + 1]; ++e)
      layout.slot_of_entry[e] = row + rows * (e - sparsity.row_begin[row]);
  return layout;
}

/// Loop body over the rows: y = A x.
struct EllProduct {
  EllView A;
  const Real* x;
  Real* y;
  CARDIOWARP_HD void operator()(Index row) const { y[row] = row_times_vector(A, row, x); }
};

/// K in ELLPACK. It has values and y = A x in double precision. Its other functions, which no assembly calls, throw.
template <Backend B>
class EllTarget final : public GlobalMatrix<B> {
 public:
  EllTarget(B& backend, const Sparsity& sparsity)
      : rows_(sparsity.rows()),
        width_(ell_width(sparsity)),
        value_(backend.template allocate<Real>(std::size_t(rows_) * width_)) {
    std::vector<Index> column(value_.size());
    for (Index row = 0; row < rows_; ++row) {
      const Index begin = sparsity.row_begin[row], length = sparsity.row_begin[row + 1] - begin;
      for (Index k = 0; k < width_; ++k)  // padding repeats the last column; a row has its diagonal at least
        column[std::size_t(k) * rows_ + row] = sparsity.column[begin + (k < length ? k : length - 1)];
    }
    column_ = uploaded(backend, column);
  }

  Real* value() override { return value_.data(); }
  void multiply(B& backend, const Real* values, const Real* x, Real* y) const override {
    backend.for_each(rows_, EllProduct{{rows_, width_, column_.data(), values}, x, y});
  }
  void multiply(B&, const float*, const Real*, Real*) const override { refuse(); }
  void multiply(B&, const float*, const float*, float*) const override { refuse(); }
  void multiply_dot(B&, const Real*, const Real*, Real*, Real*) const override { refuse(); }
  void multiply_dot(B&, const float*, const Real*, Real*, Real*) const override { refuse(); }
  void multiply_dot(B&, const float*, const float*, float*, Real*) const override { refuse(); }
  void absolute_row_sums(B&, const Real*, Real*) const override { refuse(); }
  void absolute_row_sums(B&, const float*, Real*) const override { refuse(); }
  void absolute_row_sums(B&, const float*, float*) const override { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("ELLPACK has no other product than y = A x"); }

  Index rows_, width_;
  Buffer<Index> column_;
  Buffer<Real> value_;
};

}  // namespace cardiowarp
