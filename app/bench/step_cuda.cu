#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "app/bench/step_bench.hpp"
#include "app/simulation/step_on_gpu.cuh"

namespace cardiowarp {
namespace {

/// The whole by events in the stream, what the device waits for the host included; phases by its own clock, as in a
/// run.
void time(CudaBackend& backend, FirstIteration<CudaBackend>& iteration, int repeats, std::vector<StepPhase>& phases) {
  constexpr int warm_up = 3;
  std::vector<std::vector<double>> seconds(phases.size());
  for (int repeat = -warm_up; repeat < repeats; ++repeat) {
    iteration.rewind();
    backend.synchronize();
    const StepSeconds before = iteration.seconds();
    double whole = 0;
    {
      const auto watch = backend.stopwatch(whole);
      iteration.iterate();
    }
    backend.synchronize();
    if (repeat < 0) continue;
    const StepSeconds& after = iteration.seconds();
    const std::array<double, 5> of_phase{after.element - before.element, after.assembly - before.assembly,
                                         after.linear_solve - before.linear_solve, after.update - before.update, whole};
    for (std::size_t k = 0; k < phases.size(); ++k) seconds[k].push_back(of_phase.at(k));
  }
  for (std::size_t k = 0; k < phases.size(); ++k) phases[k].seconds = spread_of(std::move(seconds[k]));
}

}  // namespace

StepMeasurement measure_step(const std::string& name, const Mesh& mesh, Quadrature quadrature, int repeats) {
  CudaBackend backend;
  const SimulationPlan plan = plan_simulation(front_problem(mesh, quadrature), backend.device());
  StepMeasurement m = described_step(name, plan);
  FirstIteration<CudaBackend> iteration(backend, plan);
  const CgReport report = iteration.iterate();
  m.solver = name_of(iteration.solver_path());
  std::vector<Real> update(plan.sparsity.rows());
  backend.download(iteration.update(), std::span<Real>(update));
  m.correct = report.iterations == step_bench::cg_iterations && agrees(update, expected_update(plan));
  if (m.correct) time(backend, iteration, repeats, m.phases);
  return m;
}

}  // namespace cardiowarp
