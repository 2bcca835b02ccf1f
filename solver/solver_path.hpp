#pragma once
#include <array>
#include <string_view>
#include <utility>

namespace cardiowarp {

/// The path of a solve: where conjugate gradients have the matrix and the vectors, and how often a GPU starts a kernel.
/// All paths compute the same iterates up to rounding. choose_solver() (app/simulation/choose_solver.hpp) picks one for
/// a run from the device, the lengths of the rows and what the user wishes; the ledger in
/// solver/cg/conjugate_gradient.hpp says what an iteration of each moves. Parts are those of
/// solver/parts/matrix_parts.hpp.
enum class SolverPath {
  automatic,   ///< the fastest of the others that the machine and the matrix allow
  plain,       ///< a few loops an iteration, for any format of the matrix, preconditioner and machine
  in_parts,    ///< two launches an iteration; a thread block for each part, whose vector is in shared memory
  persistent,  ///< one launch a solve; a block on each multiprocessor goes through its parts in every iteration
  on_chip      ///< one launch a solve; each multiprocessor keeps a single part, its matrix in shared memory
};

/// The names of the paths in YAML and in results.
inline constexpr std::array<std::pair<std::string_view, SolverPath>, 5> solver_paths{
    {{"auto", SolverPath::automatic},
     {"plain", SolverPath::plain},
     {"in_parts", SolverPath::in_parts},
     {"persistent", SolverPath::persistent},
     {"on_chip", SolverPath::on_chip}}};

constexpr std::string_view name_of(SolverPath path) {
  for (const auto& [name, named] : solver_paths)
    if (named == path) return name;
  return {};
}

}  // namespace cardiowarp
