#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "cellml/model.hpp"

namespace cardiowarp {

/// A pulse of current into a single cell: what it adds to dV/dt, positive depolarizes.
struct CellPulse {
  double amplitude_mv_per_ms = 0, duration_ms = 0;
};

/// An action potential. Times count from the beginning of its beat; those that did not happen in it are empty.
struct BeatReport {
  double rest_mv = 0;  ///< before the pulse
  double peak_mv = 0, peak_ms = 0;
  double upstroke_mv_per_ms = 0, upstroke_ms = 0;  ///< the largest dV/dt, and when
  std::optional<double> zero_ms = {};              ///< V passes 0 mV upwards
  /// From the upstroke until V is back by 50 and 90 % of the way from peak to rest.
  std::optional<double> apd50_ms = {}, apd90_ms = {};
};

/// Where a single cell is.
struct SingleCellState {
  double time_ms = 0, potential_mv = 0;
  std::vector<double> states = {};
};

/// One cell on its own, in the course of time: the equations of a model integrated with an error of `tolerance` a step,
/// relative to each state.
class SingleCell {
 public:
  explicit SingleCell(const CellMlModel& model, double tolerance = 1e-6);
  ~SingleCell();
  SingleCell(const SingleCell&) = delete;
  SingleCell& operator=(const SingleCell&) = delete;

  /// Called with time [ms], the potential [mV] and the states at the end of each step.
  using OnPoint = std::function<void(double time_ms, double potential_mv, std::span<const double> states)>;

  /// One beat: the pulse at its beginning, then `period_ms` until its end in all. Throws NumericalFailure.
  BeatReport beat(double period_ms, const CellPulse& pulse, const OnPoint& on_point = {});

  SingleCellState state() const;
  /// Goes on from a state of the same model.
  void set_state(const SingleCellState& state);
  double time_ms() const;
  double potential_mv() const;
  std::span<const double> states() const;
  std::size_t steps() const;

 private:
  class Equations;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The equations of a cell could not be integrated further: the message has the time and the potential.
class NumericalFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace cardiowarp
