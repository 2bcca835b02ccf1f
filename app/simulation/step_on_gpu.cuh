#pragma once
// A simulation on the CUDA backend. Its largest pieces (the end of simulation_plan.hpp says which and why) are compiled
// once, in assembly_cuda.cu and matrix_cuda.cu, which include the kernels that differ there from the general
// implementation, and in solver/.

#include "app/simulation/courier_cuda.cuh"
#include "app/simulation/simulation_plan.hpp"
#include "kernels/backend/cuda_backend.cuh"

namespace cardiowarp {

extern template std::unique_ptr<GlobalMatrix<CudaBackend>> make_global_matrix(CudaBackend&, const Sparsity&,
                                                                              const MatrixLayout&);

}  // namespace cardiowarp
