#pragma once
#include <string>

#include "app/config/config.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/simulation.hpp"

namespace cardiowarp {

/// Where in the tissue a potential left its cell model's range, in the step of `step_ms` that ends at `step_end_ms`,
/// and what the numbers there say to change: `region scar (tag 2), set by regions[0], edges up to 0.9 mm, front 0.18 mm
/// thick: a finer mesh or a larger diffusivity there may help`.
std::string describe_failure_place(const Config& config, const Problem& problem, const StepFailure& failure,
                                   Real step_end_ms, Real step_ms);

}  // namespace cardiowarp
