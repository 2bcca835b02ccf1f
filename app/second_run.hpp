#pragma once
#include "app/config/config.hpp"
#include "app/output/recorder.hpp"
#include "app/output/summary.hpp"
#include "app/process/exit_code.hpp"
#include "app/process/interrupt.hpp"
#include "app/simulation/problem.hpp"

// The runs that may follow a run to tell its errors: one with other steps tells those of the steps in time, and
// one on a mesh with edges half as long, eight times the elements, those of the mesh
// (app/simulation/error_estimate.hpp). The simulation of the first is given up before, so that a device need not hold
// both.

namespace cardiowarp {

/// Which errors of a run are to be estimated.
struct ErrorEstimates {
  bool in_time = false;
  bool of_mesh = false;

  bool any() const { return in_time || of_mesh; }
};

/// Throws InputError, in the name of the option, where there is nothing to estimate or no second run to do it with.
void require_estimates_possible(const Config& config, const ErrorEstimates& wanted);

/// Runs `problem`, whose run has come to its end with these maps and this summary, once more for each kind of error,
/// and adds what that says to maps.vtu and summary.json. Where a second run fails or is interrupted its errors are left
/// out, a message says so, and the exit code is that of such a run.
ExitCode add_estimates(const ErrorEstimates& wanted, const Config& config, const Problem& problem, Recorder& recorder,
                       RunSummary& summary, const InterruptGuard& interrupts);

}  // namespace cardiowarp
