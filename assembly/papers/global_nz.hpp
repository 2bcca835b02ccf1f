#pragma once
#include <cstdint>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/element_numbers.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/papers/block_loop.hpp"
#include "assembly/papers/element_blocks.hpp"
#include "assembly/papers/reduction_lists.hpp"
#include "assembly/vector_loops.hpp"
#include "kernels/sparse/ell_warp_matrix.hpp"
#include "kernels/sparse/warp_lanes.hpp"

namespace cardiowarp {

// GlobalNZ of Cecka, Lew and Darve (2011, "paper 004", sec. 4.2) for general elements, 10 + 4 numbers each. One launch
// writes the numbers of all elements to memory, value by value, so that neighboring threads write neighboring
// numbers; a second one gathers what belongs to each sum. Where `spmv_k1`, .. scatter 20 numbers of an element and read
// them in a row, this writes 14 in a row and gathers them. The order of every sum is fixed. For elements of two numbers
// it would be `entry_gather` (scalar_gather.hpp). There are four assemblies:
//
//   global_nz_general             an element fetches what it needs of its corners; a thread has a sum
//   global_nz_prefetched_general  a block of 256 elements has the positions, φ and load of its nodes in shared memory
//                                 (sec. 4.2.2, Algorithm 3), along the order of the elements or cut by METIS
//   global_nz_nodal_general       the positions of its corners are stored for each element, value by value (sec. 4.2.1)
//   global_nz_packed_general      a thread has a packed list of sums (sec. 4.2.3, reduction_lists.hpp)
//
// Bytes: an element writes 112, and its evaluation reads 74, with blocks 70 and 44 for each node of its block, with
// stored positions 170; a sum of K reads 4 for the place of each contribution and the 8 of it, 12 + 4 of each an
// element, filled up to the longest of 32 neighbors, and writes 8.

/// Where an element fetches positions, φ and load of its corners from, and how numbers are summed.
enum class GlobalElements { plain, prefetched, nodal };
enum class GlobalSums { of_a_thread, packed };

struct GlobalNzOptions {
  GlobalElements elements = GlobalElements::plain;
  GlobalSums sums = GlobalSums::of_a_thread;
  bool metis = false;  ///< the blocks of `prefetched` are cut by METIS
};

/// Numbers of an element.
inline constexpr int general_numbers = 14;

/// Where the numbers of elements are stored: number v of the element at place p at v (elements + 1) + p.
struct StoredNumbers {
  Index count;   ///< elements
  Real* number;  ///< [14 × (count + 1)] the last of each value stays 0

  CARDIOWARP_HD void store(Index place, const GeneralElement& all) const {
    const std::int64_t stride = std::int64_t{count} + 1;
    for (int k = 0; k < 10; ++k) number[k * stride + place] = all.matrix[k];
    for (int i = 0; i < 4; ++i) number[(10 + i) * stride + place] = all.residual[i];
  }
};

/// Loop body over the elements, each at its own place.
template <CellModel Cell>
struct StoreElements {
  static constexpr int threads_that_share = 128;
  Elements<Cell> elements;
  StoredNumbers numbers;

  CARDIOWARP_HD void operator()(Index element) const { numbers.store(element, elements.general(element, true)); }
};

/// Loop body over the elements, with the positions of their corners stored for each: coordinate d of corner i of
/// element e at (3 i + d) elements + e.
template <CellModel Cell>
struct StoreNodalElements {
  static constexpr int threads_that_share = 128;
  Elements<Cell> elements;
  StoredNumbers numbers;
  const Real* of_corner;  ///< [12 × elements] mm

  CARDIOWARP_HD void operator()(Index element) const {
    const auto coordinate = [&](int k) { return of_corner[std::int64_t{k} * numbers.count + element]; };
    Vector3 position[4];
    for (int i = 0; i < 4; ++i) position[i] = {coordinate(3 * i), coordinate(3 * i + 1), coordinate(3 * i + 2)};
    numbers.store(element, elements.general(element, elements.corners[element], position, true));
  }
};

/// The numbers of its nodes that a block of threads has in shared memory.
struct BlockNodes {
  Real *phi, *load;   ///< [nodes]
  Vector3* position;  ///< [nodes]

  static constexpr Index numbers_a_node = 5;
  CARDIOWARP_HD BlockNodes(Real* shared, Index nodes)
      : phi(shared), load(phi + nodes), position(reinterpret_cast<Vector3*>(load + nodes)) {}
};

/// The work of a block of elements, for ElementBlockLoop.
template <CellModel Cell>
struct StoreElementsOfBlock {
  using Memory = BlockNodes;
  static constexpr int nodes = 4;
  Elements<Cell> elements;
  StoredNumbers numbers;
  const Index* order;            ///< [elements] as in ElementBlocks
  const std::uint64_t* corners;  ///< [elements] likewise

  CARDIOWARP_HD void bring(Index from, Index to, const Memory& memory) const {
    memory.phi[to] = elements.state.phi[from];
    memory.load[to] = elements.state.load[from];
    memory.position[to] = elements.position[from];
  }
  CARDIOWARP_HD void evaluate(Index place, const Memory& memory) const {
    const std::uint64_t packed = corners[place];
    const Tetrahedron corner{static_cast<Index>(packed & 0xffffu), static_cast<Index>(packed >> 16u & 0xffffu),
                             static_cast<Index>(packed >> 32u & 0xffffu), static_cast<Index>(packed >> 48u)};
    Elements<Cell> here = elements;
    here.position = memory.position;
    here.state.phi = memory.phi;
    here.state.load = memory.load;
    numbers.store(place, here.general(order[place], corner, true));
  }
};

/// The terms of an entry off the diagonal: a stored entry names the place of a number.
struct GatherNumber {
  static constexpr Caching caching = Caching::streamed;
  const Real* number;
  CARDIOWARP_HD Real operator()(const EllWarpView& A, std::int64_t entry) const {
    return number[fetch<caching>(A.column + entry)];
  }
};

/// The terms of a node, for K_ii and R_i together: a stored entry is 4 e + i.
struct GatherDiagonal {
  static constexpr Caching caching = Caching::streamed;
  const Real* number;
  std::int64_t stride;
  CARDIOWARP_HD TangentResidual operator()(const EllWarpView& A, std::int64_t entry) const {
    const Index named = fetch<caching>(A.column + entry), element = named >> 2, i = named & 3;
    return {number[symmetric_place(i, i) * stride + element], number[(10 + i) * stride + element]};
  }
};

/// Loop body over the slots of K, then over the nodes.
struct SumGlobalNumbers {
  static constexpr int threads_that_share = 512;  ///< neighboring entries have elements in common
  EllWarpView entries;                  ///< K1r, unsorted, a row for each slot off the diagonal: places of numbers
  EllWarpView nodes;                    ///< K1r, unsorted, a row for each node: 4 e + i
  const std::uint32_t* diagonal_lanes;  ///< [slots / 32 + 1] bit set: that slot is on the diagonal
  const Index* diagonal_slot;           ///< [nodes]
  const Real* number;
  std::int64_t stride;
  Real* value;              ///< [slots] out: K
  Real* negative_residual;  ///< [nodes] out: −R
  Real* inverse_diagonal;   ///< [nodes] out

  CARDIOWARP_HD void operator()(Index i) const {
    if (i < entries.rows) {
      if (!(diagonal_lanes[i / warp_lanes] >> i % warp_lanes & 1u))
        value[i] = k1_row_sum(entries, i, GatherNumber{number});
      return;
    }
    const Index node = i - entries.rows;
    const TangentResidual sum = k1_row_sum(nodes, node, GatherDiagonal{number, stride});
    value[diagonal_slot[node]] = sum.tangent;
    inverse_diagonal[node] = 1 / sum.tangent;
    negative_residual[node] = -sum.residual;
  }
};

/// Stores packed sums: the slots of K, then −R of the nodes.
struct StorePackedSum {
  Index slots;
  Real* value;              ///< [slots] out: K
  Real* negative_residual;  ///< [nodes] out: −R
  CARDIOWARP_HD void operator()(Index sum, Real of_sum) const {
    if (sum < slots)
      value[sum] = of_sum;
    else
      negative_residual[sum - slots] = -of_sum;
  }
};

/// Runs the body for all blocks of sums.
template <class B, class Body>
void sum_lists(B& backend, Index blocks, const Body& body) {
  static_assert(RunsGeneralCode<B>, "include assembly/papers/global_nz.cuh");
  backend.for_each(blocks, body);
}

/// All that GlobalNz needs beside the state, worked out once in a run in host memory.
struct GlobalNzPlan {
  GlobalNzOptions options;
  Index elements = 0;
  std::int64_t slots = 0;       ///< of K
  ElementBlocks blocks;         ///< of `prefetched`
  std::vector<Real> of_corner;  ///< [12 × elements] of `nodal`, as in StoreNodalElements
  ReductionLists lists;         ///< of `packed`, else empty, and the next three of the others
  EllWarpLayout entries, nodes;
  std::vector<std::uint32_t> diagonal_lanes;  ///< [slots / 32 + 1]
  std::vector<Index> diagonal_slot;           ///< [nodes]

  /// The bytes that the sums must move when each number of an element is read once.
  std::int64_t bytes() const;
  /// Bytes that the elements must move when positions, φ and load are read once, by each block where there are some.
  std::int64_t element_bytes() const;
  /// Stored places or words over those that are no padding.
  double padding() const;
};

/// Throws InputError where numbers, slots or words are too many for an Index, with the numbers, and where METIS is
/// asked for and missing.
GlobalNzPlan global_nz_plan(const Mesh& mesh, const Sparsity& sparsity, const MatrixLayout& layout,
                            const GlobalNzOptions& options = {});

/// General elements, stored in a row and gathered.
template <Backend B, CellModel Cell>
class GlobalNz final : public Assembly<B> {
 public:
  GlobalNz(B& backend, const GlobalNzPlan& plan, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
           const std::vector<Cell>& cell_models, const std::vector<std::uint16_t>& cell_model)
      : options_(plan.options),
        count_(plan.elements),
        blocks_(plan.blocks.blocks()),
        most_nodes_(plan.blocks.most_nodes),
        slots_(static_cast<Index>(plan.slots)),
        sums_(plan.lists.sums),
        elements_(backend, mesh, diffusivity, {}, cell_models, cell_model),
        order_(uploaded(backend, plan.blocks.order)),
        element_begin_(uploaded(backend, plan.blocks.element_begin)),
        node_begin_(uploaded(backend, plan.blocks.node_begin)),
        node_(uploaded(backend, plan.blocks.node)),
        list_begin_(uploaded(backend, plan.lists.begin)),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)),
        corners_(uploaded(backend, plan.blocks.corners)),
        word_(uploaded(backend, plan.lists.word)),
        entries_(backend, plan.entries),
        nodes_(backend, plan.nodes),
        diagonal_lanes_(uploaded(backend, plan.diagonal_lanes)),
        of_corner_(uploaded(backend, plan.of_corner)),
        number_(backend.template allocate<Real>(std::size_t{general_numbers} * (std::size_t(plan.elements) + 1))) {}

  void evaluate_elements(B& backend, const ElementState& state) override {
    const Elements<Cell> elements = elements_.at(state);
    const StoredNumbers numbers{count_, number_.data()};
    if (options_.elements == GlobalElements::prefetched)
      store_element_blocks(
          backend, ElementBlockLoop<StoreElementsOfBlock<Cell>>{{elements, numbers, order_.data(), corners_.data()},
                                                                element_begin_.data(),
                                                                node_begin_.data(),
                                                                node_.data(),
                                                                blocks_,
                                                                most_nodes_});
    else if (options_.elements == GlobalElements::nodal)
      backend.for_each(count_, StoreNodalElements<Cell>{elements, numbers, of_corner_.data()});
    else
      backend.for_each(count_, StoreElements<Cell>{elements, numbers});
  }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* /*phi*/, Real* negative_residual,
                Real* inverse_diagonal) override {
    if (options_.sums == GlobalSums::packed) {
      const SumLists<StorePackedSum> body{
          list_begin_.data(), word_.data(), sums_, number_.data(), {slots_, K.value(), negative_residual}};
      sum_lists(backend, static_cast<Index>(list_begin_.size()) - 1, body);
      backend.for_each(static_cast<Index>(diagonal_slot_.size()),
                       InvertDiagonal{diagonal_slot_.data(), K.value(), inverse_diagonal});
      return;
    }
    const EllWarpView entries = entries_.view(), nodes = nodes_.view();
    backend.for_each(entries.rows + nodes.rows,
                     SumGlobalNumbers{entries, nodes, diagonal_lanes_.data(), diagonal_slot_.data(), number_.data(),
                                      std::int64_t{count_} + 1, K.value(), negative_residual, inverse_diagonal});
  }

 private:
  GlobalNzOptions options_;
  Index count_, blocks_, most_nodes_, slots_, sums_;
  ElementArrays<B, Cell> elements_;
  Buffer<Index> order_, element_begin_, node_begin_, node_, list_begin_, diagonal_slot_;
  Buffer<std::uint64_t> corners_;
  Buffer<std::int32_t> word_;
  EllWarpPattern entries_, nodes_;
  Buffer<std::uint32_t> diagonal_lanes_;
  Buffer<Real> of_corner_, number_;
};

}  // namespace cardiowarp
