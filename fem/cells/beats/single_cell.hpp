#pragma once
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

namespace cardiowarp {

// A single cell that beats: what any cell can be asked, whatever its equations are and however they are integrated. The
// command `cardiowarp cell`, the protocols of restitution and the steady states in which tissue may begin see a cell
// through this interface. CellMlCell (cellml/single_cell.hpp) is one from a CellML file, Sdirk2Cell
// (app/cells/sdirk2_cell.hpp) one of a model of the program.

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

  double rise_mv() const { return peak_mv - rest_mv; }
};

/// Where a single cell is.
struct SingleCellState {
  double time_ms = 0, potential_mv = 0;
  std::vector<double> states = {};
};

/// One cell on its own, in the course of time.
class SingleCell {
 public:
  SingleCell() = default;
  SingleCell(const SingleCell&) = delete;
  SingleCell& operator=(const SingleCell&) = delete;
  virtual ~SingleCell() = default;

  /// Called with time [ms], the potential [mV] and the states at the end of each step.
  using OnPoint = std::function<void(double time_ms, double potential_mv, std::span<const double> states)>;

  /// One beat: the pulse at its beginning, then `period_ms` until its end in all. Throws NumericalFailure.
  virtual BeatReport beat(double period_ms, const CellPulse& pulse, const OnPoint& on_point = {}) = 0;

  virtual SingleCellState state() const = 0;
  /// Goes on from a state of the same model.
  virtual void set_state(const SingleCellState& state) = 0;
};

/// The equations of a cell could not be integrated further: the message has the time and the potential.
class NumericalFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace cardiowarp
