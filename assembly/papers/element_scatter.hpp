#pragma once
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/element_numbers.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/papers/element_blocks.hpp"
#include "assembly/vector_loops.hpp"

namespace cardiowarp {

// The strategies that go through the elements and add the numbers of each to K and −R where they belong: an element is
// evaluated once, and the slots of its 16 entries are worked out before (the precomputed addresses of Reguly and Giles
// 2013, "paper 003", sec. 6.1 and 7.1, in whichever format K has). Two elements with a common node must not add at the
// same time. There are three ways:
//
//   atomics           each addition is atomic (paper 003 sec. 5.3). One launch. The order of additions, and so the last
//                     bits of the sums, differs from run to run
//   elem_color        no two elements of a color have a common node, and each color is a launch (Cecka, Lew and Darve
//                     2011, "paper 004", sec. 4.1). Elements are stored color after color
//   two_level_color   blocks of 256 elements are colored, a launch a color, and so are the elements of a block, which
//                     add one color after the other (paper 003 sec. 4.1)
//
// With both colorings the order of additions is fixed: the same bits in every run. For elements of two numbers K
// begins as the diffusion matrix and −R as minus its product with φ, for general ones both begin as 0. Bytes: an
// element takes 64 for its slots and what its evaluation takes, and reads and writes 16 + 4 numbers at random; a
// quadratic one 400 and 100 + 10. Two more launches set the beginning and two follow. bench assembly measures all three
// with linear tetrahedra, bench degrees the first two with those of degree 1 to 3.

/// How additions to the same number are kept apart.
enum class ScatterWay { atomics, elem_color, two_level_color };

/// The elements in the order in which they are gone through. Host memory.
struct ScatterOrder {
  std::vector<Index> order;                  ///< [elements] the element at each place
  std::vector<Index> color_begin;            ///< first place of each color; of two_level_color the first block of each
  std::vector<Index> block;                  ///< two_level_color: [blocks] by colors, which elements_a_block places
  std::vector<std::uint8_t> color_in_block;  ///< two_level_color: [elements] by place

  Index colors() const { return static_cast<Index>(color_begin.size()) - 1; }
};

/// The order for one of the ways. Two elements of degree 1 to 3 have a node in common exactly if they have a corner in
/// common, so that corners are enough. `split` cuts each color of elem_color into so many, by which the cost of a
/// color is measured (paper 004 Fig. 3). Throws as greedy_colors().
ScatterOrder scatter_order(ScatterWay way, const std::vector<Tetrahedron>& corners, Index nodes, Index split = 1);

/// That, and where the numbers of elements belong. Host memory.
struct ElementScatterPlan : ScatterOrder {
  ScatterWay way = ScatterWay::atomics;
  ElementKind kind = ElementKind::two_numbers;
  std::int64_t slots = 0;            ///< of K
  std::vector<std::uint32_t> slot;   ///< [N² × elements] of K_e(i, j) at (N i + j) elements + place
  std::vector<Index> diagonal_slot;  ///< [nodes]
  std::vector<Real> diffusion;       ///< as in ConstantParts
  std::vector<Real> volume;          ///< likewise

  /// Bytes that linear elements and sums must move when states and nodes are read once and each sum is read and
  /// written once.
  std::int64_t bytes() const;
};

/// The color of each element: the first that none of its neighbors has, in the order of the elements (greedy), where
/// neighbors have a node in common. `group` elements in a row are one thing that gets a color. [groups]. Throws
/// InputError where more than `most_colors` are needed, with the numbers.
std::vector<Index> greedy_colors(const std::vector<Tetrahedron>& tetrahedra, Index nodes, Index group,
                                 Index most_colors = 1024);

/// The strategy that is wanted.
struct ScatterWish {
  ScatterWay way;
  ElementKind kind;
  Index split = 1;  ///< as in scatter_order()
};

/// The plan of a linear or quadratic mesh.
ElementScatterPlan element_scatter_plan(const ScatterWish& wish, const Mesh& mesh,
                                        const std::vector<Diffusivity>& diffusivity, const Sparsity& sparsity,
                                        const MatrixLayout& layout);

/// *number += term, atomically.
CARDIOWARP_HD inline void add_atomically(Real* number, Real term) {
#if defined(__CUDA_ARCH__)
  atomicAdd(number, term);
#else
  std::atomic_ref<Real>(*number).fetch_add(term, std::memory_order_relaxed);
#endif
}

/// Adds `term` to a number that other threads may add to at the same time, or that none does.
template <bool Atomic>
CARDIOWARP_HD void add_to(Real* number, Real term) {
  if constexpr (Atomic)
    add_atomically(number, term);
  else
    *number += term;
}

/// Adds all numbers of elements to K and −R.
template <class View>
struct ScatterElements {
  View elements;
  Index count;                ///< elements
  const Index* order;         ///< [elements]
  const std::uint32_t* slot;  ///< [N² × elements] by place
  Real* value;                ///< [slots] in and out: K
  Real* negative_residual;    ///< [nodes] in and out: −R

  CARDIOWARP_HD typename View::Numbers numbers(Index place, bool store = true) const {
    return elements.numbers(order[place], store);
  }

  template <bool Atomic>
  CARDIOWARP_HD void add(Index place, const typename View::Numbers& numbers) const {
    const auto node = elements.nodes_of(order[place]);
    for (int i = 0; i < View::nodes; ++i) {
      for (int j = 0; j < View::nodes; ++j)
        add_to<Atomic>(value + slot[std::int64_t{View::nodes * i + j} * count + place], numbers.entry(i, j));
      add_to<Atomic>(negative_residual + node[i], -numbers.residual(i));
    }
  }
};

/// Loop body over the elements from place `first` on.
template <bool Atomic, class View>
struct ScatterFrom {
  static constexpr int threads_that_share = 128;
  ScatterElements<View> scatter;
  Index first;
  CARDIOWARP_HD void operator()(Index i) const { scatter.template add<Atomic>(first + i, scatter.numbers(first + i)); }
};

/// Loop body over the blocks of a color. A GPU has a block of threads for each, which evaluates its elements at once
/// (kernel: element_scatter.cuh).
template <class View>
struct ScatterBlocks {
  ScatterElements<View> scatter;
  const Index* block;                  ///< of the color
  const std::uint8_t* color_in_block;  ///< [elements]

  CARDIOWARP_HD Index first(Index i) const { return block[i] * elements_a_block; }
  CARDIOWARP_HD Index end(Index i) const {
    const Index end = first(i) + elements_a_block;
    return end < scatter.count ? end : scatter.count;
  }
  CARDIOWARP_HD void operator()(Index i) const {
    Index left = end(i) - first(i);
    for (Index color = 0; left > 0; ++color)
      for (Index place = first(i); place < end(i); ++place)
        if (color_in_block[place] == color) {
          scatter.template add<false>(place, scatter.numbers(place));
          --left;
        }
  }
};

/// Runs the body for `blocks` blocks.
template <class B, class Body>
void scatter_blocks(B& backend, Index blocks, const Body& body) {
  static_assert(RunsGeneralCode<B>, "include assembly/papers/element_scatter.cuh");
  backend.for_each(blocks, body);
}

/// The assembly by one of the three ways, of a mesh in `Arrays`, which may be QuadraticElementArrays.
/// evaluate_elements() only keeps the state of a linear one.
template <Backend B, class Arrays>
class ElementScatter final : public Assembly<B> {
 public:
  ElementScatter(B& backend, const ElementScatterPlan& plan, Arrays elements)
      : way_(plan.way),
        kind_(plan.kind),
        slots_(static_cast<Index>(plan.slots)),
        color_begin_(plan.color_begin),
        elements_(std::move(elements)),
        order_(uploaded(backend, plan.order)),
        block_(uploaded(backend, plan.block)),
        diagonal_slot_(uploaded(backend, plan.diagonal_slot)),
        color_in_block_(uploaded(backend, plan.color_in_block)),
        slot_(uploaded(backend, plan.slot)),
        diffusion_(uploaded(backend, plan.diffusion)) {}

  void evaluate_elements(B& backend, const ElementState& state) override { elements_.evaluate(backend, state); }
  bool evaluates_ahead() const override { return Arrays::evaluates_ahead; }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* phi, Real* negative_residual,
                Real* inverse_diagonal) override {
    const auto nodes = static_cast<Index>(diagonal_slot_.size());
    if (kind_ == ElementKind::two_numbers) {
      backend.for_each(static_cast<Index>(diffusion_.size()), CopyValues{K.value(), diffusion_.data()});
      K.multiply(backend, diffusion_.data(), phi, negative_residual);
      backend.for_each(nodes, Negate{negative_residual});
    } else {
      backend.for_each(slots_, SetToZero{K.value()});
      backend.for_each(nodes, SetToZero{negative_residual});
    }
    elements_.with_view(kind_, [&](const auto& view) { scatter(backend, view, K.value(), negative_residual); });
    backend.for_each(nodes, InvertDiagonal{diagonal_slot_.data(), K.value(), inverse_diagonal});
  }

 private:
  template <class View>
  void scatter(B& backend, const View& view, Real* value, Real* negative_residual) {
    const ScatterElements<View> scatter{view, elements_.count(), order_.data(), slot_.data(), value, negative_residual};
    for (std::size_t color = 0; color + 1 < color_begin_.size(); ++color) {
      const Index first = color_begin_[color], count = color_begin_[color + 1] - first;
      if (way_ == ScatterWay::atomics)
        backend.for_each(count, ScatterFrom<true, View>{scatter, first});
      else if (way_ == ScatterWay::elem_color)
        backend.for_each(count, ScatterFrom<false, View>{scatter, first});
      else
        scatter_blocks(backend, count, ScatterBlocks<View>{scatter, block_.data() + first, color_in_block_.data()});
    }
  }

  ScatterWay way_;
  ElementKind kind_;
  Index slots_;
  std::vector<Index> color_begin_;
  Arrays elements_;
  Buffer<Index> order_, block_, diagonal_slot_;
  Buffer<std::uint8_t> color_in_block_;
  Buffer<std::uint32_t> slot_;
  Buffer<Real> diffusion_;
};

}  // namespace cardiowarp
