#include "fem/cells/beats/beat_curve.hpp"

#include <algorithm>
#include <cmath>

namespace cardiowarp {
namespace {

constexpr int samples = 16;  ///< in a step, between which a cubic is taken to have one extremum

/// Where in [a, b] a function with one maximum there has it, by the golden section.
template <class Function>
double maximum_of(const Function& function, double a, double b) {
  constexpr double ratio = 0.6180339887498949;
  for (int k = 0; k < 40; ++k) {
    const double left = b - ratio * (b - a), right = a + ratio * (b - a);
    if (function(left) < function(right))
      a = left;
    else
      b = right;
  }
  return (a + b) / 2;
}

}  // namespace

double CurvePiece::value(double s) const { return begin * (1 - s) + s * (end + (1 - s) * (third + s * fourth)); }

double CurvePiece::slope(double s) const {
  return (end - begin + (1 - 2 * s) * third + (2 * s - 3 * s * s) * fourth) / length_ms;
}

// V'(0) = end − begin + third and V'(1) = end − begin − third − fourth, by s
CurvePiece hermite_piece(double begin_ms, double length_ms, std::array<double, 2> potential_mv,
                         std::array<double, 2> rate) {
  const double change = potential_mv[1] - potential_mv[0];
  const double third = length_ms * rate[0] - change;
  return {begin_ms, length_ms, potential_mv[0], potential_mv[1], third, change - length_ms * rate[1] - third};
}

void BeatCurve::find_peak(BeatReport& report) const {
  report.peak_mv = report.rest_mv;
  for (const CurvePiece& piece : pieces_) {
    // s (1 − s) <= 1/4
    const double bound = std::max(piece.begin, piece.end) + (std::abs(piece.third) + std::abs(piece.fourth)) / 4;
    if (bound <= report.peak_mv) continue;
    for (int k = 0; k < samples; ++k) {
      const double a = static_cast<double>(k) / samples, b = a + 2.0 / samples;
      const double at = maximum_of([&](double s) { return piece.value(s); }, a, std::min(b, 1.0));
      if (piece.value(at) <= report.peak_mv) continue;
      report.peak_mv = piece.value(at);
      report.peak_ms = piece.begin_ms + at * piece.length_ms - begin_ms_;
    }
  }
}

void BeatCurve::find_upstroke(BeatReport& report) const {
  for (const CurvePiece& piece : pieces_) {
    if (piece.begin_ms - begin_ms_ > report.peak_ms) break;
    for (int k = 0; k <= samples; ++k) {
      const double s = static_cast<double>(k) / samples;
      if (piece.slope(s) <= report.upstroke_mv_per_ms) continue;
      report.upstroke_mv_per_ms = piece.slope(s);
      report.upstroke_ms = piece.begin_ms + s * piece.length_ms - begin_ms_;
    }
  }
}

std::optional<double> BeatCurve::crossing(double level, double from_ms, bool upwards) const {
  const auto is_past = [&](double value) { return upwards ? value >= level : value <= level; };
  for (const CurvePiece& piece : pieces_) {
    if (piece.begin_ms + piece.length_ms - begin_ms_ <= from_ms) continue;
    for (int k = 0; k < samples; ++k) {
      double a = static_cast<double>(k) / samples, b = a + 1.0 / samples;
      if (piece.begin_ms + b * piece.length_ms - begin_ms_ <= from_ms || is_past(piece.value(a)) ||
          !is_past(piece.value(b)))
        continue;
      for (int halving = 0; halving < 50; ++halving) {
        const double middle = (a + b) / 2;
        (is_past(piece.value(middle)) ? b : a) = middle;
      }
      return piece.begin_ms + b * piece.length_ms - begin_ms_;
    }
  }
  return std::nullopt;
}

BeatReport BeatCurve::report() const {
  BeatReport report;
  if (pieces_.empty()) return report;
  report.rest_mv = pieces_.front().begin;
  find_peak(report);
  find_upstroke(report);
  report.zero_ms = crossing(0, 0, true);
  const auto duration = [&](double share) -> std::optional<double> {
    const double level = report.peak_mv + share * (report.rest_mv - report.peak_mv);
    const auto end = crossing(level, report.peak_ms, false);
    return end ? std::optional(*end - report.upstroke_ms) : std::nullopt;
  };
  report.apd50_ms = duration(0.5);
  report.apd90_ms = duration(0.9);
  return report;
}

}  // namespace cardiowarp
