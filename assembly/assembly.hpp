#pragma once
#include "assembly/global_matrix.hpp"
#include "fem/cells/reaction_element.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

// Assembly: from the state of a Newton iteration to the linear system K Δφ = −R. An element adds numbers to the 16
// entries of K and the 4 of R that belong to its four nodes; an assembly computes these numbers and adds up those of
// each entry, in a fixed order and without atomic operations. There are four:
//
//   ScalarRows     scalar_rows.hpp     compressed rows (CSR) on a CPU
//   SliceGather    slice_gather.hpp    ELL-WARP on a GPU, with the rows in the sorted order and not too long
//   ScalarGather   scalar_gather.hpp   any other format or machine
//   SpmvAssembly   spmv_assembly.hpp   any, where assembly.strategy is spmv_k1 or another of its kind
//
// Beside them, for other integration points than the centroid (fem/quadrature.hpp), assembly/vertex_assembly.hpp has
// DiagonalAssembly and AssemblyWithVertices.
//
// The first three are the strategy scalar_gather, which uses that all 16 entries get the same number but for a
// constant. plan_in_given_order() (app/simulation/simulation_plan.hpp) picks one, once in a run.

/// An assembly of K, −R and the Jacobi preconditioner 1 / K_II in the memory of a backend, for one mesh and one format.
template <Backend B>
class Assembly {
 public:
  virtual ~Assembly() = default;
  /// Once before the first: what of K no iteration changes.
  virtual void begin(B& /*backend*/, GlobalMatrix<B>& /*K*/) {}
  /// Elements: the states of the cells and what each adds to K and R.
  virtual void evaluate_elements(B& backend, const ElementState& state) = 0;
  /// Sums: the values of K, −R [nodes], 1 / K_II [nodes]. `phi` [nodes] is the one the elements were evaluated at.
  virtual void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                        Real* inverse_diagonal) = 0;
};

}  // namespace cardiowarp
