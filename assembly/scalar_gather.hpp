#pragma once
#include <cstdint>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/contributions.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/reaction_elements.hpp"
#include "fem/diffusivity.hpp"
#include "fem/element_nodes.hpp"
#include "kernels/backend/types.hpp"
#include "kernels/sparse/ell_warp_matrix.hpp"
#include "kernels/sparse/warp_lanes.hpp"

namespace cardiowarp {

struct Mesh;

// The assembly `entry_gather`: the sums of K and R, gathered entry by entry for a matrix in any format. An element adds
// one number to all its entries of K and another to all its entries of R (ElementLoop, reaction_elements.hpp). So an
// entry of K needs nothing but the list of the elements that add to it, and so does a node for R. Both lists are stored
// as the patterns of ELL-WARP matrices whose columns are elements, and the sums are the row sums of these:
//
//   entry_elements   row = stored entry of K off the diagonal   columns = the elements that have both of its nodes
//   node_elements    row = node, for K_ii and R_i together      columns = the elements around the node
//
// A run takes it where the user names it, and where neither `row_gather` (a CPU with CSR) nor `slice_gather` (a GPU)
// suits: choose_assembly() (app/simulation/choose_assembly.hpp) decides. The lists are in a ScalarGatherPlan, which is
// made once in a run; ScalarGather is the assembly.

/// The terms of an entry of K off the diagonal, to be added up by lane_sum() (kernels/sparse/ell_warp.hpp): a stored
/// entry names an element in place of a column, and padding an element that adds 0.
struct GatherTangent {
  static constexpr Caching caching = Caching::streamed;
  const TangentResidual* adds;
  CARDIOWARP_HD Real operator()(const EllWarpView& A, std::int64_t entry) const {
    return adds[fetch<caching>(A.column + entry)].tangent;
  }
};

/// The terms of a node, for K_ii and R_i together.
struct GatherTangentResidual {
  static constexpr Caching caching = Caching::streamed;
  const TangentResidual* adds;
  CARDIOWARP_HD TangentResidual operator()(const EllWarpView& A, std::int64_t entry) const {
    return adds[fetch<caching>(A.column + entry)];
  }
};

/// Loop body over the stored entries of K and, after them, the nodes. An element adds one number to all its entries of
/// K and one to all its entries of R; the diffusion term is constant. An entry off the diagonal sums over the few
/// elements that have both of its nodes; the diagonal sums over the elements of its node, together with the node's
/// residual. Every index gathers what it sums, in ascending order of elements, and writes it: nothing is atomic, and
/// all stores but those to the diagonal are coalesced (scattered ones cost a GPU as much as everything else here).
///
/// Bytes: an element is read 12 times as 4 (its number) and 8, times a padding of 1.4 to 1.8, and 4 times as 4 and 16;
/// a stored entry takes 16, a node 44. On a GPU the requests of the gathers to the L2 cache are the limit.
struct ScalarGatherEntries {
  static constexpr int threads_that_share = 512;  ///< neighboring entries have elements in common

  EllWarpView entry_elements;           ///< K1r, unsorted, a row for each stored entry off the diagonal: its elements
  EllWarpView node_elements;            ///< K1r, unsorted, a row for each node: the elements around it
  const std::uint32_t* diagonal_lanes;  ///< [slots / 32 + 1] bit set: that stored entry is on the diagonal
  const Index* diagonal_slot;           ///< [nodes]
  const Real* diffusion;                ///< [slots] constant part of K
  const TangentResidual* adds;          ///< [elements + 1] the last is 0
  Real* value;                          ///< [slots] out: K
  Real* negative_residual;              ///< [nodes] in: diffusion · φ, out: −R
  Real* inverse_diagonal;               ///< [nodes] out

  CARDIOWARP_HD void operator()(Index i) const {
    if (i < entry_elements.rows)
      sum_entry(i);
    else
      sum_node(i - entry_elements.rows);
  }

 private:
  CARDIOWARP_HD void sum_entry(Index slot) const {
    if (diagonal_lanes[slot / warp_lanes] >> slot % warp_lanes & 1u) return;
    value[slot] = diffusion[slot] + k1_row_sum(entry_elements, slot, GatherTangent{adds});
  }
  CARDIOWARP_HD void sum_node(Index node) const {
    const TangentResidual sum = k1_row_sum(node_elements, node, GatherTangentResidual{adds});
    const Real diagonal = diffusion[diagonal_slot[node]] + sum.tangent;
    value[diagonal_slot[node]] = diagonal;
    inverse_diagonal[node] = 1 / diagonal;
    negative_residual[node] = -(negative_residual[node] + sum.residual);
  }
};

/// The plan of ScalarGather beside the state, worked out once in a run in host memory.
struct ScalarGatherPlan {
  std::vector<Real> diffusion;  ///< [slots]
  EllWarpLayout entry_elements, node_elements;
  std::vector<std::uint32_t> diagonal_lanes;  ///< [slots / 32 + 1]
  std::vector<Index> diagonal_slot;           ///< [nodes]
  std::vector<Real> volume;                   ///< [elements] mm³

  /// The bytes that an assembly must move if `adds` and φ are read once, with the product diffusion · φ of a matrix in
  /// ELL-WARP.
  std::int64_t bytes() const;
};

/// `diffusivity` is [elements]. Throws InputError where there are too many entries to number, with the numbers.
ScalarGatherPlan scalar_gather_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                    const Sparsity& sparsity, const MatrixLayout& layout);

/// One number an element for K and one for R (model: fem/cells/reaction_element.hpp), gathered straight into the order
/// in which K is stored, with the residual and the diagonal in the same pass.
template <Backend B, CellModel Cell>
class ScalarGather final : public Assembly<B> {
 public:
  ScalarGather(B& backend, const ScalarGatherPlan& plan, const std::vector<Tetrahedron>& tetrahedra,
               const std::vector<Cell>& cell_models, const std::vector<std::uint16_t>& cell_model)
      : elements_(backend, tetrahedra, plan.volume, cell_models, cell_model),
        diffusion_(uploaded(backend, plan.diffusion)),
        entry_elements_(backend, plan.entry_elements),
        node_elements_(backend, plan.node_elements),
        diagonal_lanes_(uploaded(backend, plan.diagonal_lanes)),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)) {}

  void evaluate_elements(B& backend, const ElementState& state) override { elements_.evaluate(backend, state); }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    K.multiply(backend, diffusion_.data(), phi, negative_residual);
    const EllWarpView entries = entry_elements_.view(), nodes = node_elements_.view();
    backend.for_each(
        entries.rows + nodes.rows,
        ScalarGatherEntries{entries, nodes, diagonal_lanes_.data(), diagonal_slot_.data(), diffusion_.data(),
                            elements_.adds(), K.value(), negative_residual, inverse_diagonal});
  }

 private:
  ElementLoop<B, Cell> elements_;
  Buffer<Real> diffusion_;
  EllWarpPattern entry_elements_, node_elements_;
  Buffer<std::uint32_t> diagonal_lanes_;
  Buffer<Index> diagonal_slot_;
};

}  // namespace cardiowarp
