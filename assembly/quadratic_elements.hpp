#pragma once
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <variant>
#include <vector>

#include "assembly/element_numbers.hpp"
#include "fem/cells/models.hpp"
#include "fem/cells/reaction_element.hpp"
#include "fem/diffusivity.hpp"
#include "fem/mesh.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

// The contributions of quadratic tetrahedra (fem/quadratic_tetrahedron.hpp) to K and R, for whoever sums or multiplies
// them: the assemblies (quadratic_assembly.hpp, and with QuadraticElementsView those of the papers) and the operators
// without a global matrix (operators/quadratic_operator.hpp). The cells are at the 14 integration points of each
// element. A loop over all points makes a tangent t and a residual r of each; from these an element has 55 numbers of
// its symmetric matrix and 10 of its residual,
//
//   matrix_ij = Σ_q t_q N_i N_j  (+ v_q ∇N_i · D̃ ∇N_j)      residual_i = Σ_q r_q N_i  (+ v_q ∇N_i · D̃ ∇φ)
//
// where what is in parentheses is of elements that have diffusion among their numbers, called general. It is computed
// from the positions of the ten nodes, so that curved elements are right, too: about 7,000 multiply-adds an element,
// and 1,500 without. Backend memory: 40 bytes an element for its nodes, 114 for its points' volumes and cell, and 224
// for what the points add.

/// The volumes that the points of an element stand for, and its nodes, worked out once in a run in host memory.
struct QuadraticPoints {
  std::vector<QuadraticNodes> nodes;  ///< [elements]
  std::vector<Real> volume;           ///< [14 × elements] mm³ that a point stands for, element after element

  Index elements() const { return static_cast<Index>(nodes.size()); }
};

QuadraticPoints quadratic_points_of(const Mesh& mesh);

/// Loop body over the integration points, 14 an element: the states after the step, and
///   tangent = v (1/h − df/dφ),   residual = v (φ/h − f − (φ_old/h + s)),   v the volume that the point stands for.
template <CellModel Cell>
struct QuadraticReactions {
  const QuadraticNodes* nodes;      ///< [elements]
  const Real* volume;               ///< [14 × elements] mm³
  const QuadraticTable* table;      ///< one
  const Cell* cell_models;          ///< the different ones
  const std::uint16_t* cell_model;  ///< [elements] index into cell_models
  ElementState state;
  TangentResidual* adds;  ///< [14 × elements] out

  CARDIOWARP_HD void operator()(Index point) const {
    const Index element = point / quadratic_points, q = point % quadratic_points;
    const Cell& cell = cell_models[cell_model[element]];
    Real phi = 0, load = 0;
    bool admissible = true;
    for (int i = 0; i < quadratic_nodes; ++i) {
      const Index node = nodes[element][i];
      const Real shape = table->shape[q][i], at_node = state.phi[node];
      phi += shape * at_node;
      load += shape * state.load[node];
      admissible = admissible && cell.admissible(at_node);
    }
    Real old[Cell::states];
    for (int i = 0; i < Cell::states; ++i) old[i] = state.states_old[state.place(i, point)];
    const PointReaction<Cell::states> here =
        point_reaction(cell, admissible && cell.admissible(phi) ? phi : NAN, old, *state.step);
    for (int i = 0; i < Cell::states; ++i) state.states[state.place(i, point)] = here.state[i];
    adds[point] = {volume[point] * here.tangent, volume[point] * (here.residual - load)};
  }
};

/// The numbers of one element.
struct QuadraticNumbers {
  Real matrix[quadratic_entries];  ///< at quadratic_place()
  Real residuals[quadratic_nodes];

  CARDIOWARP_HD Real entry(int i, int j) const { return matrix[quadratic_place(i, j)]; }
  CARDIOWARP_HD Real residual(int i) const { return residuals[i]; }
};

/// The numbers of one row of an element: ten entries of its matrix, and a residual.
struct QuadraticRow {
  Real of_column[quadratic_nodes];
  Real of_residual;

  CARDIOWARP_HD Real entry(int j) const { return of_column[j]; }
  CARDIOWARP_HD Real residual() const { return of_residual; }
};

/// The elements of a mesh in backend memory, and what their points add.
struct QuadraticElements {
  Index elements;
  const QuadraticNodes* nodes;  ///< [elements]
  const QuadraticTable* table;
  const TangentResidual* adds;     ///< [14 × elements]
  const Vector3* position;         ///< [nodes] mm; of general elements
  const Diffusivity* diffusivity;  ///< [elements]; of general elements
  const Real* phi;                 ///< [nodes] of general elements
  /// [30 × elements] of general elements, or nullptr: the positions of their nodes once more, coordinate d of node i of
  /// element e at (3 i + d) elements + e
  const Real* of_node = nullptr;

  /// With `General` diffusion is among the numbers.
  template <bool General>
  CARDIOWARP_HD QuadraticNumbers numbers(Index element) const {
    QuadraticNumbers sum{};
    Vector3 at[quadratic_nodes];
    Real value[quadratic_nodes];
    if constexpr (General) fetch(element, phi, at, value);
    for (int q = 0; q < quadratic_points; ++q) {
      const TangentResidual add = adds[std::int64_t{quadratic_points} * element + q];
      const Real* const shape = table->shape[q];
      Vector3 flux[quadratic_nodes], of_phi;
      if constexpr (General) {
        const QuadraticFrame frame = quadratic_frame(at, table->slope[q]);
        const Real volume = table->share[q] / 6 * frame.determinant;
        for (int i = 0; i < quadratic_nodes; ++i) {
          const Vector3 slope = table->slope[q][i];
          flux[i] = frame.pulled_back(volume * diffusivity[element].times(frame.gradient(slope)));
          of_phi = of_phi + value[i] * flux[i];
        }
      }
      int k = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
      for (int i = 0; i < quadratic_nodes; ++i) {
        const Real weighted = add.tangent * shape[i];
        sum.residuals[i] += add.residual * shape[i];
        if constexpr (General) sum.residuals[i] += dot(table->slope[q][i], of_phi);
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
        for (int j = i; j < quadratic_nodes; ++j, ++k) {
          sum.matrix[k] += weighted * shape[j];
          if constexpr (General) sum.matrix[k] += dot(flux[i], table->slope[q][j]);
        }
      }
    }
    return sum;
  }

  /// Row i of the numbers of an element.
  template <bool General>
  CARDIOWARP_HD QuadraticRow row(Index element, int i) const {
    QuadraticRow sum{};
    Vector3 at[quadratic_nodes];
    Real value[quadratic_nodes];
    if constexpr (General) fetch(element, phi, at, value);
    for (int q = 0; q < quadratic_points; ++q) {
      const TangentResidual add = adds[std::int64_t{quadratic_points} * element + q];
      const Real weighted = add.tangent * table->shape[q][i];
      sum.of_residual += add.residual * table->shape[q][i];
      Vector3 flux;
      if constexpr (General) flux = flux_of_shape(element, q, i, at);
      for (int j = 0; j < quadratic_nodes; ++j) {
        sum.of_column[j] += weighted * table->shape[q][j];
        if constexpr (General) {
          const Real diffusion = dot(flux, table->slope[q][j]);
          sum.of_column[j] += diffusion;
          sum.of_residual += diffusion * value[j];
        }
      }
    }
    return sum;
  }

  /// One entry of the matrix of an element.
  template <bool General>
  CARDIOWARP_HD Real entry(Index element, int i, int j) const {
    Real sum = 0;
    Vector3 at[quadratic_nodes];
    if constexpr (General)
      for (int k = 0; k < quadratic_nodes; ++k) at[k] = position[nodes[element][k]];
    const int low = i < j ? i : j, high = i < j ? j : i;
    for (int q = 0; q < quadratic_points; ++q) {
      sum += adds[std::int64_t{quadratic_points} * element + q].tangent * table->shape[q][low] * table->shape[q][high];
      if constexpr (General) sum += dot(flux_of_shape(element, q, low, at), table->slope[q][high]);
    }
    return sum;
  }

  /// One residual of an element.
  template <bool General>
  CARDIOWARP_HD Real residual(Index element, int i) const {
    Real sum = 0;
    Vector3 at[quadratic_nodes];
    Real value[quadratic_nodes];
    if constexpr (General) fetch(element, phi, at, value);
    for (int q = 0; q < quadratic_points; ++q) {
      sum += adds[std::int64_t{quadratic_points} * element + q].residual * table->shape[q][i];
      if constexpr (General) sum += dot(flux_at(element, q, at, value), table->slope[q][i]);
    }
    return sum;
  }

  /// v D̃ ∇N_i at point q, as flux_at() gives v D̃ ∇u.
  CARDIOWARP_HD Vector3 flux_of_shape(Index element, int q, int i, const Vector3* at) const {
    const QuadraticFrame frame = quadratic_frame(at, table->slope[q]);
    const Real volume = table->share[q] / 6 * frame.determinant;
    return frame.pulled_back(volume * diffusivity[element].times(frame.gradient(table->slope[q][i])));
  }

  /// v D̃ ∇u at point q of an element whose nodes are `at`, as its products with the derivatives of the shape functions
  /// by λ_1, λ_2 and λ_3 want it; u has the values `value` at the nodes.
  CARDIOWARP_HD Vector3 flux_at(Index element, int q, const Vector3* at, const Real* value) const {
    const Vector3* const slope = table->slope[q];
    const QuadraticFrame frame = quadratic_frame(at, slope);
    Vector3 of_value;
    for (int i = 0; i < quadratic_nodes; ++i) of_value = of_value + value[i] * slope[i];
    const Real volume = table->share[q] / 6 * frame.determinant;
    return frame.pulled_back(volume * diffusivity[element].times(frame.gradient(of_value)));
  }

  /// Where the nodes of an element are, and the values of a vector there.
  template <class Number>
  CARDIOWARP_HD void fetch(Index element, const Number* vector, Vector3* at, Real* value) const {
    for (int i = 0; i < quadratic_nodes; ++i) {
      const Index node = nodes[element][i];
      value[i] = vector[node];
      if (of_node == nullptr) {
        at[i] = position[node];
      } else {
        const Real* const x = of_node + std::int64_t{3} * i * elements + element;
        at[i] = {x[0], x[elements], x[std::int64_t{2} * elements]};
      }
    }
  }
};

/// Loop body over the elements: number k of element e at k · elements + e, so that neighboring threads write
/// neighboring numbers. With `Full` the matrix has all of its 100, row by row.
template <bool General, bool Full = false>
struct StoreQuadraticNumbers {
  QuadraticElements elements;
  Real* matrix;    ///< [55 × elements], or [100 × elements], out
  Real* residual;  ///< [10 × elements] out

  CARDIOWARP_HD void operator()(Index element) const {
    const QuadraticNumbers all = elements.template numbers<General>(element);
    const std::int64_t stride = elements.elements;
    if constexpr (Full) {
      for (int i = 0; i < quadratic_nodes; ++i)
        for (int j = 0; j < quadratic_nodes; ++j)
          matrix[(quadratic_nodes * i + j) * stride + element] = all.matrix[quadratic_place(i, j)];
    } else {
      for (int k = 0; k < quadratic_entries; ++k) matrix[k * stride + element] = all.matrix[k];
    }
    for (int i = 0; i < quadratic_nodes; ++i) residual[i * stride + element] = all.residuals[i];
  }
};

/// The view (element_numbers.hpp) of quadratic tetrahedra. Their states are stored before, by the loop over the
/// points, so that nobody has to be told to.
template <bool General>
struct QuadraticElementsView {
  static constexpr int nodes = quadratic_nodes;
  static constexpr bool general = General;
  using Numbers = QuadraticNumbers;
  QuadraticElements of;

  CARDIOWARP_HD const QuadraticNodes& nodes_of(Index element) const { return of.nodes[element]; }
  CARDIOWARP_HD Numbers numbers(Index element, bool /*store*/) const { return of.template numbers<General>(element); }
  CARDIOWARP_HD QuadraticRow row(Index element, int i, bool /*store*/) const {
    return of.template row<General>(element, i);
  }
  CARDIOWARP_HD Real entry(Index element, int i, int j) const { return of.template entry<General>(element, i, j); }
  CARDIOWARP_HD Real residual(Index element, int i, bool /*store*/) const {
    return of.template residual<General>(element, i);
  }
};

/// The points of a mesh in the memory of a backend, and what the cells there add, of whichever cell model: what takes
/// it is compiled once for all of them. quadratic_point_loop() makes it.
template <Backend B>
class QuadraticPointLoop {
 public:
  virtual ~QuadraticPointLoop() = default;

  virtual void evaluate(B& backend, const ElementState& state) = 0;

  Index elements() const { return elements_; }
  const TangentResidual* adds() const { return adds_.data(); }
  /// Elements whose numbers have no diffusion.
  QuadraticElements view() const { return {elements_, nodes_.data(), table_.data(), adds_.data(), {}, {}, {}}; }

 protected:
  QuadraticPointLoop(B& backend, const QuadraticPoints& points, const std::vector<std::uint16_t>& cell_model)
      : elements_(points.elements()),
        table_(uploaded(backend, std::vector<QuadraticTable>{quadratic_table()})),
        nodes_(uploaded(backend, points.nodes)),
        volume_(uploaded(backend, points.volume)),
        cell_model_(uploaded(backend, cell_model)),
        adds_(backend.template allocate<TangentResidual>(points.volume.size())) {}

  /// The loop body over the points where `cells`, backend memory, are the cells of the tissue's one model.
  template <class Cell>
  QuadraticReactions<Cell> reactions(const Buffer<Cell>& cells, const ElementState& state) const {
    return {nodes_.data(), volume_.data(), table_.data(), cells.data(), cell_model_.data(), state, adds_.data()};
  }

 private:
  Index elements_;
  Buffer<QuadraticTable> table_;
  Buffer<QuadraticNodes> nodes_;
  Buffer<Real> volume_;
  Buffer<std::uint16_t> cell_model_;
  Buffer<TangentResidual> adds_;
};

/// The points where the cells are of one model.
template <Backend B, CellModel Cell>
class QuadraticPointLoopOf final : public QuadraticPointLoop<B> {
 public:
  QuadraticPointLoopOf(B& backend, const QuadraticPoints& points, const std::vector<Cell>& cells,
                       const std::vector<std::uint16_t>& cell_model)
      : QuadraticPointLoop<B>(backend, points, cell_model), cells_(uploaded(backend, cells)) {}

  void evaluate(B& backend, const ElementState& state) override {
    backend.for_each(this->elements() * quadratic_points, this->reactions(cells_, state));
  }

 private:
  Buffer<Cell> cells_;
};

/// The points with the cells of a tissue.
template <Backend B>
std::unique_ptr<QuadraticPointLoop<B>> quadratic_point_loop(B& backend, const QuadraticPoints& points,
                                                            const TissueCells& cells,
                                                            const std::vector<std::uint16_t>& cell_model) {
  return std::visit(
      [&]<class Cell>(const std::vector<Cell>& of_model) -> std::unique_ptr<QuadraticPointLoop<B>> {
        if constexpr (CellModel<Cell>)
          return std::make_unique<QuadraticPointLoopOf<B, Cell>>(backend, points, of_model, cell_model);
        throw std::logic_error("quadratic tetrahedra were planned for ionic cells");
      },
      *cells);
}

/// Where general elements compute their diffusion.
template <Backend B>
struct QuadraticGeneralArrays {
  QuadraticGeneralArrays(B& backend, bool general, const Mesh& mesh, const std::vector<Diffusivity>& diffusivities) {
    if (!general) return;
    position = uploaded(backend, mesh.nodes);
    diffusivity = uploaded(backend, diffusivities);
  }
  QuadraticElements at(QuadraticElements elements, const Real* phi) const {
    elements.position = position.data();
    elements.diffusivity = diffusivity.data();
    elements.phi = phi;
    return elements;
  }

  Buffer<Vector3> position;
  Buffer<Diffusivity> diffusivity;
};

/// The elements of a quadratic mesh in the memory of a backend, in place of ElementArrays. `volume` is that of the
/// points, [14 × elements].
template <Backend B>
class QuadraticElementArrays {
 public:
  static constexpr int nodes = quadratic_nodes;  ///< of an element
  static constexpr bool evaluates_ahead = true;  ///< evaluate() computes what the cells add
  QuadraticElementArrays(B& backend, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                         const std::vector<Real>& volume, const TissueCells& cells,
                         const std::vector<std::uint16_t>& cell_model)
      : points_(quadratic_point_loop(backend, {quadratic_nodes_of(mesh), volume}, cells, cell_model)),
        geometry_(backend, true, mesh, diffusivity) {}

  Index count() const { return points_->elements(); }

  void evaluate(B& backend, const ElementState& state) {
    points_->evaluate(backend, state);
    phi_ = state.phi;
  }
  template <class Use>
  void with_view(ElementKind kind, const Use& use) const {
    const QuadraticElements elements = geometry_.at(points_->view(), phi_);
    if (kind == ElementKind::general)
      use(QuadraticElementsView<true>{elements});
    else
      use(QuadraticElementsView<false>{elements});
  }

 private:
  std::unique_ptr<QuadraticPointLoop<B>> points_;
  QuadraticGeneralArrays<B> geometry_;
  const Real* phi_ = nullptr;
};

}  // namespace cardiowarp
