#pragma once
// The number types of the program, and the macro that marks a function for the host and for a GPU. All values are
// doubles of 8 bytes, and indices are integers of 4 bytes, which halves what a matrix takes for its columns. A count
// that can be larger than an Index, such as that of the stored entries of a matrix, is a std::int64_t. nvcc compiles a
// function with CARDIOWARP_HD for both machines; for any other compiler the macro is empty.

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
