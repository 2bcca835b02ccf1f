#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "app/bench/assembly_bench.hpp"
#include "app/bench/graph_timer.cuh"
#include "app/measure/stopwatch.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "assembly/formats.cuh"
#include "assembly/options.hpp"
#include "assembly/scalar_gather.hpp"
#include "assembly/slice_gather.cuh"
#include "fem/cells/aliev_panfilov.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/cuda_backend.cuh"

namespace cardiowarp {
namespace {

constexpr Real diffusivity_mm2_per_ms = 0.1, step_ms = 0.1;

Problem problem_on(const Mesh& mesh) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<Real> uniform(0, 1);
  Problem problem;
  problem.mesh = borrowed(mesh);
  problem.cell_models = std::vector<AlievPanfilov>(1);
  problem.cell_model.assign(mesh.tetrahedra.size(), 0);
  problem.diffusivity.assign(mesh.tetrahedra.size(),
                             {AlievPanfilov::scaling.diffusivity(diffusivity_mm2_per_ms), 0, {}});
  problem.phi.resize(mesh.nodes.size());
  problem.states.resize(mesh.tetrahedra.size());
  for (std::vector<Real>* values : {&problem.phi, &problem.states})
    for (Real& value : *values) value = uniform(generator);
  return problem;
}

/// K, −R and 1 / K_II.
struct System {
  std::vector<Real> value, negative_residual, inverse_diagonal;
};

class AssemblyBench {
 public:
  AssemblyBench(const Mesh& mesh, int repeats)
      : repeats_(repeats),
        plan_(plan_simulation(problem_on(mesh), gpu_device())),
        step_(AlievPanfilov::scaling.tau_from_ms(step_ms)) {
    phi_ = plan_.problem().phi;
    load_ = phi_;
    for (std::size_t i = 0; i < phi_.size(); ++i) {
      next_phi_.push_back(phi_[i] + 0.01 * phi_[phi_.size() - 1 - i]);
      load_[i] /= step_;
    }
  }

  AssemblyReport run(const std::string& name) {
    const Mesh& mesh = *plan_.problem().mesh;
    AssemblyReport report{name,
                          plan_.sparsity.rows(),
                          static_cast<Index>(mesh.tetrahedra.size()),
                          plan_.sparsity.entries(),
                          format_name(plan_.matrix.options),
                          {}};
    const auto& diffusivity = plan_.problem().diffusivity;
    {
      CpuBackend cpu;
      const ScalarGatherPlan plan = scalar_gather_plan(mesh, diffusivity, plan_.sparsity, plan_.matrix);
      expected_ = assembled(cpu, *made<ScalarGather>(cpu, plan));
    }
    report.measurements.push_back(measure<ScalarGather>(AssemblyStrategy::entry_gather, [&] {
      return scalar_gather_plan(mesh, diffusivity, plan_.sparsity, plan_.matrix);
    }));
    if (slice_gather_suits(plan_.matrix, plan_.sparsity))
      report.measurements.push_back(measure<SliceGather>(AssemblyStrategy::slice_gather, [&] {
        return slice_gather_plan(mesh, diffusivity, plan_.sparsity, plan_.matrix);
      }));
    return report;
  }

 private:
  Index elements() const { return static_cast<Index>(plan_.problem().mesh->tetrahedra.size()); }

  template <template <Backend, CellModel> class Gather, Backend B, class Plan>
  std::unique_ptr<Assembly<B>> made(B& backend, const Plan& plan) const {
    const Problem& problem = plan_.problem();
    return std::make_unique<Gather<B, AlievPanfilov>>(backend, plan, problem.mesh->tetrahedra,
                                                      std::get<std::vector<AlievPanfilov>>(problem.cell_models),
                                                      problem.cell_model);
  }

  template <Backend B>
  System assembled(B& backend, Assembly<B>& assembly) const {
    const auto K = make_global_matrix(backend, plan_.sparsity, plan_.matrix);
    const Buffer<Real> phi = uploaded(backend, phi_), load = uploaded(backend, load_),
                       step = uploaded(backend, std::vector<Real>{step_}),
                       old = uploaded(backend, plan_.problem().states),
                       now = backend.template allocate<Real>(plan_.problem().states.size()),
                       negative_residual = backend.template allocate<Real>(phi_.size()),
                       inverse_diagonal = backend.template allocate<Real>(phi_.size());
    assembly.evaluate_elements(backend, {phi.data(), load.data(), old.data(), now.data(), step.data(), elements()});
    assembly.assemble(backend, *K, phi.data(), negative_residual.data(), inverse_diagonal.data());
    System system{std::vector<Real>(plan_.matrix.slots), phi_, phi_};
    backend.download(static_cast<const Real*>(K->value()), std::span<Real>(system.value));
    backend.download(static_cast<const Real*>(negative_residual.data()), std::span<Real>(system.negative_residual));
    backend.download(static_cast<const Real*>(inverse_diagonal.data()), std::span<Real>(system.inverse_diagonal));
    return system;
  }

  /// `make_plan` works out on the host what the strategy needs.
  template <template <Backend, CellModel> class Gather, class MakePlan>
  AssemblyMeasurement measure(AssemblyStrategy strategy, const MakePlan& make_plan) {
    AssemblyMeasurement m;
    m.strategy = strategy_name({.strategy = strategy});
    const Stopwatch setup;
    const auto plan = make_plan();
    const auto assembly = made<Gather>(backend_, plan);
    backend_.synchronize();
    m.setup_s = setup.seconds();
    m.element_bytes = element_bytes(plan_.sparsity.rows(), static_cast<Index>(plan.volume.size()));
    m.assembly_bytes = plan.bytes();
    const System system = assembled(backend_, *assembly);
    m.correct = near(system.value, expected_.value) && near(system.negative_residual, expected_.negative_residual) &&
                near(system.inverse_diagonal, expected_.inverse_diagonal);
    if (m.correct) time(*assembly, m);
    return m;
  }

  static bool near(const std::vector<Real>& values, const std::vector<Real>& expected) {
    Real largest = 0;
    for (const Real value : expected) largest = std::max(largest, std::fabs(value));
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!(std::fabs(values[i] - expected[i]) <= 1e-11 * largest)) return false;
    return true;
  }

  void time(Assembly<CudaBackend>& assembly, AssemblyMeasurement& m) {
    constexpr int calls = 10;  // even: half of them at each potential
    const auto K = make_global_matrix(backend_, plan_.sparsity, plan_.matrix);
    const Buffer<Real> phi = uploaded(backend_, phi_), next_phi = uploaded(backend_, next_phi_),
                       load = uploaded(backend_, load_), step = uploaded(backend_, std::vector<Real>{step_}),
                       old = uploaded(backend_, plan_.problem().states),
                       now = backend_.allocate<Real>(plan_.problem().states.size()),
                       negative_residual = backend_.allocate<Real>(phi_.size()),
                       inverse_diagonal = backend_.allocate<Real>(phi_.size());
    bool next = false;
    const auto evaluate_elements = [&] {
      next = !next;
      assembly.evaluate_elements(backend_, {next ? next_phi.data() : phi.data(), load.data(), old.data(), now.data(),
                                            step.data(), elements()});
    };
    const auto assemble = [&] {
      assembly.assemble(backend_, *K, phi.data(), negative_residual.data(), inverse_diagonal.data());
    };
    m.elements = spread_of(seconds_a_call(backend_, calls, repeats_, evaluate_elements));
    m.assembly = spread_of(seconds_a_call(backend_, calls, repeats_, assemble));
    m.together = spread_of(seconds_a_call(backend_, calls, repeats_, [&] {
      evaluate_elements();
      assemble();
    }));
  }

  CudaBackend backend_;
  int repeats_;
  SimulationPlan plan_;
  Real step_;
  std::vector<Real> phi_, next_phi_, load_;
  System expected_;
};

}  // namespace

AssemblyReport measure_assembly(const std::string& name, const Mesh& mesh, int repeats) {
  return AssemblyBench(mesh, repeats).run(name);
}

}  // namespace cardiowarp
