#pragma once
#include <cstdint>
#include <vector>

#include "assembly/spmv_assembly.hpp"

namespace cardiowarp {

// The sums of SpmvAssembly by one product in the place of two: paper 000 (sec. 4) puts K and R one after the other and
// has both summed by one operation. The rows of the ELL-WARP matrix are the stored entries of K, then the nodes of R,
// and are sorted together. It saves a launch. `cardiowarp bench assembly` measures it beside two products; a run has
// two.

/// The plan of the joint sums, worked out once in host memory.
struct JointSumsPlan {
  SummationPlan sums;                ///< 20 numbers an element: those of K_e, then those of R_e
  Index border = 0;                  ///< rows of K
  std::vector<Index> diagonal_slot;  ///< [nodes]
  int block_size = 0;

  /// The bytes that the sums and the inverses of the diagonal must move.
  std::int64_t bytes() const;
};

/// `options.ell_warp` is K1 or K2: the renumbering r and rs are not for two results. Throws InputError where
/// contributions or rows cannot be numbered, with the numbers.
JointSumsPlan joint_sums_plan(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity,
                              const MatrixLayout& layout, const AssemblyOptions& options);

/// The contributions to K and −R in one ELL-WARP matrix, and their sums.
template <Backend B>
class JointSums {
 public:
  using Plan = JointSumsPlan;

  JointSums(B& backend, const Plan& plan)
      : contributions_(backend, plan.sums.layout),
        slots_(uploaded(backend, plan.sums.slots)),
        border_(plan.border),
        block_size_(plan.block_size) {}

  SlottedContributions contributions(Index elements) {
    Real* const value = contributions_.value();
    return {elements, slots_.data(), slots_.data() + std::int64_t{16} * elements, value, value};
  }

  /// Every value of K and of −R is written.
  void sum(B& backend, Real* K, Real* negative_residual) const {
    ell_warp_multiply(backend, block_size_, contributions_.view(), TimesOnes{},
                      JointVectors{K, negative_residual, border_});
  }

 private:
  EllWarpMatrix contributions_;
  Buffer<std::uint32_t> slots_;
  Index border_;
  int block_size_;
};

}  // namespace cardiowarp
