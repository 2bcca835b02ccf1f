#pragma once
#include <cstdint>

#include "assembly/operators/element_loops.hpp"
#include "assembly/quadratic_elements.hpp"

namespace cardiowarp {

// The loop bodies of the operators without a global matrix that are for quadratic tetrahedra alone. The tangent of
// point q of element e is stored at q · elements + e, so that neighboring threads read neighboring numbers. With
// `Diffusion` an element computes its part of the diffusion term from the positions of its nodes, which is right for
// curved ones; without, the constant diffusion matrix has it.

/// parts_i = Σ_q t_q N_i (Σ_j N_j x_j) + v_q ∇N_i · D̃ ∇(Σ_j N_j x_j), whose two inner sums are done once a point. Reads
/// 14 values and 40 bytes an element, gathers 10 numbers (and 10 positions, with 40 bytes more of the element), writes
/// 80; about 280 multiply-adds, 2,600 with diffusion.
template <bool Diffusion, class Value, class Number>
struct QuadraticFreeProduct {
  QuadraticElements elements;
  const Value* tangent;  ///< [14 × elements]
  const Number* x;
  Real* parts;  ///< [10 × elements] out

  CARDIOWARP_HD void operator()(Index element) const {
    Real value[quadratic_nodes], sum[quadratic_nodes] = {};
    Vector3 at[quadratic_nodes];
    if constexpr (Diffusion) {
      elements.fetch(element, x, at, value);
    } else {
      for (int i = 0; i < quadratic_nodes; ++i) value[i] = x[elements.nodes[element][i]];
    }
    for (int q = 0; q < quadratic_points; ++q) {
      const Real* const shape = elements.table->shape[q];
      const Vector3* const slope = elements.table->slope[q];
      Real here = 0;
      for (int i = 0; i < quadratic_nodes; ++i) here += shape[i] * value[i];
      here *= tangent[std::int64_t{q} * elements.elements + element];
      for (int i = 0; i < quadratic_nodes; ++i) sum[i] += shape[i] * here;
      if constexpr (Diffusion) {
        const Vector3 flux = elements.flux_at(element, q, at, value);
        for (int i = 0; i < quadratic_nodes; ++i) sum[i] += dot(slope[i], flux);
      }
    }
    for (int i = 0; i < quadratic_nodes; ++i) parts[std::int64_t{quadratic_nodes} * element + i] = sum[i];
  }
};

/// Loop body over the elements: the tangents of their points, and what each adds to R and, without diffusion, to the
/// diagonal of K at its nodes.
template <bool Diffusion>
struct AssembleQuadraticTangents {
  QuadraticElements elements;
  Real* tangent;           ///< [14 × elements] out
  TangentResidual* parts;  ///< [10 × elements] out

  CARDIOWARP_HD void operator()(Index element) const {
    TangentResidual sum[quadratic_nodes];
    Real value[quadratic_nodes];
    Vector3 at[quadratic_nodes];
    if constexpr (Diffusion) elements.fetch(element, elements.phi, at, value);
    for (int q = 0; q < quadratic_points; ++q) {
      const TangentResidual add = elements.adds[std::int64_t{quadratic_points} * element + q];
      tangent[std::int64_t{q} * elements.elements + element] = add.tangent;
      Vector3 flux;
      if constexpr (Diffusion) flux = elements.flux_at(element, q, at, value);
      for (int i = 0; i < quadratic_nodes; ++i) {
        const Real shape = elements.table->shape[q][i];
        sum[i] += {add.tangent * shape * shape, add.residual * shape};
        if constexpr (Diffusion) sum[i].residual += dot(elements.table->slope[q][i], flux);
      }
    }
    for (int i = 0; i < quadratic_nodes; ++i) parts[std::int64_t{quadratic_nodes} * element + i] = sum[i];
  }
};

/// Loop body over the nodes: −R and 1 / K_ii, from what AssembleQuadraticTangents has stored.
struct AssembleQuadraticNodes {
  IncidenceView of;
  const TangentResidual* parts;  ///< [10 × elements]
  const Real* diagonal;          ///< [nodes] of the diffusion term
  bool on_top;                   ///< the diffusion term of R comes in
  Real* negative_residual;       ///< [nodes] in, if on_top: the diffusion term times φ; out: −R
  Real* inverse_diagonal;        ///< [nodes] out

  CARDIOWARP_HD void operator()(Index node) const {
    TangentResidual sum{diagonal[node], on_top ? negative_residual[node] : 0};
    for (Index k = of.begin[node]; k < of.begin[node + 1]; ++k) sum += parts[of.incident[k]];
    negative_residual[node] = -sum.residual;
    inverse_diagonal[node] = 1 / sum.tangent;
  }
};

/// Loop body over the nodes: −R and 1 / K_ii of general elements, whose numbers StoreQuadraticNumbers has stored.
template <bool Full>
struct SumLocalNumbers {
  IncidenceView of;
  Index elements;
  const Real *matrix, *residual;  ///< [55 × elements] or [100 × elements], [10 × elements]
  Real* negative_residual;        ///< [nodes] out: −R
  Real* inverse_diagonal;         ///< [nodes] out

  CARDIOWARP_HD void operator()(Index node) const {
    TangentResidual sum;
    for (Index k = of.begin[node]; k < of.begin[node + 1]; ++k) {
      const Index element = of.incident[k] / quadratic_nodes, i = of.incident[k] % quadratic_nodes;
      sum += {matrix[std::int64_t{entry_place<quadratic_nodes, Full>(i, i)} * elements + element],
              residual[std::int64_t{i} * elements + element]};
    }
    negative_residual[node] = -sum.residual;
    inverse_diagonal[node] = 1 / sum.tangent;
  }
};

}  // namespace cardiowarp
