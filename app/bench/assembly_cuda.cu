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
#include "app/bench/assembly_order.hpp"
#include "app/bench/dummy_elements.hpp"
#include "app/bench/ell_target.hpp"
#include "app/bench/graph_timer.cuh"
#include "app/bench/near.hpp"
#include "app/bench/row_sums.cuh"
#include "app/bench/strategies.cuh"
#include "app/measure/stopwatch.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "app/simulation/step_on_gpu.cuh"
#include "assembly/formats.cuh"
#include "assembly/joint_sums.hpp"
#include "assembly/options.hpp"
#include "assembly/scalar_gather.hpp"
#include "assembly/slice_gather.cuh"
#include "assembly/vertex_assembly.hpp"
#include "fem/cells/aliev_panfilov.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/device_error.hpp"
#include "kernels/sparse/scatter.cuh"

namespace cardiowarp {
namespace {

constexpr Real diffusivity_mm2_per_ms = 0.1, step_ms = 0.1;

Problem problem_on(const Mesh& mesh, const std::string& format, Quadrature quadrature) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<Real> uniform(0, 1);
  Problem problem;
  problem.mesh = borrowed(mesh);
  problem.quadrature = quadrature;
  for (const auto& [name, options] : named_formats())
    if (name == (format == "ell" ? "csr" : format)) problem.matrix = options;
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
  AssemblyBench(const Mesh& mesh, const AssemblyBenchOptions& options, Quadrature quadrature)
      : options_(options),
        plan_(planned(problem_on(mesh, options.format, quadrature), options.order)),
        step_(AlievPanfilov::scaling.tau_from_ms(step_ms)) {
    if (in_ell()) plan_.matrix = ell_layout(plan_.sparsity, plan_.matrix);
    phi_ = plan_.problem().phi;
    load_ = phi_;
    for (std::size_t i = 0; i < phi_.size(); ++i) {
      next_phi_.push_back(phi_[i] + 0.01 * phi_[phi_.size() - 1 - i]);
      load_[i] /= step_;
    }
  }

  AssemblyReport report(const std::string& name) const {
    return {name,
            plan_.sparsity.rows(),
            elements(),
            plan_.sparsity.entries(),
            in_ell() ? options_.format : format_name(plan_.matrix.options),
            options_.order,
            {}};
  }

  /// Measures every strategy for points at centroids.
  void measure_all(AssemblyReport& report) {
    const Mesh& mesh = *plan_.problem().mesh;
    const auto& diffusivity = plan_.problem().diffusivity;
    {
      CpuBackend cpu;
      const ScalarGatherPlan plan = scalar_gather_plan(mesh, diffusivity, plan_.sparsity, plan_.matrix);
      expected_ = assembled(cpu, *made<ScalarGather>(cpu, plan));
    }
    measure_gather<ScalarGather>(AssemblyStrategy::entry_gather, report, [&](Index) {
      return scalar_gather_plan(mesh, diffusivity, plan_.sparsity, plan_.matrix);
    });
    if (slice_gather_suits(plan_.matrix, plan_.sparsity))
      measure_gather<SliceGather>(AssemblyStrategy::slice_gather, report, [&](Index slices) {
        return slice_gather_plan(mesh, diffusivity, plan_.sparsity, plan_.matrix, slices);
      });
    for (const auto& [name, make] : strategies_of_the_papers(options_))
      measure(name, report, [&, m = make](Index) { return m(backend_, plan_); });
    measure_sums(report);
  }

  /// Measures the strategies of a run on a quadratic mesh, against the sums that a run takes by itself, on the CPU.
  void measure_quadratic(AssemblyReport& report) {
    {
      CpuBackend cpu;
      expected_ = assembled(cpu, *make_assembly(cpu, plan_));
    }
    for (const auto& [name, strategy] : quadratic_bench_strategies())
      measure(name, report, [&, o = strategy](Index) {
        RenumberedProblem in_order = plan_.renumbered;
        in_order.problem.assembly = o;
        return MadeStrategy{make_assembly(backend_, plan_in_given_order(std::move(in_order), backend_.device()))};
      });
  }

  /// Measures the assembly of a run with quadrature: vertices, against the CPU's.
  void measure_vertices(AssemblyReport& report) {
    const VertexPlan& vertices = *plan_.vertices;
    const auto& cells = std::get<std::vector<AlievPanfilov>>(*plan_.problem().cell_models);
    {
      CpuBackend cpu;
      DiagonalAssembly<CpuBackend, AlievPanfilov> assembly(cpu, vertices, cells);
      expected_ = assembled<CpuBackend>(cpu, assembly);
    }
    measure("diagonal", report, [&](Index) {
      return MadeStrategy{std::make_unique<DiagonalAssembly<CudaBackend, AlievPanfilov>>(backend_, vertices, cells), 0,
                          diagonal_bytes(plan_)};
    });
  }

 private:
  static SimulationPlan planned(const Problem& problem, BenchOrder order) {
    const Device device = gpu_device();
    if (order == BenchOrder::hilbert) return plan_simulation(problem, device);
    AssemblyOrder orders = assembly_order(*problem.mesh, order);
    return plan_in_given_order(
        choose_solver_and_order(problem, {std::move(orders.node), std::move(orders.element)}, device), device);
  }

  static constexpr Index usual_slices = slices_a_block;
  bool in_ell() const { return options_.format == "ell"; }
  template <Backend B>
  std::unique_ptr<GlobalMatrix<B>> matrix(B& backend) const {
    if (in_ell()) return std::make_unique<EllTarget<B>>(backend, plan_.sparsity);
    return make_global_matrix(backend, plan_.sparsity, plan_.matrix);
  }

  Index elements() const { return static_cast<Index>(plan_.problem().mesh->tetrahedra.size()); }

  template <template <Backend, CellModel> class Gather, Backend B, class Plan>
  std::unique_ptr<Assembly<B>> made(B& backend, const Plan& plan) const {
    const Problem& problem = plan_.problem();
    return std::make_unique<Gather<B, AlievPanfilov>>(backend, plan, problem.mesh->tetrahedra,
                                                      std::get<std::vector<AlievPanfilov>>(*problem.cell_models),
                                                      problem.cell_model);
  }

  template <Backend B>
  System assembled(B& backend, Assembly<B>& assembly) const {
    const auto K = matrix(backend);
    const Buffer<Real> phi = uploaded(backend, phi_), load = uploaded(backend, load_),
                       step = uploaded(backend, std::vector<Real>{step_}), old = uploaded(backend, plan_.states),
                       now = backend.template allocate<Real>(plan_.states.size()),
                       negative_residual = backend.template allocate<Real>(phi_.size()),
                       inverse_diagonal = backend.template allocate<Real>(phi_.size());
    assembly.begin(backend, *K);
    assembly.evaluate_elements(backend, {phi.data(), load.data(), old.data(), now.data(), step.data(), plan_.points()});
    assembly.assemble(backend, *K, phi.data(), negative_residual.data(), inverse_diagonal.data());
    System system{std::vector<Real>(plan_.matrix.slots), phi_, phi_};
    backend.download(static_cast<const Real*>(K->value()), std::span<Real>(system.value));
    backend.download(static_cast<const Real*>(negative_residual.data()), std::span<Real>(system.negative_residual));
    backend.download(static_cast<const Real*>(inverse_diagonal.data()), std::span<Real>(system.inverse_diagonal));
    return system;
  }

  /// Elements as those of the gathers that compute nothing.
  std::function<void(CudaBackend&, const ElementState&)> dummy_elements() {
    struct Dummy {
      Buffer<Tetrahedron> nodes;
      Buffer<Real> volume;
      Buffer<TangentResidual> adds;
    };
    const std::size_t count = plan_.problem().mesh->tetrahedra.size();
    const auto dummy =
        std::make_shared<Dummy>(Dummy{uploaded(backend_, plan_.problem().mesh->tetrahedra),
                                      backend_.allocate<Real>(count), backend_.allocate<TangentResidual>(count)});
    const auto run = [dummy, count]<Caching C>(CudaBackend& backend, const ElementState& state) {
      backend.for_each(
          static_cast<Index>(count),
          MoveReactionElements<AlievPanfilov, C>{dummy->nodes.data(), dummy->volume.data(), state, dummy->adds.data()});
    };
    if (element_loop_caching<AlievPanfilov>(backend_, elements()) == Caching::streamed)
      return [run](CudaBackend& backend, const ElementState& state) {
        run.template operator()<Caching::streamed>(backend, state);
      };
    return [run](CudaBackend& backend, const ElementState& state) {
      run.template operator()<Caching::cached>(backend, state);
    };
  }

  /// `make_plan(slices)` works out on the host what the strategy needs.
  template <template <Backend, CellModel> class Gather, class MakePlan>
  void measure_gather(AssemblyStrategy strategy, AssemblyReport& report, const MakePlan& make_plan) {
    measure(strategy_name({.strategy = strategy}), report, [&](Index slices) {
      const auto plan = make_plan(slices);
      return MadeStrategy{made<Gather>(backend_, plan), element_bytes(plan_.sparsity.rows(), elements()), plan.bytes(),
                          dummy_elements()};
    });
  }

  template <class Sums>
  void measure_spmv(const std::string& name, AssemblyReport& report,
                    const std::function<typename Sums::Plan()>& make_plan) {
    measure(name, report, [&](Index) {
      const typename Sums::Plan plan = make_plan();
      const Problem& problem = plan_.problem();
      return MadeStrategy{std::make_unique<SpmvAssembly<CudaBackend, AlievPanfilov, Sums>>(
                              backend_, plan, *problem.mesh, problem.diffusivity,
                              std::get<std::vector<AlievPanfilov>>(*problem.cell_models), problem.cell_model),
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

  /// `prepare(slices)` makes the strategy; slices are those that a block of slice_gather has.
  void measure(const std::string& strategy, AssemblyReport& report, const std::function<MadeStrategy(Index)>& prepare) {
    if (!is_measured(options_, strategy)) return;
    if (const std::string missing = in_ell() ? missing_in_ell(strategy) : ""; !missing.empty()) {
      report.left_out.push_back({strategy, missing});
      return;
    }
    measure_in_blocks(strategy, {}, report, prepare);
    if (strategy.starts_with("shared_nz")) return;  // whose blocks --part-threads has
    for (const int size : options_.block_sizes) measure_in_blocks(strategy, size, report, prepare);
  }

  /// Measures a strategy with its loops in blocks of at most so many threads; none: as the code has them.
  void measure_in_blocks(const std::string& strategy, std::optional<int> block_size, AssemblyReport& report,
                         const std::function<MadeStrategy(Index)>& prepare) {
    AssemblyMeasurement m;
    m.strategy = strategy;
    m.block_size = block_size;
    backend_.limit_loop_threads(static_cast<unsigned>(block_size.value_or(0)));
    try {
      const Stopwatch setup;
      const MadeStrategy prepared = prepare(std::min(usual_slices, block_size.value_or(1024) / warp_lanes));
      backend_.synchronize();
      m.setup_s = setup.seconds();
      m.element_bytes = prepared.element_bytes;
      m.assembly_bytes = prepared.assembly_bytes;
      const System system = assembled(backend_, *prepared.assembly);
      m.correct = near(system.value, expected_.value) && near(system.negative_residual, expected_.negative_residual) &&
                  near(system.inverse_diagonal, expected_.inverse_diagonal);
      m.padding = prepared.padding;
      if (m.correct) time(prepared, m);
      report.measurements.push_back(m);
    } catch (const DeviceError& error) {  // a device that has failed says so at the next call
      report.left_out.push_back({strategy, error.what()});
    } catch (const InputError& error) {
      report.left_out.push_back({strategy, error.what()});
    }
    backend_.limit_loop_threads(0);
  }

  void time(const MadeStrategy& made, AssemblyMeasurement& m) {
    constexpr int calls = 10;  // even: half of them at each potential
    Assembly<CudaBackend>& assembly = *made.assembly;
    const auto K = matrix(backend_);
    assembly.begin(backend_, *K);
    const Buffer<Real> phi = uploaded(backend_, phi_), next_phi = uploaded(backend_, next_phi_),
                       load = uploaded(backend_, load_), step = uploaded(backend_, std::vector<Real>{step_}),
                       old = uploaded(backend_, plan_.states), now = backend_.allocate<Real>(plan_.states.size()),
                       negative_residual = backend_.allocate<Real>(phi_.size()),
                       inverse_diagonal = backend_.allocate<Real>(phi_.size());
    const Real* at = phi.data();
    const auto state = [&] {
      at = at == phi.data() ? next_phi.data() : phi.data();
      return ElementState{at, load.data(), old.data(), now.data(), step.data(), plan_.points()};
    };
    const auto evaluate_elements = [&] { assembly.evaluate_elements(backend_, state()); };
    const auto assemble = [&] {
      assembly.assemble(backend_, *K, at, negative_residual.data(), inverse_diagonal.data());
    };
    m.elements = spread_of(seconds_a_call(backend_, calls, options_.repeats, evaluate_elements));
    if (made.dummy)
      m.dummy = spread_of(seconds_a_call(backend_, calls, options_.repeats, [&] { made.dummy(backend_, state()); }));
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
  if (mesh.is_quadratic()) {
    require_suits_quadratic_mesh(name, options);
    AssemblyBench bench(mesh, options, Quadrature::fourteen_points);
    AssemblyReport report = bench.report(name);
    report.left_out = left_out_of_quadratic_mesh(options);
    bench.measure_quadratic(report);
    return report;
  }
  AssemblyBench bench(mesh, options, Quadrature::centroid);
  AssemblyReport report = bench.report(name);
  if (is_measured(options, "diagonal")) {
    if (const std::string missing = options.format == "ell" ? missing_in_ell("diagonal") : ""; missing.empty())
      AssemblyBench(mesh, options, Quadrature::vertices).measure_vertices(report);
    else
      report.left_out.push_back({"diagonal", missing});
  }
  bench.measure_all(report);
  return report;
}

}  // namespace cardiowarp
