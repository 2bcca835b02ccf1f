#pragma once
// The kernels of the formats of assembly/formats.hpp. What instantiates a matrix on the CUDA backend includes them.

#include "assembly/formats.hpp"
#include "kernels/libraries/cusparse_format.cuh"
#include "kernels/sparse/csr.cuh"
#include "kernels/sparse/ell_warp.cuh"
