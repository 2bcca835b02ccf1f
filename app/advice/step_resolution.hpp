#pragma once
#include <string>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Front;
struct Problem;
struct TimeConfig;

/// By how much backward Euler with steps of `step` (in τ) makes a front too fast, relative to its speed: 0.084 at 1 ms
/// of Aliev–Panfilov with the default parameters; infinite where the step is as long as the front takes. No error where
/// no front travels.
Real speed_error_of_step(const Front& front, Real step);

/// The step with which the front is too fast by `error`, in τ; infinite where no front travels.
Real step_of_speed_error(const Front& front, Real error);

/// The warning of a time step, or of a tolerance or longest step of adaptive ones, that changes the speed of a front by
/// more than is bearable; empty where it does not.
std::string step_warning(const TimeConfig& time, const Problem& problem);

/// `about 3.2 %`, or `more than 30 %` where the error is larger than what is known of it.
std::string percent(Real error, Real largest_known = 0.3);

}  // namespace cardiowarp
