#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/element_numbers.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/sparsity.hpp"
#include "kernels/backend/device.hpp"

namespace cardiowarp {

// The assembly `shared_nz_general`: SharedNZ of Cecka, Lew and Darve (2011, "paper 004", sec. 4.3) for elements of
// which nothing is known, with 10 + 4 numbers each. The nodes are cut into parts, along a Hilbert curve or by METIS,
// and a part has a block of threads. The block brings positions, φ and load of all nodes of the part to shared memory,
// its own and those around them, evaluates each element that has one of its own nodes, leaves its 14 numbers there, and
// adds them up by lists of places in shared memory, 16 bits each. As a matrix of elements is symmetric, one sum is
// written twice where both of its nodes are in the part. Elements at the border of parts are evaluated in each of them,
// and the part of the first corner stores their states. It is one launch, and every sum has a fixed order.
//
// A part has up to 192 nodes, fewer where their elements, 112 bytes each, do not fit. Bytes: an element takes 12 each
// time it is evaluated (its number and four local corners), and 40 for its diffusivity and 16 a state once; a sum 8 for
// its targets and 2 for each number of its list, filled up to the longest of 32 sums of like length; an entry 8, a
// row 16.

/// How the nodes are cut into parts.
struct GeneralPartsShape {
  Index nodes = 0;     ///< of a part at most; 0: what suits
  Index threads = 0;   ///< of a block, a multiple of 32; 0: what suits
  bool metis = false;  ///< cut by METIS in place of the Hilbert curve
};

/// What a block of threads knows of its part, in backend memory.
struct GeneralPartsView {
  Index parts;
  const Index* node_begin;       ///< [parts + 1]
  const Index* node;             ///< the nodes of a part and around it; their places are the local numbers
  const Index* element_begin;    ///< [parts + 1]
  const std::uint32_t* element;  ///< ascending in a part; the highest bit is set where another part stores states
  const std::uint64_t* corners;  ///< the local numbers of the four corners, 16 bits each
  const Index* group_begin;      ///< [parts + 1] groups of 32 sums
  const Index* list_begin;       ///< [groups + 1] first word of each group's lists, over 32
  const std::uint32_t* list;     ///< two places a word; a word of each of 32 sums, then the next of each
  const std::uint32_t* target;   ///< [32 × groups] slot of K; `of_row` and a row: −R of it; no_target: padding
  const std::uint32_t* twin;     ///< [32 × groups] the mirror image's slot; `of_row` and a row: a diagonal's row

  static constexpr std::uint32_t of_row = 0x80000000u, no_target = 0xffffffffu;
};

/// Where a part has its numbers in shared memory.
struct GeneralPartMemory {
  Index stride;       ///< one more than the elements of the part
  Real* number;       ///< [14 × stride] the matrix, then the residual; number 0 of the element after the last is 0
  Real *phi, *load;   ///< [nodes]
  Vector3* position;  ///< [nodes]

  CARDIOWARP_HD GeneralPartMemory(Real* shared, Index elements, Index nodes)
      : stride(elements + 1),
        number(shared),
        phi(number + std::ptrdiff_t{14} * stride),
        load(phi + nodes),
        position(reinterpret_cast<Vector3*>(load + nodes)) {}

  /// Numbers of 8 bytes that parts of so many elements and nodes take.
  static constexpr std::size_t numbers(std::size_t elements, std::size_t nodes) {
    return 14 * (elements + 1) + 5 * nodes;
  }
};

/// The most shared memory of any part: what a block of an A100 or H100 can have, and the host keeps on its stack.
inline constexpr std::size_t most_general_part_bytes = 224 << 10;

/// Work of a block of threads for a part, in passes between which the threads wait for each other (kernel:
/// shared_nz.cuh). A host does it in the same order, part by part, with the same sums.
template <CellModel Cell>
struct SumGeneralParts {
  GeneralPartsView parts;
  Elements<Cell> elements;
  Real* value;              ///< [slots] out: K
  Real* negative_residual;  ///< [rows] out: −R
  Real* inverse_diagonal;   ///< [rows] out

  static constexpr std::uint32_t other_stores = 0x80000000u;

  CARDIOWARP_HD Index elements_of(Index part) const {
    return parts.element_begin[part + 1] - parts.element_begin[part];
  }

  CARDIOWARP_HD GeneralPartMemory memory_of(Index part, Real* shared) const {
    return {shared, elements_of(part), parts.node_begin[part + 1] - parts.node_begin[part]};
  }

  /// Pass 1, of one of `threads` threads.
  CARDIOWARP_HD void bring_nodes(Index part, Index thread, Index threads, const GeneralPartMemory& memory) const {
    const Index begin = parts.node_begin[part], nodes = parts.node_begin[part + 1] - begin;
    for (Index i = thread; i < nodes; i += threads) {
      const Index node = parts.node[begin + i];
      memory.phi[i] = elements.state.phi[node];
      memory.load[i] = elements.state.load[node];
      memory.position[i] = elements.position[node];
    }
    if (thread == 0) memory.number[elements_of(part)] = 0;
  }

  /// Pass 2, for one element of the part.
  CARDIOWARP_HD void evaluate(Index part, Index local, const GeneralPartMemory& memory) const {
    const Index at = parts.element_begin[part] + local;
    const std::uint32_t named = parts.element[at];
    const std::uint64_t corners = parts.corners[at];
    const Tetrahedron node{static_cast<Index>(corners & 0xffffu), static_cast<Index>(corners >> 16u & 0xffffu),
                           static_cast<Index>(corners >> 32u & 0xffffu), static_cast<Index>(corners >> 48u)};
    const auto element = static_cast<Index>(named & ~other_stores);
    Elements<Cell> here = elements;
    here.position = memory.position;
    here.state.phi = memory.phi;
    here.state.load = memory.load;
    const GeneralElement all = here.general(element, node, (named & other_stores) == 0);
    for (int k = 0; k < 10; ++k) memory.number[k * memory.stride + local] = all.matrix[k];
    for (int i = 0; i < 4; ++i) memory.number[(10 + i) * memory.stride + local] = all.residual[i];
  }

  /// Pass 3, for one sum of a group.
  CARDIOWARP_HD void sum(Index group, Index lane, const GeneralPartMemory& memory) const {
    constexpr Index batch = 4;
    const Index end = parts.list_begin[group + 1];
    const std::uint32_t target = parts.target[std::int64_t{32} * group + lane],
                        twin = parts.twin[std::int64_t{32} * group + lane];
    Real sum = 0;
    for (Index from = parts.list_begin[group]; from < end; from += batch) {
      std::uint32_t word[batch] = {};
      for (Index k = 0; k < batch; ++k)
        if (from + k < end) word[k] = parts.list[std::int64_t{32} * (from + k) + lane];
      for (Index k = 0; k < batch; ++k)
        if (from + k < end) {
          sum += memory.number[word[k] & 0xffffu];
          sum += memory.number[word[k] >> 16u];
        }
    }
    if (target == parts.no_target) return;
    if (target & parts.of_row) {
      negative_residual[target & ~parts.of_row] = -sum;
      return;
    }
    value[target] = sum;
    if (twin == parts.no_target) return;
    if (twin & parts.of_row)
      inverse_diagonal[twin & ~parts.of_row] = 1 / sum;
    else
      value[twin] = sum;
  }

  /// Loop body over the parts.
  CARDIOWARP_HD void operator()(Index part) const {
    Real shared[most_general_part_bytes / sizeof(Real)];
    const GeneralPartMemory memory = memory_of(part, shared);
    bring_nodes(part, 0, 1, memory);
    for (Index local = 0; local < elements_of(part); ++local) evaluate(part, local, memory);
    for (Index group = parts.group_begin[part]; group < parts.group_begin[part + 1]; ++group)
      for (Index lane = 0; lane < 32; ++lane) sum(group, lane, memory);
  }
};

/// What SharedNzGeneral needs beside the state, worked out once in a run in host memory.
struct SharedNzGeneralPlan {
  Index threads = 0;
  std::size_t shared_bytes = 0;  ///< of the largest part
  std::vector<Index> node_begin, node, element_begin;
  std::vector<std::uint32_t> element;
  std::vector<std::uint64_t> corners;
  std::vector<Index> group_begin, list_begin;
  std::vector<std::uint32_t> list, target, twin;
  std::int64_t elements = 0, rows = 0, entries = 0;

  Index parts() const { return static_cast<Index>(element_begin.size()) - 1; }
  /// How often an element is evaluated, in the mean.
  double evaluations() const { return static_cast<double>(element.size()) / static_cast<double>(elements); }
  /// What elements and sums must move when states, positions, φ and load are read once, with one state a cell.
  std::int64_t bytes() const;
};

/// Throws InputError where the elements of one node, or a part that METIS cut, are too many for the shared memory of
/// the device, with the numbers, and where METIS is asked for and missing.
SharedNzGeneralPlan shared_nz_general_plan(const Mesh& mesh, const Sparsity& sparsity, const MatrixLayout& layout,
                                           const Device& device, const GeneralPartsShape& wish = {});

/// Runs the body for all parts; a GPU has a kernel (shared_nz.cuh).
template <class B, class Body>
void sum_general_parts(B& backend, const Body& body, Index /*threads*/, std::size_t /*shared_bytes*/) {
  static_assert(RunsGeneralCode<B>, "include assembly/shared_nz.cuh");
  backend.for_each(body.parts.parts, body);
}

/// General elements and their sums in one launch. evaluate_elements() only keeps the state.
template <Backend B, CellModel Cell>
class SharedNzGeneral final : public Assembly<B> {
 public:
  SharedNzGeneral(B& backend, const SharedNzGeneralPlan& plan, const Mesh& mesh,
                  const std::vector<Diffusivity>& diffusivity, const std::vector<Cell>& cell_models,
                  const std::vector<std::uint16_t>& cell_model)
      : parts_(plan.parts()),
        threads_(plan.threads),
        shared_bytes_(plan.shared_bytes),
        elements_(backend, mesh, diffusivity, {}, cell_models, cell_model),
        node_begin_(uploaded(backend, plan.node_begin)),
        node_(uploaded(backend, plan.node)),
        element_begin_(uploaded(backend, plan.element_begin)),
        group_begin_(uploaded(backend, plan.group_begin)),
        list_begin_(uploaded(backend, plan.list_begin)),
        element_(uploaded(backend, plan.element)),
        list_(uploaded(backend, plan.list)),
        target_(uploaded(backend, plan.target)),
        twin_(uploaded(backend, plan.twin)),
        corners_(uploaded(backend, plan.corners)) {}

  void evaluate_elements(B& /*backend*/, const ElementState& state) override { state_ = state; }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* /*phi*/, Real* negative_residual,
                Real* inverse_diagonal) override {
    const GeneralPartsView parts{parts_,          node_begin_.data(), node_.data(),        element_begin_.data(),
                                 element_.data(), corners_.data(),    group_begin_.data(), list_begin_.data(),
                                 list_.data(),    target_.data(),     twin_.data()};
    sum_general_parts(
        backend, SumGeneralParts<Cell>{parts, elements_.at(state_), K.value(), negative_residual, inverse_diagonal},
        threads_, shared_bytes_);
  }

 private:
  Index parts_, threads_;
  std::size_t shared_bytes_;
  ElementState state_{};
  ElementArrays<B, Cell> elements_;
  Buffer<Index> node_begin_, node_, element_begin_, group_begin_, list_begin_;
  Buffer<std::uint32_t> element_, list_, target_, twin_;
  Buffer<std::uint64_t> corners_;
};

}  // namespace cardiowarp
