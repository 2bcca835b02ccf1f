// Which loop runs the cells of an ionic model on a GPU.

#include "assembly/ionic/make_ionic_loop.hpp"
#include "kernels/backend/cuda_backend.cuh"

namespace cardiowarp {

template std::unique_ptr<IonicLoop<CudaBackend>> make_ionic_loop(CudaBackend&, const IonicModel&,
                                                                 std::span<const IonicCell>, const Scaling&);

}  // namespace cardiowarp
