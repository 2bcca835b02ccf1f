#include "app/bench/degree_study.hpp"
#include "app/bench/graph_timer.cuh"
#include "assembly/formats.cuh"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/device_error.hpp"
#include "kernels/rivals/csr_vector.cuh"

namespace cardiowarp {
namespace {

struct GraphSeconds {
  CudaBackend* backend;
  int repeats;
  template <class Call>
  std::vector<double> operator()(const Call& call) const {
    return seconds_a_call(*backend, 10, repeats, call);
  }
};

/// What a GPU multiplies by beside: compressed rows with several lanes a row, and cuSPARSE where it is installed.
template <class Study>
void measure_on_gpu(Study& study) {
  CudaBackend& backend = study.backend();
  const auto& problem = study.problem();
  const Stopwatch setup;
  const Buffer<Index> row_begin = uploaded(backend, problem.sparsity.row_begin),
                      column = uploaded(backend, problem.sparsity.column);
  const Buffer<Real> value = uploaded(backend, problem.value);
  const CsrView A{problem.sparsity.rows(), row_begin.data(), column.data(), value.data()};
  const double setup_s = setup.seconds();
  const std::int64_t bytes = 12 * std::int64_t{problem.sparsity.entries()} + 20 * std::int64_t{A.rows};
  for (const Index lanes : {2, 4, 8, 16, 32})
    study.measure_product("csr_vector_" + std::to_string(lanes), setup_s, bytes,
                          [&] { csr_vector_multiply(backend.stream(), 256, lanes, A, study.x(), study.y()); });
  try {
    study.format_product({.format = MatrixFormat::cusparse});
  } catch (const DeviceError&) {  // not installed; a device that has failed says so at the next call
    backend.synchronize();
  }
}

}  // namespace

std::vector<DegreeMeasurement> measure_degree_on_gpu(int degree, const Mesh& linear, int repeats) {
  CudaBackend backend;
  return with_degree<std::vector<DegreeMeasurement>>(degree, [&](auto constant) {
    constexpr int of = decltype(constant)::value;
    const DegreeProblem<of> problem(linear, backend.device());
    DegreeStudy<CudaBackend, of, GraphSeconds> study(backend, problem, {&backend, repeats});
    study.measure();
    measure_on_gpu(study);
    return study.measurements();
  });
}

}  // namespace cardiowarp
