#pragma once
#include <cstdint>
#include <vector>

#include "fem/cells/reaction_element.hpp"
#include "fem/diffusivity.hpp"
#include "fem/mesh.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

// The numbers that one element adds to K and R, for the strategies of papers 003 (Reguly and Giles 2013) and 004
// (Cecka, Lew and Darve 2011), which evaluate an element wherever they need it. There are two kinds of elements.
// `two_numbers` are those of this program: an element adds one number to all 16 entries of K and another to its four of
// R, and diffusion is in K already. `general` are those of the papers, for which nothing is known of an element: all of
// its symmetric matrix, 10 numbers, and its residual, 4, diffusion among them, from the positions of its corners.
//
// A strategy that suits elements of any number of nodes asks a view of them: LinearElementsView is that of linear
// tetrahedra, QuadraticElementsView (quadratic_elements.hpp) that of quadratic ones. Such a view has
//
//   nodes, nodes_of(element)     how many an element has, and which
//   general                      whether diffusion is among its numbers
//   numbers(element, store)      all of them, asked for by entry(i, j) and residual(i)
//   row(element, i, store)       those of row i, asked for by entry(j) and residual()
//   entry(element, i, j), residual(element, i, store)    one of them
//
// and is made by ElementArrays or QuadraticElementArrays, which keep the mesh in backend memory.

/// The numbers that an element has. A quadratic one of `two_numbers` has 55 + 10, without diffusion.
enum class ElementKind { two_numbers, general };

/// Where entry (i, j) of a symmetric 4 × 4 matrix is among its 10 numbers: 00 01 02 03 11 12 13 22 23 33.
CARDIOWARP_HD constexpr int symmetric_place(int i, int j) {
  const int low = i < j ? i : j, high = i < j ? j : i;
  return low * (7 - low) / 2 + high;
}

/// The symmetric matrix of an element and its residual.
struct GeneralElement {
  Real matrix[10], residual[4];
};

/// The elements of a mesh in backend memory, and the state at which they are evaluated.
template <CellModel Cell>
struct Elements {
  const Tetrahedron* corners;       ///< [elements]
  const Vector3* position;          ///< [nodes] mm; of `general`
  const Diffusivity* diffusivity;   ///< [elements]; of `general`
  const Real* volume;               ///< [elements] mm³; of `two_numbers`
  const Cell* cell_models;          ///< the different ones
  const std::uint16_t* cell_model;  ///< [elements] index into cell_models
  ElementState state;

  /// The two numbers of an element. With `store` its states at the end of the step are stored.
  CARDIOWARP_HD TangentResidual two_numbers(Index element, bool store) const {
    return reaction(element, corners[element], volume[element], store);
  }

  /// All numbers of an element: V D̃ G_i · G_j and the tangent, and V D̃ G_i · ∇φ and the residual (paper 000 Table I).
  CARDIOWARP_HD GeneralElement general(Index element, bool store) const {
    return general(element, corners[element], store);
  }

  /// All numbers of an element whose corners are `node` in the numbering of position, φ and load.
  CARDIOWARP_HD GeneralElement general(Index element, const Tetrahedron& node, bool store) const {
    const Vector3 at[4] = {position[node[0]], position[node[1]], position[node[2]], position[node[3]]};
    return general(element, node, at, store);
  }

  /// The numbers with the positions of the corners.
  CARDIOWARP_HD GeneralElement general(Index element, const Tetrahedron& node, const Vector3 (&at)[4],
                                       bool store) const {
    const TetrahedronGeometry geometry = tetrahedron_geometry(at[0], at[1], at[2], at[3]);
    const TangentResidual adds = reaction(element, node, geometry.volume, store);
    const Diffusivity tensor = diffusivity[element];
    GeneralElement all;
    for (int i = 0; i < 4; ++i) all.residual[i] = adds.residual;
    for (int i = 0; i < 4; ++i) {
      const Vector3 flux = geometry.volume * tensor.times(geometry.gradient[i]);
      for (int j = i; j < 4; ++j) {
        const Real diffusion = dot(flux, geometry.gradient[j]);
        all.matrix[symmetric_place(i, j)] = adds.tangent + diffusion;
        all.residual[i] += diffusion * state.phi[node[j]];
        if (j > i) all.residual[j] += diffusion * state.phi[node[i]];
      }
    }
    return all;
  }

 private:
  CARDIOWARP_HD TangentResidual reaction(Index element, const Tetrahedron& node, Real of_volume, bool store) const {
    Real old[Cell::states];
    for (int i = 0; i < Cell::states; ++i) old[i] = state.states_old[state.place(i, element)];
    const auto result = reaction_element(cell_models[cell_model[element]], node, of_volume, old, state);
    if (store)
      for (int i = 0; i < Cell::states; ++i) state.states[state.place(i, element)] = result.state[i];
    return result.adds;
  }
};

/// An element of either kind, asked for its entries one by one.
template <ElementKind Kind, CellModel Cell>
struct ElementNumbers {
  CARDIOWARP_HD ElementNumbers(const Elements<Cell>& elements, Index element, bool store) {
    if constexpr (Kind == ElementKind::general)
      all = elements.general(element, store);
    else
      two = elements.two_numbers(element, store);
  }
  CARDIOWARP_HD Real entry(int i, int j) const {
    if constexpr (Kind == ElementKind::general) return all.matrix[symmetric_place(i, j)];
    return two.tangent;
  }
  CARDIOWARP_HD Real residual(int i) const {
    if constexpr (Kind == ElementKind::general) return all.residual[i];
    return two.residual;
  }

  GeneralElement all;  ///< of `general`
  TangentResidual two;
};

/// Row i of an element of either kind.
template <class Numbers>
struct RowOfNumbers {
  Numbers all;
  int i;
  CARDIOWARP_HD Real entry(int j) const { return all.entry(i, j); }
  CARDIOWARP_HD Real residual() const { return all.residual(i); }
};

/// The view of linear tetrahedra of a kind.
template <ElementKind Kind, CellModel Cell>
struct LinearElementsView {
  static constexpr int nodes = 4;
  static constexpr bool general = Kind == ElementKind::general;
  using Numbers = ElementNumbers<Kind, Cell>;
  Elements<Cell> of;

  CARDIOWARP_HD const Tetrahedron& nodes_of(Index element) const { return of.corners[element]; }
  CARDIOWARP_HD Numbers numbers(Index element, bool store) const { return {of, element, store}; }
  CARDIOWARP_HD RowOfNumbers<Numbers> row(Index element, int i, bool store) const {
    return {numbers(element, store), i};
  }
  CARDIOWARP_HD Real entry(Index element, int i, int j) const { return numbers(element, false).entry(i, j); }
  CARDIOWARP_HD Real residual(Index element, int i, bool store) const { return numbers(element, store).residual(i); }
};

/// The elements of a mesh in the memory of a backend.
template <Backend B, CellModel Cell>
class ElementArrays {
 public:
  static constexpr int nodes = 4;                 ///< of an element
  static constexpr bool evaluates_ahead = false;  ///< an assembly computes elements where it adds them up
  ElementArrays(B& backend, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                const std::vector<Real>& volume, const std::vector<Cell>& cell_models,
                const std::vector<std::uint16_t>& cell_model)
      : corners_(uploaded(backend, mesh.tetrahedra)),
        position_(uploaded(backend, mesh.nodes)),
        diffusivity_(uploaded(backend, diffusivity)),
        volume_(uploaded(backend, volume)),
        cell_models_(uploaded(backend, cell_models)),
        cell_model_(uploaded(backend, cell_model)) {}

  Index count() const { return static_cast<Index>(corners_.size()); }
  Elements<Cell> at(const ElementState& state) const {
    return {corners_.data(),
            position_.data(),
            diffusivity_.data(),
            volume_.data(),
            cell_models_.data(),
            cell_model_.data(),
            state};
  }

  /// Keeps the state at which the elements of with_view() are evaluated.
  void evaluate(B& /*backend*/, const ElementState& state) { state_ = state; }
  /// use(view) with the elements as those of a kind.
  template <class Use>
  void with_view(ElementKind kind, const Use& use) const {
    if (kind == ElementKind::general)
      use(LinearElementsView<ElementKind::general, Cell>{at(state_)});
    else
      use(LinearElementsView<ElementKind::two_numbers, Cell>{at(state_)});
  }

 private:
  ElementState state_{};
  Buffer<Tetrahedron> corners_;
  Buffer<Vector3> position_;
  Buffer<Diffusivity> diffusivity_;
  Buffer<Real> volume_;
  Buffer<Cell> cell_models_;
  Buffer<std::uint16_t> cell_model_;
};

}  // namespace cardiowarp
