#pragma once
#include <optional>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/operators/operator_matrix.hpp"
#include "assembly/operators/operator_plan.hpp"
#include "assembly/operators/quadratic_loops.hpp"
#include "assembly/quadratic_assembly.hpp"

namespace cardiowarp {

// K of a quadratic mesh without a global matrix, for linear_solver.operator: local, local_full, matrix_free and split,
// as element_operator.hpp has it for linear elements. QuadraticOperator is a GlobalMatrix whose values are the numbers
// of the elements; QuadraticOperatorAssembly has them written in each Newton iteration. A product moves so many bytes;
// an element has about 1.4 nodes of its own, and a row of K about 28 entries:
//
//                an element, product   gather   a node   an entry of K   an element, in a Newton iteration
//   local        40 + 440 + 80         120      24                       640 to 880 to read, 520 to write
//   local_full   40 + 800 + 80         120      24                       640 to 880 to read, 880 to write
//   matrix_free  40 + 152 + 80         360      24                       640 to 880 to read, 272 to write
//   split        40 + 112 + 80         120      40       12              264 to read, 272 to write
//   assembled                                   16       12              beside, 1.1 kB of contributions
//
// and what is gathered from the nodes and their elements. Each node gathers in a fixed order, so that results are the
// same in every run.

template <Backend B>
class QuadraticOperator final : public OperatorMatrix<B, QuadraticOperator<B>> {
 public:
  QuadraticOperator(B& backend, const OperatorPlan& plan, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                    const Sparsity& sparsity, const MatrixLayout& layout)
      : OperatorMatrix<B, QuadraticOperator>(backend, plan),
        kind_(plan.kind),
        nodes_(plan.nodes),
        elements_(plan.elements),
        table_(uploaded(backend, std::vector<QuadraticTable>{quadratic_table()})),
        nodes_of_(uploaded(backend, quadratic_nodes_of(mesh))),
        geometry_(backend, plan.kind != OperatorKind::split, mesh, diffusivity),
        incidence_begin_(uploaded(backend, sparsity.incidence.begin)),
        incident_(uploaded(backend, plan.incident)),
        diagonal_(uploaded(backend, plan.diagonal)),
        value_(backend.template allocate<Real>(static_cast<std::size_t>(plan.values()))),
        parts_(backend.template allocate<Real>(std::size_t{quadratic_nodes} * plan.elements)) {
    if (is_stored())
      residual_ = backend.template allocate<Real>(std::size_t{quadratic_nodes} * plan.elements);
    else
      assembled_parts_ = backend.template allocate<TangentResidual>(std::size_t{quadratic_nodes} * plan.elements);
    if (kind_ == OperatorKind::split) diffusion_.emplace(backend, plan.diffusion, plan.in_single, sparsity, layout);
  }

  Real* value() override { return value_.data(); }

  /// Writes the values, −R and 1 / K_ii. `adds` are [14 × elements].
  void assemble(B& backend, const TangentResidual* adds, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) {
    const QuadraticElements elements = geometry_.at(view(adds), phi);
    if (kind_ == OperatorKind::local) {
      backend.for_each(elements_, StoreQuadraticNumbers<true, false>{elements, value_.data(), residual_.data()});
      sum_local_numbers<false>(backend, negative_residual, inverse_diagonal);
      return;
    }
    if (kind_ == OperatorKind::local_full) {
      backend.for_each(elements_, StoreQuadraticNumbers<true, true>{elements, value_.data(), residual_.data()});
      sum_local_numbers<true>(backend, negative_residual, inverse_diagonal);
      return;
    }
    const bool on_top = kind_ == OperatorKind::split;
    if (on_top) {
      diffusion_->template multiply<Real>(backend, phi, negative_residual);
      backend.for_each(elements_, AssembleQuadraticTangents<false>{elements, value_.data(), assembled_parts_.data()});
    } else {
      backend.for_each(elements_, AssembleQuadraticTangents<true>{elements, value_.data(), assembled_parts_.data()});
    }
    backend.for_each(nodes_, AssembleQuadraticNodes{incidence(), assembled_parts_.data(), diagonal_.data(), on_top,
                                                    negative_residual, inverse_diagonal});
  }

 private:
  friend OperatorMatrix<B, QuadraticOperator>;

  bool is_stored() const { return kind_ == OperatorKind::local || kind_ == OperatorKind::local_full; }
  IncidenceView incidence() const { return {incidence_begin_.data(), incident_.data()}; }
  QuadraticElements view(const TangentResidual* adds) const {
    return {elements_, nodes_of_.data(), table_.data(), adds, {}, {}, {}};
  }

  template <bool Full>
  void sum_local_numbers(B& backend, Real* negative_residual, Real* inverse_diagonal) {
    backend.for_each(nodes_, SumLocalNumbers<Full>{incidence(), elements_, value_.data(), residual_.data(),
                                                   negative_residual, inverse_diagonal});
  }

  template <class Value, class Number>
  void product(B& backend, const Value* values, const Number* x, Number* y, Real* xy) const {
    Real* const parts = parts_.data();
    if (kind_ == OperatorKind::split) {
      diffusion_->template multiply<Value>(backend, x, y);
      backend.for_each(elements_, QuadraticFreeProduct<false, Value, Number>{view(nullptr), values, x, parts});
      this->gather(backend, nodes_, GatherParts<false, true, false, Value, Number>{incidence(), nullptr, parts, x, y},
                   xy);
      return;
    }
    if (kind_ == OperatorKind::matrix_free)
      backend.for_each(
          elements_, QuadraticFreeProduct<true, Value, Number>{geometry_.at(view(nullptr), nullptr), values, x, parts});
    else if (kind_ == OperatorKind::local)
      backend.for_each(elements_, LocalProduct<quadratic_nodes, false, Value, Number>{elements_, nodes_of_.data(),
                                                                                      values, x, parts});
    else
      backend.for_each(
          elements_, LocalProduct<quadratic_nodes, true, Value, Number>{elements_, nodes_of_.data(), values, x, parts});
    this->gather(backend, nodes_, GatherParts<false, false, false, Value, Number>{incidence(), nullptr, parts, x, y},
                 xy);
  }

  OperatorKind kind_;
  Index nodes_, elements_;
  Buffer<QuadraticTable> table_;
  Buffer<QuadraticNodes> nodes_of_;
  QuadraticGeneralArrays<B> geometry_;
  Buffer<Index> incidence_begin_, incident_;
  Buffer<Real> diagonal_, value_, parts_;
  Buffer<Real> residual_;                         ///< [10 × elements] where matrices are stored
  Buffer<TangentResidual> assembled_parts_;       ///< [10 × elements] elsewhere
  std::optional<DiffusionProduct<B>> diffusion_;  ///< of `split`
};

/// The assembly for a QuadraticOperator: the cells at the points of the elements, and then what the operator writes.
template <Backend B>
class QuadraticOperatorAssembly final : public Assembly<B> {
 public:
  QuadraticOperatorAssembly(B& backend, const QuadraticPoints& points, const TissueCells& cells,
                            const std::vector<std::uint16_t>& cell_model)
      : points_(quadratic_point_loop(backend, points, cells, cell_model)) {}

  void evaluate_elements(B& backend, const ElementState& state) override { points_->evaluate(backend, state); }
  /// `K` is a QuadraticOperator of the same mesh.
  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    static_cast<QuadraticOperator<B>&>(K).assemble(backend, points_->adds(), phi, negative_residual, inverse_diagonal);
  }

 private:
  std::unique_ptr<QuadraticPointLoop<B>> points_;
};

}  // namespace cardiowarp
