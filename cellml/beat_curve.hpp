#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "cellml/single_cell.hpp"
#include "cellml/stiff_solver.hpp"

namespace cardiowarp {

/// The potential of one beat, as the polynomials of its steps. What is reported of an action potential is read from
/// these, so that it does not depend on where the steps end.
class BeatCurve {
 public:
  /// Times are counted from `begin_ms`.
  explicit BeatCurve(double begin_ms) : begin_ms_(begin_ms) {}

  /// Adds the next step, in which the potential is unknown 0.
  void add(const StiffStep& step);

  BeatReport report() const;

 private:
  struct Piece {
    double t = 0, h = 0;
    std::array<double, 4> coefficients{};  ///< begin, end, third, fourth (StiffStep)

    double value(double s) const;
    double slope(double s) const;
  };

  void find_peak(BeatReport& report) const;
  void find_upstroke(BeatReport& report) const;
  /// When V passes `level` first after `from_ms`, upwards or downwards.
  std::optional<double> crossing(double level, double from_ms, bool upwards) const;

  double begin_ms_;
  std::vector<Piece> pieces_;
};

}  // namespace cardiowarp
