#pragma once
#include <array>
#include <string_view>

namespace cardiowarp {

/// The preconditioners of conjugate gradients, z = M⁻¹ r with an M that is like the matrix and quicker to invert.
/// preconditioners.hpp says how one is added.
enum class PreconditionerChoice {
  jacobi,
  block_jacobi,   ///< incomplete Cholesky factors of blocks of rows (solver/preconditioners/block_jacobi.hpp)
  polynomial,     ///< a polynomial of the matrix (solver/preconditioners/polynomial.hpp), which has options of its own
  ssor,           ///< colored sweeps over both halves of the matrix (solver/preconditioners/ssor.hpp)
  ssor_eisenstat  ///< that, by Eisenstat's trick (solver/preconditioners/ssor_cg.hpp)
};

/// A preconditioner before there is a matrix.
struct PreconditionerTraits {
  std::string_view name;  ///< in YAML and in reports; that of a polynomial is its kind instead
  PreconditionerChoice choice;
  bool needs_cpu = false;  ///< only a CPU has it
};

inline constexpr std::array<PreconditionerTraits, 5> preconditioners{
    {{"jacobi", PreconditionerChoice::jacobi},
     {"block_jacobi", PreconditionerChoice::block_jacobi, true},
     {"ssor", PreconditionerChoice::ssor},
     {"ssor_eisenstat", PreconditionerChoice::ssor_eisenstat},
     {"polynomial", PreconditionerChoice::polynomial}}};

/// Whether only a CPU has this preconditioner.
constexpr bool needs_cpu(PreconditionerChoice choice) {
  for (const PreconditionerTraits& traits : preconditioners)
    if (traits.choice == choice) return traits.needs_cpu;
  return false;
}

}  // namespace cardiowarp
