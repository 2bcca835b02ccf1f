#pragma once
#include <concepts>
#include <memory>
#include <utility>

#include "kernels/backend/sizing_backend.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/given_system.hpp"
#include "solver/on_chip/on_chip_cg.hpp"
#include "solver/parts/parts_product.hpp"
#include "solver/persistent/persistent_cg.hpp"

namespace cardiowarp {

/// Conjugate gradients with Jacobi on any path: `Cg` iterates and `Matrix` is what it multiplies by.
template <Backend B, class Matrix, class Cg>
class CgSolver final : public LinearSolver<B> {
 public:
  /// make_cg(matrix) makes the Cg, for a matrix that lives as long as it.
  template <class MakeCg>
  CgSolver(SolverPath path, Matrix matrix, const MakeCg& make_cg)
      : path_(path), matrix_(std::move(matrix)), cg_(make_cg(std::as_const(matrix_))) {}
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    cg_.solve(backend, config, forcing);
  }
  SolverPath path() const override { return path_; }

 private:
  SolverPath path_;
  Matrix matrix_;
  Cg cg_;
};

template <Backend B, class Matrix, class MakeCg>
std::unique_ptr<LinearSolver<B>> make_cg_solver(B&, SolverPath path, Matrix matrix, const MakeCg& make_cg) {
  using Cg = decltype(make_cg(std::declval<const Matrix&>()));
  return std::make_unique<CgSolver<B, Matrix, Cg>>(path, std::move(matrix), make_cg);
}

/// Loops with Jacobi, over any matrix that ConjugateGradient can multiply by.
template <Backend B, class Matrix, class Value, class Number>
std::unique_ptr<LinearSolver<B>> make_jacobi_by_loops(B& backend, SolverPath path, Matrix matrix,
                                                      const SystemOf<Value, Number>& system) {
  return make_cg_solver(backend, path, std::move(matrix), [&](const Matrix& A) {
    using Jacobi = JacobiPreconditionerOf<Number>;
    return ConjugateGradient<B, Matrix, Jacobi, Number>(backend, A, Jacobi{system.inverse_diagonal}, system.vectors());
  });
}

/// Stands in place of a matrix for what has its own.
struct NoMatrix {};

/// Whether a backend has the paths of one launch: a GPU has, and what counts its memory.
template <Backend B>
inline constexpr bool has_one_launch = !std::same_as<B, CpuBackend>;

template <Backend B, class Value, class Number>
std::unique_ptr<LinearSolver<B>> on_chip_solver(B& backend, const GivenSystem<B, Value, Number>& given) {
  if constexpr (has_one_launch<B>)
    if (given.plan.on_chip && has_room_for<Value, Number>(backend, *given.plan.on_chip)) {
      const SystemOf<Value, Number>& system = given.system;
      return make_cg_solver(backend, SolverPath::on_chip, NoMatrix{}, [&](const NoMatrix&) {
        return OnChipCg<B, Value, Number>(backend, given.layout, *given.plan.parts, *given.plan.on_chip,
                                          {system.value, system.inverse_diagonal, system.b, system.x},
                                          &system.state->report);
      });
    }
  return nullptr;
}

template <Backend B, class Value, class Number>
std::unique_ptr<LinearSolver<B>> persistent_solver(B& backend, const GivenSystem<B, Value, Number>& given) {
  if constexpr (has_one_launch<B>)
    if (given.plan.persistent && has_room_for<Value, Number>(backend, *given.plan.persistent)) {
      const SystemOf<Value, Number>& system = given.system;
      return make_cg_solver(backend, SolverPath::persistent,
                            PartsMatrix<B, Value>(backend, given.layout, *given.plan.parts, system.value),
                            [&](const PartsMatrix<B, Value>& A) {
                              return PersistentCg<B, Value, Number>(backend, A, *given.plan.persistent,
                                                                    {system.inverse_diagonal}, system.vectors());
                            });
    }
  return nullptr;
}

template <Backend B, class Value, class Number>
std::unique_ptr<LinearSolver<B>> loop_solver(B& backend, const GivenSystem<B, Value, Number>& given) {
  if (given.plan.parts && fits_any_block(*given.plan.parts))
    return make_jacobi_by_loops(backend, SolverPath::in_parts,
                                PartsMatrix<B, Value>(backend, given.layout, *given.plan.parts, given.system.value),
                                given.system);
  return make_jacobi_by_loops(backend, SolverPath::plain,
                              MatrixWithValues<SparseMatrix<B>, Value>{&given.A, given.system.value}, given.system);
}

}  // namespace cardiowarp
