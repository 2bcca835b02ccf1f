#pragma once
#include <cstdint>
#include <utility>
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
// elements of each row. bench assembly measures both for both kinds of elements. Of a quadratic element what its cells
// add is computed once, by the loop over its points; who sums makes of it what the sum needs, a row ten times and an
// entry or residual 110 times. With diffusion among the numbers that is 14 maps of a curved element each time.

/// The most entries of a row that local_row has sums for, of elements with N nodes: 1 or 2 kB a thread.
template <int N>
inline constexpr Index most_local_entries = N == 4 ? 128 : 256;

/// Loop body over the rows of K: all sums of a row.
template <class View>
struct SumLocalRow {
  static constexpr int threads_that_share = 128;
  View elements;
  const Index *row_begin, *column;  ///< [rows + 1], [entries] of K, as CSR has it
  const Index* slot;                ///< [entries]
  const Index *incidence_begin, *incident_element;
  const std::uint16_t* incident_entry;  ///< [N² × elements] which entries of the row an incidence adds to
  const std::uint16_t* diagonal;        ///< [rows] which entry of its row
  const Real* diffusion;                ///< [slots] of two_numbers
  const Real* phi;                      ///< [nodes]
  Real* value;                          ///< [slots] out: K
  Real* negative_residual;              ///< [rows] out: −R
  Real* inverse_diagonal;               ///< [rows] out

  CARDIOWARP_HD void operator()(Index row) const {
    constexpr int N = View::nodes;
    Real sum[most_local_entries<N>], residual = 0;
    const Index first = row_begin[row], entries = row_begin[row + 1] - first;
    for (Index k = 0; k < entries; ++k) {
      sum[k] = 0;
      if constexpr (!View::general) {
        sum[k] = diffusion[slot[first + k]];
        residual += sum[k] * phi[column[first + k]];
      }
    }
    for (Index k = incidence_begin[row]; k < incidence_begin[row + 1]; ++k) {
      const Index element = incident_element[k];
      const auto node = elements.nodes_of(element);
      int i = 0;
      while (i < N - 1 && node[i] != row) ++i;
      const auto numbers = elements.row(element, i, i == 0);
      for (int j = 0; j < N; ++j) sum[incident_entry[std::int64_t{N} * k + j]] += numbers.entry(j);
      residual += numbers.residual();
    }
    for (Index k = 0; k < entries; ++k) value[slot[first + k]] = sum[k];
    inverse_diagonal[row] = 1 / sum[diagonal[row]];
    negative_residual[row] = -residual;
  }
};

/// Loop body over the entries of K, then over the nodes: one sum.
template <class View>
struct SumLocalNonzero {
  static constexpr int threads_that_share = 128;
  View elements;
  Index entries;
  const Index* begin;         ///< [entries + nodes + 1] first contribution of each sum
  const Index* element;       ///< [contributions]
  const std::uint8_t* local;  ///< [contributions] N i + j, or i
  const Index* slot;          ///< [entries]
  const Real* diffusion;      ///< [slots] of two_numbers
  Real* value;                ///< [slots] out: K
  Real* negative_residual;    ///< [nodes] in, of two_numbers: diffusion · φ, out: −R

  CARDIOWARP_HD void operator()(Index sum_number) const {
    Real sum = 0;
    if (sum_number < entries) {
      for (Index k = begin[sum_number]; k < begin[sum_number + 1]; ++k)
        sum += elements.entry(element[k], local[k] / View::nodes, local[k] % View::nodes);
      const Index to = slot[sum_number];
      value[to] = View::general ? sum : diffusion[to] + sum;
      return;
    }
    const Index node = sum_number - entries;
    for (Index k = begin[sum_number]; k < begin[sum_number + 1]; ++k)
      sum += elements.residual(element[k], local[k], local[k] == 0);
    negative_residual[node] = View::general ? -sum : -(negative_residual[node] + sum);
  }
};

/// All that LocalSums needs beside the state and the sparsity, worked out once in a run in host memory.
struct LocalSumsPlan {
  bool by_row = true;  ///< local_row, or local_nz
  ElementKind kind = ElementKind::two_numbers;
  std::vector<Index> slot;                    ///< [entries]
  std::vector<std::uint16_t> diagonal;        ///< [rows] which entry of its row
  std::vector<Index> diagonal_slot;           ///< [rows]
  std::vector<std::uint16_t> incident_entry;  ///< local_row: [N² × elements] as in SumLocalRow
  std::vector<Index> begin, element;          ///< local_nz: the contributions of entries, then of nodes
  std::vector<std::uint8_t> local;
  std::vector<Real> diffusion;  ///< as in ConstantParts
  std::vector<Real> volume;     ///< likewise
  std::int64_t elements = 0;

  /// The bytes that elements and sums of a linear mesh must move when all that is gathered is read once.
  std::int64_t bytes() const;
};

/// The plan of a linear or quadratic mesh. Throws InputError, for local_row, where a row has more than
/// most_local_entries, with the numbers.
LocalSumsPlan local_sums_plan(bool by_row, ElementKind kind, const Mesh& mesh,
                              const std::vector<Diffusivity>& diffusivity, const Sparsity& sparsity,
                              const MatrixLayout& layout);

/// The assembly local_row or local_nz, of a mesh in `Arrays`, which may be QuadraticElementArrays. evaluate_elements()
/// only keeps the state of a linear one.
template <Backend B, class Arrays>
class LocalSums final : public Assembly<B> {
 public:
  LocalSums(B& backend, const LocalSumsPlan& plan, const Sparsity& sparsity, Arrays elements)
      : by_row_(plan.by_row),
        kind_(plan.kind),
        elements_(std::move(elements)),
        slot_(uploaded(backend, plan.slot)),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)),
        diagonal_(uploaded(backend, plan.diagonal)),
        diffusion_(uploaded(backend, plan.diffusion)) {
    if (by_row_) {
      begin_ = uploaded(backend, sparsity.row_begin);
      column_ = uploaded(backend, sparsity.column);
      incidence_begin_ = uploaded(backend, sparsity.incidence.begin);
      element_ = uploaded(backend, sparsity.incidence.element);
      incident_entry_ = uploaded(backend, plan.incident_entry);
    } else {
      begin_ = uploaded(backend, plan.begin);
      element_ = uploaded(backend, plan.element);
      local_ = uploaded(backend, plan.local);
    }
  }

  void evaluate_elements(B& backend, const ElementState& state) override { elements_.evaluate(backend, state); }
  bool evaluates_ahead() const override { return Arrays::evaluates_ahead; }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    elements_.with_view(kind_,
                        [&](const auto& view) { sum(backend, view, K, phi, negative_residual, inverse_diagonal); });
  }

 private:
  template <class View>
  void sum(B& backend, const View& view, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
           Real* inverse_diagonal) {
    const auto nodes = static_cast<Index>(diagonal_slot_.size()), entries = static_cast<Index>(slot_.size());
    if (by_row_) {
      backend.for_each(
          nodes, SumLocalRow<View>{view, begin_.data(), column_.data(), slot_.data(), incidence_begin_.data(),
                                   element_.data(), incident_entry_.data(), diagonal_.data(), diffusion_.data(), phi,
                                   K.value(), negative_residual, inverse_diagonal});
      return;
    }
    if (!View::general) K.multiply(backend, diffusion_.data(), phi, negative_residual);
    backend.for_each(entries + nodes,
                     SumLocalNonzero<View>{view, entries, begin_.data(), element_.data(), local_.data(), slot_.data(),
                                           diffusion_.data(), K.value(), negative_residual});
    backend.for_each(nodes, InvertDiagonal{diagonal_slot_.data(), K.value(), inverse_diagonal});
  }

  bool by_row_;
  ElementKind kind_;
  Arrays elements_;
  Buffer<Index> slot_, diagonal_slot_, begin_, column_, incidence_begin_, element_;
  Buffer<std::uint16_t> diagonal_, incident_entry_;
  Buffer<std::uint8_t> local_;
  Buffer<Real> diffusion_;
};

}  // namespace cardiowarp
