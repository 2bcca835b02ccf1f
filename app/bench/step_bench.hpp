#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/bench/spmv.hpp"
#include "app/measure/spread.hpp"
#include "app/measure/table.hpp"
#include "app/simulation/backward_euler.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "assembly/global_matrix.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

// `cardiowarp bench step` measures how long the GPU takes for one Newton iteration as a run makes it, with ten
// iterations of conjugate gradients. run_bench() calls measure_step() for each mesh and adds the measurement to the
// table, a row for each phase. The iteration starts from a front in the middle of the mesh, and its Δφ is first held
// against the CPU's; if they differ, nothing is timed.

namespace step_bench {
inline constexpr int cg_iterations = 10;
inline constexpr Real step_ms = 0.1, diffusivity_mm2_per_ms = 1;
}  // namespace step_bench

/// A front across the middle of the longest side of the mesh's box: φ = ½ [1 − tanh(x / 2δ)], δ = sqrt(2 D̃ / c), r = 0.
/// Every linear system ends after the ten iterations, and Newton's method after its first.
Problem front_problem(const Mesh& mesh, Quadrature quadrature);

/// The first Newton iteration of a step from the state of front_problem(), as often as is asked for.
template <Backend B>
class FirstIteration {
 public:
  FirstIteration(B& backend, const SimulationPlan& plan)
      : equation_(backend, plan), source_(backend.template allocate<Real>(plan.sparsity.rows())) {
    equation_.attempt(plan.problem().scaling().tau_from_ms(step_bench::step_ms), source_.data());
    rewind();
  }

  void rewind() { equation_.start(0); }
  CgReport iterate() { return equation_.newton().linear; }

  SolverPath solver_path() const { return equation_.solver_path(); }  ///< that is used
  const Real* update() const { return equation_.last_update(); }      ///< [nodes] Δφ
  const StepSeconds& seconds() { return equation_.seconds(); }

 private:
  BackwardEuler<B> equation_;
  Buffer<Real> source_;
};

/// The Δφ that the CPU computes by the same plan, with the general text in place of the kernels of a GPU.
std::vector<Real> expected_update(const SimulationPlan& plan);

/// Whether two updates are equal up to 1e-9 of the largest that is expected.
bool agrees(const std::vector<Real>& update, const std::vector<Real>& expected);

/// A phase of the iteration, or the whole.
struct StepPhase {
  std::string name;             ///< elements, assembly, cg, update, whole
  std::int64_t bytes = 0;       ///< that must move; 0 for elements whose terms all come with the assembly
  std::int64_t bytes_once = 0;  ///< that must move with a single iteration of conjugate gradients
  Spread seconds = {};          ///< on the device, in the step
};

struct StepMeasurement {
  std::string mesh;
  Index nodes = 0, elements = 0;
  std::int64_t nonzeros = 0;
  Quadrature quadrature = Quadrature::vertices;
  std::string format, solver;     ///< of K; on_chip, persistent, in_parts, plain
  bool correct = false;           ///< Δφ agrees with the CPU's after as many iterations
  std::vector<StepPhase> phases;  ///< in order, the whole last
};

/// A StepMeasurement with all that is known before anything is measured.
StepMeasurement described_step(const std::string& mesh, const SimulationPlan& plan);

/// Measures the iteration of a checked mesh on the first device, with the plan of a run. Throws DeviceError.
StepMeasurement measure_step(const std::string& name, const Mesh& mesh, Quadrature quadrature, int repeats);

/// Columns without rows; see docs/benchmarks/README.md.
Table step_table();
/// A row for each phase that moves bytes.
void add_rows(Table& table, const StepMeasurement& measurement, const DeviceCopy& copy);

}  // namespace cardiowarp
