#include "app/advice/step_resolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/config/config.hpp"
#include "app/simulation/problem.hpp"
#include "fem/cells/cell_model.hpp"

namespace cardiowarp {
namespace {

constexpr Real infinity = std::numeric_limits<Real>::infinity();
constexpr Real bearable_step_error = 0.05, good_step_error = 0.01;

/// κ at a step of one τ, in `speed_error_of_step`.
Real kappa_per_tau(const Front& front) {
  const Real speed = std::max<Real>(front.speed, 0);
  return speed * speed / 2;
}

/// The step (in τ) that `time.adaptive` takes while a front travels, as far as its tolerance decides: a fixed multiple
/// of √tolerance times the time in which the front moves on by its thickness, fitted to the table of
/// docs/method/time_stepping.md.
Real adaptive_step(const Front& front, Real tolerance) {
  constexpr Real fitted = 2.75;
  return front.speed > 0 ? fitted * std::sqrt(tolerance * front.thickness_square) / front.speed : infinity;
}

/// The tolerance with which it takes that step.
Real tolerance_of_step(const Front& front, Real step) {
  const Real ratio = step / adaptive_step(front, 1);
  return ratio * ratio;
}

/// The errors that a scheme of order 2 makes in the speed of a front, by its steps and by its tolerance.
struct OrderTwo : FrontErrors {
  static constexpr Real usual_tolerance = 1e-3, bearable = 0.02, good = 0.01, largest_known = 0.1;

  Real error_of_step(const Front& front, Real step) const {
    const Real kappa = step * kappa_per_tau(front);
    return of_step * kappa * kappa;
  }
  Real step_of_error(const Front& front, Real error) const { return std::sqrt(error / of_step) / kappa_per_tau(front); }
  Real error_of_tolerance(Real tolerance) const {
    return of_tolerance * std::cbrt(square(tolerance / usual_tolerance));
  }
  Real tolerance_of_error(Real error) const { return usual_tolerance * std::pow(error / of_tolerance, Real(1.5)); }

 private:
  static Real square(Real value) { return value * value; }
};

OrderTwo order_two(TimeScheme scheme) { return {traits_of(scheme).front_errors}; }

std::string order_two_warning(const TimeConfig& time, const Problem& problem) {
  const OrderTwo scheme = order_two(time.scheme);
  const Scaling scaling = problem.scaling();
  const AdaptiveConfig& adaptive = time.adaptive;
  Real worst = 0, good_ms = 0;
  const Real longest_ms = adaptive.enabled ? adaptive.max_step_ms : time.step_ms;
  for (const Front& front : fronts_of(problem.cell_models))
    if (const Real error = scheme.error_of_step(front, scaling.tau_from_ms(longest_ms)); error > worst) {
      worst = error;
      good_ms = scaling.ms_per_tau * scheme.step_of_error(front, OrderTwo::good);
    }
  const Real by_tolerance = scheme.error_of_tolerance(adaptive.tolerance);
  if (adaptive.enabled && by_tolerance < worst)
    return by_tolerance <= OrderTwo::bearable
               ? ""
               : fmt::format("time.adaptive.tolerance of {:.3g} puts activation times {} off; {:.1g} about 1 %",
                             adaptive.tolerance, percent(by_tolerance, OrderTwo::largest_known),
                             scheme.tolerance_of_error(OrderTwo::good));
  if (worst <= OrderTwo::bearable) return "";
  return fmt::format("{} of {:.6g} ms makes the front {} too {}; {:.2g} ms about 1 %",
                     adaptive.enabled ? "time.adaptive.max_step" : "time.step", longest_ms,
                     percent(worst, OrderTwo::largest_known), scheme.fast ? "fast" : "slow", good_ms);
}

}  // namespace

std::string percent(Real error, Real largest_known) {
  return error > largest_known ? fmt::format("more than {:.0f} %", 100 * largest_known)
                               : fmt::format("about {:.2g} %", 100 * error);
}

Real speed_error_of_step(const Front& front, Real step) {
  // (φ − φ_n)/h = φ' − h/2 φ'' + ..., and φ'' = v² ∂²φ/∂x² in a front of speed v: it travels as with D̃ + h v²/2.
  // From v² = C² D̃ follows v / v_0 = 1 / √(1 − κ), κ = h C² / 2.
  const Real kappa = step * kappa_per_tau(front);
  return kappa < 1 ? 1 / std::sqrt(1 - kappa) - 1 : infinity;
}

Real step_of_speed_error(const Front& front, Real error) {
  const Real speed = 1 + error;
  return (1 - 1 / (speed * speed)) / kappa_per_tau(front);
}

std::string step_warning(const TimeConfig& time, const Problem& problem) {
  if (time.interpolates()) return order_two_warning(time, problem);
  struct Limit {
    std::string key;  ///< with its value
    std::string good;
    Real error = 0;
  } worst;
  const Scaling scaling = problem.scaling();
  const Real ms_per_tau = scaling.ms_per_tau;
  const Real steepest = steepest_reaction(problem.cell_models);
  for (const Front& front : fronts_of(problem.cell_models)) {
    const Real good_ms = ms_per_tau * step_of_speed_error(front, good_step_error);
    const auto consider = [&](Real step_ms, const std::string& key, const std::string& good) {
      if (const Real error = speed_error_of_step(front, scaling.tau_from_ms(step_ms)); error > worst.error)
        worst = {key, good, error};
    };
    if (!time.adaptive.enabled) {
      consider(time.step_ms, fmt::format("time.step of {:.6g} ms", time.step_ms), fmt::format("{:.2g} ms", good_ms));
      continue;
    }
    const Real by_tolerance =
        std::max(ms_per_tau * adaptive_step(front, time.adaptive.tolerance), time.adaptive.min_step_ms);
    if (by_tolerance <= time.adaptive.max_step_ms)
      consider(by_tolerance, fmt::format("time.adaptive.tolerance of {:.3g}", time.adaptive.tolerance),
               fmt::format("{:.1g}", tolerance_of_step(front, scaling.tau_from_ms(good_ms))));
    else
      consider(time.adaptive.max_step_ms, fmt::format("time.adaptive.max_step of {:.6g} ms", time.adaptive.max_step_ms),
               fmt::format("{:.2g} ms", good_ms));
  }
  if (worst.error <= bearable_step_error) return "";
  std::string warning =
      fmt::format("{} makes the front {} too fast; {} about 1 %", worst.key, percent(worst.error), worst.good);
  // The tangent stays positive definite while 1/h > max df/dφ.
  if (!time.adaptive.enabled && scaling.tau_from_ms(time.step_ms) * steepest >= 1)
    warning += fmt::format(", and from {:.3g} ms on a step may have no solution", ms_per_tau / steepest);
  return warning;
}

}  // namespace cardiowarp
