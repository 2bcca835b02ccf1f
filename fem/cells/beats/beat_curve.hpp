#pragma once
#include <array>
#include <vector>

#include "fem/cells/beats/single_cell.hpp"

namespace cardiowarp {

/// The potential in one step of an integrator, a cubic of s = 0 .. 1:
///   V(s) = begin (1 − s) + s (end + (1 − s) (third + s fourth))
struct CurvePiece {
  double begin_ms = 0, length_ms = 0;
  double begin = 0, end = 0, third = 0, fourth = 0;  ///< mV

  double value(double s) const;
  /// In mV/ms.
  double slope(double s) const;
};

/// The piece with these potentials at its ends and these rates there, in mV/ms (Hermite).
CurvePiece hermite_piece(double begin_ms, double length_ms, std::array<double, 2> potential_mv,
                         std::array<double, 2> rate);

/// The potential of one beat, as the polynomials of its steps. What is reported of an action potential is read from
/// these, so that it does not depend on where the steps end.
class BeatCurve {
 public:
  /// Times are counted from `begin_ms`.
  explicit BeatCurve(double begin_ms) : begin_ms_(begin_ms) {}

  /// Adds the next step.
  void add(const CurvePiece& piece) { pieces_.push_back(piece); }

  BeatReport report() const;

 private:
  void find_peak(BeatReport& report) const;
  void find_upstroke(BeatReport& report) const;
  /// When V passes `level` first after `from_ms`, upwards or downwards.
  std::optional<double> crossing(double level, double from_ms, bool upwards) const;

  double begin_ms_;
  std::vector<CurvePiece> pieces_;
};

}  // namespace cardiowarp
