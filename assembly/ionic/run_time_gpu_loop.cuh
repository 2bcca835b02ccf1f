#pragma once
#include <array>
#include <span>
#include <string>

#include "assembly/ionic/ionic_loop.hpp"
#include "assembly/ionic/run_time_kernel.hpp"
#include "fem/cells/run_time_model.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/libraries/gpu_module.hpp"
#include "kernels/libraries/run_time_code.hpp"

namespace cardiowarp {

/// The loop over the cells of a model that is made at run time, on a GPU: one launch of code that is compiled for this
/// model (run_time_code.hpp). A missing compiler is a DeviceError like others here: nobody has asked for it by name, so
/// that `auto` may take the CPU.
class RunTimeGpuLoop final : public IonicLoop<CudaBackend> {
 public:
  RunTimeGpuLoop(CudaBackend& backend, const RunTimeModel& model, std::span<const IonicCell> cells,
                 const Scaling& scaling)
      : RunTimeGpuLoop(backend, model, model.stage_text(cells), scaling) {}

  void evaluate(CudaBackend& backend, const IonicPoints& points, const ElementState& state) const override {
    if (points.number == 0) return;
    IonicPoints of = points;
    ElementState at = state;
    Scaling scaling = scaling_;
    const Real* of_cells = of_cells_.data();
    int each = each_;
    const std::array<void*, 16> arguments{&of.number, &of.point,  &of.node,         &of.cell_model,      &of.volume,
                                          &of.adds,   &at.phi,    &at.load,         &at.states_old,      &at.states,
                                          &at.step,   &at.points, &scaling.rest_mv, &scaling.mv_per_phi, &of_cells,
                                          &each};
    const unsigned threads = backend.limited_threads(run_time_kernel_threads);
    const unsigned blocks = (static_cast<unsigned>(points.number) + threads - 1) / threads;
    GpuModule::launch(kernel_, blocks, threads, backend.stream(), arguments);
  }

 private:
  RunTimeGpuLoop(CudaBackend& backend, const RunTimeModel& model, const StageText& stage, const Scaling& scaling)
      : scaling_(scaling),
        each_(static_cast<int>(stage.each)),
        of_cells_(uploaded(backend, stage.of_cells)),
        module_(code(model, stage, backend.device().compute_capability)),
        kernel_(module_.kernel("evaluate_points")) {
    if (stage.constants.empty()) return;
    const std::span<const Real> constants = stage.constants;
    backend.upload(constants, static_cast<Real*>(module_.variable("stage_constants", constants.size_bytes())));
  }

  static std::string code(const RunTimeModel& model, const StageText& stage, int compute_capability) {
    const std::string what = "the cells of the CellML file " + std::string(model.name());
    if (stage.operations > most_operations_on_gpu)
      throw DeviceError(what + " are too large for a GPU: " + std::to_string(stage.operations) +
                        " operations, expected at most " + std::to_string(most_operations_on_gpu));
    try {
      return code_for_gpu(what, run_time_kernel_text(stage), compute_capability);
    } catch (const DeviceError& error) {
      throw DeviceError(what + " are not compiled for the GPU: " + error.what());
    }
  }

  Scaling scaling_;
  int each_;
  Buffer<Real> of_cells_;
  GpuModule module_;
  CUfunction kernel_;
};

}  // namespace cardiowarp
