#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kernels/backend/backend.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/on_chip/on_chip_cg.hpp"
#include "solver/parts/parts_product.hpp"
#include "solver/persistent/persistent_cg.hpp"
#include "solver/preconditioners/block_jacobi.hpp"
#include "solver/solver_path.hpp"

namespace cardiowarp {

/// Solves K x = b for one K and one b after the other. Where they are in backend memory is fixed when a solver is made
/// (SystemInMemory); an algorithm that uses it knows no more than this.
template <Backend B>
class LinearSolver {
 public:
  LinearSolver() = default;
  LinearSolver(const LinearSolver&) = delete;
  LinearSolver& operator=(const LinearSolver&) = delete;
  virtual ~LinearSolver() = default;

  /// The next K is the first of a time step: what is derived from K once a step is derived again.
  virtual void begin_step() {}
  /// Solves from x = 0 to the larger of the two tolerances, config's and that of the forcing term in backend memory,
  /// where there is one. Nothing waits; the report will be in the system's state.
  virtual void solve(B& backend, const CgConfig& config, const Forcing* forcing) = 0;
  virtual SolverPath path() const = 0;
};

/// One linear system in backend memory, [rows] each.
struct SystemInMemory {
  Index rows;
  const Real* value;             ///< stored entries of K, where its layout has slots for them
  const Real* inverse_diagonal;  ///< of K
  Real* b;                       ///< of no use after a solve
  Real* x;
  CgState* state;
};

/// What was decided for a matrix before there is a backend, with what the decision has worked out.
struct SolverPlan {
  SolverPath path = SolverPath::plain;        ///< never automatic
  std::string reason;                         ///< one sentence for the user: why this path
  bool block_jacobi = false;                  ///< instead of Jacobi; on the path plain alone
  std::optional<MatrixParts> parts;           ///< of all paths but plain
  std::optional<OnChipShape> on_chip;         ///< of that path
  std::optional<PersistentShape> persistent;  ///< of that path
};

/// By loops over rows, with a matrix that multiplies as ConjugateGradient asks.
template <Backend B, class Matrix, class Preconditioner>
class CgSolver final : public LinearSolver<B> {
 public:
  /// `A` lives as long as this.
  CgSolver(B& backend, const Matrix& A, const Preconditioner& M, const SystemInMemory& system, SolverPath path)
      : cg_(backend, system.rows, A, M, system.b, system.x, system.state), path_(path) {}
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    cg_.solve(backend, config, forcing);
  }
  SolverPath path() const override { return path_; }

 private:
  ConjugateGradient<B, Matrix, Preconditioner> cg_;
  SolverPath path_;
};

/// In two launches an iteration.
template <Backend B>
class InPartsSolver final : public LinearSolver<B> {
 public:
  InPartsSolver(B& backend, const EllWarpLayout& layout, const MatrixParts& parts, const SystemInMemory& system)
      : matrix_(backend, layout, parts, system.value),
        cg_(backend, system.rows, matrix_, {system.inverse_diagonal}, system.b, system.x, system.state) {}
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    cg_.solve(backend, config, forcing);
  }
  SolverPath path() const override { return SolverPath::in_parts; }

 private:
  PartsMatrix<B> matrix_;
  ConjugateGradient<B, PartsMatrix<B>, JacobiPreconditioner> cg_;
};

/// In one launch, with the matrix in memory.
template <Backend B>
class PersistentSolver final : public LinearSolver<B> {
 public:
  PersistentSolver(B& backend, const EllWarpLayout& layout, const MatrixParts& parts, const PersistentShape& shape,
                   const SystemInMemory& system)
      : cg_(backend, layout, parts, shape, system.value, {system.inverse_diagonal}, system.b, system.x, system.state) {}
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    cg_.solve(backend, config, forcing);
  }
  SolverPath path() const override { return SolverPath::persistent; }

 private:
  PersistentCg<B> cg_;
};

/// In one launch, with the matrix on the chip.
template <Backend B>
class OnChipSolver final : public LinearSolver<B> {
 public:
  OnChipSolver(B& backend, const EllWarpLayout& layout, const MatrixParts& parts, const OnChipShape& shape,
               const SystemInMemory& system)
      : cg_(backend, layout, parts, shape), system_(system) {}
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    cg_.solve(backend, {system_.value, system_.inverse_diagonal, system_.b, system_.x}, config, forcing,
              &system_.state->report);
  }
  SolverPath path() const override { return SolverPath::on_chip; }

 private:
  OnChipCg<B> cg_;
  SystemInMemory system_;
};

/// By loops over rows with block Jacobi of K at the first iterate of a time step: K changes little in a step.
template <class Matrix>
class BlockJacobiSolver final : public LinearSolver<CpuBackend> {
 public:
  BlockJacobiSolver(CpuBackend& backend, const Matrix& A, const CsrView& pattern,
                    std::span<const std::int64_t> slot_of_entry, const SystemInMemory& system)
      : value_(system.value),
        block_jacobi_(backend, pattern, slot_of_entry),
        cg_(backend, system.rows, A, block_jacobi_.preconditioner(), system.b, system.x, system.state) {}
  void begin_step() override { is_of_this_step_ = false; }
  void solve(CpuBackend& backend, const CgConfig& config, const Forcing* forcing) override {
    if (!is_of_this_step_) block_jacobi_.factorize(value_);
    is_of_this_step_ = true;
    cg_.solve(backend, config, forcing);
  }
  SolverPath path() const override { return SolverPath::plain; }

 private:
  using Prepared = decltype(std::declval<const BlockJacobi&>().preconditioner());
  const Real* value_;
  BlockJacobi block_jacobi_;
  ConjugateGradient<CpuBackend, Matrix, Prepared> cg_;
  bool is_of_this_step_ = false;
};

/// The solver that the plan names, or the next best one that the backend has room for: LinearSolver::path() says which.
/// `layout` is that of the plan's parts; `A` multiplies and lives as long as the solver.
template <Backend B, class Matrix>
std::unique_ptr<LinearSolver<B>> make_linear_solver(B& backend, const SolverPlan& plan, const EllWarpLayout& layout,
                                                    const Matrix& A, const SystemInMemory& system) {
  if (plan.on_chip && has_room_for(backend, *plan.on_chip))
    return std::make_unique<OnChipSolver<B>>(backend, layout, *plan.parts, *plan.on_chip, system);
  if (plan.persistent && has_room_for(backend, *plan.persistent))
    return std::make_unique<PersistentSolver<B>>(backend, layout, *plan.parts, *plan.persistent, system);
  if (plan.parts && fits_any_block(*plan.parts))
    return std::make_unique<InPartsSolver<B>>(backend, layout, *plan.parts, system);
  return std::make_unique<CgSolver<B, Matrix, JacobiPreconditioner>>(
      backend, A, JacobiPreconditioner{system.inverse_diagonal}, system, SolverPath::plain);
}

}  // namespace cardiowarp
