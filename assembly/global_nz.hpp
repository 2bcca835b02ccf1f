#pragma once
#include <cstdint>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/element_numbers.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/spmv_assembly.hpp"
#include "kernels/sparse/ell_warp_matrix.hpp"

namespace cardiowarp {

// The assembly `global_nz_general`: GlobalNZ of Cecka, Lew and Darve (2011, "paper 004", sec. 4.2) for general
// elements, 10 + 4 numbers each. One launch writes the numbers of all elements to memory, value by value, so that
// neighbouring threads write neighbouring numbers; a second one has a thread for each sum, which gathers what belongs
// to it. Where `spmv_k1`, .. scatter 20 numbers of an element and read them in a row, this writes 14 in a row and
// gathers them. The order of every sum is fixed. For elements of two numbers it would be `entry_gather`
// (scalar_gather.hpp).
//
// Bytes: an element writes 112, and its evaluation reads 74; a sum of K reads 4 for the place of each contribution and
// the 8 of it, 12 + 4 of each an element, filled up to the longest of 32 neighbours, and writes 8.

/// Numbers of an element.
inline constexpr int general_numbers = 14;

/// Loop body over the elements: number v of element e at v (elements + 1) + e.
template <CellModel Cell>
struct StoreElements {
  static constexpr int threads_that_share = 128;
  Elements<Cell> elements;
  Index count;
  Real* number;  ///< [14 × (count + 1)] the last of each value stays 0

  CARDIOWARP_HD void operator()(Index element) const {
    const GeneralElement all = elements.general(element, true);
    const std::int64_t stride = std::int64_t{count} + 1;
    for (int k = 0; k < 10; ++k) number[k * stride + element] = all.matrix[k];
    for (int i = 0; i < 4; ++i) number[(10 + i) * stride + element] = all.residual[i];
  }
};

/// The terms of an entry off the diagonal: a stored entry names the place of a number.
struct GatherNumber {
  static constexpr Caching caching = Caching::streamed;
  const Real* number;
  CARDIOWARP_HD Real operator()(const EllWarpView& A, std::int64_t entry) const {
    return number[fetch<caching>(A.column + entry)];
  }
};

/// The terms of a node, for K_ii and R_i together: a stored entry is 4 e + i.
struct GatherDiagonal {
  static constexpr Caching caching = Caching::streamed;
  const Real* number;
  std::int64_t stride;
  CARDIOWARP_HD TangentResidual operator()(const EllWarpView& A, std::int64_t entry) const {
    const Index named = fetch<caching>(A.column + entry), element = named >> 2, i = named & 3;
    return {number[symmetric_place(i, i) * stride + element], number[(10 + i) * stride + element]};
  }
};

/// Loop body over the slots of K, then over the nodes.
struct SumGlobalNumbers {
  static constexpr int threads_that_share = 512;  ///< neighbouring entries have elements in common
  EllWarpView entries;                  ///< K1r, unsorted, a row for each slot off the diagonal: places of numbers
  EllWarpView nodes;                    ///< K1r, unsorted, a row for each node: 4 e + i
  const std::uint32_t* diagonal_lanes;  ///< [slots / 32 + 1] bit set: that slot is on the diagonal
  const Index* diagonal_slot;           ///< [nodes]
  const Real* number;
  std::int64_t stride;
  Real* value;              ///< [slots] out: K
  Real* negative_residual;  ///< [nodes] out: −R
  Real* inverse_diagonal;   ///< [nodes] out

  CARDIOWARP_HD void operator()(Index i) const {
    if (i < entries.rows) {
      if (!(diagonal_lanes[i / warp_lanes] >> i % warp_lanes & 1u))
        value[i] = k1_row_sum(entries, i, GatherNumber{number});
      return;
    }
    const Index node = i - entries.rows;
    const TangentResidual sum = k1_row_sum(nodes, node, GatherDiagonal{number, stride});
    value[diagonal_slot[node]] = sum.tangent;
    inverse_diagonal[node] = 1 / sum.tangent;
    negative_residual[node] = -sum.residual;
  }
};

/// What GlobalNz needs beside the state, worked out once in a run in host memory.
struct GlobalNzPlan {
  Index elements = 0;
  EllWarpLayout entries, nodes;
  std::vector<std::uint32_t> diagonal_lanes;  ///< [slots / 32 + 1]
  std::vector<Index> diagonal_slot;           ///< [nodes]

  /// What the sums must move when each number of an element is read once.
  std::int64_t bytes() const;
  /// What the elements must move when positions, φ and load are read once.
  std::int64_t element_bytes() const;
};

/// Throws InputError where numbers or slots are too many for an Index, with the numbers.
GlobalNzPlan global_nz_plan(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity,
                            const MatrixLayout& layout);

/// General elements, stored in a row and gathered.
template <Backend B, CellModel Cell>
class GlobalNz final : public Assembly<B> {
 public:
  GlobalNz(B& backend, const GlobalNzPlan& plan, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
           const std::vector<Cell>& cell_models, const std::vector<std::uint16_t>& cell_model)
      : count_(plan.elements),
        elements_(backend, mesh, diffusivity, {}, cell_models, cell_model),
        entries_(backend, plan.entries),
        nodes_(backend, plan.nodes),
        diagonal_lanes_(uploaded(backend, plan.diagonal_lanes)),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)),
        number_(backend.template allocate<Real>(std::size_t{general_numbers} * (std::size_t(plan.elements) + 1))) {}

  void evaluate_elements(B& backend, const ElementState& state) override {
    backend.for_each(count_, StoreElements<Cell>{elements_.at(state), count_, number_.data()});
  }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* /*phi*/, Real* negative_residual,
                Real* inverse_diagonal) override {
    const EllWarpView entries = entries_.view(), nodes = nodes_.view();
    backend.for_each(entries.rows + nodes.rows,
                     SumGlobalNumbers{entries, nodes, diagonal_lanes_.data(), diagonal_slot_.data(), number_.data(),
                                      std::int64_t{count_} + 1, K.value(), negative_residual, inverse_diagonal});
  }

 private:
  Index count_;
  ElementArrays<B, Cell> elements_;
  EllWarpPattern entries_, nodes_;
  Buffer<std::uint32_t> diagonal_lanes_;
  Buffer<Index> diagonal_slot_;
  Buffer<Real> number_;
};

}  // namespace cardiowarp
