#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/element_numbers.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/quadratic_elements.hpp"
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
//
// Quadratic tetrahedra have this text, too, for `shared_nz_general` and for `shared_nz`, in which the diffusion matrix
// is added to K at the end and its product with φ to R. An element's 55 + 10 numbers take 520 bytes: 224 KiB hold those
// of 440, and all elements of a node have to fit. Positions and φ stay in memory and the caches: a node would take 32
// bytes, and the room is worth more to elements, of which those between parts are evaluated in each of them. The
// contributions of the cells are computed before, once, by the loop over the points.

/// How the nodes are cut into parts.
struct GeneralPartsShape {
  Index nodes = 0;     ///< of a part at most; 0: what suits
  Index threads = 0;   ///< of a block, a multiple of 32; 0: what suits
  bool metis = false;  ///< cut by METIS in place of the Hilbert curve
};

/// All that a block of threads knows of its part, in backend memory.
struct GeneralPartsView {
  Index parts;
  const Index* node_begin;       ///< [parts + 1]
  const Index* node;             ///< the nodes of a part and around it; their places are the local numbers
  const Index* element_begin;    ///< [parts + 1]
  const std::uint32_t* element;  ///< ascending in a part; the highest bit is set where another part stores states
  const std::uint64_t* corners;  ///< of linear elements the local numbers of the four corners, 16 bits each
  const Index* group_begin;      ///< [parts + 1] groups of 32 sums
  const Index* list_begin;       ///< [groups + 1] first word of each group's lists, over 32
  const std::uint32_t* list;     ///< two places a word; a word of each of 32 sums, then the next of each
  const std::uint32_t* target;   ///< [32 × groups] slot of K; `of_row` and a row: −R of it; no_target: padding
  const std::uint32_t* twin;     ///< [32 × groups] the mirror image's slot; `of_row` and a row: a diagonal's row

  static constexpr std::uint32_t of_row = 0x80000000u, no_target = 0xffffffffu;
};

/// Where a part has its numbers in shared memory, of elements with N nodes.
template <int N>
struct GeneralPartMemory {
  static constexpr int of_matrix = entries_of<N, false>, of_element = of_matrix + N;
  static constexpr int of_node = N == 4 ? 5 : 0;

  Index stride;       ///< one more than the elements of the part
  Real* number;       ///< [of_element × stride] the matrix, then the residual; number 0 after the last element is 0
  Real *phi, *load;   ///< [nodes] of linear elements
  Vector3* position;  ///< [nodes] of linear elements

  CARDIOWARP_HD GeneralPartMemory(Real* shared, Index elements, Index nodes)
      : stride(elements + 1),
        number(shared),
        phi(number + std::ptrdiff_t{of_element} * stride),
        load(phi + nodes),
        position(reinterpret_cast<Vector3*>(load + nodes)) {}

  CARDIOWARP_HD void store(Index local, const Real* matrix, const Real* residual) const {
    for (int k = 0; k < of_matrix; ++k) number[k * stride + local] = matrix[k];
    for (int i = 0; i < N; ++i) number[(of_matrix + i) * stride + local] = residual[i];
  }

  /// Numbers of 8 bytes that parts of so many elements and nodes take.
  static constexpr std::size_t numbers(std::size_t elements, std::size_t nodes) {
    return of_element * (elements + 1) + of_node * nodes;
  }
};

/// How a part evaluates the elements of a view. Quadratic ones fetch the numbers of their nodes from memory.
template <class View>
struct PartElements {
  static constexpr int nodes = View::nodes;
  static constexpr int most_threads = 256;  ///< of a block: the numbers of an element are 130 registers
  View view;

  CARDIOWARP_HD void bring(Index /*local*/, Index /*node*/, const GeneralPartMemory<nodes>& /*memory*/) const {}
  CARDIOWARP_HD void evaluate(Index element, const std::uint64_t* /*corners*/, bool store, Index local,
                              const GeneralPartMemory<nodes>& memory) const {
    const auto all = view.numbers(element, store);
    memory.store(local, all.matrix, all.residuals);
  }
};

/// Linear ones find the numbers of their nodes in shared memory.
template <CellModel Cell>
struct PartElements<LinearElementsView<ElementKind::general, Cell>> {
  static constexpr int nodes = 4;
  static constexpr int most_threads = 512;
  LinearElementsView<ElementKind::general, Cell> view;

  CARDIOWARP_HD void bring(Index local, Index node, const GeneralPartMemory<4>& memory) const {
    memory.phi[local] = view.of.state.phi[node];
    memory.load[local] = view.of.state.load[node];
    memory.position[local] = view.of.position[node];
  }
  CARDIOWARP_HD void evaluate(Index element, const std::uint64_t* corners, bool store, Index local,
                              const GeneralPartMemory<4>& memory) const {
    const std::uint64_t packed = *corners;
    const Tetrahedron node{static_cast<Index>(packed & 0xffffu), static_cast<Index>(packed >> 16u & 0xffffu),
                           static_cast<Index>(packed >> 32u & 0xffffu), static_cast<Index>(packed >> 48u)};
    Elements<Cell> here = view.of;
    here.position = memory.position;
    here.state.phi = memory.phi;
    here.state.load = memory.load;
    const GeneralElement all = here.general(element, node, store);
    memory.store(local, all.matrix, all.residual);
  }
};

/// The most shared memory of any part: what a block of an A100 or H100 can have, and the host keeps on its stack.
inline constexpr std::size_t most_general_part_bytes = 224 << 10;

/// Work of a block of threads for a part, in passes between which the threads wait for each other (kernel:
/// shared_nz.cuh). A host does it in the same order, part by part, with the same sums.
template <class View>
struct SumGeneralParts {
  using Memory = GeneralPartMemory<View::nodes>;
  static constexpr int most_threads = PartElements<View>::most_threads;
  GeneralPartsView parts;
  PartElements<View> elements;
  const Real* diffusion;    ///< [slots] where the elements are not general
  Real* value;              ///< [slots] out: K
  Real* negative_residual;  ///< [rows] out: −R; in, where the elements are not general: diffusion · φ
  Real* inverse_diagonal;   ///< [rows] out

  static constexpr std::uint32_t other_stores = 0x80000000u;

  CARDIOWARP_HD Index elements_of(Index part) const {
    return parts.element_begin[part + 1] - parts.element_begin[part];
  }

  CARDIOWARP_HD Memory memory_of(Index part, Real* shared) const {
    return {shared, elements_of(part), parts.node_begin[part + 1] - parts.node_begin[part]};
  }

  /// Pass 1, of one of `threads` threads.
  CARDIOWARP_HD void bring_nodes(Index part, Index thread, Index threads, const Memory& memory) const {
    const Index begin = parts.node_begin[part], nodes = parts.node_begin[part + 1] - begin;
    for (Index i = thread; i < nodes; i += threads) elements.bring(i, parts.node[begin + i], memory);
    if (thread == 0) memory.number[elements_of(part)] = 0;
  }

  /// Pass 2, for one element of the part.
  CARDIOWARP_HD void evaluate(Index part, Index local, const Memory& memory) const {
    const Index at = parts.element_begin[part] + local;
    const std::uint32_t named = parts.element[at];
    elements.evaluate(static_cast<Index>(named & ~other_stores), parts.corners + at, (named & other_stores) == 0, local,
                      memory);
  }

  /// Pass 3, for one sum of a group.
  CARDIOWARP_HD void sum(Index group, Index lane, const Memory& memory) const {
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
      const std::uint32_t row = target & ~parts.of_row;
      if constexpr (!View::general) sum += negative_residual[row];
      negative_residual[row] = -sum;
      return;
    }
    if constexpr (!View::general) sum += diffusion[target];
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
    const Memory memory = memory_of(part, shared);
    bring_nodes(part, 0, 1, memory);
    for (Index local = 0; local < elements_of(part); ++local) evaluate(part, local, memory);
    for (Index group = parts.group_begin[part]; group < parts.group_begin[part + 1]; ++group)
      for (Index lane = 0; lane < 32; ++lane) sum(group, lane, memory);
  }
};

/// All that SharedNzGeneral needs beside the state, worked out once in a run in host memory.
struct SharedNzGeneralPlan {
  ElementKind kind = ElementKind::general;
  Index threads = 0;
  std::size_t shared_bytes = 0;                        ///< of the largest part
  std::vector<Index> node_begin, node, element_begin;  ///< parts of quadratic elements have no nodes here
  std::vector<std::uint32_t> element;
  std::vector<std::uint64_t> corners;  ///< of linear elements
  std::vector<Index> group_begin, list_begin;
  std::vector<std::uint32_t> list, target, twin;
  std::vector<Real> diffusion, volume;  ///< as in ConstantParts
  std::int64_t elements = 0, rows = 0, entries = 0;

  Index parts() const { return static_cast<Index>(element_begin.size()) - 1; }
  /// How often an element is evaluated, in the mean.
  double evaluations() const { return static_cast<double>(element.size()) / static_cast<double>(elements); }
  /// Bytes that elements and sums must move when states, positions, φ and load are read once, with one state a cell.
  std::int64_t bytes() const;
};

/// The plan of general linear elements. Throws InputError where the elements of one node, or a part that METIS cut, are
/// too many for the shared memory of the device, with the numbers, and where METIS is asked for and missing.
SharedNzGeneralPlan shared_nz_general_plan(const Mesh& mesh, const Sparsity& sparsity, const MatrixLayout& layout,
                                           const Device& device, const GeneralPartsShape& wish = {});
/// The numbers of quadratic elements, and how these are cut.
struct QuadraticPartsWish {
  ElementKind kind;
  GeneralPartsShape shape = {};
};
/// The plan of quadratic elements. Throws InputError as shared_nz_general_plan() does.
SharedNzGeneralPlan quadratic_shared_nz_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                             const Sparsity& sparsity, const MatrixLayout& layout, const Device& device,
                                             const QuadraticPartsWish& wish);

/// Runs the body for all parts; a GPU has a kernel (shared_nz.cuh).
template <class B, class Body>
void sum_general_parts(B& backend, const Body& body, Index /*threads*/, std::size_t /*shared_bytes*/) {
  static_assert(RunsGeneralCode<B>, "include assembly/papers/shared_nz.cuh");
  backend.for_each(body.parts.parts, body);
}

/// Elements and their sums in one launch, of a mesh in `Arrays`, which may be QuadraticElementArrays.
/// evaluate_elements() only keeps the state of a linear one.
template <Backend B, class Arrays>
class SharedNzGeneral final : public Assembly<B> {
 public:
  SharedNzGeneral(B& backend, const SharedNzGeneralPlan& plan, Arrays elements)
      : kind_(plan.kind),
        parts_(plan.parts()),
        threads_(plan.threads),
        shared_bytes_(plan.shared_bytes),
        elements_(std::move(elements)),
        node_begin_(uploaded(backend, plan.node_begin)),
        node_(uploaded(backend, plan.node)),
        element_begin_(uploaded(backend, plan.element_begin)),
        group_begin_(uploaded(backend, plan.group_begin)),
        list_begin_(uploaded(backend, plan.list_begin)),
        element_(uploaded(backend, plan.element)),
        list_(uploaded(backend, plan.list)),
        target_(uploaded(backend, plan.target)),
        twin_(uploaded(backend, plan.twin)),
        corners_(uploaded(backend, plan.corners)),
        diffusion_(uploaded(backend, plan.diffusion)) {}

  void evaluate_elements(B& backend, const ElementState& state) override { elements_.evaluate(backend, state); }
  bool evaluates_ahead() const override { return Arrays::evaluates_ahead; }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    const GeneralPartsView parts{parts_,          node_begin_.data(), node_.data(),        element_begin_.data(),
                                 element_.data(), corners_.data(),    group_begin_.data(), list_begin_.data(),
                                 list_.data(),    target_.data(),     twin_.data()};
    if (kind_ == ElementKind::two_numbers) K.multiply(backend, diffusion_.data(), phi, negative_residual);
    elements_.with_view(kind_, [&](const auto& view) {
      using View = std::decay_t<decltype(view)>;
      if constexpr (View::nodes > 4 || View::general)  // linear ones of two numbers have SharedNz
        sum_general_parts(
            backend,
            SumGeneralParts<View>{parts, {view}, diffusion_.data(), K.value(), negative_residual, inverse_diagonal},
            threads_, shared_bytes_);
    });
  }

 private:
  ElementKind kind_;
  Index parts_, threads_;
  std::size_t shared_bytes_;
  Arrays elements_;
  Buffer<Index> node_begin_, node_, element_begin_, group_begin_, list_begin_;
  Buffer<std::uint32_t> element_, list_, target_, twin_;
  Buffer<std::uint64_t> corners_;
  Buffer<Real> diffusion_;
};

}  // namespace cardiowarp
