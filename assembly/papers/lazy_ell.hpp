#pragma once
#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/element_numbers.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/spmv_assembly.hpp"

namespace cardiowarp {

// The assembly `lazy_ell` (Reguly and Giles 2013, "paper 003", sec. 7): an element appends the four rows of its matrix,
// values and columns, to four rows of an ELLPACK matrix, one after the other as they come, by an atomic counter a row.
// A column that comes twice is stored twice. Nothing has to be known of the places of entries, and nothing is added;
// the rows are 4 times as long as their nodes have elements. A second launch consolidates: a thread a row adds what
// belongs to the same column, and writes K, −R and 1 / K_II. The elements of a row come in another order in every run,
// so the last bits of the sums differ.
//
//   row 5, of two elements:   9 5 3 7 | 5 9 2 3      columns as they were appended, four from each
//   consolidated:             2 3 5 7 9
//
// Bytes: an element writes 16 × 12 and 4 × 8, and increments four counters; the consolidation reads as much, and for
// each of its 16 columns as much of the row of K as it takes to find it. A quadratic element has ten rows of ten: 100 ×
// 12 and 10 × 8. Backend memory is for the node with most elements, of every node: 128 bytes for each element that it
// has beside 20 of a quadratic mesh, or 56 of a linear one.

/// Rows as they were appended, in backend memory, of elements with N nodes.
template <int N>
struct LazyRows {
  Index rows;
  Index* count;    ///< [rows] elements appended
  Index* column;   ///< [N × most × rows] column j of the k-th element of a row at (N k + j) rows + row
  Real* value;     ///< [N × most × rows] likewise
  Real* residual;  ///< [most × rows] of the k-th element at k rows + row

  /// One more element of a row: its number there.
  CARDIOWARP_HD Index append(Index row) const {
#if defined(__CUDA_ARCH__)
    return atomicAdd(count + row, 1);
#else
    return std::atomic_ref<Index>(count[row]).fetch_add(1, std::memory_order_relaxed);
#endif
  }
};

/// Loop body over the rows: nothing is appended.
struct EmptyRows {
  Index* count;
  CARDIOWARP_HD void operator()(Index row) const { count[row] = 0; }
};

/// Loop body over the elements.
template <class View>
struct AppendElements {
  static constexpr int threads_that_share = 128;
  View elements;
  LazyRows<View::nodes> lazy;

  CARDIOWARP_HD void operator()(Index element) const {
    const auto numbers = elements.numbers(element, true);
    const auto node = elements.nodes_of(element);
    for (int i = 0; i < View::nodes; ++i) {
      const std::int64_t k = lazy.append(node[i]);
      for (int j = 0; j < View::nodes; ++j) {
        const std::int64_t place = (View::nodes * k + j) * lazy.rows + node[i];
        lazy.column[place] = node[j];
        lazy.value[place] = numbers.entry(i, j);
      }
      lazy.residual[k * lazy.rows + node[i]] = numbers.residual(i);
    }
  }
};

/// Loop body over the rows: adds what was appended for the same column. K has its diffusion part already, or 0, and −R
/// minus diffusion · φ, or 0.
template <int N>
struct ConsolidateRows {
  LazyRows<N> lazy;
  const Index *row_begin, *column, *slot;  ///< of K, as CSR has it; [entries] the slot of each
  const Real* diffusion;                   ///< [slots] or nullptr
  const Real* phi;
  const std::uint16_t* diagonal;  ///< [rows] which entry of its row
  Real* value;                    ///< [slots] out: K
  Real* negative_residual;        ///< [rows] out: −R
  Real* inverse_diagonal;         ///< [rows] out

  CARDIOWARP_HD void operator()(Index row) const {
    const Index first = row_begin[row], end = row_begin[row + 1];
    Real residual = 0;
    for (Index k = first; k < end; ++k) {
      const Real constant = diffusion ? diffusion[slot[k]] : 0;
      value[slot[k]] = constant;
      residual += constant * phi[column[k]];
    }
    for (Index e = 0; e < lazy.count[row]; ++e) {
      for (int j = 0; j < N; ++j) {
        const std::int64_t place = (std::int64_t{N} * e + j) * lazy.rows + row;
        const Index wanted = lazy.column[place];
        Index k = first;
        while (column[k] != wanted) ++k;
        value[slot[k]] += lazy.value[place];
      }
      residual += lazy.residual[std::int64_t{e} * lazy.rows + row];
    }
    negative_residual[row] = -residual;
    inverse_diagonal[row] = 1 / value[slot[first + diagonal[row]]];
  }
};

/// All that LazyEll needs beside the state and the sparsity, worked out once in a run in host memory.
struct LazyEllPlan {
  ElementKind kind = ElementKind::two_numbers;
  Index most = 0;                       ///< elements at a node
  std::vector<Index> slot;              ///< [entries]
  std::vector<std::uint16_t> diagonal;  ///< [rows] which entry of its row
  std::vector<Real> diffusion;          ///< as in ConstantParts
  std::vector<Real> volume;             ///< likewise
  std::int64_t elements = 0;

  /// The bytes that elements and sums of a linear mesh must move when all that is gathered is read once.
  std::int64_t bytes() const;
};

/// The plan of a linear or quadratic mesh.
LazyEllPlan lazy_ell_plan(ElementKind kind, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                          const Sparsity& sparsity, const MatrixLayout& layout);

/// Rows appended by elements, and consolidated. evaluate_elements() appends. The mesh is in `Arrays`,
/// ElementArrays or QuadraticElementArrays.
template <Backend B, class Arrays>
class LazyEll final : public Assembly<B> {
  static constexpr int N = Arrays::nodes;

 public:
  LazyEll(B& backend, const LazyEllPlan& plan, const Sparsity& sparsity, Arrays elements)
      : kind_(plan.kind),
        rows_(sparsity.rows()),
        elements_(std::move(elements)),
        row_begin_(uploaded(backend, sparsity.row_begin)),
        column_(uploaded(backend, sparsity.column)),
        slot_(uploaded(backend, plan.slot)),
        diagonal_(uploaded(backend, plan.diagonal)),
        diffusion_(uploaded(backend, plan.diffusion)),
        count_(backend.template allocate<Index>(rows_)),
        appended_column_(backend.template allocate<Index>(std::size_t{N} * plan.most * rows_)),
        appended_value_(backend.template allocate<Real>(std::size_t{N} * plan.most * rows_)),
        appended_residual_(backend.template allocate<Real>(std::size_t(plan.most) * rows_)) {}

  void evaluate_elements(B& backend, const ElementState& state) override {
    backend.for_each(rows_, EmptyRows{count_.data()});
    elements_.evaluate(backend, state);
    elements_.with_view(kind_, [&](const auto& view) {
      backend.for_each(elements_.count(), AppendElements<std::decay_t<decltype(view)>>{view, appended()});
    });
  }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    backend.for_each(rows_, ConsolidateRows<N>{appended(), row_begin_.data(), column_.data(), slot_.data(),
                                               kind_ == ElementKind::two_numbers ? diffusion_.data() : nullptr, phi,
                                               diagonal_.data(), K.value(), negative_residual, inverse_diagonal});
  }

 private:
  LazyRows<N> appended() const {
    return {rows_, count_.data(), appended_column_.data(), appended_value_.data(), appended_residual_.data()};
  }

  ElementKind kind_;
  Index rows_;
  Arrays elements_;
  Buffer<Index> row_begin_, column_, slot_;
  Buffer<std::uint16_t> diagonal_;
  Buffer<Real> diffusion_;
  Buffer<Index> count_, appended_column_;
  Buffer<Real> appended_value_, appended_residual_;
};

}  // namespace cardiowarp
