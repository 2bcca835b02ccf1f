#pragma once
// The kernels with which a step on the CUDA backend differs from its general implementation. Whatever instantiates a
// simulation on that backend includes them, so that all of a program has the same ones.

#include "assembly/element_scatter.cuh"
#include "assembly/formats.cuh"
#include "assembly/shared_nz.cuh"
#include "assembly/slice_gather.cuh"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/sparse/scatter.cuh"
#include "solver/on_chip/on_chip_cg.cuh"
#include "solver/parts/parts_product.cuh"
#include "solver/persistent/persistent_cg.cuh"
