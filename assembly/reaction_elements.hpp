#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "fem/cells/reaction_element.hpp"
#include "fem/element_nodes.hpp"
#include "kernels/backend/backend.hpp"
#include "kernels/backend/caching.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The loop over the elements that evaluates the cells at their centroids, the first phase of each Newton iteration. For
// an element it fetches the numbers of its four nodes, φ and load at these, and the states of its cell before the step;
// reaction_element() (fem/cells/reaction_element.hpp) makes of them the states after the step and two numbers, tangent
// and residual. The loop stores both in arrays [elements], from which an Assembly gathers its sums (scalar_rows.hpp,
// scalar_gather.hpp, slice_gather.hpp); nothing is added up here, so that no two threads write to the same place. With
// one state an element moves 58 bytes beside its gathers from the nodes. The assembly by SpMV and the quadrature at the
// vertices have loops of their own (spmv_assembly.hpp, vertex_assembly.hpp).

/// The four corners of an element by one fetch of 16 bytes, to which `corners` is aligned.
template <Caching C>
CARDIOWARP_HD Tetrahedron fetch_corners(const Tetrahedron* corners) {
#if defined(__CUDA_ARCH__)
  const int4 corner = fetch<C>(reinterpret_cast<const int4*>(corners));
  return {corner.x, corner.y, corner.z, corner.w};
#else
  return *corners;
#endif
}

/// Loop body over the elements: stores the two numbers of each. Arrays are [elements]. With `OneModel` all elements
/// have the cell model `only`, which a GPU then has among the constants of the kernel.
template <CellModel Cell, Caching C = Caching::cached, bool OneModel = false>
struct ReactionElements {
  static constexpr int threads_that_share = 128;  ///< more leave fewer in flight, for their registers

  const Tetrahedron* nodes;
  const Real* volume;  ///< mm³
  const Cell* cell_models;
  const std::uint16_t* cell_model;  ///< index into cell_models
  ElementState state;
  TangentResidual* adds;
  Cell only = {};

  /// Read and written of an element, beside the gathers of 16 bytes from each of its nodes.
  static constexpr std::int64_t bytes_an_element =
      sizeof(Tetrahedron) + sizeof(std::uint16_t) + (1 + 2 * Cell::states) * sizeof(Real) + sizeof(TangentResidual);

  CARDIOWARP_HD void operator()(Index element) const {
    Real old[Cell::states];
    for (int i = 0; i < Cell::states; ++i) old[i] = fetch<C>(state.states_old + state.place(i, element));
    const auto result = reaction_element(OneModel ? only : cell_models[fetch<C>(cell_model + element)],
                                         fetch_corners<C>(nodes + element), fetch<C>(volume + element), old, state);
    for (int i = 0; i < Cell::states; ++i) state.states[state.place(i, element)] = result.state[i];
    adds[element] = result.adds;
  }
};

/// How a backend fetches what so many elements have. What only just fits into the L2 cache is not kept there: with the
/// nodes, and written half, it would be too much (1.04 million elements on an H200: 23 µs, not 20).
template <CellModel Cell, Backend B>
Caching element_loop_caching(const B& backend, Index elements) {
  return caching_for(backend, ReactionElements<Cell>::bytes_an_element * elements * 3 / 2);
}

/// The elements of a mesh in the memory of a backend, and what each adds.
template <Backend B, CellModel Cell>
class ElementLoop {
 public:
  ElementLoop(B& backend, const std::vector<Tetrahedron>& tetrahedra, const std::vector<Real>& volume,
              const std::vector<Cell>& cell_models, const std::vector<std::uint16_t>& cell_model)
      : elements_(static_cast<Index>(tetrahedra.size())),
        caching_(element_loop_caching<Cell>(backend, elements_)),
        only_(cell_models.size() == 1 ? std::optional(cell_models.front()) : std::nullopt),
        nodes_(uploaded(backend, tetrahedra)),
        volume_(uploaded(backend, volume)),
        cell_models_(uploaded(backend, cell_models)),
        cell_model_(uploaded(backend, cell_model)),
        adds_(backend.template allocate<TangentResidual>(tetrahedra.size() + 1)) {}

  void evaluate(B& backend, const ElementState& state) {
    if (caching_ == Caching::streamed)
      evaluate_with<Caching::streamed>(backend, state);
    else
      evaluate_with<Caching::cached>(backend, state);
  }

  const TangentResidual* adds() const { return adds_.data(); }  ///< [elements + 1] the last is 0

 private:
  template <Caching C>
  void evaluate_with(B& backend, const ElementState& state) {
    if (only_)
      backend.for_each(elements_, body<C, true>(state, *only_));
    else
      backend.for_each(elements_, body<C, false>(state, {}));
  }
  template <Caching C, bool OneModel>
  ReactionElements<Cell, C, OneModel> body(const ElementState& state, const Cell& only) const {
    return {nodes_.data(), volume_.data(), cell_models_.data(), cell_model_.data(), state, adds_.data(), only};
  }

  Index elements_;
  Caching caching_;
  std::optional<Cell> only_;
  Buffer<Tetrahedron> nodes_;
  Buffer<Real> volume_;
  Buffer<Cell> cell_models_;
  Buffer<std::uint16_t> cell_model_;
  Buffer<TangentResidual> adds_;
};

}  // namespace cardiowarp
