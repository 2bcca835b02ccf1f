#include "cellml/beat_curve.hpp"

#include <algorithm>

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

double BeatCurve::Piece::value(double s) const {
  const auto& [begin, end, third, fourth] = coefficients;
  return begin * (1 - s) + s * (end + (1 - s) * (third + s * fourth));
}

double BeatCurve::Piece::slope(double s) const {
  const auto& [begin, end, third, fourth] = coefficients;
  return (end - begin + (1 - 2 * s) * third + (2 * s - 3 * s * s) * fourth) / h;
}

void BeatCurve::add(const StiffStep& step) {
  pieces_.push_back({step.t, step.h, {step.begin[0], step.end[0], step.third[0], step.fourth[0]}});
}

void BeatCurve::find_peak(BeatReport& report) const {
  report.peak_mv = report.rest_mv;
  for (const Piece& piece : pieces_)
    for (int k = 0; k < samples; ++k) {
      const double a = static_cast<double>(k) / samples, b = a + 2.0 / samples;
      const double at = maximum_of([&](double s) { return piece.value(s); }, a, std::min(b, 1.0));
      if (piece.value(at) <= report.peak_mv) continue;
      report.peak_mv = piece.value(at);
      report.peak_ms = piece.t + at * piece.h - begin_ms_;
    }
}

void BeatCurve::find_upstroke(BeatReport& report) const {
  for (const Piece& piece : pieces_) {
    if (piece.t - begin_ms_ > report.peak_ms) break;
    for (int k = 0; k <= samples; ++k) {
      const double s = static_cast<double>(k) / samples;
      if (piece.slope(s) <= report.upstroke_mv_per_ms) continue;
      report.upstroke_mv_per_ms = piece.slope(s);
      report.upstroke_ms = piece.t + s * piece.h - begin_ms_;
    }
  }
}

std::optional<double> BeatCurve::crossing(double level, double from_ms, bool upwards) const {
  const auto is_past = [&](double value) { return upwards ? value >= level : value <= level; };
  for (const Piece& piece : pieces_) {
    if (piece.t + piece.h - begin_ms_ <= from_ms) continue;
    for (int k = 0; k < samples; ++k) {
      double a = static_cast<double>(k) / samples, b = a + 1.0 / samples;
      if (piece.t + b * piece.h - begin_ms_ <= from_ms || is_past(piece.value(a)) || !is_past(piece.value(b))) continue;
      for (int halving = 0; halving < 50; ++halving) {
        const double middle = (a + b) / 2;
        (is_past(piece.value(middle)) ? b : a) = middle;
      }
      return piece.t + b * piece.h - begin_ms_;
    }
  }
  return std::nullopt;
}

BeatReport BeatCurve::report() const {
  BeatReport report;
  if (pieces_.empty()) return report;
  report.rest_mv = pieces_.front().coefficients[0];
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
