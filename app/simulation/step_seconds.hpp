#pragma once

namespace cardiowarp {

/// Seconds spent in the phases of a step, summed over steps.
struct StepSeconds {
  double element = 0, assembly = 0, linear_solve = 0, update = 0;
};

}  // namespace cardiowarp
