#pragma once
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "assembly/ionic/ionic_loop.hpp"
#include "fem/cells/ionic/built_in.hpp"
#include "kernels/backend/cpu_backend.hpp"

namespace cardiowarp {

/// Loop body over the points of an ionic model: the stage of its cell, which is in mV and ms, in the units of φ. The
/// equations are evaluated in numbers of the type Number.
template <IonicCellModel Cell, class Number>
struct EvaluateIonicPoint {
  static constexpr int states = states_of_ionic<Cell>;
  /// A GPU hides what a cell waits for behind other cells: it has as many at once as their registers leave room for,
  /// and some numbers of a cell in float go to the L1 cache for that. Cells in double, and large ones, have all the
  /// registers that a thread can have.
  static constexpr int threads_that_share = 128, blocks_at_once = std::is_same_v<Number, float> && states <= 24 ? 4 : 2;

  const Cell* cells;
  Scaling scaling;
  IonicPoints points;
  ElementState state;

  CARDIOWARP_HD void operator()(Index k) const {
    const Index point = points.point ? points.point[k] : k, node = points.node[point];
    Real old[states];
    for (int i = 0; i < states; ++i) old[i] = state.states_old[state.place(i, point)];
    const Real phi = state.phi[node], step = *state.step, inverse_step = 1 / step;
    const IonicStage<Cell> end =
        ionic_stage<Number>(cells[points.cell_model[point]], scaling.mv_from_phi(phi), old, step);
    for (int i = 0; i < states; ++i) state.states[state.place(i, point)] = end.state[i];
    const Real volume = points.volume[point];
    points.adds[point] = {volume * (inverse_step + end.slope),
                          volume * (phi * inverse_step + end.current / scaling.mv_per_phi - state.load[node])};
  }
};

/// The loop of a model of ionic_cell.hpp, in the precision of the model.
template <Backend B, IonicCellModel Cell>
class IonicLoopOfModel final : public IonicLoop<B> {
 public:
  IonicLoopOfModel(B& backend, const IonicModel& model, std::span<const IonicCell> cells, const Scaling& scaling)
      : scaling_(scaling),
        is_single_(is_single(precision_of(model), !std::is_same_v<B, CpuBackend>)),
        cells_(uploaded(backend, typed_cells(model, cells))) {}

  void evaluate(B& backend, const IonicPoints& points, const ElementState& state) const override {
    if (is_single_)
      backend.for_each(points.number, EvaluateIonicPoint<Cell, float>{cells_.data(), scaling_, points, state});
    else
      backend.for_each(points.number, EvaluateIonicPoint<Cell, Real>{cells_.data(), scaling_, points, state});
  }

 private:
  /// Has a default in the place of each cell of another model.
  static std::vector<Cell> typed_cells(const IonicModel& model, std::span<const IonicCell> cells) {
    std::vector<Cell> result;
    for (const IonicCell& cell : cells) result.push_back(cell.model == &model ? typed<Cell>(cell) : Cell{});
    return result;
  }

  Scaling scaling_;
  bool is_single_;
  Buffer<Cell> cells_;
};

template <Backend B, class Cell>
std::unique_ptr<IonicLoop<B>> make_ionic_loop_of(B& backend, const IonicModel& model, std::span<const IonicCell> cells,
                                                 const Scaling& scaling) {
  return std::make_unique<IonicLoopOfModel<B, Cell>>(backend, model, cells, scaling);
}

}  // namespace cardiowarp
