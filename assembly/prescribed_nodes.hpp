#pragma once
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/sparsity.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

// Nodes whose potential is prescribed (Dirichlet conditions), taken out of the linear system for whichever assembly
// makes it. With g the prescribed values, f the free nodes and p the prescribed ones, what is to be solved is
//   K_ff Δφ_f = −R_f(φ_f, g),   Δφ_p = 0
// K stays symmetric: of the rows and columns p nothing is left but a 1 on the diagonal, and R_p is 0, so that conjugate
// gradients, whatever their preconditioner, precision or path, leave exactly 0 there.
//
// Papers 003 (sec. 3.2) and 004 (sec. 3.3) do the same in the element: they leave the rows and columns p out of its
// matrix, and take A_ij g_j from its right-hand side. Here φ has the value g at p from the beginning, so the residual
// of each element, and with it R_f, has A_fp g without anything being done; and a number K_e(i, j) with i or j
// prescribed only ever goes to the entry (i, j) of K. Whether such numbers are left out of the sums one by one, or the
// sums that have nothing else in them are set to 0, is the same K. The second suits assemblies that have one number for
// all 16 entries of an element, and no element matrix to leave anything out of.
//
// An operator in place of K has no entries to set. Its products take in the free numbers of K as they are, and what
// they leave at p is replaced by the numbers of the vector that is multiplied (assembly/operators/operator_matrix.hpp).
// As these are 0 in every solve, the columns p add nothing, and the product is the same as that by the eliminated K.
//
// AssemblyWithPrescribed wraps another assembly where a problem has such nodes; other problems compute without it.
// Its plan takes 8 bytes a prescribed node and 4 for each entry that couples one, in host and in backend memory.

/// The entries of K that belong to prescribed nodes, worked out once in a run in host memory.
struct PrescribedPlan {
  std::vector<Index> node;           ///< ascending
  std::vector<Index> diagonal_slot;  ///< of each of them; none where K has no entries
  std::vector<Index> coupling_slot;  ///< of the entries off the diagonal in their rows and columns, ascending

  bool empty() const { return node.empty(); }
};

/// The plan for the nodes `prescribed`, ascending, of a matrix whose slots are numbered with an Index.
PrescribedPlan prescribed_plan(const std::vector<Index>& prescribed, const Sparsity& sparsity,
                               const MatrixLayout& layout);

/// The plan for the nodes `prescribed` where an operator is in place of K.
inline PrescribedPlan prescribed_plan_of_operator(const std::vector<Index>& prescribed) { return {prescribed, {}, {}}; }

/// value[slot] = 0, loop body over the slots.
struct ClearSlots {
  const Index* slot;
  Real* value;
  CARDIOWARP_HD void operator()(Index i) const { value[slot[i]] = 0; }
};

/// to[node] = from[node], loop body over the nodes, for numbers of either precision.
template <class Number>
struct CopyAt {
  const Index* node;
  const Number* from;
  Number* to;
  CARDIOWARP_HD void operator()(Index i) const { to[node[i]] = from[node[i]]; }
};

/// Loop body over the slots that couple prescribed nodes, of which there are `couplings`, then over these nodes:
/// K_ij = 0, K_ii = 1 and −R_i = 0.
struct EliminatePrescribed {
  Index couplings;
  const Index *coupling_slot, *node;
  const Index* diagonal_slot;  ///< nullptr where K has no entries
  Real* value;                 ///< [slots]
  Real* negative_residual;     ///< [nodes]
  Real* inverse_diagonal;      ///< [nodes]

  CARDIOWARP_HD void operator()(Index i) const {
    if (i < couplings) {
      value[coupling_slot[i]] = 0;
      return;
    }
    const Index k = i - couplings;
    if (diagonal_slot != nullptr) value[diagonal_slot[k]] = 1;
    inverse_diagonal[node[k]] = 1;
    negative_residual[node[k]] = 0;
  }
};

/// A PrescribedPlan in the memory of a backend, and what is done by it.
template <Backend B>
class PrescribedNodes {
 public:
  PrescribedNodes(B& backend, const PrescribedPlan& plan)
      : node_(uploaded(backend, plan.node)),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)),
        coupling_slot_(uploaded(backend, plan.coupling_slot)) {}

  /// Takes the couplings out of K.
  void decouple(B& backend, Real* value) const {
    backend.for_each(couplings(), ClearSlots{coupling_slot_.data(), value});
  }
  /// Takes the nodes out of a system; without their couplings where decouple() has done that.
  void eliminate(B& backend, bool with_couplings, Real* value, Real* negative_residual, Real* inverse_diagonal) const {
    const Index first = with_couplings ? couplings() : 0;
    const Index* const diagonal = diagonal_slot_.size() == 0 ? nullptr : diagonal_slot_.data();
    backend.for_each(first + nodes(), EliminatePrescribed{first, coupling_slot_.data(), node_.data(), diagonal, value,
                                                          negative_residual, inverse_diagonal});
  }
  void set_zero(B& backend, Real* values) const { backend.for_each(nodes(), ClearSlots{node_.data(), values}); }
  void copy(B& backend, const Real* from, Real* to) const {
    backend.for_each(nodes(), CopyAt<Real>{node_.data(), from, to});
  }

 private:
  Index nodes() const { return static_cast<Index>(node_.size()); }
  Index couplings() const { return static_cast<Index>(coupling_slot_.size()); }

  Buffer<Index> node_, diagonal_slot_, coupling_slot_;
};

/// Another assembly without the prescribed nodes. It costs a launch an iteration, which writes 12 bytes a coupling, as
/// far as iterations change these at all, and 36 a node.
template <Backend B>
class AssemblyWithPrescribed final : public Assembly<B> {
 public:
  AssemblyWithPrescribed(B& backend, const PrescribedPlan& plan, std::unique_ptr<Assembly<B>> free)
      : nodes_(backend, plan), free_(std::move(free)) {}

  void begin(B& backend, GlobalMatrix<B>& K) override {
    free_->begin(backend, K);
    nodes_.decouple(backend, K.value());
  }
  void evaluate_elements(B& backend, const ElementState& state) override { free_->evaluate_elements(backend, state); }
  bool evaluates_ahead() const override { return free_->evaluates_ahead(); }
  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    free_->assemble(backend, K, phi, negative_residual, inverse_diagonal);
    const bool changes_couplings = free_->diagonal_slot() == nullptr;
    nodes_.eliminate(backend, changes_couplings, K.value(), negative_residual, inverse_diagonal);
  }
  const Index* diagonal_slot() const override { return free_->diagonal_slot(); }

  void evaluate_rates(B& backend, GlobalMatrix<B>& K, const RateState& state) override {
    free_->evaluate_rates(backend, K, state);
    nodes_.set_zero(backend, state.rate);
  }
  void largest_stiffness(B& backend, const RateState& state, Real* result) override {
    free_->largest_stiffness(backend, state, result);
  }
  void hold_prescribed(B& backend, const Real* from, Real* to) const override { nodes_.copy(backend, from, to); }

 private:
  PrescribedNodes<B> nodes_;
  std::unique_ptr<Assembly<B>> free_;
};

}  // namespace cardiowarp
