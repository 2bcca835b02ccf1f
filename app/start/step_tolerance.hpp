#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

class TissueCells;
struct Config;

// From the errors that `accuracy` allows to the tolerance of adaptive steps and their greatest length. How much a
// tolerance makes a beat wrong depends on the time scheme and on the shape that a front and an action potential of the
// cells have in time, but neither on the diffusivity nor on the mesh, which only stretch them in space. So it is
// measured before a run: a front travels through a cable of some hundred nodes with each of the tissue's parameter
// sets, with a tolerance and then with steps half as long, and the difference tells the error, as for
// `--estimate-error`. The error falls with the tolerance to the power of p/(p + 1) for a scheme of order p, by which
// the next tolerance is chosen, until one fits. `max_step` follows the tolerance to the power of 1/(p + 1), so that a
// smaller tolerance shortens all steps alike, also those that `max_step` bounds, and every error falls with it. That
// takes some hundredths of a second, with stiff cells a second, and is kept for later runs (tolerance_cache.hpp).

/// The largest errors that the steps of one tolerance make on a cable, estimated. APD90 is absent where it was not
/// asked for.
struct CableErrors {
  Real activation_percent = 0;
  std::optional<Real> apd90_ms;
};

/// A tolerance, and the errors that it leaves.
struct StepTolerance {
  Real tolerance = 0, max_step_ms = 0;
  CableErrors errors;  ///< with both, on the cable that needs the smallest tolerance
};

/// Where tolerances are kept, and the commit of the program that has found them (tolerance_cache.hpp).
struct ToleranceCache {
  std::filesystem::path folder;
  std::string commit;
  bool is_only_read = false;  ///< for a command that writes nothing
};

/// A tolerance of two digits, at most 0.05, with which both errors stay below 0.8 times what `config.accuracy` allows,
/// as tissue is no cable. Throws InputError where no front travels in any of the cells, where they do not repolarize
/// although `accuracy.apd90` is given, and where no tolerance is small enough. `config.accuracy` is given. With a cache
/// it is taken from there where it was found before, and else kept there unless the cache is only read.
StepTolerance find_step_tolerance(const Config& config, const TissueCells& cells,
                                  const std::optional<ToleranceCache>& cache = {});

}  // namespace cardiowarp
