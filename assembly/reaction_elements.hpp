#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "fem/cells/reaction_element.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/backend.hpp"
#include "kernels/backend/loads.hpp"

namespace cardiowarp {

/// The four corners of an element by one load of 16 bytes, to which `corners` is aligned.
template <Loads L>
CARDIOWARP_HD Tetrahedron load_corners(const Tetrahedron* corners) {
#if defined(__CUDA_ARCH__)
  const int4 corner = load<L>(reinterpret_cast<const int4*>(corners));
  return {corner.x, corner.y, corner.z, corner.w};
#else
  return *corners;
#endif
}

/// Loop body over the elements: the two numbers of each. Arrays are [elements]. With `OneModel` all have the model
/// `only`, which a device then has among the constants of the kernel.
template <class CellModel, Loads L = Loads::kept, bool OneModel = false>
struct ReactionElements {
  static constexpr int threads_that_share = 128;  ///< more leave fewer in flight, for their registers

  const Tetrahedron* nodes;
  const Real* volume;  ///< mm³
  const CellModel* cell_models;
  const std::uint16_t* cell_model;  ///< index into cell_models
  ElementState state;
  TangentResidual* adds;
  CellModel only = {};

  /// Read and written of an element, beside the gathers of 16 bytes from each of its nodes.
  static constexpr std::int64_t bytes_an_element =
      sizeof(Tetrahedron) + sizeof(std::uint16_t) + 3 * sizeof(Real) + sizeof(TangentResidual);

  CARDIOWARP_HD void operator()(Index element) const {
    const ReactionElement result =
        reaction_element(OneModel ? only : cell_models[load<L>(cell_model + element)], load_corners<L>(nodes + element),
                         load<L>(volume + element), load<L>(state.recovery_old + element), state);
    state.recovery[element] = result.recovery;
    adds[element] = result.adds;
  }
};

/// The elements of a mesh in the memory of a backend, and what each adds. What only just fits into the L2 cache is not
/// kept there: with the nodes, and written half, it would be too much (1.04 million elements on an H200: 23 µs, not
/// 20).
template <Backend B, class CellModel>
class ElementLoop {
 public:
  ElementLoop(B& backend, const std::vector<Tetrahedron>& tetrahedra, const std::vector<Real>& volume,
              const std::vector<CellModel>& cell_models, const std::vector<std::uint16_t>& cell_model)
      : elements_(static_cast<Index>(tetrahedra.size())),
        loads_(loads_of(backend, ReactionElements<CellModel>::bytes_an_element * elements_ * 3 / 2)),
        only_(cell_models.size() == 1 ? std::optional(cell_models.front()) : std::nullopt),
        nodes_(uploaded(backend, tetrahedra)),
        volume_(uploaded(backend, volume)),
        cell_models_(uploaded(backend, cell_models)),
        cell_model_(uploaded(backend, cell_model)),
        adds_(backend.template allocate<TangentResidual>(tetrahedra.size() + 1)) {}

  void evaluate(B& backend, const ElementState& state) {
    if (loads_ == Loads::passing)
      evaluate_with<Loads::passing>(backend, state);
    else
      evaluate_with<Loads::kept>(backend, state);
  }

  const TangentResidual* adds() const { return adds_.data(); }  ///< [elements + 1] the last is 0

 private:
  template <Loads L>
  void evaluate_with(B& backend, const ElementState& state) {
    if (only_)
      backend.for_each(elements_, body<L, true>(state, *only_));
    else
      backend.for_each(elements_, body<L, false>(state, {}));
  }
  template <Loads L, bool OneModel>
  ReactionElements<CellModel, L, OneModel> body(const ElementState& state, const CellModel& only) const {
    return {nodes_.data(), volume_.data(), cell_models_.data(), cell_model_.data(), state, adds_.data(), only};
  }

  Index elements_;
  Loads loads_;
  std::optional<CellModel> only_;
  Buffer<Tetrahedron> nodes_;
  Buffer<Real> volume_;
  Buffer<CellModel> cell_models_;
  Buffer<std::uint16_t> cell_model_;
  Buffer<TangentResidual> adds_;
};

}  // namespace cardiowarp
