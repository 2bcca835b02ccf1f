#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "cellml/model.hpp"
#include "fem/cells/beats/single_cell.hpp"

namespace cardiowarp {

/// A single cell of a CellML file: the equations of a model integrated with an error of `tolerance` a step,
/// relative to each state.
class CellMlCell final : public SingleCell {
 public:
  explicit CellMlCell(const CellMlModel& model, double tolerance = 1e-6);
  ~CellMlCell() override;

  BeatReport beat(double period_ms, const CellPulse& pulse, const OnPoint& on_point = {}) override;
  SingleCellState state() const override;
  void set_state(const SingleCellState& state) override;

  double time_ms() const;
  double potential_mv() const;
  std::span<const double> states() const;
  std::size_t steps() const;

 private:
  class Equations;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cardiowarp
