#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "assembly/ionic/ionic_loop.hpp"
#include "assembly/vertex_assembly.hpp"

namespace cardiowarp {

/// The sums of the points of a node, which have been evaluated.
struct SummedPoints {
  const Index* begin;           ///< [nodes + 1] of VertexPoints
  const TangentResidual* adds;  ///< [points]

  CARDIOWARP_HD TangentResidual evaluate(Index node) const {
    TangentResidual sum;
    for (Index point = begin[node]; point < begin[node + 1]; ++point) sum += adds[point];
    return sum;
  }
};

/// The points whose cells are of a model, ascending.
std::vector<Index> points_of_model(const VertexPoints& points, std::span<const IonicCell> cells,
                                   const IonicModel& model);

/// [points] the node of each.
std::vector<Index> nodes_of_points(const VertexPoints& points);

/// The models of the cells, each once, in the order in which they come.
std::vector<const IonicModel*> models_of(std::span<const IonicCell> cells);

/// The ionic cells at the nodes of a mesh, in the memory of a backend.
template <Backend B>
class IonicCells {
 public:
  IonicCells(B& backend, const VertexPoints& points, std::span<const IonicCell> cells, const Scaling& scaling)
      : begin_(uploaded(backend, points.begin)),
        node_(uploaded(backend, nodes_of_points(points))),
        cell_model_(uploaded(backend, points.cell_model)),
        volume_(uploaded(backend, points.volume)),
        adds_(backend.template allocate<TangentResidual>(static_cast<std::size_t>(points.points()))) {
    const std::vector<const IonicModel*> models = models_of(cells);
    for (const IonicModel* model : models) {
      CellsOfModel of{make_ionic_loop(backend, *model, cells, scaling), {}, points.points()};
      if (models.size() > 1) {
        of.point = uploaded(backend, points_of_model(points, cells, *model));
        of.number = static_cast<Index>(of.point.size());
      }
      models_.push_back(std::move(of));
    }
  }

  /// The states at the end of the step, and what each cell adds.
  void evaluate(B& backend, const ElementState& state) const {
    for (const CellsOfModel& of : models_)
      of.loop->evaluate(
          backend, {of.number, of.point.data(), node_.data(), cell_model_.data(), volume_.data(), adds_.data()}, state);
  }
  /// The sums of the cells of each node, after evaluate().
  SummedPoints sums() const { return {begin_.data(), adds_.data()}; }

 private:
  struct CellsOfModel {
    std::unique_ptr<IonicLoop<B>> loop;
    Buffer<Index> point;  ///< [number] null where all points are of the model
    Index number;
  };

  Buffer<Index> begin_, node_;
  Buffer<std::uint16_t> cell_model_;
  Buffer<Real> volume_;
  Buffer<TangentResidual> adds_;
  std::vector<CellsOfModel> models_;
};

/// The assembly for ionic cells, whose integration points are at the nodes (quadrature: vertices): as DiagonalAssembly,
/// with the cells evaluated in loops of their own, one for each model, in evaluate_elements().
template <Backend B>
class IonicAssembly final : public Assembly<B> {
 public:
  /// `points` are those of the plan, with `cell_model` of `cells`.
  IonicAssembly(B& backend, const VertexPlan& plan, const VertexPoints& points, std::span<const IonicCell> cells,
                const Scaling& scaling)
      : cells_(backend, points, cells, scaling),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)),
        diffusion_(backend, plan) {}

  void begin(B& backend, GlobalMatrix<B>& K) override { diffusion_.copy_to(backend, K); }
  void evaluate_elements(B& backend, const ElementState& state) override { cells_.evaluate(backend, state); }
  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    const FinishRow<SummedPoints> finish{
        cells_.sums(), {diagonal_slot_.data(), diffusion_.value(), K.value(), inverse_diagonal}, negative_residual};
    diffusion_.multiply(backend, K, phi, negative_residual, finish);
  }
  const Index* diagonal_slot() const override { return diagonal_slot_.data(); }

 private:
  IonicCells<B> cells_;
  Buffer<Index> diagonal_slot_;
  DiffusionMatrix<B> diffusion_;
};

}  // namespace cardiowarp
