#pragma once
// The number types of the program, and the one macro of code that runs on the host and on a GPU.

#include <cstdint>

#if defined(__CUDACC__)
#define CARDIOWARP_HD __host__ __device__
#else
#define CARDIOWARP_HD
#endif

namespace cardiowarp {

using Real = double;         ///< values of matrices and vectors
using Index = std::int32_t;  ///< numbers nodes, elements and matrix entries; counts that can pass 2^31 are std::int64_t

}  // namespace cardiowarp
