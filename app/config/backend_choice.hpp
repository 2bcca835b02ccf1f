#pragma once

namespace cardiowarp {

/// Where a run computes, the values of `backend`.
enum class BackendChoice { automatic, cpu, gpu };

}  // namespace cardiowarp
