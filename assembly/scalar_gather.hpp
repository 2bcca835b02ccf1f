#pragma once
#include <cstdint>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/contributions.hpp"
#include "assembly/global_matrix.hpp"
#include "fem/diffusivity.hpp"
#include "fem/mesh.hpp"
#include "kernels/ell_warp_matrix.hpp"

namespace cardiowarp {

/// The slots of K_ij and K_ji, i < j.
struct EntryPair {
  Index upper, lower;
};

/// Two numbers an element that are gathered together.
struct TangentResidual {
  Real tangent = 0, residual = 0;
  CARDIOWARP_HD TangentResidual& operator+=(const TangentResidual& other) {
    tangent += other.tangent;
    residual += other.residual;
    return *this;
  }
};

/// The terms of both sums of a node.
struct GatherTangentResidual {
  const Real *tangent, *residual;
  CARDIOWARP_HD TangentResidual operator()(const EllWarpView& A, std::int64_t entry) const {
    const Index element = read_once(A.column + entry);
    return {tangent[element], residual[element]};
  }
};

/// Loop body over the edges of the mesh and, after them, its nodes. What an element adds is one number for all its
/// entries of K and one for its entries of R, and the diffusion part is constant. So the two entries of an edge are
/// equal and summed once, and a node's diagonal and residual are sums over the same elements. Everything is a gather:
/// nothing is atomic, each sum is in ascending element order. An element costs 10 column reads of 4 bytes and 14
/// gathers; an edge 16 bytes read and 16 written, a node 20 and 24.
struct ScalarGatherEntries {
  EllWarpView edge_elements;    ///< K1r, a row for each edge: the elements around it
  const EntryPair* edge_slots;  ///< [edges] by position
  EllWarpView node_elements;    ///< K1, a row for each node: the elements around it
  const Index* diagonal_slot;   ///< [nodes]
  const Real* tangent;          ///< [elements + 1] the last is 0
  const Real* residual;         ///< [elements + 1] the last is 0
  const Real* diffusion;        ///< [slots] constant part of K
  Real* value;                  ///< [slots] out: K
  Real* negative_residual;      ///< [nodes] in: diffusion · φ, out: −R
  Real* inverse_diagonal;       ///< [nodes] out

  CARDIOWARP_HD void operator()(Index i) const {
    if (i < edge_elements.rows)
      sum_edge(i);
    else
      sum_node(i - edge_elements.rows);
  }

 private:
  CARDIOWARP_HD void sum_edge(Index position) const {
    const EntryPair slots = edge_slots[position];
    const Real entry = diffusion[slots.upper] + k1_row_sum(edge_elements, position, GatherTerms<Real>{tangent});
    value[slots.upper] = entry;
    value[slots.lower] = entry;
  }
  CARDIOWARP_HD void sum_node(Index position) const {
    const Index node = result_row(node_elements, position);
    const TangentResidual sum = k1_row_sum(node_elements, position, GatherTangentResidual{tangent, residual});
    const Real diagonal = diffusion[diagonal_slot[node]] + sum.tangent;
    value[diagonal_slot[node]] = diagonal;
    inverse_diagonal[node] = 1 / diagonal;
    negative_residual[node] = -(negative_residual[node] + sum.residual);
  }
};

/// What the gather needs and the mesh fixes. Host memory.
struct ScalarGatherPlan {
  std::vector<Real> diffusion;  ///< [slots]
  EllWarpLayout edge_elements, node_elements;
  std::vector<EntryPair> edge_slots;  ///< [edges] by position in edge_elements
  std::vector<Index> diagonal_slot;   ///< [nodes]
  std::vector<Real> volume;           ///< [elements] mm³
};

/// `diffusivity` is [elements]. Throws InputError where there are too many entries to number, with the numbers.
ScalarGatherPlan scalar_gather_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                    const Sparsity& sparsity, const MatrixLayout& layout);

/// One number an element for K and one for R (model: fem/reaction_element.hpp), gathered straight into the order in
/// which K is stored, with the residual and the diagonal in the same pass.
template <Backend B, class CellModel>
class ScalarGather final : public Assembly<B> {
 public:
  ScalarGather(B& backend, const ScalarGatherPlan& plan, const std::vector<Tetrahedron>& tetrahedra,
               const std::vector<CellModel>& cell_models, const std::vector<std::uint16_t>& cell_model)
      : elements_(static_cast<Index>(tetrahedra.size())),
        nodes_(uploaded(backend, tetrahedra)),
        volume_(uploaded(backend, plan.volume)),
        cell_models_(uploaded(backend, cell_models)),
        cell_model_(uploaded(backend, cell_model)),
        diffusion_(uploaded(backend, plan.diffusion)),
        edge_elements_(backend, plan.edge_elements),
        node_elements_(backend, plan.node_elements),
        edge_slots_(uploaded(backend, plan.edge_slots)),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)),
        tangent_(backend.template allocate<Real>(tetrahedra.size() + 1)),
        residual_(backend.template allocate<Real>(tetrahedra.size() + 1)) {}

  void evaluate_elements(B& backend, const ElementState& state) override {
    backend.for_each(elements_,
                     ReactionElements<CellModel>{nodes_.data(), volume_.data(), cell_models_.data(), cell_model_.data(),
                                                 state, tangent_.data(), residual_.data()});
  }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    K.multiply(backend, diffusion_.data(), phi, negative_residual);
    const EllWarpView edges = edge_elements_.view(), nodes = node_elements_.view();
    backend.for_each(
        edges.rows + nodes.rows,
        ScalarGatherEntries{edges, edge_slots_.data(), nodes, diagonal_slot_.data(), tangent_.data(), residual_.data(),
                            diffusion_.data(), K.value(), negative_residual, inverse_diagonal});
  }

 private:
  Index elements_;
  Buffer<Tetrahedron> nodes_;
  Buffer<Real> volume_;
  Buffer<CellModel> cell_models_;
  Buffer<std::uint16_t> cell_model_;
  Buffer<Real> diffusion_;
  EllWarpPattern edge_elements_, node_elements_;
  Buffer<EntryPair> edge_slots_;
  Buffer<Index> diagonal_slot_;
  Buffer<Real> tangent_, residual_;
};

}  // namespace cardiowarp
