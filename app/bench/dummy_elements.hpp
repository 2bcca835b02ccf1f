#pragma once
#include "assembly/element_numbers.hpp"
#include "assembly/papers/global_nz.hpp"
#include "assembly/reaction_elements.hpp"

namespace cardiowarp {

// Elements without arithmetic (Cecka, Lew and Darve 2011, "paper 004", sec. 6.3, Figure 13): loop bodies that fetch and
// store, by the same threads and in the same order, what the elements of an assembly do, and compute nothing but sums
// of a few of the numbers fetched, without which a compiler would leave the fetches out. `bench assembly` times them
// beside the elements: the nearer to 1 the ratio of both, the more the memory alone is the limit. The stored values
// mean nothing.

/// In place of ReactionElements (assembly/reaction_elements.hpp) with one cell model.
template <CellModel Cell, Caching C = Caching::cached>
struct MoveReactionElements {
  static constexpr int threads_that_share = ReactionElements<Cell, C, true>::threads_that_share;

  const Tetrahedron* nodes;
  const Real* volume;
  ElementState state;
  TangentResidual* adds;

  CARDIOWARP_HD void operator()(Index element) const {
    for (int i = 0; i < Cell::states; ++i) {
      const std::int64_t place = state.place(i, element);
      state.states[place] = fetch<C>(state.states_old + place);
    }
    const Tetrahedron node = fetch_corners<C>(nodes + element);
    TangentResidual sum{fetch<C>(volume + element), 0};
    for (int i = 0; i < 4; ++i) sum += {state.phi[node[i]], state.load[node[i]]};
    adds[element] = sum;
  }
};

/// In place of StoreElements (assembly/papers/global_nz.hpp).
template <CellModel Cell>
struct MoveGeneralElements {
  static constexpr int threads_that_share = StoreElements<Cell>::threads_that_share;

  Elements<Cell> elements;
  StoredNumbers numbers;

  CARDIOWARP_HD void operator()(Index element) const {
    const ElementState& state = elements.state;
    for (int i = 0; i < Cell::states; ++i) {
      const std::int64_t place = state.place(i, element);
      state.states[place] = state.states_old[place];
    }
    const Tetrahedron node = elements.corners[element];
    const Diffusivity tensor = elements.diffusivity[element];
    GeneralElement all;
    for (int i = 0; i < 4; ++i) {
      const Vector3 position = elements.position[node[i]];
      all.matrix[2 * i] = position.x + state.phi[node[i]];
      all.matrix[2 * i + 1] = position.y + state.load[node[i]];
      all.residual[i] = position.z;
    }
    all.matrix[8] = tensor.isotropic + tensor.fiber.x + tensor.fiber.y;
    all.matrix[9] = tensor.anisotropic + tensor.fiber.z + static_cast<Real>(elements.cell_model[element]);
    numbers.store(element, all);
  }
};

}  // namespace cardiowarp
