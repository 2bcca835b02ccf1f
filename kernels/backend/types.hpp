#pragma once
// Types and the one macro shared by host and device code.

#include <cstdint>

#if defined(__CUDACC__)
#define CARDIOWARP_HD __host__ __device__
#else
#define CARDIOWARP_HD
#endif

namespace cardiowarp {

using Real = double;
using Index = std::int32_t;  ///< nodes, elements and matrix entries; counts that can pass 2^31 are std::int64_t

}  // namespace cardiowarp
