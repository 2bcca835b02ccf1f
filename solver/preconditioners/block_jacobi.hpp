#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/sparse/csr.hpp"
#include "solver/cg/conjugate_gradient.hpp"

namespace cardiowarp {

/// The preconditioner block Jacobi on the CPU, which linear_solver.preconditioner: block_jacobi asks for. The matrix is
/// cut into blocks of consecutive rows and the same columns, entries between blocks are left out, and each block has an
/// incomplete Cholesky factorization L D Lᵀ without fill, IC(0) (Meijerink & van der Vorst, Math. Comp. 31, 1977). The
/// blocks depend on the number of rows only, so results do not depend on the number of threads.
///
/// The factor is in single precision, which leaves M symmetric and costs no iterations. An application reads 6 bytes
/// for an entry below the diagonal and 16 a row, once, since a block stays in the cache for its second sweep, and
/// writes 8 a row. Rows of L are padded to multiples of `stride` entries: most sweeps over a row then end where the
/// branch predictor expects it.
class BlockJacobi final : public PreparesZ {
 public:
  /// Larger blocks save iterations, up to a fifth from 512 to 4096 rows of a heart; smaller ones occupy more threads.
  static constexpr Index default_block_rows = 2048;

  /// `pattern` is symmetric, with its diagonal, columns in any order, no values; its entry e is stored at
  /// slot_of_entry[e]. `block_rows` is in [1, 65536].
  BlockJacobi(CpuBackend& backend, const CsrView& pattern, std::span<const std::int64_t> slot_of_entry,
              Index block_rows = default_block_rows);

  /// Computes the factor of the matrix with these values, [slots]. A row with a pivot that is not positive, or lost in
  /// the rounding of the factor, keeps its diagonal alone: M stays positive definite where the diagonal is (compare
  /// Kershaw, J. Comput. Phys. 26, 1978, who replaces the pivot alone).
  void factorize(const Real* matrix);

  /// z = M⁻¹ r, [rows] each.
  void apply(const Real* r, Real* z) const;
  /// z = M⁻¹ r as above, with the z that preconditioner() reads.
  void apply(const Real* r) const override { apply(r, z_.data()); }

  /// The preconditioner as ConjugateGradient takes it. It is good until the next factorize(), and no longer than this
  /// object.
  PreparedZ<Real> preconditioner() const { return {this, z_.data(), nullptr}; }

 private:
  /// Rows and columns of a block count from its first row.
  struct Block {
    Index first, rows;
  };
  static constexpr Index stride = 4;

  Index blocks() const { return (rows_ + block_rows_ - 1) / block_rows_; }
  Block block(Index index) const { return {index * block_rows_, std::min(block_rows_, rows_ - index * block_rows_)}; }
  void factorize(const Block& block, const Real* matrix);
  void apply(const Block& block, const Real* r, Real* z) const;

  Index rows_, block_rows_;
  Buffer<Index> row_begin_;                    ///< [rows + 1] first entry of each row of L, a multiple of stride
  Buffer<Index> row_end_;                      ///< [rows] where it ends without padding
  Buffer<std::uint16_t> column_;               ///< [entries] ascending in a row; padding repeats the row's own
  Buffer<std::int64_t> slot_, diagonal_slot_;  ///< [entries], [rows] slot in the matrix
  Buffer<float> lower_, inverse_pivot_;        ///< [entries] L, padding 0; [rows] 1 / D
  Buffer<Real> z_;                             ///< [rows]
};

/// Block Jacobi as a run has it: the factor is made of the first K of a time step and serves all systems of the step,
/// in which K changes little.
class BlockJacobiOfSteps {
 public:
  /// `value` [slots] are the values of K in double precision; the rest is as for BlockJacobi.
  BlockJacobiOfSteps(CpuBackend& backend, const CsrView& pattern, std::span<const std::int64_t> slot_of_entry,
                     const Real* value)
      : block_jacobi_(backend, pattern, slot_of_entry), value_(value) {}
  void begin_step() { is_of_this_step_ = false; }
  void follow_matrix(const CgState* /*last_solve*/) {
    if (!is_of_this_step_) block_jacobi_.factorize(value_);
    is_of_this_step_ = true;
  }
  PreparedZ<Real> preconditioner() const { return block_jacobi_.preconditioner(); }

 private:
  BlockJacobi block_jacobi_;
  const Real* value_;
  bool is_of_this_step_ = false;
};

}  // namespace cardiowarp
