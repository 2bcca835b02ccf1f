#pragma once
#include <cstdint>
#include <vector>

#include "assembly/element_scatter.hpp"
#include "assembly/quadratic_assembly.hpp"

namespace cardiowarp {

// The assemblies of quadratic tetrahedra in which elements add their numbers to K and −R where they belong: elem_color,
// elem_color_general, atomics and atomics_general, what element_scatter.hpp has for linear ones. An element takes 400
// bytes for the slots of its 100 entries, and reads and writes them and 10 residuals at random; nothing is stored of
// its numbers. bench degrees measures both kinds for elements of orders 1 to 3.

/// Loop body over the elements from place `first` on.
template <bool Atomic, bool General>
struct ScatterQuadratic {
  QuadraticElements elements;
  const Index* order;         ///< [elements]
  const std::uint32_t* slot;  ///< [100 × elements] by place
  Real* value;                ///< [slots] in and out: K
  Real* negative_residual;    ///< [nodes] in and out: −R
  Index first;

  CARDIOWARP_HD void operator()(Index i) const {
    const Index place = first + i, element = order[place];
    const QuadraticNumbers all = elements.template numbers<General>(element);
    for (int k = 0; k < quadratic_nodes; ++k) {
      for (int j = 0; j < quadratic_nodes; ++j)
        add_to<Atomic>(value + slot[std::int64_t{quadratic_nodes * k + j} * elements.elements + place],
                       all.matrix[quadratic_place(k, j)]);
      add_to<Atomic>(negative_residual + elements.nodes[element][k], -all.residual[k]);
    }
  }
};

/// The assemblies that scatter.
template <Backend B, CellModel Cell>
class QuadraticScatter final : public Assembly<B> {
 public:
  QuadraticScatter(B& backend, const QuadraticPlan& plan, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                   const std::vector<Cell>& cells, const std::vector<std::uint16_t>& cell_model)
      : general_(plan.general),
        atomic_(plan.sums == QuadraticSums::atomics),
        slots_(static_cast<Index>(plan.slots)),
        color_begin_(plan.scatter.color_begin),
        points_(backend, plan.points, cells, cell_model),
        geometry_(backend, plan.general, mesh, diffusivity),
        diffusion_(uploaded(backend, plan.diffusion)),
        order_(uploaded(backend, plan.scatter.order)),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)),
        slot_(uploaded(backend, plan.scatter.slot)) {}

  void evaluate_elements(B& backend, const ElementState& state) override { points_.evaluate(backend, state); }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    const auto nodes = static_cast<Index>(diagonal_slot_.size());
    if (general_) {
      backend.for_each(slots_, SetToZero{K.value()});
      backend.for_each(nodes, SetToZero{negative_residual});
    } else {
      backend.for_each(slots_, CopyValues{K.value(), diffusion_.data()});
      K.multiply(backend, diffusion_.data(), phi, negative_residual);
      backend.for_each(nodes, Negate{negative_residual});
    }
    const QuadraticElements elements = geometry_.at(points_.view(), phi);
    for (std::size_t color = 0; color + 1 < color_begin_.size(); ++color) {
      const Index first = color_begin_[color], count = color_begin_[color + 1] - first;
      const auto scatter = [&](auto body) { backend.for_each(count, body); };
      const Index* const order = order_.data();
      if (atomic_ && general_)
        scatter(ScatterQuadratic<true, true>{elements, order, slot_.data(), K.value(), negative_residual, first});
      else if (atomic_)
        scatter(ScatterQuadratic<true, false>{elements, order, slot_.data(), K.value(), negative_residual, first});
      else if (general_)
        scatter(ScatterQuadratic<false, true>{elements, order, slot_.data(), K.value(), negative_residual, first});
      else
        scatter(ScatterQuadratic<false, false>{elements, order, slot_.data(), K.value(), negative_residual, first});
    }
    backend.for_each(nodes, InvertDiagonal{diagonal_slot_.data(), K.value(), inverse_diagonal});
  }

 private:
  bool general_, atomic_;
  Index slots_;
  std::vector<Index> color_begin_;
  QuadraticPointLoop<B, Cell> points_;
  QuadraticGeneralArrays<B> geometry_;
  Buffer<Real> diffusion_;
  Buffer<Index> order_, diagonal_slot_;
  Buffer<std::uint32_t> slot_;
};

}  // namespace cardiowarp
