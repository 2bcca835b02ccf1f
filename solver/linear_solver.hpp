#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/sizing_backend.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/linear_system.hpp"
#include "solver/on_chip/on_chip_cg.hpp"
#include "solver/parts/parts_product.hpp"
#include "solver/persistent/persistent_cg.hpp"
#include "solver/persistent/persistent_rows.hpp"
#include "solver/preconditioners/block_jacobi.hpp"
#include "solver/preconditioners/polynomial_preconditioner.hpp"
#include "solver/rounded_values.hpp"
#include "solver/single_system.hpp"
#include "solver/solver_path.hpp"
#include "solver/solver_precision.hpp"
#include "solver/ssor_solver.hpp"

namespace cardiowarp {

struct SolverPlan;

/// Makes a solver for a system in host memory that another machine solves.
using SolverElsewhere =
    std::function<std::unique_ptr<LinearSolver<CpuBackend>>(const SolverPlan&, const SystemInMemory&)>;

/// How the systems of a run are solved: what plan_solver() (app/simulation/choose_solver.hpp) has decided for the
/// matrix, before there is a backend, and what it has worked out for that.
struct SolverPlan {
  SolverPath path = SolverPath::plain;                            ///< never automatic
  std::string reason;                                             ///< one sentence for the user: why this path
  bool is_wish = false;                                           ///< the path was asked for by name
  SolverPrecision precision = SolverPrecision::double_precision;  ///< never automatic
  std::string precision_reason;                                   ///< where that is not what was asked for by name: why
  bool block_jacobi = false;                    ///< the preconditioner, else Jacobi; on the path `plain` of a CPU alone
  std::optional<PolynomialOptions> polynomial;  ///< the preconditioner, on all paths but `on_chip`
  std::optional<SsorPlan> ssor;                 ///< the preconditioner, on the path `plain`
  std::optional<MatrixParts> parts;             ///< for all paths but `plain`
  std::optional<OnChipShape> on_chip;           ///< for the path `on_chip`
  std::optional<PersistentShape> persistent;    ///< for the path `persistent`, or where `on_chip` finds no room
  SolverElsewhere elsewhere;                    ///< nothing but where another machine solves for a CPU
};

/// The path `plain`: loops over rows, with any matrix that multiplies as MatrixWithValues asks.
template <Backend B, class Matrix, class Value, class Number>
class PlainSolver final : public LinearSolver<B> {
 public:
  /// `A` lives as long as this.
  PlainSolver(B& backend, const Matrix& A, const SystemOf<Value, Number>& system)
      : matrix_{&A, system.value},
        cg_(backend, system.rows, matrix_, {system.inverse_diagonal}, system.b, system.x, system.state) {}
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    cg_.solve(backend, config, forcing);
  }
  SolverPath path() const override { return SolverPath::plain; }

 private:
  MatrixWithValues<Matrix, Value> matrix_;
  ConjugateGradient<B, MatrixWithValues<Matrix, Value>, JacobiPreconditionerOf<Number>, Number> cg_;
};

/// The path `in_parts`: two launches an iteration.
template <Backend B, class Value, class Number>
class InPartsSolver final : public LinearSolver<B> {
 public:
  InPartsSolver(B& backend, const EllWarpLayout& layout, const MatrixParts& parts,
                const SystemOf<Value, Number>& system)
      : matrix_(backend, layout, parts, system.value),
        cg_(backend, system.rows, matrix_, {system.inverse_diagonal}, system.b, system.x, system.state) {}
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    cg_.solve(backend, config, forcing);
  }
  SolverPath path() const override { return SolverPath::in_parts; }

 private:
  PartsMatrix<B, Value> matrix_;
  ConjugateGradient<B, PartsMatrix<B, Value>, JacobiPreconditionerOf<Number>, Number> cg_;
};

/// The path `persistent`: one launch a solve, with the matrix in memory.
template <Backend B, class Value, class Number>
class PersistentSolver final : public LinearSolver<B> {
 public:
  PersistentSolver(B& backend, const EllWarpLayout& layout, const MatrixParts& parts, const PersistentShape& shape,
                   const SystemOf<Value, Number>& system)
      : matrix_(backend, layout, parts, system.value),
        cg_(backend, matrix_, shape, {system.inverse_diagonal}, system.b, system.x, system.state) {}
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    cg_.solve(backend, config, forcing);
  }
  SolverPath path() const override { return SolverPath::persistent; }

 private:
  PartsMatrix<B, Value> matrix_;
  PersistentCg<B, Value, Number> cg_;
};

/// The path `on_chip`: one launch a solve, with the matrix in shared memory.
template <Backend B, class Value, class Number>
class OnChipSolver final : public LinearSolver<B> {
 public:
  OnChipSolver(B& backend, const EllWarpLayout& layout, const MatrixParts& parts, const OnChipShape& shape,
               const SystemOf<Value, Number>& system)
      : cg_(backend, layout, parts, shape), system_(system) {}
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    cg_.solve(backend, {system_.value, system_.inverse_diagonal, system_.b, system_.x}, config, forcing,
              &system_.state->report);
  }
  SolverPath path() const override { return SolverPath::on_chip; }

 private:
  OnChipCg<B, Value, Number> cg_;
  SystemOf<Value, Number> system_;
};

/// The path `plain` on a CPU with block Jacobi. The preconditioner is made of the first K of a time step and serves all
/// systems of the step, in which K changes little.
template <class Matrix, class Value>
class BlockJacobiSolver final : public LinearSolver<CpuBackend> {
 public:
  /// `value` [slots] are the values that the preconditioner is made of.
  BlockJacobiSolver(CpuBackend& backend, const Matrix& A, const CsrView& pattern,
                    std::span<const std::int64_t> slot_of_entry, const Real* value, const SystemOf<Value>& system)
      : value_(value),
        matrix_{&A, system.value},
        block_jacobi_(backend, pattern, slot_of_entry),
        cg_(backend, system.rows, matrix_, block_jacobi_.preconditioner(), system.b, system.x, system.state) {}
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
  MatrixWithValues<Matrix, Value> matrix_;
  BlockJacobi block_jacobi_;
  ConjugateGradient<CpuBackend, MatrixWithValues<Matrix, Value>, Prepared> cg_;
  bool is_of_this_step_ = false;
};

/// The values that a polynomial with vectors of `Number` multiplies by: those of the system or, where these are in
/// double precision and the vectors are not, rounded ones.
template <Backend B, class Value, class Number>
class ValuesInside {
 public:
  ValuesInside(B&, const SystemOf<Value>& system, const Index* /*diagonal_slot*/) : value_(system.value) {}
  void renew(B&) const {}
  const Value* data() const { return value_; }

 private:
  const Value* value_;
};
template <Backend B>
class ValuesInside<B, Real, float> : public RoundedValues<B> {
 public:
  ValuesInside(B& backend, const SystemInMemory& system, const Index* diagonal_slot)
      : RoundedValues<B>(backend, system.rows, system.slots, system.value, diagonal_slot) {}
};

/// What iterates around a polynomial on the paths `plain` and `in_parts`: loops, with the matrix and the preconditioner
/// that both live as long as what this makes.
struct PolynomialCgByLoops {
  SolverPath path;
  template <Backend B, class Matrix, class Preconditioner>
  auto operator()(B& backend, Index rows, const Matrix& A, const Preconditioner& M, Real* r, Real* x,
                  CgState* state) const {
    return ConjugateGradient<B, Matrix, typename Preconditioner::Prepared>(backend, rows, A, M.preconditioner(), r, x,
                                                                           state);
  }
};

/// The same on the path `persistent`, for a matrix in parts: one launch.
struct PolynomialCgInOneLaunch {
  static constexpr SolverPath path = SolverPath::persistent;
  PersistentShape shape;
  template <Backend B, class Value, class Inside, class Number>
  auto operator()(B& backend, Index, const PartsMatrix<B, Value>& A,
                  const PolynomialPreconditioner<B, PartsProducts<Inside>, Number>& M, Real* r, Real* x,
                  CgState* state) const {
    using InParts = PolynomialInParts<Inside, Number>;
    return PersistentCg<B, Value, Real, InParts>(backend, A, shape, InParts{M.matrix().A, M.vectors()}, r, x, state);
  }
};

/// Conjugate gradients with a polynomial preconditioner (solver/preconditioners/polynomial.hpp), which is applied with
/// vectors of `Number`. The bounds of the spectrum are computed for the first K and again where K has changed by more
/// than a stated measure. `Matrix` multiplies as ConjugateGradient asks, and with other values, matrix.with(values), as
/// PolynomialPreconditioner does; `MakeCg` makes what iterates, as the two above. On the path `in_parts` an iteration
/// has two launches, and two for each product of M.
template <Backend B, class Matrix, class Value, class Number, class MakeCg>
class PolynomialSolver final : public LinearSolver<B> {
 public:
  /// `diagonal_slot` is as in RoundedValues.
  PolynomialSolver(B& backend, Matrix A, const PolynomialOptions& options, const SystemOf<Value>& system,
                   const Index* diagonal_slot, const MakeCg& make_cg)
      : matrix_(std::move(A)),
        inside_(backend, system, diagonal_slot),
        preconditioner_(backend, system.rows, matrix_.with(inside_.data()), options, system.inverse_diagonal),
        cg_(make_cg(backend, system.rows, std::as_const(matrix_), std::as_const(preconditioner_), system.b, system.x,
                    system.state)),
        state_(system.state),
        path_(make_cg.path) {}
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    inside_.renew(backend);
    preconditioner_.follow_matrix(state_);
    cg_.solve(backend, config, forcing);
  }
  SolverPath path() const override { return path_; }
  SpectrumMemory* spectrum() override { return &preconditioner_; }

 private:
  using Inside = ValuesInside<B, Value, Number>;
  using Products = decltype(std::declval<const Matrix&>().with(std::declval<const Inside&>().data()));
  using Preconditioner = PolynomialPreconditioner<B, Products, Number>;
  using Cg = decltype(std::declval<const MakeCg&>()(std::declval<B&>(), Index{}, std::declval<const Matrix&>(),
                                                    std::declval<const Preconditioner&>(), std::declval<Real*>(),
                                                    std::declval<Real*>(), std::declval<CgState*>()));

  Matrix matrix_;
  Inside inside_;
  Preconditioner preconditioner_;
  Cg cg_;
  const CgState* state_;
  SolverPath path_;
};

/// The solver with a polynomial, in the precision that its options name.
template <Backend B, class Matrix, class Value, class MakeCg>
std::unique_ptr<LinearSolver<B>> make_polynomial_solver(B& backend, Matrix A, const PolynomialOptions& options,
                                                        const SystemOf<Value>& system, const Index* diagonal_slot,
                                                        const MakeCg& make_cg) {
  if (options.precision == PolynomialPrecision::single)
    return std::make_unique<PolynomialSolver<B, Matrix, Value, float, MakeCg>>(backend, std::move(A), options, system,
                                                                               diagonal_slot, make_cg);
  return std::make_unique<PolynomialSolver<B, Matrix, Value, Real, MakeCg>>(backend, std::move(A), options, system,
                                                                            diagonal_slot, make_cg);
}

/// Whether the device has room for a solve with a polynomial in one launch.
template <class Value, Backend B>
bool has_room_for_polynomial(B& backend, const PersistentShape& shape, PolynomialPrecision precision) {
  return precision == PolynomialPrecision::single
             ? has_room_for<Value, Real, PolynomialInParts<float, float>>(backend, shape)
             : has_room_for<Value, Real, PolynomialInParts<Value, Real>>(backend, shape);
}

/// Precision `mixed` on any path: a solver that multiplies by K in single precision, which this rounds before each
/// solve.
template <Backend B>
class RoundingSolver final : public LinearSolver<B> {
 public:
  /// make(system) makes the solver for a system with rounded values. `diagonal_slot` is as in RoundedValues.
  template <class Make>
  RoundingSolver(B& backend, const SystemInMemory& system, const Index* diagonal_slot, const Make& make)
      : value_(backend, system.rows, system.slots, system.value, diagonal_slot),
        solver_(make(system.with(value_.data()))) {}
  void begin_step() override { solver_->begin_step(); }
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    value_.renew(backend);
    solver_->solve(backend, config, forcing);
  }
  SolverPath path() const override { return solver_->path(); }
  SpectrumMemory* spectrum() override { return solver_->spectrum(); }

 private:
  RoundedValues<B> value_;
  std::unique_ptr<LinearSolver<B>> solver_;
};

/// Precision `single` on any path: a solver of a system in single precision, to which this brings K, 1 / D and b before
/// each solve, and whose x and report it brings back.
template <Backend B>
class SingleSolver final : public LinearSolver<B> {
 public:
  /// make(system) makes the solver for a system in single precision. `diagonal_slot` is as in RoundedValues.
  template <class Make>
  SingleSolver(B& backend, const SystemInMemory& system, const Index* diagonal_slot, const Make& make)
      : system_(system),
        value_(backend, system.rows, system.slots, system.value, diagonal_slot),
        state_(backend.template allocate<SingleState>(1)) {
    for (Buffer<float>* vector : {&inverse_diagonal_, &b_, &x_})
      *vector = backend.template allocate<float>(static_cast<std::size_t>(system.rows));
    solver_ = make(SystemOf<float, float>{system.rows, system.slots, value_.data(), inverse_diagonal_.data(), b_.data(),
                                          x_.data(), &state_.data()->cg});
  }
  void begin_step() override { solver_->begin_step(); }
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    if (system_.rows == 0) return;
    SingleState* const state = state_.data();
    value_.renew(backend);
    backend.maximum(system_.rows, &state->largest, Magnitude{system_.b}, SetSystemScale{state, forcing});
    backend.for_each(system_.rows,
                     ToSingle{system_.b, system_.inverse_diagonal, b_.data(), inverse_diagonal_.data(), state});
    solver_->solve(backend, {std::max(config.relative_tolerance, smallest_target_in_single), config.max_iterations},
                   forcing == nullptr ? nullptr : &state->forcing);
    backend.for_each(system_.rows, FromSingle{x_.data(), system_.x, state, system_.state});
  }
  SolverPath path() const override { return solver_->path(); }

 private:
  SystemInMemory system_;
  RoundedValues<B> value_;
  Buffer<SingleState> state_;
  Buffer<float> inverse_diagonal_, b_, x_;
  std::unique_ptr<LinearSolver<B>> solver_;
};

/// What some solvers know of K beside the system.
struct EntriesOfK {
  CsrView pattern{};                              ///< in host memory, without values
  std::span<const std::int64_t> slot_of_entry{};  ///< [entries] as in SystemInMemory::value, host memory
  const Index* diagonal_slot = nullptr;           ///< as in RoundedValues, backend memory
};

/// The solver with a preconditioner other than Jacobi that the plan names, for values of the type that its precision
/// says; `value` [slots] are those in double precision. Nothing where the plan has Jacobi.
template <Backend B, class Matrix, class Value>
std::unique_ptr<LinearSolver<B>> make_preconditioned_solver(B& backend, const SolverPlan& plan,
                                                            const EllWarpLayout& layout, const Matrix& A,
                                                            const SystemOf<Value>& system, const Real* value,
                                                            const EntriesOfK& entries) {
  if (plan.block_jacobi) {
    if constexpr (std::same_as<B, CpuBackend>)
      return std::make_unique<BlockJacobiSolver<Matrix, Value>>(backend, A, entries.pattern, entries.slot_of_entry,
                                                                value, system);
    if constexpr (!std::same_as<B, SizingBackend>)  // which counts the memory of a run on the CPU, too
      throw std::logic_error("block Jacobi is a preconditioner of the CPU");
  }
  if (plan.ssor) return make_ssor_solver(backend, *plan.ssor, A, system, entries.diagonal_slot != nullptr);
  if (plan.polynomial) {
    const auto with = [&](auto matrix, const auto& make_cg) {
      return make_polynomial_solver(backend, std::move(matrix), *plan.polynomial, system, entries.diagonal_slot,
                                    make_cg);
    };
    const auto in_parts = [&] { return PartsMatrix<B, Value>(backend, layout, *plan.parts, system.value); };
    if constexpr (!std::same_as<B, CpuBackend>)  // which has no such path
      if (plan.persistent && has_room_for_polynomial<Value>(backend, *plan.persistent, plan.polynomial->precision))
        return with(in_parts(), PolynomialCgInOneLaunch{*plan.persistent});
    if (plan.parts && fits_any_block(*plan.parts)) return with(in_parts(), PolynomialCgByLoops{SolverPath::in_parts});
    return with(MatrixWithValues<Matrix, Value>{&A, system.value}, PolynomialCgByLoops{SolverPath::plain});
  }
  return nullptr;
}

/// The solver with Jacobi for the parts of the plan, for values and vectors of the types that its precision says;
/// nothing where the plan has no parts, or parts that the device has no room for.
template <Backend B, class Value, class Number>
std::unique_ptr<LinearSolver<B>> make_jacobi_solver_for_parts(B& backend, const SolverPlan& plan,
                                                              const EllWarpLayout& layout,
                                                              const SystemOf<Value, Number>& system) {
  if (plan.on_chip && has_room_for<Value, Number>(backend, *plan.on_chip))
    return std::make_unique<OnChipSolver<B, Value, Number>>(backend, layout, *plan.parts, *plan.on_chip, system);
  if (plan.persistent && has_room_for<Value, Number>(backend, *plan.persistent))
    return std::make_unique<PersistentSolver<B, Value, Number>>(backend, layout, *plan.parts, *plan.persistent, system);
  if (plan.parts && fits_any_block(*plan.parts))
    return std::make_unique<InPartsSolver<B, Value, Number>>(backend, layout, *plan.parts, system);
  return nullptr;
}

/// The solver with Jacobi that the plan names, for values and vectors of the types that its precision says.
template <Backend B, class Matrix, class Value, class Number>
std::unique_ptr<LinearSolver<B>> make_jacobi_solver(B& backend, const SolverPlan& plan, const EllWarpLayout& layout,
                                                    const Matrix& A, const SystemOf<Value, Number>& system) {
  if (auto solver = make_jacobi_solver_for_parts(backend, plan, layout, system)) return solver;
  return std::make_unique<PlainSolver<B, Matrix, Value, Number>>(backend, A, system);
}

/// The solver that the plan names. Where the device turns out to have no room for the blocks of `on_chip` or
/// `persistent` it is the next best one: LinearSolver::path() says which, and reason_for_path()
/// (app/simulation/choose_solver.hpp) whether that may be. `layout` is the one that the plan's parts were cut from; `A`
/// multiplies on the path `plain` and lives as long as the solver. Throws std::logic_error for a preconditioner that
/// this backend or the precision does not have.
template <Backend B, class Matrix>
std::unique_ptr<LinearSolver<B>> make_linear_solver(B& backend, const SolverPlan& plan, const EllWarpLayout& layout,
                                                    const Matrix& A, const SystemInMemory& system,
                                                    const EntriesOfK& entries = {}) {
  if constexpr (std::same_as<B, CpuBackend>)
    if (plan.elsewhere) return plan.elsewhere(plan, system);
  if (plan.precision == SolverPrecision::single) {
    if (plan.block_jacobi || plan.polynomial || plan.ssor)
      throw std::logic_error("single precision is there with Jacobi alone");
    return std::make_unique<SingleSolver<B>>(backend, system, entries.diagonal_slot, [&](const auto& in_single) {
      return make_jacobi_solver(backend, plan, layout, A, in_single);
    });
  }
  const auto make = [&](const auto& with_values) {
    auto solver = make_preconditioned_solver(backend, plan, layout, A, with_values, system.value, entries);
    return solver ? std::move(solver) : make_jacobi_solver(backend, plan, layout, A, with_values);
  };
  if (plan.precision == SolverPrecision::mixed)
    return std::make_unique<RoundingSolver<B>>(backend, system, entries.diagonal_slot, make);
  return make(system);
}

// What does not depend on the matrix of the path `plain` is compiled once for the CPU, in linear_solver_cpu.cpp.
extern template std::unique_ptr<LinearSolver<CpuBackend>> make_jacobi_solver_for_parts(CpuBackend&, const SolverPlan&,
                                                                                       const EllWarpLayout&,
                                                                                       const SystemOf<Real, Real>&);
extern template std::unique_ptr<LinearSolver<CpuBackend>> make_jacobi_solver_for_parts(CpuBackend&, const SolverPlan&,
                                                                                       const EllWarpLayout&,
                                                                                       const SystemOf<float, Real>&);
extern template std::unique_ptr<LinearSolver<CpuBackend>> make_jacobi_solver_for_parts(CpuBackend&, const SolverPlan&,
                                                                                       const EllWarpLayout&,
                                                                                       const SystemOf<float, float>&);
extern template std::unique_ptr<LinearSolver<CpuBackend>> make_polynomial_solver(CpuBackend&,
                                                                                 PartsMatrix<CpuBackend, Real>,
                                                                                 const PolynomialOptions&,
                                                                                 const SystemOf<Real>&, const Index*,
                                                                                 const PolynomialCgByLoops&);
extern template std::unique_ptr<LinearSolver<CpuBackend>> make_polynomial_solver(CpuBackend&,
                                                                                 PartsMatrix<CpuBackend, float>,
                                                                                 const PolynomialOptions&,
                                                                                 const SystemOf<float>&, const Index*,
                                                                                 const PolynomialCgByLoops&);

}  // namespace cardiowarp
