#pragma once
#include "assembly/papers/element_blocks.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

// A loop over blocks of elements whose nodes are brought once for all elements of the block (Cecka, Lew and Darve 2011,
// "paper 004", sec. 4.2.2, Algorithm 3). A GPU has a block of threads for each block of elements, a thread an element,
// and the nodes in shared memory (kernel: global_nz.cuh); elsewhere one thread goes through a block.

/// Loop body over the blocks. `Of` says what happens to a node and to an element:
///   Memory                      where a block has its nodes: Memory(numbers, nodes), numbers_a_node numbers each
///   nodes                       how many an element has
///   bring(from, to, memory)     fetches node `from` of the mesh as node `to` of the block
///   evaluate(place, memory)     evaluates the element at a place of the order that the blocks cut
template <class Of>
struct ElementBlockLoop {
  using Memory = typename Of::Memory;
  Of of;
  const Index *element_begin, *node_begin;  ///< [blocks + 1] first place and first node of each block
  const Index* node;                        ///< of each block, where node_begin says
  Index blocks, most_nodes;

  CARDIOWARP_HD Index nodes_of(Index block) const { return node_begin[block + 1] - node_begin[block]; }

  /// Pass 1, of one of `threads` threads.
  CARDIOWARP_HD void bring_nodes(Index block, Index thread, Index threads, const Memory& memory) const {
    for (Index i = thread; i < nodes_of(block); i += threads) of.bring(node[node_begin[block] + i], i, memory);
  }

  /// Pass 2, for the element at a place of the block.
  CARDIOWARP_HD void evaluate(Index place, const Memory& memory) const { of.evaluate(place, memory); }

  /// Both passes by one thread.
  CARDIOWARP_HD void operator()(Index block) const {
    Real shared[Of::nodes * elements_a_block * Memory::numbers_a_node];
    const Memory memory(shared, nodes_of(block));
    bring_nodes(block, 0, 1, memory);
    for (Index place = element_begin[block]; place < element_begin[block + 1]; ++place) evaluate(place, memory);
  }
};

/// Runs the body for all blocks of elements.
template <class B, class Body>
void store_element_blocks(B& backend, const Body& body) {
  static_assert(RunsGeneralCode<B>, "include assembly/papers/global_nz.cuh");
  backend.for_each(body.blocks, body);
}

}  // namespace cardiowarp
