#pragma once
#include <cstdint>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The steps and iterations of a run so far.
struct WorkCounts {
  std::int64_t steps = 0;              ///< in time, accepted
  std::int64_t newton_iterations = 0;  ///< of all steps, those that were rejected too
  std::int64_t linear_iterations = 0;  ///< of conjugate gradients, likewise
};

/// How the work of a run is spread over the time that it simulates: its steps and iterations in equal parts of that
/// time, 50 of them, so that a page of the run can show where it was slow. A step counts for the part in which it ends.
/// A run that goes on from a checkpoint knows that of its own steps alone. Takes 1.2 kB.
class WorkOverTime {
 public:
  /// The work of a run from `begin_ms` to `end_ms`, which has done `before` at its beginning.
  WorkOverTime(Real begin_ms, Real end_ms, const WorkCounts& before);

  /// Says that all steps up to now, `time_ms`, took `so_far`. Called after each step, or some of them.
  void add(Real time_ms, const WorkCounts& so_far);

  /// The end of a part, in ms.
  Real until_ms(std::size_t part) const;
  /// [50] of each part of the time.
  const std::vector<WorkCounts>& parts() const { return parts_; }

 private:
  Real begin_ms_, end_ms_;
  WorkCounts before_;
  std::vector<WorkCounts> parts_;
};

}  // namespace cardiowarp
