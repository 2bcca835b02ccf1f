#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/sparse/csr.hpp"
#include "solver/linear_system.hpp"
#include "solver/on_chip/on_chip_shape.hpp"
#include "solver/parts/matrix_parts.hpp"
#include "solver/persistent/persistent_shape.hpp"
#include "solver/preconditioners/preconditioners.hpp"
#include "solver/solver_path.hpp"
#include "solver/solver_precision.hpp"

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
  PreconditionerPlan preconditioner;          ///< all but Jacobi and polynomials are on the path `plain` alone
  std::optional<MatrixParts> parts;           ///< for all paths but `plain`
  std::optional<OnChipShape> on_chip;         ///< for the path `on_chip`
  std::optional<PersistentShape> persistent;  ///< for the path `persistent`, or where `on_chip` finds no room
  SolverElsewhere elsewhere;                  ///< nothing but where another machine solves for a CPU

  bool has_jacobi() const { return std::holds_alternative<JacobiPlan>(preconditioner); }
};

/// Places of the entries of K, which some solvers need beside the system.
struct EntriesOfK {
  CsrView pattern{};                              ///< in host memory, without values
  std::span<const std::int64_t> slot_of_entry{};  ///< [entries] where SystemInMemory::value has each, host memory
  const Index* diagonal_slot = nullptr;           ///< [rows] as in RoundedValues (rounded_values.hpp), backend memory
};

}  // namespace cardiowarp
