#pragma once
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/vertex_points.hpp"
#include "fem/cells/reaction_element.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

// The assemblies for integration points at the nodes (vertex_points.hpp), which change the diagonal of K alone.
// DiagonalAssembly is for `quadrature: vertices`, where all points are at nodes, and also gives the explicit scheme
// rkc2 its rates. AssemblyWithVertices is for `quadrature: vertices_and_centroid`, and adds the diagonal to what
// another assembly makes of the centroids. The loop bodies stand first, then the plan, and the assemblies last.

/// Loop body over the nodes: what the integration points of a node add to K_II and R_I. With the points at the corners
/// the mass and the reaction of an element only couple a node with itself.
template <CellModel Cell>
struct VertexReactions {
  const Index* begin;               ///< [nodes + 1] of VertexPoints
  const std::uint16_t* cell_model;  ///< [points]
  const Real* volume;               ///< [points] mm³
  const Cell* cells;
  ElementState state;
  Index first_point;      ///< of these points among all of the tissue
  TangentResidual* adds;  ///< [nodes] out

  CARDIOWARP_HD void operator()(Index node) const {
    const Real phi = state.phi[node], load = state.load[node];
    TangentResidual sum;
    for (Index point = begin[node]; point < begin[node + 1]; ++point) {
      const Cell& cell = cells[cell_model[point]];
      Real old[Cell::states];
      for (int i = 0; i < Cell::states; ++i) old[i] = state.states_old[state.place(i, first_point + point)];
      const PointReaction<Cell::states> here = point_reaction(cell, cell.admissible(phi) ? phi : NAN, old, *state.step);
      for (int i = 0; i < Cell::states; ++i) state.states[state.place(i, first_point + point)] = here.state[i];
      sum += {volume[point] * here.tangent, volume[point] * (here.residual - load)};
    }
    adds[node] = sum;
  }
};

/// Loop body over the nodes: the rates of φ, (Σ_points V f − (K φ)_i) / Σ_points V, and of the states of their cells.
template <CellModel Cell>
struct VertexRates {
  const Index* begin;               ///< [nodes + 1] of VertexPoints
  const std::uint16_t* cell_model;  ///< [points]
  const Real* volume;               ///< [points] mm³
  const Cell* cells;
  RateState state;  ///< rate: in K φ

  CARDIOWARP_HD void operator()(Index node) const {
    const Real phi = state.phi[node];
    Real mass = 0, reaction = 0;
    for (Index point = begin[node]; point < begin[node + 1]; ++point) {
      const Cell& cell = cells[cell_model[point]];
      Real at[Cell::states];
      for (int i = 0; i < Cell::states; ++i) at[i] = state.states[state.place(i, point)];
      const CellRates<Cell::states> rates = cell.rates(cell.admissible(phi) ? phi : NAN, at);
      for (int i = 0; i < Cell::states; ++i) state.states_rate[state.place(i, point)] = rates.g[i];
      mass += volume[point];
      reaction += volume[point] * rates.f;
    }
    state.rate[node] = mass > 0 ? (reaction - state.rate[node]) / mass : 0;
  }
};

/// Loop body over the nodes: the largest row sum of the magnitudes of the derivative of f and g at their points, which
/// bounds its spectral radius (Gershgorin).
template <CellModel Cell>
struct VertexStiffness {
  const Index* begin;               ///< [nodes + 1] of VertexPoints
  const std::uint16_t* cell_model;  ///< [points]
  const Cell* cells;
  RateState state;

  CARDIOWARP_HD Real operator()(Index node) const {
    Real largest = 0;
    for (Index point = begin[node]; point < begin[node + 1]; ++point) {
      Real at[Cell::states];
      for (int i = 0; i < Cell::states; ++i) at[i] = state.states[state.place(i, point)];
      const CellRates<Cell::states> rates = cells[cell_model[point]].rates(state.phi[node], at);
      Real row = std::fabs(rates.df_dphi);
      for (int i = 0; i < Cell::states; ++i) row += std::fabs(rates.df_dstate[i]);
      largest = std::fmax(largest, row);
      for (int i = 0; i < Cell::states; ++i) {
        row = std::fabs(rates.dg_dphi[i]);
        for (int j = 0; j < Cell::states; ++j) row += std::fabs(rates.dg_dstate[i][j]);
        largest = std::fmax(largest, row);
      }
    }
    return largest;
  }
};

/// Loop body over the nodes: K_II, 1 / K_II and −R from the sums of the vertex points and of everything else.
struct AddAtDiagonal {
  const Index* diagonal_slot;    ///< [nodes]
  const Real* diagonal_without;  ///< [slots] where the entry of the diagonal is without the vertex points
  const TangentResidual* adds;   ///< [nodes]
  Real* value;                   ///< [slots] out, at the diagonal: K
  Real* negative_residual;       ///< [nodes] in: minus the rest of R
  Real* inverse_diagonal;        ///< [nodes] out
  Real sign;                     ///< of negative_residual: −1 where it comes as the rest of R itself

  CARDIOWARP_HD void operator()(Index node) const {
    const Index slot = diagonal_slot[node];
    const Real diagonal = diagonal_without[slot] + adds[node].tangent;
    value[slot] = diagonal;
    inverse_diagonal[node] = 1 / diagonal;
    negative_residual[node] = sign * negative_residual[node] - adds[node].residual;
  }
};

/// to = from
struct CopyValues {
  Real* to;
  const Real* from;
  CARDIOWARP_HD void operator()(Index i) const { to[i] = from[i]; }
};

/// What the vertex rule needs beside the state. Host memory.
struct VertexPlan {
  VertexPoints points;
  Index first_point = 0;             ///< of these points among all of the tissue
  std::vector<Index> diagonal_slot;  ///< [nodes]
  std::vector<Real> diffusion;       ///< [slots] the constant part of K, of DiagonalAssembly; else empty
  Real stiffness = 0;                ///< there: a bound of the spectral radius of diffusion, per τ
};

/// `share` is what all corners have of an element's volume, `cell_model` is [elements].
VertexPlan vertex_plan(const Mesh& mesh, Real share, const std::vector<std::uint16_t>& cell_model,
                       const Sparsity& sparsity, const MatrixLayout& layout);

/// The vertex points of a mesh in the memory of a backend, and what they add at each node. A node costs 4 bytes of its
/// points' numbers, φ and load, 16 to write and as many to read again; a point 10 bytes and twice its states.
template <Backend B, CellModel Cell>
class VertexLoop {
 public:
  VertexLoop(B& backend, const VertexPlan& plan, const std::vector<Cell>& cells)
      : nodes_(static_cast<Index>(plan.diagonal_slot.size())),
        first_point_(plan.first_point),
        begin_(uploaded(backend, plan.points.begin)),
        cell_model_(uploaded(backend, plan.points.cell_model)),
        volume_(uploaded(backend, plan.points.volume)),
        cells_(uploaded(backend, cells)),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)),
        adds_(backend.template allocate<TangentResidual>(plan.diagonal_slot.size())) {}

  void evaluate(B& backend, const ElementState& state) {
    backend.for_each(nodes_, VertexReactions<Cell>{begin_.data(), cell_model_.data(), volume_.data(), cells_.data(),
                                                   state, first_point_, adds_.data()});
  }

  /// The rates, where state.rate has K φ; of points that are all there are.
  void evaluate_rates(B& backend, const RateState& state) {
    backend.for_each(nodes_,
                     VertexRates<Cell>{begin_.data(), cell_model_.data(), volume_.data(), cells_.data(), state});
  }
  void largest_stiffness(B& backend, const RateState& state, Real* result) {
    backend.maximum(nodes_, result, VertexStiffness<Cell>{begin_.data(), cell_model_.data(), cells_.data(), state});
  }

  const Index* diagonal_slot() const { return diagonal_slot_.data(); }  ///< [nodes]
  const TangentResidual* adds() const { return adds_.data(); }          ///< [nodes] of the last evaluate()

  /// `diagonal` [slots] is the diagonal without the points; `sign` times negative_residual is minus the rest of R.
  void add(B& backend, const Real* diagonal, Real* value, Real sign, Real* negative_residual,
           Real* inverse_diagonal) const {
    backend.for_each(nodes_, AddAtDiagonal{diagonal_slot_.data(), diagonal, adds_.data(), value, negative_residual,
                                           inverse_diagonal, sign});
  }

 private:
  Index nodes_, first_point_;
  Buffer<Index> begin_;
  Buffer<std::uint16_t> cell_model_;
  Buffer<Real> volume_;
  Buffer<Cell> cells_;
  Buffer<Index> diagonal_slot_;
  Buffer<TangentResidual> adds_;
};

/// quadrature: vertices. K is the constant diffusion matrix plus a diagonal, so that an iteration only writes the
/// diagonal: a product with the diffusion matrix for R, and 60 bytes a node.
template <Backend B, CellModel Cell>
class DiagonalAssembly final : public Assembly<B> {
 public:
  DiagonalAssembly(B& backend, const VertexPlan& plan, const std::vector<Cell>& cells)
      : vertices_(backend, plan, cells), diffusion_(uploaded(backend, plan.diffusion)) {}

  void begin(B& backend, GlobalMatrix<B>& K) override {
    backend.for_each(static_cast<Index>(diffusion_.size()), CopyValues{K.value(), diffusion_.data()});
  }
  void evaluate_elements(B& backend, const ElementState& state) override { vertices_.evaluate(backend, state); }
  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    K.multiply(backend, diffusion_.data(), phi, negative_residual);
    vertices_.add(backend, diffusion_.data(), K.value(), -1, negative_residual, inverse_diagonal);
  }
  const Index* diagonal_slot() const override { return vertices_.diagonal_slot(); }

  void evaluate_rates(B& backend, GlobalMatrix<B>& K, const RateState& state) override {
    K.multiply(backend, diffusion_.data(), state.phi, state.rate);
    vertices_.evaluate_rates(backend, state);
  }
  void largest_stiffness(B& backend, const RateState& state, Real* result) override {
    vertices_.largest_stiffness(backend, state, result);
  }

 private:
  VertexLoop<B, Cell> vertices_;
  Buffer<Real> diffusion_;
};

/// quadrature: vertices_and_centroid. An assembly for the centroids, whose weight is in its elements' volumes, and the
/// vertex points added at the diagonal of what it made.
template <Backend B, CellModel Cell>
class AssemblyWithVertices final : public Assembly<B> {
 public:
  AssemblyWithVertices(B& backend, const VertexPlan& plan, const std::vector<Cell>& cells,
                       std::unique_ptr<Assembly<B>> centroids)
      : vertices_(backend, plan, cells), centroids_(std::move(centroids)) {}

  void begin(B& backend, GlobalMatrix<B>& K) override { centroids_->begin(backend, K); }
  void evaluate_elements(B& backend, const ElementState& state) override {
    centroids_->evaluate_elements(backend, state);
    vertices_.evaluate(backend, state);
  }
  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    centroids_->assemble(backend, K, phi, negative_residual, inverse_diagonal);
    vertices_.add(backend, K.value(), K.value(), 1, negative_residual, inverse_diagonal);
  }

 private:
  VertexLoop<B, Cell> vertices_;
  std::unique_ptr<Assembly<B>> centroids_;
};

}  // namespace cardiowarp
