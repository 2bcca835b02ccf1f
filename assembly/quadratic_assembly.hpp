#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/sparsity.hpp"
#include "fem/cells/reaction_element.hpp"
#include "fem/diffusivity.hpp"
#include "fem/mesh.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

// The assembly of quadratic tetrahedra (fem/quadratic_tetrahedron.hpp), for any machine and any format. The cells are
// at the 14 integration points of each element. An iteration has three loops:
//
//   points       14 an element   φ and load there, the states after the step: a tangent and a residual
//   elements     1               55 + 10 numbers, Σ_q t_q N_i N_j and Σ_q r_q N_i
//   entries      1 an entry      the diffusion, which never changes, and the numbers of its elements, in their order
//
// after which a product with the diffusion matrix and a loop over the nodes make −R and 1 / K_ii. Sums are gathered, so
// that two runs are equal bit for bit. An element moves about 4 kB an iteration and takes 1.1 kB in host memory and 1.8
// kB in backend memory beside the states of its cells: most of it is for the entries of K, about
// 39 an element. A run on a quadratic mesh has this assembly; other strategies are refused (plan_quadratic(),
// app/simulation/simulation_plan.cpp).

/// What the assembly needs beside the state, worked out once in a run in host memory.
struct QuadraticPlan {
  std::vector<QuadraticNodes> nodes;       ///< [elements]
  std::vector<Real> volume;                ///< [14 × elements] mm³ that a point stands for, element after element
  std::vector<Real> diffusion;             ///< [slots] the part of K that never changes
  std::vector<std::uint32_t> entry_begin;  ///< [slots + 1] first contribution of the entry that is stored there
  std::vector<std::uint32_t> entry;        ///< [100 × elements] number k of element e is k · elements + e
  std::vector<std::uint32_t> node;         ///< [10 × elements] as in `incidence`: the numbers of residuals
  std::vector<Index> node_begin;           ///< [nodes + 1]
  std::vector<Index> diagonal_slot;        ///< [nodes]

  Index elements() const { return static_cast<Index>(nodes.size()); }
};

/// `diffusivity` is [elements]. Throws InputError, with the numbers, where there are more contributions than 32 bits
/// can number.
QuadraticPlan quadratic_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity, const Sparsity& sparsity,
                             const MatrixLayout& layout);

/// Loop body over the integration points, 14 an element: the states after the step, and
///   tangent = v (1/h − df/dφ),   residual = v (φ/h − f − (φ_old/h + s)),   v the volume that the point stands for.
template <CellModel Cell>
struct QuadraticReactions {
  const QuadraticNodes* nodes;      ///< [elements]
  const Real* volume;               ///< [14 × elements] mm³
  const QuadraticTable* table;      ///< one
  const Cell* cell_models;          ///< the different ones
  const std::uint16_t* cell_model;  ///< [elements] index into cell_models
  ElementState state;
  TangentResidual* adds;  ///< [14 × elements] out

  CARDIOWARP_HD void operator()(Index point) const {
    const Index element = point / quadratic_points, q = point % quadratic_points;
    const Cell& cell = cell_models[cell_model[element]];
    Real phi = 0, load = 0;
    bool admissible = true;
    for (int i = 0; i < quadratic_nodes; ++i) {
      const Index node = nodes[element][i];
      const Real shape = table->shape[q][i], at_node = state.phi[node];
      phi += shape * at_node;
      load += shape * state.load[node];
      admissible = admissible && cell.admissible(at_node);
    }
    Real old[Cell::states];
    for (int i = 0; i < Cell::states; ++i) old[i] = state.states_old[state.place(i, point)];
    const PointReaction<Cell::states> here =
        point_reaction(cell, admissible && cell.admissible(phi) ? phi : NAN, old, *state.step);
    for (int i = 0; i < Cell::states; ++i) state.states[state.place(i, point)] = here.state[i];
    adds[point] = {volume[point] * here.tangent, volume[point] * (here.residual - load)};
  }
};

/// Loop body over the elements: the 55 numbers of the symmetric matrix and the 10 of the residual that the points of an
/// element make, number k of element e at k · elements + e.
struct QuadraticNumbers {
  Index elements;
  const QuadraticTable* table;
  const TangentResidual* adds;  ///< [14 × elements]
  Real* number;                 ///< [65 × elements] out

  CARDIOWARP_HD void operator()(Index element) const {
    Real tangent[quadratic_points], residual[quadratic_points];
    for (int q = 0; q < quadratic_points; ++q) {
      const TangentResidual& point = adds[std::int64_t{quadratic_points} * element + q];
      tangent[q] = point.tangent;
      residual[q] = point.residual;
    }
    Real* to = number + element;
    for (int i = 0; i < quadratic_nodes; ++i)
      for (int j = i; j < quadratic_nodes; ++j, to += elements) {
        Real sum = 0;
        for (int q = 0; q < quadratic_points; ++q) sum += tangent[q] * table->shape[q][i] * table->shape[q][j];
        *to = sum;
      }
    for (int i = 0; i < quadratic_nodes; ++i, to += elements) {
      Real sum = 0;
      for (int q = 0; q < quadratic_points; ++q) sum += residual[q] * table->shape[q][i];
      *to = sum;
    }
  }
};

/// Loop body over the slots of K: what is stored there, padding included, for which there is nothing to add.
struct QuadraticEntries {
  const std::uint32_t *begin, *contribution;  ///< [slots + 1], [100 × elements]
  const Real *number, *diffusion;             ///< [65 × elements], [slots]
  Real* value;                                ///< [slots] out

  CARDIOWARP_HD void operator()(Index slot) const {
    Real sum = diffusion[slot];
    for (std::uint32_t c = begin[slot]; c < begin[slot + 1]; ++c) sum += number[contribution[c]];
    value[slot] = sum;
  }
};

/// Loop body over the nodes: −R, where it comes as the part of diffusion of R, and 1 / K_ii.
struct QuadraticResiduals {
  const Index* begin;                 ///< [nodes + 1]
  const std::uint32_t* contribution;  ///< [10 × elements]
  const Real* number;                 ///< [65 × elements]
  const Index* diagonal_slot;         ///< [nodes]
  const Real* value;                  ///< [slots] K
  Real* negative_residual;            ///< [nodes]
  Real* inverse_diagonal;             ///< [nodes] out

  CARDIOWARP_HD void operator()(Index node) const {
    Real sum = negative_residual[node];
    for (Index c = begin[node]; c < begin[node + 1]; ++c) sum += number[contribution[c]];
    negative_residual[node] = -sum;
    inverse_diagonal[node] = 1 / value[diagonal_slot[node]];
  }
};

/// The assembly of a quadratic mesh in the memory of a backend.
template <Backend B, CellModel Cell>
class QuadraticAssembly final : public Assembly<B> {
 public:
  QuadraticAssembly(B& backend, const QuadraticPlan& plan, const std::vector<Cell>& cells,
                    const std::vector<std::uint16_t>& cell_model)
      : elements_(plan.elements()),
        slots_(static_cast<Index>(plan.diffusion.size())),
        node_count_(static_cast<Index>(plan.diagonal_slot.size())),
        table_(uploaded(backend, std::vector<QuadraticTable>{quadratic_table()})),
        nodes_(uploaded(backend, plan.nodes)),
        volume_(uploaded(backend, plan.volume)),
        diffusion_(uploaded(backend, plan.diffusion)),
        entry_begin_(uploaded(backend, plan.entry_begin)),
        entry_(uploaded(backend, plan.entry)),
        node_(uploaded(backend, plan.node)),
        node_begin_(uploaded(backend, plan.node_begin)),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)),
        cells_(uploaded(backend, cells)),
        cell_model_(uploaded(backend, cell_model)),
        adds_(backend.template allocate<TangentResidual>(plan.volume.size())),
        number_(backend.template allocate<Real>(plan.nodes.size() * (quadratic_entries + quadratic_nodes))) {}

  void evaluate_elements(B& backend, const ElementState& state) override {
    backend.for_each(elements_ * quadratic_points,
                     QuadraticReactions<Cell>{nodes_.data(), volume_.data(), table_.data(), cells_.data(),
                                              cell_model_.data(), state, adds_.data()});
    backend.for_each(elements_, QuadraticNumbers{elements_, table_.data(), adds_.data(), number_.data()});
  }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    backend.for_each(
        slots_, QuadraticEntries{entry_begin_.data(), entry_.data(), number_.data(), diffusion_.data(), K.value()});
    K.multiply(backend, diffusion_.data(), phi, negative_residual);
    backend.for_each(node_count_,
                     QuadraticResiduals{node_begin_.data(), node_.data(), number_.data(), diagonal_slot_.data(),
                                        K.value(), negative_residual, inverse_diagonal});
  }

 private:
  Index elements_, slots_, node_count_;
  Buffer<QuadraticTable> table_;
  Buffer<QuadraticNodes> nodes_;
  Buffer<Real> volume_, diffusion_;
  Buffer<std::uint32_t> entry_begin_, entry_, node_;
  Buffer<Index> node_begin_, diagonal_slot_;
  Buffer<Cell> cells_;
  Buffer<std::uint16_t> cell_model_;
  Buffer<TangentResidual> adds_;
  Buffer<Real> number_;
};

}  // namespace cardiowarp
