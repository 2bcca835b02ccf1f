// Stands in for spmv_cuda.cu in builds without CUDA.

#include "app/bench/spmv.hpp"
#include "kernels/device_error.hpp"

namespace cardiowarp {

DeviceCopy measure_copy(int) { throw DeviceError("this build has no GPU backend"); }

SpmvReport measure_products(const BenchMatrix&, const SpmvBenchOptions&) {
  throw DeviceError("this build has no GPU backend");
}

}  // namespace cardiowarp
