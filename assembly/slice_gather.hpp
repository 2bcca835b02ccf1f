#pragma once
#include <cstdint>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/reaction_elements.hpp"
#include "assembly/sparsity.hpp"
#include "fem/diffusivity.hpp"
#include "fem/element_nodes.hpp"
#include "kernels/backend/types.hpp"
#include "kernels/sparse/ell_warp_matrix.hpp"
#include "kernels/sparse/warp_lanes.hpp"

namespace cardiowarp {

struct Mesh;

// The assembly `slice_gather`: K and −R are summed slice by slice of an ELL-WARP matrix, from two numbers an element.
// choose_assembly() takes it on a GPU where the rows of K are in the sorted order and short enough, unless the user
// names another that is possible. The plan is made once for a mesh, on the host; SliceGather does the sums of each
// Newton iteration.

/// A contribution of one element to the row of one of its nodes: the element, and which entries of the row its other
/// three nodes have. 8 bytes, so that a thread fetches them at once.
class RowContribution {
 public:
  RowContribution() = default;
  CARDIOWARP_HD explicit RowContribution(std::uint64_t bits) : bits_(bits) {}
  RowContribution(Index element, const std::uint8_t (&entry)[3])
      : bits_(static_cast<std::uint64_t>(element) | std::uint64_t{entry[0]} << 32u | std::uint64_t{entry[1]} << 40u |
              std::uint64_t{entry[2]} << 48u) {}
  CARDIOWARP_HD Index element() const { return static_cast<Index>(bits_ & 0xffffffffu); }
  CARDIOWARP_HD Index entry(int i) const { return static_cast<Index>(bits_ >> (32 + 8 * i) & 0xffu); }
  CARDIOWARP_HD std::uint64_t bits() const { return bits_; }

 private:
  std::uint64_t bits_ = 0;
};

/// Slices a block of threads has at most, whose sums are in its shared memory: 48 KiB, which every device has. A plan
/// with fewer is made to be measured.
inline constexpr Index slices_a_block = 4, sums_a_block = (48 << 10) / sizeof(Real);

/// Loop body over the slices of K in ELL-WARP, with the rows in the sorted order. It adds up what ScalarGatherEntries
/// does (scalar_gather.hpp), but reads an element once for each row that it adds to, and adds to the entries of the row
/// in the shared memory of a GPU, where nobody waits for memory (kernel: slice_gather.cuh). The lanes of a row deal its
/// elements out among themselves. Each has sums of its own for all entries of the row, which are added up when the
/// entries are written. The product diffusion · φ is summed on the way, since it needs what is read anyway.
///
/// The order of additions is fixed: a lane adds in ascending order of elements; then the lanes follow each other, but
/// for the diagonal and the residual, which are added by the tree of EllWarpSlices. Bytes: an element is read 4 times,
/// as 8 (a RowContribution), times a padding of 1.04, and 16; a stored entry takes 20 to read, 8 of them for φ, and 8
/// to write; a row takes 17.
template <Caching C = Caching::cached>
struct GatherSlices {
  EllWarpView K;                           ///< its values: the constant part
  const std::int64_t* contribution_begin;  ///< [slices + 1]
  const std::uint64_t* contribution;       ///< of each lane, entry-major: element i of a row is in lane i mod lanes;
                                           ///< padded by what adds 0
  const std::int64_t* sums_begin;          ///< [slices + 1] 32 times the entries of the longest row of each slice
  const std::uint8_t* diagonal;            ///< [rows] which entry of its row
  const TangentResidual* adds;             ///< [elements + 1] the last is 0
  const Real* phi;                         ///< [rows]
  Real* value;                             ///< [slots] out: K
  Real* negative_residual;                 ///< [rows] out: −R
  Real* inverse_diagonal;                  ///< [rows] out

  /// Entries of the longest row of a slice.
  CARDIOWARP_HD Index longest_row(Index slice) const {
    return static_cast<Index>((sums_begin[slice + 1] - sums_begin[slice]) / warp_lanes);
  }

  /// Where the sum of entry k is among the sums of a slice, counted from the sum of entry 0 of the same lane.
  CARDIOWARP_HD static Index place(Index k) { return warp_lanes * k; }

  /// sums[32 k] = Σ tangent_e over the lane's elements of entry k, without the diagonal; Σ of all its elements.
  CARDIOWARP_HD TangentResidual sum_elements(Index slice, Index lane, Real* sums) const {
    const std::int64_t begin = contribution_begin[slice];
    const Index n = static_cast<Index>((contribution_begin[slice + 1] - begin) / warp_lanes);
    const Index longest = longest_row(slice);
    for (Index k = 0; k < longest; ++k) sums[place(k)] = 0;
    const std::uint64_t* of_lane = contribution + begin + lane;
    TangentResidual sum;
    for (Index first = 0; first < n; first += batch) {
      RowContribution c[batch];
      TangentResidual add[batch];
      for (Index k = 0; k < batch; ++k)
        c[k] = RowContribution(fetch<C>(of_lane + std::int64_t{warp_lanes} * (first + k < n ? first + k : n - 1)));
      for (Index k = 0; k < batch; ++k) add[k] = first + k < n ? adds[c[k].element()] : TangentResidual{};
      for (Index k = 0; k < batch; ++k) {
        sum += add[k];
        // Three entries, or one that gets 0.
        Real *const a = sums + place(c[k].entry(0)), *const b = sums + place(c[k].entry(1)),
                    *const d = sums + place(c[k].entry(2));
        const Real at_a = *a + add[k].tangent, at_b = *b + add[k].tangent, at_d = *d + add[k].tangent;
        *a = at_a;
        *b = at_b;
        *d = at_d;
      }
    }
    return sum;
  }

  /// K = diffusion + sums for the entries of a lane; its part of diffusion · φ. `sums` are those of the row's first
  /// lane, `of_diagonal` the tangents of all its elements.
  CARDIOWARP_HD Real write_entries(Index slice, Index lane, Index row, Index lanes, Real of_diagonal,
                                   const Real* sums) const {
    const std::int64_t begin = K.slice_begin[slice];
    const Index n = static_cast<Index>((K.slice_begin[slice + 1] - begin) / warp_lanes);
    const Index lane_in_row = lane & (lanes - 1), longest = longest_row(slice);
    const Index diagonal_entry = row < K.slice_row[slice + 1] ? diagonal[row] : -1;
    Real product = 0;
    for (Index first = 0; first < n; first += batch) {
      Real diffusion[batch], x[batch];
      for (Index k = 0; k < batch; ++k) {
        const std::int64_t slot = begin + lane + std::int64_t{warp_lanes} * (first + k < n ? first + k : n - 1);
        diffusion[k] = fetch<C>(K.value + slot);
        x[k] = phi[fetch<C>(K.column + slot)];
      }
      for (Index k = 0; k < batch; ++k)
        if (first + k < n) {
          const Index entry = (first + k) * lanes + lane_in_row;
          Real sum = 0;
          if (entry < longest)
            for (Index of_lane = 0; of_lane < lanes; ++of_lane) sum += sums[place(entry) + of_lane];
          const Real entry_value = diffusion[k] + (entry == diagonal_entry ? of_diagonal : sum);
          value[begin + lane + std::int64_t{warp_lanes} * (first + k)] = entry_value;
          if (entry == diagonal_entry) inverse_diagonal[row] = 1 / entry_value;
          product += diffusion[k] * x[k];
        }
    }
    return product;
  }

  /// Loop body over the slices.
  CARDIOWARP_HD void operator()(Index slice) const {
    const Index first_row = K.slice_row[slice], lanes = K.slice_lanes[slice];
    Real sums[sums_a_block] = {};
    for (Index row = first_row; row < K.slice_row[slice + 1]; ++row) {
      const Index first_lane = (row - first_row) * lanes;
      Real of_lane[3][warp_lanes] = {};  // tangents, residuals, products
      for (Index lane = 0; lane < lanes; ++lane) {
        const TangentResidual sum = sum_elements(slice, first_lane + lane, sums + first_lane + lane);
        of_lane[0][lane] = sum.tangent;
        of_lane[1][lane] = sum.residual;
      }
      const auto over_lanes = [lanes](Real* values) {
        for (Index half = lanes / 2; half > 0; half /= 2)
          for (Index lane = 0; lane < half; ++lane) values[lane] += values[lane + half];
        return values[0];
      };
      const Real of_diagonal = over_lanes(of_lane[0]), residual = over_lanes(of_lane[1]);
      for (Index lane = 0; lane < lanes; ++lane)
        of_lane[2][lane] = write_entries(slice, first_lane + lane, row, lanes, of_diagonal, sums + first_lane);
      negative_residual[row] = -(over_lanes(of_lane[2]) + residual);
    }
  }

  GatherSlices<Caching::streamed> streamed() const {
    return {K,     contribution_begin, contribution,    sums_begin, diagonal, adds, phi,
            value, negative_residual,  inverse_diagonal};
  }

 private:
#if defined(__CUDA_ARCH__)
  static constexpr Index batch = 8;  // fetches of which none waits for another
#else
  static constexpr Index batch = 1;
#endif
};

/// Runs the body for all slices. `block_sums` and `slices` are those of the plan. This is the general implementation; a
/// GPU has a kernel for it (slice_gather.cuh).
template <Backend B, Caching C>
void gather_slices(B& backend, const GatherSlices<C>& body, Index /*block_sums*/, Index /*slices*/) {
  static_assert(RunsGeneralCode<B>, "include assembly/slice_gather.cuh");
  backend.for_each(body.K.slices, body);
}

/// The plan of SliceGather beside the state, worked out once in a run in host memory.
struct SliceGatherPlan {
  std::vector<Real> diffusion;                   ///< [slots]
  std::vector<std::int64_t> contribution_begin;  ///< this and the next three as in GatherSlices
  std::vector<std::uint64_t> contribution;
  std::vector<std::int64_t> sums_begin;
  std::vector<std::uint8_t> diagonal;
  std::vector<Real> volume;       ///< [elements] mm³
  Index slices = slices_a_block;  ///< of a block of threads
  Index block_sums = 0;           ///< the most sums that so many slices have together

  /// The bytes that an assembly must move if `adds` and φ are read once.
  std::int64_t bytes() const;
};

/// Whether SliceGather can assemble K: in ELL-WARP, with the rows in the sorted order, and so short that slices_a_block
/// slices have no more than sums_a_block sums.
bool slice_gather_suits(const MatrixLayout& layout, const Sparsity& sparsity);

/// The plan for a layout that slice_gather_suits(). `diffusivity` is [elements]; a block of threads has `slices`, 1 to
/// slices_a_block.
SliceGatherPlan slice_gather_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                  const Sparsity& sparsity, const MatrixLayout& layout, Index slices = slices_a_block);

/// One number an element for K and one for R (model: fem/cells/reaction_element.hpp), summed slice by slice.
template <Backend B, CellModel Cell>
class SliceGather final : public Assembly<B> {
 public:
  SliceGather(B& backend, const SliceGatherPlan& plan, const std::vector<Tetrahedron>& tetrahedra,
              const std::vector<Cell>& cell_models, const std::vector<std::uint16_t>& cell_model)
      : elements_(backend, tetrahedra, plan.volume, cell_models, cell_model),
        slices_(plan.slices),
        block_sums_(plan.block_sums),
        caching_(caching_for(backend, plan.bytes())),
        diffusion_(uploaded(backend, plan.diffusion)),
        contribution_begin_(uploaded(backend, plan.contribution_begin)),
        contribution_(uploaded(backend, plan.contribution)),
        sums_begin_(uploaded(backend, plan.sums_begin)),
        diagonal_(uploaded(backend, plan.diagonal)) {}

  void evaluate_elements(B& backend, const ElementState& state) override { elements_.evaluate(backend, state); }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    const GatherSlices<> body{K.slices(diffusion_.data()),
                              contribution_begin_.data(),
                              contribution_.data(),
                              sums_begin_.data(),
                              diagonal_.data(),
                              elements_.adds(),
                              phi,
                              K.value(),
                              negative_residual,
                              inverse_diagonal};
    if (caching_ == Caching::streamed)
      gather_slices(backend, body.streamed(), block_sums_, slices_);
    else
      gather_slices(backend, body, block_sums_, slices_);
  }

 private:
  ElementLoop<B, Cell> elements_;
  Index slices_, block_sums_;
  Caching caching_;
  Buffer<Real> diffusion_;
  Buffer<std::int64_t> contribution_begin_;
  Buffer<std::uint64_t> contribution_;
  Buffer<std::int64_t> sums_begin_;
  Buffer<std::uint8_t> diagonal_;
};

}  // namespace cardiowarp
