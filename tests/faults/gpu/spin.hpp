#pragma once
#include <cuda_runtime_api.h>

namespace cardiowarp::test {

/// Enqueues a kernel that does nothing for a minute: longer than anybody in a test waits for it, and not so long that
/// the GPU would be lost to others if the process could not be ended.
void spin_a_minute(cudaStream_t stream);

}  // namespace cardiowarp::test
