#pragma once
#include "assembly/global_matrix.hpp"
#include "fem/cells/reaction_element.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

/// From the state to the linear system K Δφ = −R with its Jacobi preconditioner, in the memory of a backend.
template <Backend B>
class Assembly {
 public:
  virtual ~Assembly() = default;
  /// Elements: the recovery variable and what each adds to K and R.
  virtual void evaluate_elements(B& backend, const ElementState& state) = 0;
  /// Sums: the values of K, −R [nodes], 1 / K_II [nodes]. `phi` [nodes] is the one the elements were evaluated at.
  virtual void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                        Real* inverse_diagonal) = 0;
};

}  // namespace cardiowarp
