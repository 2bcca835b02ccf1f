#include "solver/preconditioners/block_jacobi.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

BlockJacobi::BlockJacobi(CpuBackend& backend, const CsrView& pattern, std::span<const std::int64_t> slot_of_entry,
                         Index block_rows)
    : rows_(pattern.rows), block_rows_(block_rows) {
  assert(block_rows >= 1 && block_rows <= std::numeric_limits<std::uint16_t>::max() + 1);
  std::vector<Index> row_begin{0}, row_end;
  std::vector<std::uint16_t> column;
  std::vector<std::int64_t> slot, diagonal_slot;
  std::vector<std::pair<Index, std::int64_t>> in_row;  // column, slot
  for (Index row = 0; row < rows_; ++row) {
    const Index first = row - row % block_rows_;
    in_row.clear();
    for (Index e = pattern.row_begin[row]; e < pattern.row_begin[row + 1]; ++e) {
      if (pattern.column[e] == row) diagonal_slot.push_back(slot_of_entry[e]);
      if (pattern.column[e] >= first && pattern.column[e] < row)
        in_row.emplace_back(pattern.column[e] - first, slot_of_entry[e]);
    }
    std::sort(in_row.begin(), in_row.end());
    row_end.push_back(row_begin.back() + static_cast<Index>(in_row.size()));
    while (in_row.size() % stride != 0) in_row.emplace_back(row - first, 0);
    for (const auto& [of_column, of_slot] : in_row) {
      column.push_back(static_cast<std::uint16_t>(of_column));
      slot.push_back(of_slot);
    }
    row_begin.push_back(static_cast<Index>(column.size()));
  }
  assert(static_cast<Index>(diagonal_slot.size()) == rows_);
  row_begin_ = uploaded(backend, row_begin);
  row_end_ = uploaded(backend, row_end);
  column_ = uploaded(backend, column);
  slot_ = uploaded(backend, slot);
  diagonal_slot_ = uploaded(backend, diagonal_slot);
  lower_ = backend.allocate<float>(column.size());
  inverse_pivot_ = backend.allocate<float>(rows_);
  z_ = backend.allocate<Real>(rows_);
}

void BlockJacobi::factorize(const Real* matrix) {
  parallel_ranges(blocks(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t index = begin; index < end; ++index) factorize(block(static_cast<Index>(index)), matrix);
  });
}

void BlockJacobi::apply(const Real* r, Real* z) const {
  parallel_ranges(blocks(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t index = begin; index < end; ++index) apply(block(static_cast<Index>(index)), r, z);
  });
}

/// Row by row: u_ij = a_ij − Σ_{k<j} u_ik l_jk,  l_ij = u_ij / d_j,  d_i = a_ii − Σ_j u_ij l_ij.
/// The row u is spread out over z, 0 where it has no entry, so that the sums need not search.
void BlockJacobi::factorize(const Block& block, const Real* matrix) {
  const Index* const row_begin = row_begin_.data() + block.first;
  const Index* const row_end = row_end_.data() + block.first;
  const std::uint16_t* const column = column_.data();
  float *const lower = lower_.data(), *const inverse_pivot = inverse_pivot_.data() + block.first;
  Real* const u = z_.data() + block.first;
  std::fill_n(u, block.rows, 0.0);
  for (Index i = 0; i < block.rows; ++i) {
    for (Index e = row_begin[i]; e < row_end[i]; ++e) u[column[e]] = matrix[slot_.data()[e]];
    const Real diagonal = matrix[diagonal_slot_.data()[block.first + i]];
    Real pivot = diagonal;
    for (Index e = row_begin[i]; e < row_end[i]; ++e) {
      const Index j = column[e];
      Real sum = u[j];
      for (Index of_j = row_begin[j]; of_j < row_end[j]; ++of_j) sum -= u[column[of_j]] * lower[of_j];
      u[j] = sum;
      const Real l = sum * inverse_pivot[j];
      lower[e] = static_cast<float>(l);
      pivot -= sum * l;
    }
    for (Index e = row_begin[i]; e < row_end[i]; ++e) u[column[e]] = 0;
    if (!(pivot > std::numeric_limits<float>::epsilon() * diagonal)) {
      pivot = diagonal;
      std::fill(lower + row_begin[i], lower + row_end[i], 0.0F);
    }
    inverse_pivot[i] = static_cast<float>(1 / pivot);
  }
}

/// L y = r,  D w = y,  Lᵀ z = w; y and w are where z will be.
void BlockJacobi::apply(const Block& block, const Real* r, Real* z) const {
  const Index* const row_begin = row_begin_.data() + block.first;
  const std::uint16_t* const column = column_.data();
  const float *const lower = lower_.data(), *const inverse_pivot = inverse_pivot_.data() + block.first;
  r += block.first;
  z += block.first;
  for (Index i = 0; i < block.rows; ++i) {
    z[i] = 0;  // what padding reads
    Real sum = r[i];
    for (Index e = row_begin[i]; e < row_begin[i + 1]; e += stride) {
      Real of_stride = 0;
      for (Index k = e; k < e + stride; ++k) of_stride += lower[k] * z[column[k]];
      sum -= of_stride;
    }
    z[i] = sum;
  }
  for (Index i = 0; i < block.rows; ++i) z[i] *= inverse_pivot[i];
  for (Index i = block.rows; i-- > 0;) {
    const Real z_i = z[i];
    for (Index e = row_begin[i]; e < row_begin[i + 1]; e += stride)
      for (Index k = e; k < e + stride; ++k) z[column[k]] -= lower[k] * z_i;
  }
}

}  // namespace cardiowarp
