#pragma once
#include <cstdint>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/cell_contributions.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/papers/global_nz.hpp"
#include "assembly/quadratic_elements.hpp"
#include "assembly/sparsity.hpp"

namespace cardiowarp {

// The assemblies of quadratic tetrahedra that gather, for any machine and any format; what an element adds is in
// quadratic_elements.hpp. Elements write their numbers to memory, and each entry of K and each node adds up those that
// belong to it in a fixed order, so that two runs are equal bit for bit.
//
//   entry_gather        the diffusion never changes and is in K from a plan; elements add 55 + 10 numbers of reaction
//                       and storage, and a product with the diffusion matrix makes the rest of −R
//   global_nz_general   elements have all of their 55 + 10 numbers, diffusion among them (GlobalNZ of Cecka, Lew and
//                       Darve 2011, sec. 4.2); global_nz_prefetched_general, _nodal_ and _packed_ are its other ways,
//                       as global_nz.hpp has them for linear tetrahedra
//
// The other strategies are one text with those of linear tetrahedra (element_scatter.hpp, lazy_ell.hpp, ..). An element
// of entry_gather moves about 4 kB an iteration and takes 1.1 kB in host memory and 1.8 kB in backend memory beside the
// states of its cells: most of it is for the entries of K, about 39 an element. entry_gather is what a run takes by
// itself; choose_quadratic_assembly() (app/simulation/choose_assembly.hpp) decides.

/// Blocks of elements_a_block elements that follow each other, and their nodes. Host memory.
struct QuadraticBlocks {
  std::vector<Index> element_begin{0}, node_begin{0};  ///< [blocks + 1] first of each
  std::vector<Index> node;                             ///< of each block, ascending
  std::vector<QuadraticNodes> local;                   ///< [elements] which nodes of its block they have
  Index most_nodes = 0;                                ///< of a block

  Index blocks() const { return static_cast<Index>(node_begin.size()) - 1; }
};
QuadraticBlocks quadratic_blocks(const std::vector<QuadraticNodes>& nodes_of);

/// What quadratic tetrahedra need beside the state, worked out once in a run in host memory. What the sums need is
/// there for the assemblies of this file alone.
struct QuadraticPlan {
  bool gathers = true;
  bool general = false;  ///< diffusion is among the numbers of the elements
  QuadraticPoints points;
  std::vector<Real> diffusion_diagonal;  ///< [nodes] of K's constant part; added by the caller unless sums gather
  std::vector<Real> diffusion;           ///< [slots] that part of K, to be gathered on; of general elements empty
  std::vector<Index> diagonal_slot;      ///< [nodes]
  std::int64_t slots = 0;                ///< of K

  GlobalNzOptions ways;
  CellGather gather;          ///< where a thread has a sum
  ReductionLists lists;       ///< of `packed`
  std::vector<Real> of_node;  ///< of `nodal`, as in QuadraticElements
  QuadraticBlocks blocks;     ///< of `prefetched`

  Index elements() const { return points.elements(); }
};

/// `diffusivity` is [elements]; `ways` are of general elements. Throws InputError, with the numbers, where there are
/// more contributions than 32 bits can number.
QuadraticPlan quadratic_plan(bool gathers, bool general, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                             const Sparsity& sparsity, const MatrixLayout& layout, const GlobalNzOptions& ways = {});

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

/// What a block of threads has of its nodes in shared memory.
struct QuadraticBlockNodes {
  Real* phi;          ///< [nodes]
  Vector3* position;  ///< [nodes]

  static constexpr Index numbers_a_node = 4;
  CARDIOWARP_HD QuadraticBlockNodes(Real* shared, Index nodes)
      : phi(shared), position(reinterpret_cast<Vector3*>(shared + nodes)) {}
};

/// Loop body over the blocks of elements, with the kernel of StoreElementBlocks (global_nz.hpp).
struct StoreQuadraticBlocks {
  using Memory = QuadraticBlockNodes;
  StoreQuadraticNumbers<true> store;  ///< its elements have local nodes
  const Index *element_begin, *node_begin, *node;
  Index blocks, most_nodes;

  CARDIOWARP_HD Index nodes_of(Index block) const { return node_begin[block + 1] - node_begin[block]; }
  CARDIOWARP_HD void bring_nodes(Index block, Index thread, Index threads, const Memory& memory) const {
    for (Index i = thread; i < nodes_of(block); i += threads) {
      const Index at = node[node_begin[block] + i];
      memory.phi[i] = store.elements.phi[at];
      memory.position[i] = store.elements.position[at];
    }
  }
  CARDIOWARP_HD void evaluate(Index element, const Memory& memory) const {
    StoreQuadraticNumbers<true> here = store;
    here.elements.phi = memory.phi;
    here.elements.position = memory.position;
    here(element);
  }
  CARDIOWARP_HD void operator()(Index block) const {
    Real shared[quadratic_nodes * elements_a_block * Memory::numbers_a_node];
    const Memory memory(shared, nodes_of(block));
    bring_nodes(block, 0, 1, memory);
    for (Index element = element_begin[block]; element < element_begin[block + 1]; ++element) evaluate(element, memory);
  }
};

/// The assemblies that gather.
template <Backend B, CellModel Cell>
class QuadraticAssembly final : public Assembly<B> {
 public:
  QuadraticAssembly(B& backend, const QuadraticPlan& plan, const Mesh& mesh,
                    const std::vector<Diffusivity>& diffusivity, const std::vector<Cell>& cells,
                    const std::vector<std::uint16_t>& cell_model)
      : general_(plan.general),
        ways_(plan.ways),
        blocks_(plan.blocks.blocks()),
        most_nodes_(plan.blocks.most_nodes),
        sums_(plan.lists.sums),
        slots_(static_cast<Index>(plan.slots)),
        points_(backend, plan.points, cells, cell_model),
        geometry_(backend, plan.general, mesh, diffusivity),
        diffusion_(uploaded(backend, plan.diffusion)),
        entry_begin_(uploaded(backend, plan.gather.entry_begin)),
        entry_(uploaded(backend, plan.gather.entry)),
        node_begin_(uploaded(backend, plan.gather.node_begin)),
        node_(uploaded(backend, plan.gather.node)),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)),
        list_begin_(uploaded(backend, plan.lists.begin)),
        block_begin_(uploaded(backend, plan.blocks.element_begin)),
        block_node_begin_(uploaded(backend, plan.blocks.node_begin)),
        block_node_(uploaded(backend, plan.blocks.node)),
        local_(uploaded(backend, plan.blocks.local)),
        word_(uploaded(backend, plan.lists.word)),
        of_node_(uploaded(backend, plan.of_node)),
        number_(backend.template allocate<Real>(plan.points.nodes.size() * (quadratic_entries + quadratic_nodes))) {}

  void evaluate_elements(B& backend, const ElementState& state) override {
    points_.evaluate(backend, state);
    if (!general_) {
      backend.for_each(points_.elements(), StoreQuadraticNumbers<false>{points_.view(), number_.data(), residual()});
      return;
    }
    QuadraticElements elements = geometry_.at(points_.view(), state.phi);
    if (ways_.elements == GlobalElements::prefetched) {
      elements.nodes = local_.data();
      store_element_blocks(backend, StoreQuadraticBlocks{{elements, number_.data(), residual()},
                                                         block_begin_.data(),
                                                         block_node_begin_.data(),
                                                         block_node_.data(),
                                                         blocks_,
                                                         most_nodes_});
      return;
    }
    if (ways_.elements == GlobalElements::nodal) elements.of_node = of_node_.data();
    backend.for_each(points_.elements(), StoreQuadraticNumbers<true>{elements, number_.data(), residual()});
  }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    const auto nodes = static_cast<Index>(diagonal_slot_.size());
    if (ways_.sums == GlobalSums::packed) {
      const SumLists<StorePackedSum> body{
          list_begin_.data(), word_.data(), sums_, number_.data(), {slots_, K.value(), negative_residual}};
      sum_lists(backend, static_cast<Index>(list_begin_.size()) - 1, body);
      backend.for_each(nodes, InvertDiagonal{diagonal_slot_.data(), K.value(), inverse_diagonal});
      return;
    }
    backend.for_each(slots_, GatherNumbers{entry_begin_.data(), entry_.data(), number_.data(),
                                           general_ ? nullptr : diffusion_.data(), K.value()});
    if (!general_) K.multiply(backend, diffusion_.data(), phi, negative_residual);
    backend.for_each(nodes, QuadraticResiduals{node_begin_.data(), node_.data(), residual(), diagonal_slot_.data(),
                                               K.value(), general_, negative_residual, inverse_diagonal});
  }

 private:
  /// The numbers of residuals are behind those of matrices.
  Real* residual() { return number_.data() + std::int64_t{quadratic_entries} * points_.elements(); }

  bool general_;
  GlobalNzOptions ways_;
  Index blocks_, most_nodes_, sums_, slots_;
  QuadraticPointLoop<B, Cell> points_;
  QuadraticGeneralArrays<B> geometry_;
  Buffer<Real> diffusion_;
  Buffer<std::uint32_t> entry_begin_, entry_, node_begin_, node_;
  Buffer<Index> diagonal_slot_, list_begin_, block_begin_, block_node_begin_, block_node_;
  Buffer<QuadraticNodes> local_;
  Buffer<std::int32_t> word_;
  Buffer<Real> of_node_, number_;
};

}  // namespace cardiowarp
