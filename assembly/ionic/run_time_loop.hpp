#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "assembly/ionic/ionic_loop.hpp"
#include "fem/cells/run_time_model.hpp"
#include "kernels/backend/cpu_backend.hpp"

namespace cardiowarp {

/// The loop over the cells of a model that is made at run time, on the CPU: blocks of 32 points, the same whichever
/// threads take them. Each thread has a LaneStage of its own: some hundred KB.
class RunTimeLoop final : public IonicLoop<CpuBackend> {
 public:
  RunTimeLoop(const RunTimeModel& model, std::span<const IonicCell> cells, const Scaling& scaling)
      : scaling_(scaling), first_(model.lane_stage(cells)) {}

  void evaluate(CpuBackend& backend, const IonicPoints& points, const ElementState& state) const override;

 private:
  /// A LaneStage for as long as a thread goes through blocks.
  class Borrowed;
  void evaluate_block(LaneStage& stage, Index begin, const IonicPoints& points, const ElementState& state) const;

  Scaling scaling_;
  std::unique_ptr<LaneStage> first_;  ///< of which all others are made; never used itself
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<LaneStage>> idle_;
};

}  // namespace cardiowarp
