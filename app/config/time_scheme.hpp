#pragma once
#include <algorithm>
#include <array>
#include <string_view>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The time schemes, the values of `time.scheme`.
enum class TimeScheme {
  backward_euler,  ///< of order 1
  sdirk2,          ///< two stages of backward Euler a step, of order 2
  trbdf2,          ///< the trapezoidal rule and BDF2 in a step, of order 2
  bdf2,            ///< one stage of backward Euler a step, from the last two states, of order 2
  rkc2             ///< explicit stages, as many as a step needs to be stable, of order 2
};

/// The errors of a front with a scheme of order 2, as they were measured (docs/method/time_stepping.md).
struct FrontErrors {
  Real of_step = 0;       ///< of a front's speed with equal steps, over the square of κ as in speed_error_of_step()
  Real of_tolerance = 0;  ///< of activation times with a tolerance of 1e-3; grows with its power of 2/3
  bool fast = true;       ///< whether a front is too fast
};

/// The code that makes the steps of a scheme, which make_integrator() (app/simulation/make_integrator.hpp) chooses by
/// it.
enum class StepMaker { backward_euler, second_order, chebyshev };

/// The properties of a time scheme beside its code.
struct TimeSchemeTraits {
  std::string_view name;  ///< in YAML
  TimeScheme scheme;
  StepMaker maker = StepMaker::second_order;
  int order = 2;               ///< p: errors fall with the step to this power
  bool interpolates = true;    ///< whether states between the ends of steps are known
  bool solves_systems = true;  ///< whether a step solves linear systems
  FrontErrors front_errors{};  ///< of a scheme of order 2
};

/// Every time scheme. The names that YAML takes, what a run may do between its steps, advice on their length and the
/// tests over all schemes are made from this list.
inline constexpr std::array<TimeSchemeTraits, 5> time_schemes{{
    {.name = "backward_euler",
     .scheme = TimeScheme::backward_euler,
     .maker = StepMaker::backward_euler,
     .order = 1,
     .interpolates = false},
    {.name = "sdirk2", .scheme = TimeScheme::sdirk2, .front_errors = {0.02, 6e-4, true}},
    {.name = "trbdf2", .scheme = TimeScheme::trbdf2, .front_errors = {0.02, 6e-4, true}},
    {.name = "bdf2", .scheme = TimeScheme::bdf2, .front_errors = {0.19, 2e-3, true}},
    {.name = "rkc2",
     .scheme = TimeScheme::rkc2,
     .maker = StepMaker::chebyshev,
     .solves_systems = false,
     .front_errors = {0.034, 6e-4, false}},
}};

/// Whether the list has the schemes in the order of their values, each with all that it needs.
consteval bool time_schemes_are_complete() {
  for (std::size_t i = 0; i < time_schemes.size(); ++i) {
    const TimeSchemeTraits& traits = time_schemes[i];
    if (static_cast<std::size_t>(traits.scheme) != i || traits.name.empty()) return false;
    if (traits.order == 2 && !(traits.front_errors.of_step > 0 && traits.front_errors.of_tolerance > 0)) return false;
  }
  return true;
}
static_assert(time_schemes_are_complete());

constexpr const TimeSchemeTraits& traits_of(TimeScheme scheme) {
  return time_schemes[static_cast<std::size_t>(scheme)];
}

}  // namespace cardiowarp
