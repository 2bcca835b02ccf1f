// Stands in for assembly_cuda.cu, degree_cuda.cu, solver_cuda.cu, spmv_cuda.cu and step_cuda.cu in builds without CUDA.

#include "app/bench/assembly_bench.hpp"
#include "app/bench/degree_bench.hpp"
#include "app/bench/solver_bench.hpp"
#include "app/bench/spmv.hpp"
#include "app/bench/step_bench.hpp"
#include "kernels/backend/device_error.hpp"

namespace cardiowarp {

DeviceCopy measure_copy(int) { throw DeviceError("this build has no GPU backend"); }

SpmvReport measure_products(const BenchMatrix&, const SpmvBenchOptions&) {
  throw DeviceError("this build has no GPU backend");
}

AssemblyReport measure_assembly(const std::string&, const Mesh&, const AssemblyBenchOptions&) {
  throw DeviceError("this build has no GPU backend");
}

std::vector<DegreeMeasurement> measure_degree_on_gpu(int, const Mesh&, int) {
  throw DeviceError("this build has no GPU backend");
}

SolverReport measure_solvers_on_gpu(const BenchMatrix&, const SolverBenchOptions&) {
  throw DeviceError("this build has no GPU backend");
}

StepMeasurement measure_step(const std::string&, const Mesh&, Quadrature, int) {
  throw DeviceError("this build has no GPU backend");
}

}  // namespace cardiowarp
