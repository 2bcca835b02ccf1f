#pragma once
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/vector_loops.hpp"
#include "assembly/vertex_points.hpp"
#include "fem/cells/reaction_element.hpp"
#include "kernels/backend/backend.hpp"
#include "kernels/sparse/ell_warp.hpp"

namespace cardiowarp {

struct Mesh;

// The assemblies for integration points at the nodes (vertex_points.hpp), which change the diagonal of K alone.
// DiagonalAssembly is for `quadrature: vertices`, where all points are at nodes, and also gives the explicit scheme
// rkc2 its rates. AssemblyWithVertices is for `quadrature: vertices_and_centroid`, and adds the diagonal to what
// another assembly makes of the centroids. The computation at a node stands first, then the plan, and the assemblies
// last.

/// The sums of the integration points of a node for K_II and R_I. With the points at the corners the mass and the
/// reaction of an element only couple a node with itself.
template <CellModel Cell>
struct VertexReactions {
  const Index* begin;               ///< [nodes + 1] of VertexPoints
  const std::uint16_t* cell_model;  ///< [points]
  const Real* volume;               ///< [points] mm³
  const Cell* cells;
  ElementState state;
  Index first_point;  ///< of these points among all of the tissue

  /// The sum over the points of a node, whose states at the end of the step are written.
  CARDIOWARP_HD TangentResidual evaluate(Index node) const {
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
    return sum;
  }
};

/// Loop body over the nodes: keeps what their points add.
template <CellModel Cell>
struct KeepVertexReactions {
  VertexReactions<Cell> reactions;
  TangentResidual* adds;  ///< [nodes] out

  CARDIOWARP_HD void operator()(Index node) const { adds[node] = reactions.evaluate(node); }
};

/// Turns a row of the product K φ into the rates of φ, (Σ_points V f − (K φ)_i) / Σ_points V, and of the states of the
/// cells of its node. It is a result of ell_warp_multiply().
template <CellModel Cell>
struct VertexRates {
  const Index* begin;               ///< [nodes + 1] of VertexPoints
  const std::uint16_t* cell_model;  ///< [points]
  const Real* volume;               ///< [points] mm³
  const Cell* cells;
  RateState state;

  CARDIOWARP_HD void operator()(Index node, Real product) const {
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
    state.rate[node] = mass > 0 ? (reaction - product) / mass : 0;
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

/// The diagonal of K and its inverses.
struct DiagonalOfMatrix {
  const Index* slot;       ///< [nodes] of its entries
  const Real* rest;        ///< [slots] K without the vertex points
  Real* value;             ///< [slots] out, at the diagonal: K
  Real* inverse_diagonal;  ///< [nodes] out

  CARDIOWARP_HD void write(Index node, Real tangent) const {
    const Real entry = rest[slot[node]] + tangent;
    value[slot[node]] = entry;
    inverse_diagonal[node] = 1 / entry;
  }
};

/// Loop body over the nodes: K_II, 1 / K_II and −R from what the vertex points add to those of everything else.
struct AddAtDiagonal {
  DiagonalOfMatrix diagonal;
  const TangentResidual* adds;  ///< [nodes]
  Real* negative_residual;      ///< [nodes] in: minus the rest of R

  CARDIOWARP_HD void operator()(Index node) const {
    diagonal.write(node, adds[node].tangent);
    negative_residual[node] -= adds[node].residual;
  }
};

/// Turns a row of the product of the diffusion matrix and φ, where all integration points are at the nodes, into −R_i =
/// −(K_diffusion φ)_i − Σ_points residual, K_II = K_diffusion,II + Σ_points tangent, and 1 / K_II. It is a result of
/// ell_warp_multiply(). `Reactions` evaluates the points of a node, as VertexReactions does.
template <class Reactions>
struct FinishRow {
  Reactions reactions;
  DiagonalOfMatrix diagonal;
  Real* negative_residual;  ///< [nodes] out

  CARDIOWARP_HD void operator()(Index node, Real product) const {
    const TangentResidual sum = reactions.evaluate(node);
    diagonal.write(node, sum.tangent);
    negative_residual[node] = -product - sum.residual;
  }
};

/// Loop body over the nodes: gives a result that takes rows those of a product that has been stored.
template <class Result>
struct GiveStoredRows {
  Result result;
  const Real* product;  ///< [nodes]
  CARDIOWARP_HD void operator()(Index node) const { result(node, product[node]); }
};

/// The plan of the vertex rule beside the state. Host memory.
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

/// The constant part of K where all integration points are at the nodes, in backend memory and in the slots of K.
template <Backend B>
class DiffusionMatrix {
 public:
  DiffusionMatrix(B& backend, const VertexPlan& plan)
      : rows_(static_cast<Index>(plan.diagonal_slot.size())), value_(uploaded(backend, plan.diffusion)) {}

  const Real* value() const { return value_.data(); }  ///< [slots]
  void copy_to(B& backend, GlobalMatrix<B>& K) const {
    backend.for_each(static_cast<Index>(value_.size()), CopyValues{K.value(), value_.data()});
  }
  /// Gives `result` the rows of the product with φ, which are kept in `product`, [nodes], where the format of K cannot
  /// hand them on.
  template <TakesRows Result>
  void multiply(B& backend, const GlobalMatrix<B>& K, const Real* phi, Real* product, const Result& result) const {
    if (const EllWarpView slices = K.slices(value_.data()); slices.rows > 0) {
      ell_warp_multiply(backend, 0, slices, TimesVector{phi}, result);
    } else {
      K.multiply(backend, value_.data(), phi, product);
      backend.for_each(rows_, GiveStoredRows<Result>{result, product});
    }
  }

 private:
  Index rows_;
  Buffer<Real> value_;
};

/// The vertex points of a mesh and their cells in the memory of a backend: 8 bytes a node, 10 a point.
template <Backend B, CellModel Cell>
class VertexCells {
 public:
  VertexCells(B& backend, const VertexPlan& plan, const std::vector<Cell>& cells)
      : nodes_(static_cast<Index>(plan.diagonal_slot.size())),
        first_point_(plan.first_point),
        begin_(uploaded(backend, plan.points.begin)),
        cell_model_(uploaded(backend, plan.points.cell_model)),
        volume_(uploaded(backend, plan.points.volume)),
        cells_(uploaded(backend, cells)),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)) {}

  Index nodes() const { return nodes_; }
  const Index* diagonal_slot() const { return diagonal_slot_.data(); }  ///< [nodes]

  VertexReactions<Cell> reactions(const ElementState& state) const {
    return {begin_.data(), cell_model_.data(), volume_.data(), cells_.data(), state, first_point_};
  }
  /// Where no integration point is anywhere else.
  VertexRates<Cell> rates(const RateState& state) const {
    return {begin_.data(), cell_model_.data(), volume_.data(), cells_.data(), state};
  }
  void largest_stiffness(B& backend, const RateState& state, Real* result) const {
    backend.maximum(nodes_, result, VertexStiffness<Cell>{begin_.data(), cell_model_.data(), cells_.data(), state});
  }

 private:
  Index nodes_, first_point_;
  Buffer<Index> begin_;
  Buffer<std::uint16_t> cell_model_;
  Buffer<Real> volume_;
  Buffer<Cell> cells_;
  Buffer<Index> diagonal_slot_;
};

/// The sums of the vertex points at each node, kept for those of an assembly that has other points, too: 16 bytes a
/// node to write and as many to read again, beside what the points take.
template <Backend B, CellModel Cell>
class VertexLoop {
 public:
  VertexLoop(B& backend, const VertexPlan& plan, const std::vector<Cell>& cells)
      : cells_(backend, plan, cells),
        adds_(backend.template allocate<TangentResidual>(static_cast<std::size_t>(cells_.nodes()))) {}

  void evaluate(B& backend, const ElementState& state) {
    backend.for_each(cells_.nodes(), KeepVertexReactions<Cell>{cells_.reactions(state), adds_.data()});
  }
  const TangentResidual* adds() const { return adds_.data(); }  ///< [nodes] of the last evaluate()

  /// Adds them to K, minus the rest of R, and writes 1 / K_II.
  void add(B& backend, Real* value, Real* negative_residual, Real* inverse_diagonal) const {
    backend.for_each(
        cells_.nodes(),
        AddAtDiagonal{{cells_.diagonal_slot(), value, value, inverse_diagonal}, adds_.data(), negative_residual});
  }

 private:
  VertexCells<B, Cell> cells_;
  Buffer<TangentResidual> adds_;
};

/// quadrature: vertices. K is the constant diffusion matrix plus a diagonal, so that an iteration only writes the
/// diagonal. A product with the diffusion matrix gives the rest of R, and in ELL-WARP who has summed a row computes the
/// reaction of its node at once: one launch, which moves what a product moves and 66 bytes a node with one state a
/// cell. Another format stores the product, and a loop over the nodes comes after. evaluate_elements() only keeps the
/// state.
template <Backend B, CellModel Cell>
class DiagonalAssembly final : public Assembly<B> {
 public:
  DiagonalAssembly(B& backend, const VertexPlan& plan, const std::vector<Cell>& cells)
      : cells_(backend, plan, cells), diffusion_(backend, plan) {}

  void begin(B& backend, GlobalMatrix<B>& K) override { diffusion_.copy_to(backend, K); }
  void evaluate_elements(B& /*backend*/, const ElementState& state) override { state_ = state; }
  bool evaluates_ahead() const override { return false; }
  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    diffusion_.multiply(
        backend, K, phi, negative_residual,
        FinishRow<VertexReactions<Cell>>{cells_.reactions(state_),
                                         {cells_.diagonal_slot(), diffusion_.value(), K.value(), inverse_diagonal},
                                         negative_residual});
  }
  const Index* diagonal_slot() const override { return cells_.diagonal_slot(); }

  void evaluate_rates(B& backend, GlobalMatrix<B>& K, const RateState& state) override {
    diffusion_.multiply(backend, K, state.phi, state.rate, cells_.rates(state));
  }
  void largest_stiffness(B& backend, const RateState& state, Real* result) override {
    cells_.largest_stiffness(backend, state, result);
  }

 private:
  VertexCells<B, Cell> cells_;
  DiffusionMatrix<B> diffusion_;
  ElementState state_{};
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
    vertices_.add(backend, K.value(), negative_residual, inverse_diagonal);
  }

 private:
  VertexLoop<B, Cell> vertices_;
  std::unique_ptr<Assembly<B>> centroids_;
};

}  // namespace cardiowarp
