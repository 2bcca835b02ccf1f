// A simulation whose linear systems alone are solved by the GPU.

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "app/simulation/gpu.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "app/simulation/step_on_gpu.cuh"
#include "fem/input_error.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "solver/linear_solver.hpp"

namespace cardiowarp {
namespace {

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
class SolverOnGpu final : public LinearSolver<CpuBackend> {
 public:
  /// `plan` is that of the simulation, and `solver` its plan for the solver. What crosses the bus is added to `bytes`.
  SolverOnGpu(const SimulationPlan& plan, const SolverPlan& solver, const SystemInMemory& host,
              std::shared_ptr<std::int64_t> bytes)
      : host_(host),
        slots_(static_cast<std::size_t>(host.slots)),
        rows_(static_cast<std::size_t>(host.rows)),
        value_(gpu_.allocate<Real>(slots_)),
        inverse_diagonal_(gpu_.allocate<Real>(rows_)),
        b_(gpu_.allocate<Real>(rows_)),
        x_(gpu_.allocate<Real>(rows_)),
        state_(gpu_.allocate<CgState>(1)),
        forcing_(gpu_.allocate<Forcing>(1)),
        matrix_(make_global_matrix(gpu_, plan.sparsity, plan.matrix)),
        solver_(make_linear_solver(gpu_, solver, plan.matrix.ell_warp(), *matrix_, system())),
        pinned_value_(host.value, slots_),
        pinned_diagonal_(host.inverse_diagonal, rows_),
        pinned_b_(host.b, rows_),
        pinned_x_(host.x, rows_),
        bytes_over_bus_(std::move(bytes)) {}

  void begin_step() override { solver_->begin_step(); }

  void solve(CpuBackend&, const CgConfig& config, const Forcing* forcing) override {
    gpu_.upload(std::span<const Real>(host_.value, slots_), value_.data());
    gpu_.upload(std::span<const Real>(host_.inverse_diagonal, rows_), inverse_diagonal_.data());
    gpu_.upload(std::span<const Real>(host_.b, rows_), b_.data());
    if (forcing != nullptr) gpu_.upload(std::span<const Forcing>(forcing, 1), forcing_.data());
    solver_->solve(gpu_, config, forcing == nullptr ? nullptr : forcing_.data());
    gpu_.download(static_cast<const Real*>(x_.data()), std::span<Real>(host_.x, rows_));
    gpu_.download(static_cast<const CgState*>(state_.data()), std::span<CgState>(host_.state, 1));
    *bytes_over_bus_ += static_cast<std::int64_t>(sizeof(Real) * (slots_ + 3 * rows_));
  }
  SolverPath path() const override { return solver_->path(); }

 private:
  SystemInMemory system() {
    return {host_.rows, host_.slots, value_.data(), inverse_diagonal_.data(), b_.data(), x_.data(), state_.data()};
  }

  SystemInMemory host_;
  std::size_t slots_, rows_;
  CudaBackend gpu_;
  Buffer<Real> value_, inverse_diagonal_, b_, x_;
  Buffer<CgState> state_;
  Buffer<Forcing> forcing_;
  std::unique_ptr<GlobalMatrix<CudaBackend>> matrix_;  ///< for the path `plain`
  std::unique_ptr<LinearSolver<CudaBackend>> solver_;
  PinnedMemory pinned_value_, pinned_diagonal_, pinned_b_, pinned_x_;
  std::shared_ptr<std::int64_t> bytes_over_bus_;
};

}  // namespace

SimulationWithGpuSolver make_simulation_with_gpu_solver(const Problem& problem) {
  Problem by_cpu = problem;
  by_cpu.matrix_operator = OperatorKind::assembled;  // what the host assembles goes to the GPU
  if (by_cpu.assembly.strategy == AssemblyStrategy::automatic && by_cpu.quadrature != Quadrature::vertices)
    by_cpu.assembly.strategy = AssemblyStrategy::entry_gather;
  SimulationPlan plan = plan_simulation(by_cpu, gpu_device());
  if (plan.matrix.options.format != MatrixFormat::ell_warp)
    throw InputError("a GPU that solves for the CPU needs linear_solver.spmv to be auto or one of ELL-WARP, got '" +
                     format_name(plan.matrix.options) + "'");
  const auto bytes = std::make_shared<std::int64_t>(0);
  plan.solver.elsewhere = [&](const SolverPlan& solver, const SystemInMemory& host) {
    return std::make_unique<SolverOnGpu>(plan, solver, host, bytes);
  };
  return {make_cpu_simulation_of(plan), bytes};
}

}  // namespace cardiowarp
