#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/sizing_backend.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/on_chip/on_chip_cg.hpp"
#include "solver/parts/parts_product.hpp"
#include "solver/persistent/persistent_cg.hpp"
#include "solver/preconditioners/block_jacobi.hpp"
#include "solver/preconditioners/polynomial_preconditioner.hpp"
#include "solver/solver_path.hpp"

namespace cardiowarp {

/// Solves linear systems K x = b by conjugate gradients, one after the other: K, b and x change their numbers from
/// system to system, not their places in backend memory, which a solver gets when it is made (SystemInMemory). There is
/// one class for each path (solver_path.hpp); Newton's method knows no more than this interface.
template <Backend B>
class LinearSolver {
 public:
  LinearSolver() = default;
  LinearSolver(const LinearSolver&) = delete;
  LinearSolver& operator=(const LinearSolver&) = delete;
  virtual ~LinearSolver() = default;

  /// Says that the next K is the first of a time step: what a solver derives from K once a step, it derives again.
  virtual void begin_step() {}
  /// Solves from x = 0 to the larger of the two tolerances, config's and that of the forcing term in backend memory,
  /// where there is one. Nothing waits; the report will be in the system's state.
  virtual void solve(B& backend, const CgConfig& config, const Forcing* forcing) = 0;
  virtual SolverPath path() const = 0;
};

/// Where one linear system is in backend memory; vectors are [rows].
struct SystemInMemory {
  Index rows;
  const Real* value;             ///< [slots] the values of K, in the order of its layout
  const Real* inverse_diagonal;  ///< 1 / K_ii, for the Jacobi preconditioner
  Real* b;                       ///< right-hand side; overwritten by a solve
  Real* x;
  CgState* state;
};

/// How the systems of a run are solved: what plan_solver() (app/simulation/choose_solver.hpp) has decided for the
/// matrix, before there is a backend, and what it has worked out for that.
struct SolverPlan {
  SolverPath path = SolverPath::plain;          ///< never automatic
  std::string reason;                           ///< one sentence for the user: why this path
  bool is_wish = false;                         ///< the path was asked for by name
  bool block_jacobi = false;                    ///< the preconditioner, else Jacobi; on the path `plain` of a CPU alone
  std::optional<PolynomialOptions> polynomial;  ///< the preconditioner, on the paths `plain` and `in_parts`
  std::optional<MatrixParts> parts;             ///< for all paths but `plain`
  std::optional<OnChipShape> on_chip;           ///< for the path `on_chip`
  std::optional<PersistentShape> persistent;    ///< for the path `persistent`, or where `on_chip` finds no room
};

/// The path `plain`: loops over rows, with any matrix that multiplies as ConjugateGradient asks.
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

/// The path `in_parts`: two launches an iteration.
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

/// The path `persistent`: one launch a solve, with the matrix in memory.
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

/// The path `on_chip`: one launch a solve, with the matrix in shared memory.
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

/// The path `plain` on a CPU with block Jacobi. The preconditioner is made of the first K of a time step and serves all
/// systems of the step, in which K changes little.
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

/// Conjugate gradients with a polynomial preconditioner (solver/preconditioners/polynomial.hpp). The bounds of the
/// spectrum are computed for the first K and again where K has changed by more than a stated measure.
template <Backend B, class Matrix, class Product>
class PolynomialSolver final : public LinearSolver<B> {
 public:
  /// `A` lives as long as this; `product` multiplies by the same matrix (PolynomialPreconditioner).
  PolynomialSolver(B& backend, const Matrix& A, const Product& product, const PolynomialOptions& options,
                   const SystemInMemory& system, SolverPath path)
      : preconditioner_(backend, system.rows, product, options, system.inverse_diagonal),
        cg_(backend, system.rows, A, preconditioner_.preconditioner(), system.b, system.x, system.state),
        state_(system.state),
        path_(path) {}
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    preconditioner_.follow_matrix(state_);
    cg_.solve(backend, config, forcing);
  }
  SolverPath path() const override { return path_; }

 private:
  using Preconditioner = PolynomialPreconditioner<B, Product>;
  Preconditioner preconditioner_;
  ConjugateGradient<B, Matrix, typename Preconditioner::Prepared> cg_;
  const CgState* state_;
  SolverPath path_;
};

/// The products that a polynomial needs, by a matrix that multiplies with values from anywhere.
template <class Matrix>
struct ProductWithValues {
  const Matrix* A;
  const Real* value;  ///< [slots]
  template <Backend B>
  void multiply(B& backend, const Real* x, Real* y) const {
    A->multiply(backend, value, x, y);
  }
  template <Backend B>
  void absolute_row_sums(B& backend, Real* y) const {
    A->absolute_row_sums(backend, y);
  }
};

/// The same by a matrix in parts.
template <Backend B>
struct ProductInParts {
  const PartsMatrix<B>* A;
  void multiply(B& backend, const Real* x, Real* y) const { A->multiply(backend, x, y); }
  void absolute_row_sums(B& backend, Real* y) const { A->absolute_row_sums(backend, y); }
};

/// The path `in_parts` with a polynomial preconditioner: two launches an iteration, and two for each product of M.
template <Backend B>
class InPartsPolynomialSolver final : public LinearSolver<B> {
 public:
  InPartsPolynomialSolver(B& backend, const EllWarpLayout& layout, const MatrixParts& parts,
                          const PolynomialOptions& options, const SystemInMemory& system)
      : matrix_(backend, layout, parts, system.value),
        solver_(backend, matrix_, {&matrix_}, options, system, SolverPath::in_parts) {}
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    solver_.solve(backend, config, forcing);
  }
  SolverPath path() const override { return solver_.path(); }

 private:
  PartsMatrix<B> matrix_;
  PolynomialSolver<B, PartsMatrix<B>, ProductInParts<B>> solver_;
};

/// Where the entries of K are, in host memory, for preconditioners that are made of them.
struct EntriesInHost {
  CsrView pattern{};                              ///< without values
  std::span<const std::int64_t> slot_of_entry{};  ///< [entries] as in SystemInMemory::value
};

/// The solver that the plan names. Where the device turns out to have no room for the blocks of `on_chip` or
/// `persistent` it is the next best one: LinearSolver::path() says which, and reason_for_path()
/// (app/simulation/choose_solver.hpp) whether that may be. `layout` is the one that the plan's parts were cut from; `A`
/// multiplies on the path `plain` and lives as long as the solver. Throws std::logic_error for a preconditioner that
/// this backend does not have.
template <Backend B, class Matrix>
std::unique_ptr<LinearSolver<B>> make_linear_solver(B& backend, const SolverPlan& plan, const EllWarpLayout& layout,
                                                    const Matrix& A, const SystemInMemory& system,
                                                    const EntriesInHost& entries = {}) {
  if (plan.block_jacobi) {
    if constexpr (std::same_as<B, CpuBackend>)
      return std::make_unique<BlockJacobiSolver<Matrix>>(backend, A, entries.pattern, entries.slot_of_entry, system);
    if constexpr (!std::same_as<B, SizingBackend>)  // which counts the memory of a run on the CPU, too
      throw std::logic_error("block Jacobi is a preconditioner of the CPU");
  }
  if (plan.polynomial) {
    if (plan.parts && fits_any_block(*plan.parts))
      return std::make_unique<InPartsPolynomialSolver<B>>(backend, layout, *plan.parts, *plan.polynomial, system);
    using Product = ProductWithValues<Matrix>;
    return std::make_unique<PolynomialSolver<B, Matrix, Product>>(backend, A, Product{&A, system.value},
                                                                  *plan.polynomial, system, SolverPath::plain);
  }
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
