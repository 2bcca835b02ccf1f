// Which loop runs the cells of an ionic model on a GPU.

#include "assembly/ionic/make_ionic_loop.hpp"
#include "assembly/ionic/run_time_gpu_loop.cuh"
#include "kernels/backend/cuda_backend.cuh"

namespace cardiowarp {

template <>
std::unique_ptr<IonicLoop<CudaBackend>> make_ionic_loop(CudaBackend& backend, const IonicModel& model,
                                                        std::span<const IonicCell> cells, const Scaling& scaling) {
  if (const RunTimeModel* made = run_time_model(model))
    return std::make_unique<RunTimeGpuLoop>(backend, *made, cells, scaling);
  return make_ionic_loop_of_one(backend, model, cells, scaling, IonicModels{});
}

}  // namespace cardiowarp
