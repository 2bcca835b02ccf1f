#pragma once
#include <cassert>

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
// and, where assembly.strategy names them, those of papers 003 and 004, which assembly/papers/paper_assembly.hpp makes.
//
// Beside them, for other integration points than the centroid (fem/quadrature.hpp), assembly/vertex_assembly.hpp has
// DiagonalAssembly, which evaluates its points in assemble(), and AssemblyWithVertices. Around any of them, where the
// potential of some nodes is prescribed, assembly/prescribed_nodes.hpp has AssemblyWithPrescribed.
//
// The first three are the strategy scalar_gather, which uses that all 16 entries get the same number but for a
// constant. plan_in_given_order() (app/simulation/simulation_plan.hpp) picks one, once in a run.

/// Where an explicit scheme asks for rates, in backend memory; the states of the cells as in ElementState.
struct RateState {
  const Real *phi, *states;  ///< [nodes], [states × points]
  Real* rate;                ///< [nodes] out: φ' without the source
  Real* states_rate;         ///< [states × points] out
  Index points;

  CARDIOWARP_HD std::int64_t place(int i, Index point) const { return std::int64_t{i} * points + point; }
};

/// An assembly of K, −R and the Jacobi preconditioner 1 / K_II in the memory of a backend, for one mesh and one format.
template <Backend B>
class Assembly {
 public:
  virtual ~Assembly() = default;
  /// To be called once, before the first iteration: writes what no iteration changes of K.
  virtual void begin(B& /*backend*/, GlobalMatrix<B>& /*K*/) {}
  /// Elements: the states of the cells and what each adds to K and R. An assembly that does not evaluate ahead only
  /// notes where the state is, and assemble() computes all that: until then nothing of it may change.
  virtual void evaluate_elements(B& backend, const ElementState& state) = 0;
  /// Whether evaluate_elements() computes anything.
  virtual bool evaluates_ahead() const { return true; }
  /// Sums: the values of K, −R [nodes], 1 / K_II [nodes]. `phi` [nodes] is the one the elements were evaluated at.
  virtual void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                        Real* inverse_diagonal) = 0;
  /// Where no iteration changes anything of K but its diagonal: [nodes] the slots of the diagonal in backend memory,
  /// for as long as this lives. Else nullptr.
  virtual const Index* diagonal_slot() const { return nullptr; }

  // Explicit schemes ask for these rates. Only DiagonalAssembly can do it, as its mass couples no nodes.

  /// The rates of φ and of the cells' states.
  virtual void evaluate_rates(B& /*backend*/, GlobalMatrix<B>& /*K*/, const RateState& /*state*/) { assert(false); }
  /// *result is a bound of the spectral radius of the derivative of the reaction and the cells' rates.
  virtual void largest_stiffness(B& /*backend*/, const RateState& /*state*/, Real* /*result*/) { assert(false); }
  /// to_i = from_i at the nodes i whose potential is prescribed (prescribed_nodes.hpp); both are [nodes].
  virtual void hold_prescribed(B& /*backend*/, const Real* /*from*/, Real* /*to*/) const {}
};

}  // namespace cardiowarp
