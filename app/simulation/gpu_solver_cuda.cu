// A simulation whose linear systems alone are solved by the GPU.

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "app/simulation/backend_simulation.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/step_kernels.cuh"
#include "fem/input_error.hpp"
#include "kernels/backend/cpu_backend.hpp"

namespace cardiowarp {
namespace {

/// The backend of the host, for a simulation that leaves its linear systems to a GPU: make_linear_solver() has an
/// overload for it.
class CpuWithGpuSolver : public CpuBackend {
 public:
  std::int64_t bytes_over_bus = 0;
};

/// Host memory that the GPU copies from and to without a copy by the driver in between, for as long as this lives.
class PinnedMemory {
 public:
  PinnedMemory(const Real* begin, std::size_t size) : begin_(const_cast<Real*>(begin)) {
    cuda_check(cudaHostRegister(begin_, size * sizeof(Real), cudaHostRegisterDefault));
  }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  ~PinnedMemory() { cudaHostUnregister(begin_); }

 private:
  Real* begin_;
};

/// Solves the systems of a host on a GPU. K, 1 / K_ii and the right-hand side go there before each solve, and the
/// solution comes back after it (paper 000 sec. 8, where the matrix is assembled on one core).
class SolverOnGpu final : public LinearSolver<CpuWithGpuSolver> {
 public:
  SolverOnGpu(const SolverPlan& plan, const EllWarpLayout& layout, const CsrPattern& pattern,
              const SystemInMemory& host)
      : host_(host),
        slots_(static_cast<std::size_t>(host.slots)),
        rows_(static_cast<std::size_t>(host.rows)),
        value_(gpu_.allocate<Real>(slots_)),
        inverse_diagonal_(gpu_.allocate<Real>(rows_)),
        b_(gpu_.allocate<Real>(rows_)),
        x_(gpu_.allocate<Real>(rows_)),
        state_(gpu_.allocate<CgState>(1)),
        forcing_(gpu_.allocate<Forcing>(1)),
        matrix_(gpu_, pattern, layout, 0),
        solver_(make_linear_solver(gpu_, plan, layout, matrix_, system())),
        pinned_value_(host.value, slots_),
        pinned_diagonal_(host.inverse_diagonal, rows_),
        pinned_b_(host.b, rows_),
        pinned_x_(host.x, rows_) {}

  void begin_step() override { solver_->begin_step(); }

  void solve(CpuWithGpuSolver& cpu, const CgConfig& config, const Forcing* forcing) override {
    gpu_.upload(std::span<const Real>(host_.value, slots_), value_.data());
    gpu_.upload(std::span<const Real>(host_.inverse_diagonal, rows_), inverse_diagonal_.data());
    gpu_.upload(std::span<const Real>(host_.b, rows_), b_.data());
    if (forcing != nullptr) gpu_.upload(std::span<const Forcing>(forcing, 1), forcing_.data());
    solver_->solve(gpu_, config, forcing == nullptr ? nullptr : forcing_.data());
    gpu_.download(static_cast<const Real*>(x_.data()), std::span<Real>(host_.x, rows_));
    gpu_.download(static_cast<const CgState*>(state_.data()), std::span<CgState>(host_.state, 1));
    cpu.bytes_over_bus += static_cast<std::int64_t>(sizeof(Real) * (slots_ + 3 * rows_));
  }
  SolverPath path() const override { return solver_->path(); }

 private:
  using EllWarp = FormatOf<MatrixFormat::ell_warp>;

  SystemInMemory system() {
    return {host_.rows, host_.slots, value_.data(), inverse_diagonal_.data(), b_.data(), x_.data(), state_.data()};
  }

  SystemInMemory host_;
  std::size_t slots_, rows_;
  CudaBackend gpu_;
  Buffer<Real> value_, inverse_diagonal_, b_, x_;
  Buffer<CgState> state_;
  Buffer<Forcing> forcing_;
  MatrixInFormat<CudaBackend, EllWarp> matrix_;  ///< for the path `plain`; 0 for the backend's block size
  std::unique_ptr<LinearSolver<CudaBackend>> solver_;
  PinnedMemory pinned_value_, pinned_diagonal_, pinned_b_, pinned_x_;
};

/// What ImplicitStage calls for its backend.
template <class Matrix>
std::unique_ptr<LinearSolver<CpuWithGpuSolver>> make_linear_solver(CpuWithGpuSolver&, const SolverPlan& plan,
                                                                   const EllWarpLayout& layout, const Matrix&,
                                                                   const SystemInMemory& system,
                                                                   const EntriesOfK& entries) {
  const auto rows = static_cast<std::size_t>(entries.pattern.rows);
  const std::span<const Index> row_begin(entries.pattern.row_begin, rows + 1);
  const CsrPattern pattern{row_begin, {entries.pattern.column, static_cast<std::size_t>(row_begin.back())}};
  return std::make_unique<SolverOnGpu>(plan, layout, pattern, system);
}

}  // namespace

SimulationWithGpuSolver make_simulation_with_gpu_solver(const Problem& problem) {
  require_cuda_device();
  Problem by_cpu = problem;
  by_cpu.matrix_operator = OperatorKind::assembled;  // what the host assembles goes to the GPU
  if (by_cpu.assembly.strategy == AssemblyStrategy::automatic && by_cpu.quadrature != Quadrature::vertices)
    by_cpu.assembly.strategy = AssemblyStrategy::entry_gather;
  const SimulationPlan plan = plan_simulation(by_cpu, gpu_device());
  if (plan.matrix.options.format != MatrixFormat::ell_warp)
    throw InputError("a GPU that solves for the CPU needs linear_solver.spmv to be auto or one of ELL-WARP, got '" +
                     format_name(plan.matrix.options) + "'");
  auto simulation = std::make_unique<BackendSimulation<CpuWithGpuSolver>>(plan);
  const std::int64_t* bytes = &simulation->backend().bytes_over_bus;
  return {std::move(simulation), bytes};
}

}  // namespace cardiowarp
