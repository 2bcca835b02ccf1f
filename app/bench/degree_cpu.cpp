#include "app/bench/degree_study.hpp"
#include "app/measure/stopwatch.hpp"
#include "kernels/backend/cpu_backend.hpp"

namespace cardiowarp {

std::vector<DegreeMeasurement> measure_degree_on_cpu(int degree, const Mesh& linear, int repeats) {
  const auto seconds = [repeats](const auto& call) {
    std::vector<double> all(repeats);
    for (double& one : all) {
      const Stopwatch watch;
      call();
      one = watch.seconds();
    }
    return all;
  };
  CpuBackend backend;
  return with_degree<std::vector<DegreeMeasurement>>(degree, [&](auto constant) {
    const DegreeProblem<constant> problem(linear, cpu_device());
    DegreeStudy<CpuBackend, constant, decltype(seconds)> study(backend, problem, seconds);
    study.measure();
    return study.measurements();
  });
}

}  // namespace cardiowarp
