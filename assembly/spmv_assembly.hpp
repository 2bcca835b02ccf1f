#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/contributions.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/options.hpp"
#include "assembly/vector_loops.hpp"
#include "fem/diffusivity.hpp"
#include "fem/mesh.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/sparse/ell_warp_matrix.hpp"
#include "kernels/sparse/scatter.hpp"

namespace cardiowarp {

// The assembly `spmv_k1`, .. of paper 000: each element writes the numbers of its whole matrix, and a product of a
// sparse matrix with ones sums them. A run has it only where `assembly.strategy` names it, with `quadrature: centroid`.
// The plan is made once for a mesh, on the host, and SpmvAssembly does the work of each Newton iteration.

/// Values of elements with N nodes, written where the assembly reads them (paper 000 sec. 4).
template <int N>
struct SlottedContributionsOf {
  Index elements;
  const std::uint32_t* entry_slot;  ///< [N² × elements] of K_e(i, j) at (N i + j) elements + e
  const std::uint32_t* node_slot;   ///< [N × elements] of R_e(i) at i elements + e
  Real* entry_value;                ///< out: contributions to K
  Real* node_value;                 ///< out: contributions to −R

  CARDIOWARP_HD Real& entry(Index element, int i, int j) const {
    return entry_value[entry_slot[slot_index(N * i + j, element)]];
  }
  CARDIOWARP_HD Real& node(Index element, int i) const { return node_value[node_slot[slot_index(i, element)]]; }

 private:
  CARDIOWARP_HD std::int64_t slot_index(int value, Index element) const {
    return static_cast<std::int64_t>(value) * elements + element;
  }
};
using SlottedContributions = SlottedContributionsOf<4>;

/// Loop body over the elements: element matrix and residual in full (paper 000 Table I), each value put where
/// `contributions` has its place. One thread an element: 16 + 4 values of 8 bytes and, where slotted, their slots of 4.
template <CellModel Cell, class Contributions = SlottedContributions>
struct MonodomainElements {
  const Tetrahedron* nodes;         ///< [elements]
  const Vector3* position;          ///< [nodes] mm
  const Diffusivity* diffusivity;   ///< [elements]
  const Cell* cell_models;          ///< the different ones
  const std::uint16_t* cell_model;  ///< [elements] index into cell_models
  ElementState state;
  Contributions contributions;
  Real share = 1;  ///< of an element's volume that its centroid stands for

  CARDIOWARP_HD void operator()(Index element) const {
    const Tetrahedron& node = nodes[element];
    const TetrahedronGeometry geometry =
        tetrahedron_geometry(position[node[0]], position[node[1]], position[node[2]], position[node[3]]);
    Real old[Cell::states];
    for (int i = 0; i < Cell::states; ++i) old[i] = state.states_old[state.place(i, element)];
    const auto reaction = reaction_element(cell_models[cell_model[element]], node, share * geometry.volume, old, state);
    for (int i = 0; i < Cell::states; ++i) state.states[state.place(i, element)] = reaction.state[i];
    for (int i = 0; i < 4; ++i) {
      // V D̃ G_i, against G_j for K and against ∇φ = Σ_j φ_j G_j for R
      const Vector3 flux = geometry.volume * diffusivity[element].times(geometry.gradient[i]);
      Real residual = reaction.adds.residual;
      for (int j = 0; j < 4; ++j) {
        const Real diffusion = dot(flux, geometry.gradient[j]);
        residual += diffusion * state.phi[node[j]];
        contributions.entry(element, i, j) = reaction.adds.tangent + diffusion;
      }
      contributions.node(element, i) = -residual;
    }
  }
};

/// The plan of a Summation, in host memory: the layout of the matrix, and where its contributions and its sums belong.
struct SummationPlan {
  EllWarpLayout layout;
  std::vector<std::uint32_t> slots;       ///< [values × elements] of the contributions
  std::vector<std::int64_t> from_sorted;  ///< r, rs: row of each sorted sum; else empty

  /// The bytes that sums must move: contributions with their padding, the sums, and once more where they are scattered.
  std::int64_t bytes() const;
};

/// The plan of the sums of these contributions, `values` an element. Throws InputError where they cannot be numbered.
SummationPlan summation_plan(const Contributions& contributions, Index elements, int values,
                             const EllWarpOptions& options);

/// The plan of SpmvAssembly beside the state, worked out once in a run in host memory.
struct SpmvAssemblyPlan {
  AssemblyOptions options;
  SummationPlan entries, nodes;
  TeamVector<std::int64_t> slot_of_entry;  ///< [CSR entries] where the sums are in CSR order, else empty
  std::vector<Index> diagonal_slot;        ///< [nodes]

  /// The bytes that an assembly must move.
  std::int64_t bytes() const;
  /// The bytes that its elements, linear ones, must move when positions, φ and load are read once.
  std::int64_t element_bytes() const;
};

/// The bytes that elements must move that write all their numbers, when positions, φ and load are read once.
std::int64_t spmv_element_bytes(std::int64_t elements, std::int64_t nodes);

/// Throws InputError where contributions cannot be numbered, with the numbers.
SpmvAssemblyPlan spmv_assembly_plan(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity,
                                    const MatrixLayout& layout, const AssemblyOptions& options);
/// The plan of quadratic elements, for QuadraticSpmvAssembly (quadratic_spmv.hpp). Throws InputError, too.
SpmvAssemblyPlan spmv_assembly_plan(const std::vector<QuadraticNodes>& elements, const Sparsity& sparsity,
                                    const MatrixLayout& layout, const AssemblyOptions& options);

/// Adds up contributions: an ELL-WARP matrix that has them as values is multiplied by ones.
template <Backend B>
class Summation {
 public:
  Summation(B& backend, const SummationPlan& plan, int block_size)
      : contributions_(backend, plan.layout),
        slots_(uploaded(backend, plan.slots)),
        from_sorted_(uploaded(backend, plan.from_sorted)),
        sorted_(backend.template allocate<Real>(plan.from_sorted.size())),
        block_size_(block_size) {}

  const std::uint32_t* slots() const { return slots_.data(); }
  Real* contributions() { return contributions_.value(); }

  /// Every row of `sums` is written. K1r, K1rs, K2r and K2rs leave their sums in the sorted order, from which they are
  /// scattered.
  void sum(B& backend, Real* sums) const {
    const bool sorted = from_sorted_.size() > 0;
    ell_warp_multiply(backend, block_size_, contributions_.view(), TimesOnes{}, sorted ? sorted_.data() : sums);
    if (sorted) scatter(backend, static_cast<Index>(from_sorted_.size()), from_sorted_.data(), sorted_.data(), sums);
  }

 private:
  EllWarpMatrix contributions_;
  Buffer<std::uint32_t> slots_;
  Buffer<std::int64_t> from_sorted_;
  Buffer<Real> sorted_;
  int block_size_;
};

/// The contributions to K and to −R in two ELL-WARP matrices, and their sums: the sums of SpmvAssembly in a run, of
/// elements with N nodes.
template <Backend B, int N = 4>
class EllWarpSums {
 public:
  using Plan = SpmvAssemblyPlan;

  EllWarpSums(B& backend, const Plan& plan)
      : entry_sums_(backend, plan.entries, plan.options.block_size),
        node_sums_(backend, plan.nodes, plan.options.block_size),
        slot_of_entry_(uploaded(backend, plan.slot_of_entry)),
        csr_value_(backend.template allocate<Real>(plan.slot_of_entry.size())) {}

  SlottedContributionsOf<N> contributions(Index elements) {
    return {elements, entry_sums_.slots(), node_sums_.slots(), entry_sums_.contributions(), node_sums_.contributions()};
  }

  /// Every value of K and of −R is written.
  void sum(B& backend, Real* K, Real* negative_residual) const {
    if (slot_of_entry_.size() > 0) {
      entry_sums_.sum(backend, csr_value_.data());
      scatter(backend, static_cast<Index>(slot_of_entry_.size()), slot_of_entry_.data(), csr_value_.data(), K);
    } else {
      entry_sums_.sum(backend, K);
    }
    node_sums_.sum(backend, negative_residual);
  }

 private:
  Summation<B> entry_sums_, node_sums_;
  Buffer<std::int64_t> slot_of_entry_;
  Buffer<Real> csr_value_;
};

/// SpMV as assembly (paper 000 sec. 4): elements write the 16 values of their matrix and the 4 of their residual as the
/// entries of ELL-WARP matrices whose rows are the nonzeros of K and the rows of R; the assembly is those matrices
/// times ones. It works for any element. A tetrahedron moves about 500 bytes. `Sums` is what adds the contributions up:
/// EllWarpSums, or another kind that a benchmark measures.
template <Backend B, CellModel Cell, class Sums = EllWarpSums<B>>
class SpmvAssembly final : public Assembly<B> {
 public:
  SpmvAssembly(B& backend, const typename Sums::Plan& plan, const Mesh& mesh,
               const std::vector<Diffusivity>& diffusivity, const std::vector<Cell>& cell_models,
               const std::vector<std::uint16_t>& cell_model)
      : elements_(static_cast<Index>(mesh.tetrahedra.size())),
        node_count_(static_cast<Index>(mesh.nodes.size())),
        nodes_(uploaded(backend, mesh.tetrahedra)),
        position_(uploaded(backend, mesh.nodes)),
        diffusivity_(uploaded(backend, diffusivity)),
        cell_models_(uploaded(backend, cell_models)),
        cell_model_(uploaded(backend, cell_model)),
        sums_(backend, plan),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)) {}

  void evaluate_elements(B& backend, const ElementState& state) override {
    backend.for_each(elements_,
                     MonodomainElements<Cell>{nodes_.data(), position_.data(), diffusivity_.data(), cell_models_.data(),
                                              cell_model_.data(), state, sums_.contributions(elements_)});
  }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* /*phi*/, Real* negative_residual,
                Real* inverse_diagonal) override {
    sums_.sum(backend, K.value(), negative_residual);
    backend.for_each(node_count_, InvertDiagonal{diagonal_slot_.data(), K.value(), inverse_diagonal});
  }

 private:
  Index elements_, node_count_;
  Buffer<Tetrahedron> nodes_;
  Buffer<Vector3> position_;
  Buffer<Diffusivity> diffusivity_;
  Buffer<Cell> cell_models_;
  Buffer<std::uint16_t> cell_model_;
  Sums sums_;
  Buffer<Index> diagonal_slot_;
};

}  // namespace cardiowarp
