#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/operators/element_loops.hpp"
#include "assembly/operators/operator_matrix.hpp"
#include "assembly/operators/operator_plan.hpp"
#include "assembly/reaction_elements.hpp"
#include "assembly/vertex_assembly.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

// K without a global matrix, for linear_solver.operator: local, local_full, matrix_free and split. ElementOperator is a
// GlobalMatrix whose values are the numbers of the elements and, behind them, a number d a node, which the points at
// vertices have; OperatorAssembly writes them in each Newton iteration. Conjugate gradients on the path `plain`
// multiply by it as by any other. A product moves so many bytes; a node of a heart has about 5.2 elements:
//
//                an element, product   gather   a node   an entry of K   an element, in a Newton iteration beside
//   local        16 + 80 + 32          48        28                      80 to write its matrix
//   local_full   16 + 128 + 32         48        28                      128
//   matrix_free  16 + 40 + 8 + 32      48        28                      8
//   split        16 + 8 + 8            48        44       12             8
//   assembled                                    16       12
//
// and what is gathered from the nodes. Where all integration points are at vertices, split has no loop over elements,
// and is what `assembled` does, whose iterations write nothing but the diagonal of K. The papers add up with atomic
// operations, or color by color; here each node gathers, so that results are the same in every run.

template <Backend B>
class ElementOperator final : public OperatorMatrix<B, ElementOperator<B>> {
 public:
  ElementOperator(B& backend, const OperatorPlan& plan, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                  const Sparsity& sparsity, const MatrixLayout& layout)
      : OperatorMatrix<B, ElementOperator>(backend, plan),
        kind_(plan.kind),
        nodes_(plan.nodes),
        elements_(plan.elements),
        has_points_(plan.has_points),
        element_values_(std::int64_t{plan.elements} * plan.numbers_an_element()),
        corners_(uploaded(backend, mesh.tetrahedra)),
        incidence_begin_(uploaded(backend, sparsity.incidence.begin)),
        incident_(uploaded(backend, plan.incident)),
        diagonal_(uploaded(backend, plan.diagonal)),
        value_(backend.template allocate<Real>(static_cast<std::size_t>(plan.values()))) {
    if (kind_ == OperatorKind::split) {
      diffusion_.emplace(backend, plan.diffusion, plan.in_single, sparsity, layout);
      if (has_points_) parts_ = backend.template allocate<Real>(mesh.tetrahedra.size());
    } else {
      point_ = uploaded(backend, mesh.nodes);
      diffusivity_ = uploaded(backend, diffusivity);
      parts_ = backend.template allocate<Real>(4 * mesh.tetrahedra.size());
    }
  }

  Real* value() override { return value_.data(); }

  /// Writes the values, −R and 1 / K_ii. `adds` [elements] are those of the centroids, `at_nodes` [nodes] those of the
  /// vertices, nullptr where there are none.
  void assemble(B& backend, const TangentResidual* adds, const TangentResidual* at_nodes, const Real* phi,
                Real* negative_residual, Real* inverse_diagonal) {
    switch (kind_) {
      case OperatorKind::local:
        backend.for_each(elements_, AssembleElements<true, false>{mesh(), adds, phi, value_.data(), parts_.data()});
        break;
      case OperatorKind::local_full:
        backend.for_each(elements_, AssembleElements<true, true>{mesh(), adds, phi, value_.data(), parts_.data()});
        break;
      case OperatorKind::matrix_free:
        backend.for_each(elements_, AssembleElements<false, false>{mesh(), adds, phi, value_.data(), parts_.data()});
        break;
      default:
        diffusion_->template multiply<Real>(backend, phi, negative_residual);
        if (adds != nullptr) backend.for_each(elements_, CopyTangents{adds, value_.data()});
    }
    backend.for_each(
        nodes_, AssembleNodes{incidence(), adds, at_nodes, kind_ == OperatorKind::split ? nullptr : parts_.data(),
                              diagonal_.data(), value_.data() + element_values_, negative_residual, inverse_diagonal});
  }

 private:
  friend OperatorMatrix<B, ElementOperator>;

  ElementsView mesh() const { return {elements_, corners_.data(), point_.data(), diffusivity_.data()}; }
  IncidenceView incidence() const { return {incidence_begin_.data(), incident_.data()}; }

  /// y = K x, and *xy = x·y where that is asked for.
  template <class Value, class Number>
  void product(B& backend, const Value* values, const Number* x, Number* y, Real* xy) const {
    const Value* const nodal = values + element_values_;
    Real* const parts = parts_.data();
    if (kind_ == OperatorKind::split) {
      diffusion_->template multiply<Value>(backend, x, y);
      if (has_points_) backend.for_each(elements_, SplitProduct<Value, Number>{corners_.data(), values, x, parts});
      this->gather(
          backend, nodes_,
          GatherParts<true, true, true, Value, Number>{incidence(), nodal, has_points_ ? parts : nullptr, x, y}, xy);
      return;
    }
    if (kind_ == OperatorKind::matrix_free)
      backend.for_each(elements_, FreeProduct<Value, Number>{mesh(), values, x, parts});
    else if (kind_ == OperatorKind::local)
      backend.for_each(elements_, LocalProduct<4, false, Value, Number>{elements_, corners_.data(), values, x, parts});
    else
      backend.for_each(elements_, LocalProduct<4, true, Value, Number>{elements_, corners_.data(), values, x, parts});
    this->gather(backend, nodes_, GatherParts<false, false, true, Value, Number>{incidence(), nodal, parts, x, y}, xy);
  }

  OperatorKind kind_;
  Index nodes_, elements_;
  bool has_points_;
  std::int64_t element_values_;
  Buffer<Tetrahedron> corners_;
  Buffer<Index> incidence_begin_, incident_;
  Buffer<Real> diagonal_, value_, parts_;
  Buffer<Vector3> point_;                         ///< where the matrix of an element is computed
  Buffer<Diffusivity> diffusivity_;               ///< there
  std::optional<DiffusionProduct<B>> diffusion_;  ///< of `split`
};

/// The assembly for an ElementOperator: the cells at the centroids and at the vertices, as the quadrature has them, and
/// then loops over the elements and the nodes that write no entry of a global matrix.
template <Backend B, CellModel Cell>
class OperatorAssembly final : public Assembly<B> {
 public:
  /// `vertices` is nullptr where the quadrature has no points there.
  OperatorAssembly(B& backend, const OperatorPlan& plan, const VertexPlan* vertices, const Mesh& mesh,
                   const std::vector<Cell>& cells, const std::vector<std::uint16_t>& cell_model) {
    if (plan.has_points) elements_.emplace(backend, mesh.tetrahedra, plan.volume, cells, cell_model);
    if (vertices != nullptr) vertices_.emplace(backend, *vertices, cells);
  }

  void evaluate_elements(B& backend, const ElementState& state) override {
    if (elements_) elements_->evaluate(backend, state);
    if (vertices_) vertices_->evaluate(backend, state);
  }
  /// `K` is an ElementOperator of the same plan.
  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    static_cast<ElementOperator<B>&>(K).assemble(backend, elements_ ? elements_->adds() : nullptr,
                                                 vertices_ ? vertices_->adds() : nullptr, phi, negative_residual,
                                                 inverse_diagonal);
  }

 private:
  std::optional<ElementLoop<B, Cell>> elements_;
  std::optional<VertexLoop<B, Cell>> vertices_;
};

}  // namespace cardiowarp
