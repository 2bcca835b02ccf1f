#pragma once
#include <cstdint>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/cell_contributions.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/quadratic_elements.hpp"
#include "assembly/sparsity.hpp"

namespace cardiowarp {

// The assemblies of quadratic tetrahedra, for any machine and any format; what an element adds is in
// quadratic_elements.hpp. Those that gather are here: elements write their numbers to memory, and each entry of K and
// each node adds up those that belong to it in a fixed order, so that two runs are equal bit for bit.
//
//   entry_gather        the diffusion never changes and is in K from a plan; elements add 55 + 10 numbers of reaction
//                       and storage, and a product with the diffusion matrix makes the rest of −R
//   global_nz_general   elements have all of their 55 + 10 numbers, diffusion among them (GlobalNZ of Cecka, Lew and
//                       Darve 2011, sec. 4.2)
//
// Those that scatter, elem_color and atomics, are in quadratic_scatter.hpp. An element of entry_gather moves about 4 kB
// an iteration and takes 1.1 kB in host memory and 1.8 kB in backend memory beside the states of its cells: most of it
// is for the entries of K, about 39 an element. entry_gather is what a run takes by itself;
// choose_quadratic_assembly() (app/simulation/choose_assembly.hpp) decides.

/// How the numbers of quadratic elements come into K and R.
enum class QuadraticSums {
  none,        ///< an operator without a global matrix has them
  gather,      ///< an entry gathers
  elem_color,  ///< elements scatter, colour after colour
  atomics      ///< elements scatter with atomic additions
};

/// What an assembly of a quadratic mesh needs beside the state, worked out once in a run in host memory.
struct QuadraticPlan {
  QuadraticSums sums = QuadraticSums::gather;
  bool general = false;  ///< diffusion is among the numbers of the elements
  QuadraticPoints points;
  std::vector<Real> diffusion_diagonal;  ///< [nodes] of the part of K that never changes; without sums: none
  std::vector<Real> diffusion;           ///< [slots] that part of K, where the elements are not general; else empty
  std::vector<Index> diagonal_slot;      ///< [nodes]
  std::int64_t slots = 0;                ///< of K

  CellGather gather;    ///< where sums are gathered
  CellScatter scatter;  ///< where elements scatter

  Index elements() const { return points.elements(); }
};

/// `diffusivity` is [elements]. Throws InputError, with the numbers, where there are more contributions than 32 bits
/// can number, or more colours than a colouring may have.
QuadraticPlan quadratic_plan(QuadraticSums sums, bool general, const Mesh& mesh,
                             const std::vector<Diffusivity>& diffusivity, const Sparsity& sparsity,
                             const MatrixLayout& layout);

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

/// Where general elements compute their diffusion.
template <Backend B>
struct QuadraticGeneralArrays {
  QuadraticGeneralArrays(B& backend, bool general, const Mesh& mesh, const std::vector<Diffusivity>& diffusivities) {
    if (!general) return;
    position = uploaded(backend, mesh.nodes);
    diffusivity = uploaded(backend, diffusivities);
  }
  QuadraticElements at(QuadraticElements elements, const Real* phi) const {
    elements.position = position.data();
    elements.diffusivity = diffusivity.data();
    elements.phi = phi;
    return elements;
  }

  Buffer<Vector3> position;
  Buffer<Diffusivity> diffusivity;
};

/// The assemblies that gather.
template <Backend B, CellModel Cell>
class QuadraticAssembly final : public Assembly<B> {
 public:
  QuadraticAssembly(B& backend, const QuadraticPlan& plan, const Mesh& mesh,
                    const std::vector<Diffusivity>& diffusivity, const std::vector<Cell>& cells,
                    const std::vector<std::uint16_t>& cell_model)
      : general_(plan.general),
        slots_(static_cast<Index>(plan.slots)),
        points_(backend, plan.points, cells, cell_model),
        geometry_(backend, plan.general, mesh, diffusivity),
        diffusion_(uploaded(backend, plan.diffusion)),
        entry_begin_(uploaded(backend, plan.gather.entry_begin)),
        entry_(uploaded(backend, plan.gather.entry)),
        node_begin_(uploaded(backend, plan.gather.node_begin)),
        node_(uploaded(backend, plan.gather.node)),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)),
        matrix_(backend.template allocate<Real>(plan.points.nodes.size() * quadratic_entries)),
        residual_(backend.template allocate<Real>(plan.points.nodes.size() * quadratic_nodes)) {}

  void evaluate_elements(B& backend, const ElementState& state) override {
    points_.evaluate(backend, state);
    if (general_)
      backend.for_each(points_.elements(), StoreQuadraticNumbers<true>{geometry_.at(points_.view(), state.phi),
                                                                       matrix_.data(), residual_.data()});
    else
      backend.for_each(points_.elements(),
                       StoreQuadraticNumbers<false>{points_.view(), matrix_.data(), residual_.data()});
  }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    backend.for_each(slots_, GatherNumbers{entry_begin_.data(), entry_.data(), matrix_.data(),
                                           general_ ? nullptr : diffusion_.data(), K.value()});
    if (!general_) K.multiply(backend, diffusion_.data(), phi, negative_residual);
    backend.for_each(static_cast<Index>(diagonal_slot_.size()),
                     QuadraticResiduals{node_begin_.data(), node_.data(), residual_.data(), diagonal_slot_.data(),
                                        K.value(), general_, negative_residual, inverse_diagonal});
  }

 private:
  bool general_;
  Index slots_;
  QuadraticPointLoop<B, Cell> points_;
  QuadraticGeneralArrays<B> geometry_;
  Buffer<Real> diffusion_;
  Buffer<std::uint32_t> entry_begin_, entry_, node_begin_, node_;
  Buffer<Index> diagonal_slot_;
  Buffer<Real> matrix_, residual_;
};

}  // namespace cardiowarp
