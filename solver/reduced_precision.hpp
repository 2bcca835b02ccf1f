#pragma once
#include <algorithm>
#include <memory>

#include "kernels/backend/backend.hpp"
#include "solver/linear_system.hpp"
#include "solver/rounded_values.hpp"
#include "solver/single_system.hpp"
#include "solver/solver_precision.hpp"

namespace cardiowarp {

// Solvers in less than double precision (solver_precision.hpp): they bring the numbers of a system into that precision
// before each solve, and leave the solve to a solver that is made for it.

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

}  // namespace cardiowarp
