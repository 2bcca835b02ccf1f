#pragma once
#include <cstdint>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/contributions.hpp"
#include "assembly/element_numbers.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/spmv_assembly.hpp"

namespace cardiowarp {

// The strategies that keep nothing of an element: who sums evaluates each element that adds to its sum itself (Cecka,
// Lew and Darve 2011, "paper 004", Table III and sec. 4.4). Nothing but K, −R and 1 / K_II is written, nobody waits,
// and the order of every sum is fixed.
//
//   local_row   a thread a row: an element is evaluated 4 times; the row's sums are the thread's own. One launch
//   local_nz    a thread a nonzero of K, and one a node of R: an element is evaluated 20 times
//
// With the two numbers of this program an element is cheap, and local_row, alone in one launch, needs no lists but the
// elements of each row. bench assembly measures both for both kinds of elements.

/// The most entries of a row that local_row has sums for.
inline constexpr Index most_local_entries = 128;

/// Loop body over the rows of K: all sums of a row.
template <ElementKind Kind, CellModel Cell>
struct SumLocalRow {
  static constexpr int threads_that_share = 128;
  Elements<Cell> elements;
  const Index *row_begin, *column;  ///< [rows + 1], [entries] of K, as CSR has it
  const Index* slot;                ///< [entries]
  const Index *incidence_begin, *incident_element;
  const Sparsity::Slots* incident_slots;  ///< [4 elements] which entries of the row
  const std::uint16_t* diagonal;          ///< [rows] which entry of its row
  const Real* diffusion;                  ///< [slots] of two_numbers
  Real* value;                            ///< [slots] out: K
  Real* negative_residual;                ///< [rows] out: −R
  Real* inverse_diagonal;                 ///< [rows] out

  CARDIOWARP_HD void operator()(Index row) const {
    Real sum[most_local_entries], residual = 0;
    const Index first = row_begin[row], entries = row_begin[row + 1] - first;
    for (Index k = 0; k < entries; ++k) {
      sum[k] = 0;
      if constexpr (Kind == ElementKind::two_numbers) {
        sum[k] = diffusion[slot[first + k]];
        residual += sum[k] * elements.state.phi[column[first + k]];
      }
    }
    for (Index k = incidence_begin[row]; k < incidence_begin[row + 1]; ++k) {
      const Index element = incident_element[k];
      const Tetrahedron node = elements.corners[element];
      const int i = node[0] == row ? 0 : node[1] == row ? 1 : node[2] == row ? 2 : 3;
      const ElementNumbers<Kind, Cell> numbers(elements, element, i == 0);
      for (int j = 0; j < 4; ++j) sum[incident_slots[k][j]] += numbers.entry(i, j);
      residual += numbers.residual(i);
    }
    for (Index k = 0; k < entries; ++k) value[slot[first + k]] = sum[k];
    inverse_diagonal[row] = 1 / sum[diagonal[row]];
    negative_residual[row] = -residual;
  }
};

/// Loop body over the entries of K, then over the nodes: one sum.
template <ElementKind Kind, CellModel Cell>
struct SumLocalNonzero {
  static constexpr int threads_that_share = 128;
  Elements<Cell> elements;
  Index entries;
  const Index* begin;         ///< [entries + nodes + 1] first contribution of each sum
  const Index* element;       ///< [contributions]
  const std::uint8_t* local;  ///< [contributions] 4 i + j, or i
  const Index* slot;          ///< [entries]
  const Real* diffusion;      ///< [slots] of two_numbers
  Real* value;                ///< [slots] out: K
  Real* negative_residual;    ///< [nodes] in, of two_numbers: diffusion · φ, out: −R

  CARDIOWARP_HD void operator()(Index sum_number) const {
    Real sum = 0;
    if (sum_number < entries) {
      for (Index k = begin[sum_number]; k < begin[sum_number + 1]; ++k)
        sum += ElementNumbers<Kind, Cell>(elements, element[k], false).entry(local[k] / 4, local[k] % 4);
      const Index to = slot[sum_number];
      value[to] = Kind == ElementKind::two_numbers ? diffusion[to] + sum : sum;
      return;
    }
    const Index node = sum_number - entries;
    for (Index k = begin[sum_number]; k < begin[sum_number + 1]; ++k)
      sum += ElementNumbers<Kind, Cell>(elements, element[k], local[k] == 0).residual(local[k]);
    negative_residual[node] = Kind == ElementKind::two_numbers ? -(negative_residual[node] + sum) : -sum;
  }
};

/// What LocalSums needs beside the state and the sparsity, worked out once in a run in host memory.
struct LocalSumsPlan {
  bool by_row = true;  ///< local_row, or local_nz
  ElementKind kind = ElementKind::two_numbers;
  std::vector<Index> slot;              ///< [entries]
  std::vector<std::uint16_t> diagonal;  ///< [rows] which entry of its row
  std::vector<Index> diagonal_slot;     ///< [rows]
  std::vector<Index> begin, element;    ///< local_nz: the contributions of entries, then of nodes
  std::vector<std::uint8_t> local;
  std::vector<Real> diffusion;  ///< [slots] of two_numbers, else empty
  std::vector<Real> volume;     ///< [elements] mm³; of two_numbers, else empty
  std::int64_t elements = 0;

  /// What elements and sums must move when all that is gathered is read once.
  std::int64_t bytes() const;
};

/// Throws InputError, for local_row, where a row has more than most_local_entries, with the numbers.
LocalSumsPlan local_sums_plan(bool by_row, ElementKind kind, const Mesh& mesh,
                              const std::vector<Diffusivity>& diffusivity, const Sparsity& sparsity,
                              const MatrixLayout& layout);

/// The assembly local_row or local_nz. evaluate_elements() only keeps the state.
template <Backend B, CellModel Cell>
class LocalSums final : public Assembly<B> {
 public:
  LocalSums(B& backend, const LocalSumsPlan& plan, const Sparsity& sparsity, const Mesh& mesh,
            const std::vector<Diffusivity>& diffusivity, const std::vector<Cell>& cell_models,
            const std::vector<std::uint16_t>& cell_model)
      : by_row_(plan.by_row),
        kind_(plan.kind),
        elements_(backend, mesh, diffusivity, plan.volume, cell_models, cell_model),
        slot_(uploaded(backend, plan.slot)),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)),
        diagonal_(uploaded(backend, plan.diagonal)),
        diffusion_(uploaded(backend, plan.diffusion)) {
    if (by_row_) {
      begin_ = uploaded(backend, sparsity.row_begin);
      column_ = uploaded(backend, sparsity.column);
      incidence_begin_ = uploaded(backend, sparsity.incidence.begin);
      element_ = uploaded(backend, sparsity.incidence.element);
      incident_slots_ = uploaded(backend, sparsity.incident_slots);
    } else {
      begin_ = uploaded(backend, plan.begin);
      element_ = uploaded(backend, plan.element);
      local_ = uploaded(backend, plan.local);
    }
  }

  void evaluate_elements(B& /*backend*/, const ElementState& state) override { state_ = state; }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    if (kind_ == ElementKind::two_numbers)
      sum<ElementKind::two_numbers>(backend, K, phi, negative_residual, inverse_diagonal);
    else
      sum<ElementKind::general>(backend, K, phi, negative_residual, inverse_diagonal);
  }

 private:
  template <ElementKind Kind>
  void sum(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual, Real* inverse_diagonal) {
    const auto nodes = static_cast<Index>(diagonal_slot_.size()), entries = static_cast<Index>(slot_.size());
    if (by_row_) {
      backend.for_each(nodes, SumLocalRow<Kind, Cell>{elements_.at(state_), begin_.data(), column_.data(), slot_.data(),
                                                      incidence_begin_.data(), element_.data(), incident_slots_.data(),
                                                      diagonal_.data(), diffusion_.data(), K.value(), negative_residual,
                                                      inverse_diagonal});
      return;
    }
    if (Kind == ElementKind::two_numbers) K.multiply(backend, diffusion_.data(), phi, negative_residual);
    backend.for_each(entries + nodes, SumLocalNonzero<Kind, Cell>{elements_.at(state_), entries, begin_.data(),
                                                                  element_.data(), local_.data(), slot_.data(),
                                                                  diffusion_.data(), K.value(), negative_residual});
    backend.for_each(nodes, InvertDiagonal{diagonal_slot_.data(), K.value(), inverse_diagonal});
  }

  bool by_row_;
  ElementKind kind_;
  ElementState state_{};
  ElementArrays<B, Cell> elements_;
  Buffer<Index> slot_, diagonal_slot_, begin_, column_, incidence_begin_, element_;
  Buffer<std::uint16_t> diagonal_;
  Buffer<std::uint8_t> local_;
  Buffer<Sparsity::Slots> incident_slots_;
  Buffer<Real> diffusion_;
};

}  // namespace cardiowarp
