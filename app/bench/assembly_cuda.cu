#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/assembly_bench.hpp"
#include "app/bench/graph_timer.cuh"
#include "app/bench/row_sums.cuh"
#include "app/bench/strategies.cuh"
#include "app/measure/stopwatch.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "assembly/formats.cuh"
#include "assembly/joint_sums.hpp"
#include "assembly/options.hpp"
#include "assembly/scalar_gather.hpp"
#include "assembly/slice_gather.cuh"
#include "fem/cells/aliev_panfilov.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/device_error.hpp"
#include "kernels/sparse/scatter.cuh"

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
  AssemblyBench(const Mesh& mesh, const AssemblyBenchOptions& options)
      : options_(options),
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
    measure_gather<ScalarGather>(AssemblyStrategy::entry_gather, report,
                                 [&] { return scalar_gather_plan(mesh, diffusivity, plan_.sparsity, plan_.matrix); });
    if (slice_gather_suits(plan_.matrix, plan_.sparsity))
      measure_gather<SliceGather>(AssemblyStrategy::slice_gather, report,
                                  [&] { return slice_gather_plan(mesh, diffusivity, plan_.sparsity, plan_.matrix); });
    for (const auto& [name, make] : strategies_of_the_papers(options_))
      measure(name, report, [&, m = make] { return m(backend_, plan_); });
    measure_sums(report);
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
  void measure_gather(AssemblyStrategy strategy, AssemblyReport& report, const MakePlan& make_plan) {
    measure(strategy_name({.strategy = strategy}), report, [&] {
      const auto plan = make_plan();
      return MadeStrategy{made<Gather>(backend_, plan), element_bytes(plan_.sparsity.rows(), elements()), plan.bytes()};
    });
  }

  template <class Sums>
  void measure_spmv(const std::string& name, AssemblyReport& report,
                    const std::function<typename Sums::Plan()>& make_plan) {
    measure(name, report, [&] {
      const typename Sums::Plan plan = make_plan();
      const Problem& problem = plan_.problem();
      return MadeStrategy{std::make_unique<SpmvAssembly<CudaBackend, AlievPanfilov, Sums>>(
                              backend_, plan, *problem.mesh, problem.diffusivity,
                              std::get<std::vector<AlievPanfilov>>(problem.cell_models), problem.cell_model),
                          spmv_element_bytes(elements(), plan_.sparsity.rows()), plan.bytes()};
    });
  }

  /// Every way to sum the contributions of elements.
  void measure_sums(AssemblyReport& report) {
    const auto& tetrahedra = plan_.problem().mesh->tetrahedra;
    for (const auto& [name, options] : named_strategies()) {
      if (options.strategy != AssemblyStrategy::spmv) continue;
      measure_spmv<EllWarpSums<CudaBackend>>(
          name, report, [&, o = options] { return spmv_assembly_plan(tetrahedra, plan_.sparsity, plan_.matrix, o); });
      if (options.ell_warp.renumbering == EllWarpRenumbering::none)
        measure_spmv<JointSums<CudaBackend>>(name + "_joint", report, [&, o = options] {
          return joint_sums_plan(tetrahedra, plan_.sparsity, plan_.matrix, o);
        });
    }
    for (const auto& [name, make] : row_products())
      measure_spmv<RowSums>(name, report,
                            [&, m = make] { return RowSumsPlan(tetrahedra, plan_.sparsity, plan_.matrix, m); });
  }

  void measure(const std::string& strategy, AssemblyReport& report, const std::function<MadeStrategy()>& prepare) {
    if (!is_measured(options_, strategy)) return;
    AssemblyMeasurement m;
    m.strategy = strategy;
    try {
      const Stopwatch setup;
      const MadeStrategy prepared = prepare();
      backend_.synchronize();
      m.setup_s = setup.seconds();
      m.element_bytes = prepared.element_bytes;
      m.assembly_bytes = prepared.assembly_bytes;
      const System system = assembled(backend_, *prepared.assembly);
      m.correct = near(system.value, expected_.value) && near(system.negative_residual, expected_.negative_residual) &&
                  near(system.inverse_diagonal, expected_.inverse_diagonal);
      if (m.correct) time(*prepared.assembly, m);
      report.measurements.push_back(m);
    } catch (const DeviceError& error) {  // a device that has failed says so at the next call
      report.left_out.push_back({strategy, error.what()});
    } catch (const InputError& error) {
      report.left_out.push_back({strategy, error.what()});
    }
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
    m.elements = spread_of(seconds_a_call(backend_, calls, options_.repeats, evaluate_elements));
    m.assembly = spread_of(seconds_a_call(backend_, calls, options_.repeats, assemble));
    m.together = spread_of(seconds_a_call(backend_, calls, options_.repeats, [&] {
      evaluate_elements();
      assemble();
    }));
  }

  CudaBackend backend_;
  const AssemblyBenchOptions& options_;
  SimulationPlan plan_;
  Real step_;
  std::vector<Real> phi_, next_phi_, load_;
  System expected_;
};

}  // namespace

AssemblyReport measure_assembly(const std::string& name, const Mesh& mesh, const AssemblyBenchOptions& options) {
  return AssemblyBench(mesh, options).run(name);
}

}  // namespace cardiowarp
