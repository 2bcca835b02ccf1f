#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/output/phase_seconds.hpp"
#include "app/simulation/time_stepper.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Config;

// Runs the program cardiowarp_petsc for `cardiowarp compare --petsc` and reads what it found. The configuration goes to
// it as a YAML file, and the steps that it is to repeat as a list; seconds, iterations and fields come back as files.
// MPI and PETSc thus stay out of this program, which does not need them to be built. The fields are copied into host
// memory, 16 bytes a node.

/// The times and results of one run of cardiowarp_petsc.
struct PetscResult {
  std::string version;    ///< of PETSc
  std::string insertion;  ///< set_values
  PhaseSeconds seconds;   ///< without output; `total` is set-up and steps
  int newton_iterations = 0, linear_iterations = 0;
  std::size_t resident_bytes = 0;                 ///< at most, summed over the processes
  std::vector<Real> potential_mv, activation_ms;  ///< [nodes] at the end
};

/// One run of cardiowarp_petsc.
struct PetscRun {
  std::string preconditioner;  ///< jacobi or block_jacobi
  std::int64_t steps = 0, warm_up_steps = 0;
  std::vector<StepAttempt> attempts = {};  ///< to be repeated; none: it finds its steps
};

/// Starts `cardiowarp_petsc`, the program beside this one, with the `mpiexec` in PATH.
class PetscLauncher {
 public:
  /// Throws InputError that begins with --petsc where one of the two is missing.
  explicit PetscLauncher(int processes);

  int processes() const { return processes_; }

  /// Runs the program once. Its files and `mpiexec`'s are put into `folder`. Nothing where `stop_requested`. Throws
  /// ComparisonFailure where a step does not converge, InputError for what cardiowarp_petsc refuses, DeviceError for
  /// any other end.
  std::optional<PetscResult> run(const Config& config, const PetscRun& run, const std::filesystem::path& folder,
                                 const std::function<bool()>& stop_requested) const;

 private:
  int processes_;
  std::filesystem::path mpiexec_, program_;
};

/// The environment of this program for `mpiexec`: one thread a process, temporary files in `folder`, and for Open MPI
/// leave to run as root and to start more processes than cores; they are not bound to cores, as the threads of the CPU
/// are not, unless its own variables are set.
std::vector<std::string> petsc_environment(const std::filesystem::path& folder);

/// The line of `errors` that says what went wrong: cardiowarp_petsc's own, without `error: `, or the first that is no
/// rule. `mpiexec` adds lines of its own to both.
std::string reason_in(std::string_view errors);

}  // namespace cardiowarp
