#pragma once
#include <array>
#include <string_view>
#include <utility>

namespace cardiowarp {

/// The way a linear system is solved by conjugate gradients. All ways compute the same iterates up to rounding; they
/// differ in where the matrix and the vectors are and in how often a GPU starts a kernel.
enum class SolverPath {
  automatic,   ///< the fastest of the others that the machine and the matrix allow
  plain,       ///< a few loops an iteration, for any matrix format, preconditioner and machine
  in_parts,    ///< two launches an iteration; the matrix is cut into parts of neighbouring rows with 16-bit columns
  persistent,  ///< one launch a solve; a block on each multiprocessor goes through its parts in every iteration
  on_chip      ///< one launch a solve; each multiprocessor keeps its part of the matrix in its own shared memory
};

/// The name of a path in YAML and in results.
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
