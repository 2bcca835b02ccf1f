#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/cell_contributions.hpp"
#include "assembly/papers/block_loop.hpp"
#include "assembly/papers/global_nz.hpp"
#include "assembly/papers/reduction_lists.hpp"
#include "assembly/quadratic_assembly.hpp"
#include "assembly/quadratic_elements.hpp"

namespace cardiowarp {

// GlobalNZ (global_nz.hpp) of quadratic tetrahedra: `global_nz_general`, `global_nz_prefetched_general`, `_nodal_` and
// `_packed_`, with the same ways to fetch nodes and to sum. Elements have all of their 55 + 10 numbers, diffusion among
// them; they write these to memory, and each entry of K and each node adds up those that belong to it in a fixed order.
// An element moves about 4 kB an iteration. Host memory is about 1.1 kB an element for the places of its numbers.

/// Blocks of elements_a_block elements that follow each other, and their nodes. Host memory.
struct QuadraticBlocks {
  std::vector<Index> element_begin{0}, node_begin{0};  ///< [blocks + 1] first of each
  std::vector<Index> node;                             ///< of each block, ascending
  std::vector<QuadraticNodes> local;                   ///< [elements] which nodes of its block they have
  Index most_nodes = 0;                                ///< of a block

  Index blocks() const { return static_cast<Index>(node_begin.size()) - 1; }
};
QuadraticBlocks quadratic_blocks(const std::vector<QuadraticNodes>& nodes_of);

/// All that QuadraticGlobalNz needs beside the state, worked out once in a run in host memory.
struct QuadraticGlobalNzPlan {
  GlobalNzOptions options;
  QuadraticPoints points;
  std::int64_t slots = 0;            ///< of K
  std::vector<Index> diagonal_slot;  ///< [nodes]
  CellGather gather;                 ///< where a thread has a sum
  ReductionLists lists;              ///< of `packed`
  std::vector<Real> of_node;         ///< of `nodal`, as in QuadraticElements
  QuadraticBlocks blocks;            ///< of `prefetched`
};

/// Throws InputError, with the numbers, where there are more contributions than 32 bits can number, and where the nodes
/// of a block of `prefetched` do not fit into the shared memory of the device.
QuadraticGlobalNzPlan quadratic_global_nz_plan(const Mesh& mesh, const Sparsity& sparsity, const MatrixLayout& layout,
                                               const Device& device, const GlobalNzOptions& options = {});

/// The numbers of its nodes that a block of threads has in shared memory.
struct QuadraticBlockNodes {
  Real* phi;          ///< [nodes]
  Vector3* position;  ///< [nodes]

  static constexpr Index numbers_a_node = 4;
  CARDIOWARP_HD QuadraticBlockNodes(Real* shared, Index nodes)
      : phi(shared), position(reinterpret_cast<Vector3*>(shared + nodes)) {}
};

/// The work of a block of elements, for ElementBlockLoop.
struct StoreQuadraticOfBlock {
  using Memory = QuadraticBlockNodes;
  static constexpr int nodes = quadratic_nodes;
  StoreQuadraticNumbers<true> store;  ///< its elements have local nodes

  CARDIOWARP_HD void bring(Index from, Index to, const Memory& memory) const {
    memory.phi[to] = store.elements.phi[from];
    memory.position[to] = store.elements.position[from];
  }
  CARDIOWARP_HD void evaluate(Index element, const Memory& memory) const {
    StoreQuadraticNumbers<true> here = store;
    here.elements.phi = memory.phi;
    here.elements.position = memory.position;
    here(element);
  }
};

/// General quadratic elements, stored in a row and gathered.
template <Backend B>
class QuadraticGlobalNz final : public Assembly<B> {
 public:
  QuadraticGlobalNz(B& backend, const QuadraticGlobalNzPlan& plan, const Mesh& mesh,
                    const std::vector<Diffusivity>& diffusivity, const TissueCells& cells,
                    const std::vector<std::uint16_t>& cell_model)
      : options_(plan.options),
        blocks_(plan.blocks.blocks()),
        most_nodes_(plan.blocks.most_nodes),
        sums_(plan.lists.sums),
        slots_(static_cast<Index>(plan.slots)),
        points_(quadratic_point_loop(backend, plan.points, cells, cell_model)),
        geometry_(backend, true, mesh, diffusivity),
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
    points_->evaluate(backend, state);
    QuadraticElements elements = geometry_.at(points_->view(), state.phi);
    if (options_.elements == GlobalElements::prefetched) {
      elements.nodes = local_.data();
      store_element_blocks(backend, ElementBlockLoop<StoreQuadraticOfBlock>{{{elements, number_.data(), residual()}},
                                                                            block_begin_.data(),
                                                                            block_node_begin_.data(),
                                                                            block_node_.data(),
                                                                            blocks_,
                                                                            most_nodes_});
      return;
    }
    if (options_.elements == GlobalElements::nodal) elements.of_node = of_node_.data();
    backend.for_each(points_->elements(), StoreQuadraticNumbers<true>{elements, number_.data(), residual()});
  }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* /*phi*/, Real* negative_residual,
                Real* inverse_diagonal) override {
    const auto nodes = static_cast<Index>(diagonal_slot_.size());
    if (options_.sums == GlobalSums::packed) {
      const SumLists<StorePackedSum> body{
          list_begin_.data(), word_.data(), sums_, number_.data(), {slots_, K.value(), negative_residual}};
      sum_lists(backend, static_cast<Index>(list_begin_.size()) - 1, body);
      backend.for_each(nodes, InvertDiagonal{diagonal_slot_.data(), K.value(), inverse_diagonal});
      return;
    }
    backend.for_each(slots_, GatherNumbers{entry_begin_.data(), entry_.data(), number_.data(), nullptr, K.value()});
    backend.for_each(nodes, QuadraticResiduals{node_begin_.data(), node_.data(), residual(), diagonal_slot_.data(),
                                               K.value(), true, negative_residual, inverse_diagonal});
  }

 private:
  /// The numbers of residuals are behind those of matrices.
  Real* residual() { return number_.data() + std::int64_t{quadratic_entries} * points_->elements(); }

  GlobalNzOptions options_;
  Index blocks_, most_nodes_, sums_, slots_;
  std::unique_ptr<QuadraticPointLoop<B>> points_;
  QuadraticGeneralArrays<B> geometry_;
  Buffer<std::uint32_t> entry_begin_, entry_, node_begin_, node_;
  Buffer<Index> diagonal_slot_, list_begin_, block_begin_, block_node_begin_, block_node_;
  Buffer<QuadraticNodes> local_;
  Buffer<std::int32_t> word_;
  Buffer<Real> of_node_, number_;
};

}  // namespace cardiowarp
