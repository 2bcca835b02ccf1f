#pragma once
#include <string>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Config;
struct Problem;
struct StepFailure;

/// Says where in the tissue a potential left its cell model's range, and what the numbers there suggest to change.
/// `run` adds it to the message of a step that failed; that step has the length `step_ms` and ends at `step_end_ms`. An
/// example is `region scar (tag 2), set by regions[0], edges up to 0.9 mm, front 0.18 mm thick: a finer mesh or a
/// larger diffusivity there may help`.
std::string describe_failure_place(const Config& config, const Problem& problem, const StepFailure& failure,
                                   Real step_end_ms, Real step_ms);

}  // namespace cardiowarp
