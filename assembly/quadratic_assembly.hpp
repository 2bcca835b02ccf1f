#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/cell_contributions.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/quadratic_elements.hpp"
#include "assembly/sparsity.hpp"

namespace cardiowarp {

// The assembly `entry_gather` of quadratic tetrahedra, for any machine and any format; what an element adds is in
// quadratic_elements.hpp. The diffusion never changes and is in K from a plan. Elements write their 55 + 10 numbers of
// reaction and storage to memory, each entry of K and each node adds up those that belong to it in a fixed order, so
// that two runs are equal bit for bit, and a product with the diffusion matrix makes the rest of −R.
//
// An element moves about 4 kB an iteration and takes 1.1 kB in host memory and 1.8 kB in backend memory beside the
// states of its cells: most of it is for the entries of K, about 39 an element. A run takes this assembly by itself;
// the others, which assembly.strategy names, are in quadratic_spmv.hpp and assembly/papers.
// choose_quadratic_assembly() (app/simulation/choose_assembly.hpp) decides.

/// The plan of quadratic tetrahedra beside the state, worked out once in a run in host memory. The lists of the sums
/// are there for QuadraticAssembly alone.
struct QuadraticPlan {
  bool gathers = true;
  QuadraticPoints points;
  std::vector<Real> diffusion_diagonal;  ///< [nodes] of K's constant part; added by the caller unless sums gather
  std::vector<Real> diffusion;           ///< [slots] that part of K, to be gathered on
  std::vector<Index> diagonal_slot;      ///< [nodes]
  std::int64_t slots = 0;                ///< of K
  CellGather gather;

  Index elements() const { return points.elements(); }
};

/// `diffusivity` is [elements]. Throws InputError, with the numbers, where there are more contributions than 32 bits
/// can number.
QuadraticPlan quadratic_plan(bool gathers, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                             const Sparsity& sparsity, const MatrixLayout& layout);

/// Throws InputError, with the numbers, where a mesh has more quadratic elements than 32 bits can number the
/// contributions of, or K more slots than an Index.
void require_countable_contributions(const Mesh& mesh, const MatrixLayout& layout);

/// The diffusion matrix of a quadratic mesh.
struct QuadraticDiffusion {
  std::vector<Real> diagonal;  ///< [nodes]
  std::vector<Real> in_slots;  ///< [slots], or empty
};

/// The matrix with its entries where `layout` has them, or its diagonal alone.
QuadraticDiffusion quadratic_diffusion_matrix(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                              const Sparsity& sparsity, const MatrixLayout& layout,
                                              bool diagonal_alone);

/// Loop body over the nodes: −R and 1 / K_ii.
struct QuadraticResiduals {
  const std::uint32_t *begin, *contribution;  ///< [nodes + 1], [10 × elements], as in CellGather
  const Real* number;                         ///< [10 × elements]
  const Index* diagonal_slot;                 ///< [nodes]
  const Real* value;                          ///< [slots] K
  bool general;                               ///< nothing comes in
  Real* negative_residual;                    ///< [nodes] in: the part of diffusion of R; out: −R
  Real* inverse_diagonal;                     ///< [nodes] out

  CARDIOWARP_HD void operator()(Index node) const {
    Real sum = general ? 0 : negative_residual[node];
    for (std::uint32_t c = begin[node]; c < begin[node + 1]; ++c) sum += number[contribution[c]];
    negative_residual[node] = -sum;
    inverse_diagonal[node] = 1 / value[diagonal_slot[node]];
  }
};

/// The assembly entry_gather.
template <Backend B>
class QuadraticAssembly final : public Assembly<B> {
 public:
  QuadraticAssembly(B& backend, const QuadraticPlan& plan, const TissueCells& cells,
                    const std::vector<std::uint16_t>& cell_model)
      : slots_(static_cast<Index>(plan.slots)),
        points_(quadratic_point_loop(backend, plan.points, cells, cell_model)),
        diffusion_(uploaded(backend, plan.diffusion)),
        entry_begin_(uploaded(backend, plan.gather.entry_begin)),
        entry_(uploaded(backend, plan.gather.entry)),
        node_begin_(uploaded(backend, plan.gather.node_begin)),
        node_(uploaded(backend, plan.gather.node)),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)),
        number_(backend.template allocate<Real>(plan.points.nodes.size() * (quadratic_entries + quadratic_nodes))) {}

  void evaluate_elements(B& backend, const ElementState& state) override {
    points_->evaluate(backend, state);
    backend.for_each(points_->elements(), StoreQuadraticNumbers<false>{points_->view(), number_.data(), residual()});
  }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    backend.for_each(slots_,
                     GatherNumbers{entry_begin_.data(), entry_.data(), number_.data(), diffusion_.data(), K.value()});
    K.multiply(backend, diffusion_.data(), phi, negative_residual);
    backend.for_each(static_cast<Index>(diagonal_slot_.size()),
                     QuadraticResiduals{node_begin_.data(), node_.data(), residual(), diagonal_slot_.data(), K.value(),
                                        false, negative_residual, inverse_diagonal});
  }

 private:
  /// The numbers of residuals are behind those of matrices.
  Real* residual() { return number_.data() + std::int64_t{quadratic_entries} * points_->elements(); }

  Index slots_;
  std::unique_ptr<QuadraticPointLoop<B>> points_;
  Buffer<Real> diffusion_;
  Buffer<std::uint32_t> entry_begin_, entry_, node_begin_, node_;
  Buffer<Index> diagonal_slot_;
  Buffer<Real> number_;
};

}  // namespace cardiowarp
