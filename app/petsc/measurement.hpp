#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/output/phase_seconds.hpp"
#include "app/petsc/petsc_simulation.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/time_stepper.hpp"

namespace cardiowarp {

// The steps of a run computed with PETSc by cardiowarp_petsc, once its input has been read, as often as it is asked to,
// and timed. Every process calls measure() with one and the same problem. The times that come back are those of the
// slowest process in each phase. The results become a JSON text and raw numbers, which petsc_launcher.hpp reads on the
// other side.

struct PetscOptions {
  PetscMethods methods;
  std::int64_t steps = 0;  ///< the first ones of the run, as many as it has
  int repeats = 1;
  int warm_up_steps = 0;  ///< before anything is timed
};

/// The times and results of all processes together.
struct PetscMeasurement {
  std::int64_t steps = 0;  ///< those that were accepted
  int newton_iterations = 0, linear_iterations = 0;
  /// [repeats] the slowest process in each phase. `setup` is from the problem in host memory to the first step;
  /// `element` computes element values, `assembly` inserts them; `total` is set-up and steps.
  std::vector<PhaseSeconds> seconds;
  std::int64_t peak_resident_bytes = 0;  ///< summed over the processes
  PetscFields fields;                    ///< at the end of the last step
};

/// Thrown on every process where a step does not converge: the step and why.
class StepNotConverged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Collective. `steps` has taken none yet. Throws StepNotConverged, and InputError where the mesh is too large for the
/// numbers.
PetscMeasurement measure(const Problem& problem, const TimeStepper& steps, const PetscOptions& options);

/// A measurement as JSON text, with what it was measured on.
std::string json_of(const PetscMeasurement& measurement, const Problem& problem, const PetscOptions& options);

/// potential [mV] and activation time [ms] of all nodes, one after the other: 8-byte reals of this machine.
std::string bytes_of(const PetscFields& fields);

}  // namespace cardiowarp
