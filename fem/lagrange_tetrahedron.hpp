#pragma once
#include <array>
#include <vector>

#include "fem/diffusivity.hpp"
#include "fem/element_nodes.hpp"
#include "fem/entry_place.hpp"
#include "fem/tetrahedron.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

// Lagrange tetrahedra of degree 1, 2 and 3 with straight edges, of 4, 10 and 20 nodes, for the study of degrees that
// `cardiowarp bench degrees` is (app/bench/degree_bench.hpp). A node of degree p is p corners, equal ones among them,
// and lies in their mean: of degree 3 the corner 000 is itself, 001 a third of the way to corner 1, and 012 the middle
// of a face. In a straight element all integrals are those of a reference element, worked out exactly once, so that the
// entries of its matrix are
//
//   ∫ ∇N_i · D̃ ∇N_j + c N_i N_j  =  Σ_kl g_kl A^kl_ij + c V M_ij,      g_kl = V ∇λ_k · D̃ ∇λ_l
//
// with six numbers g of the element and seven constants an entry (paper 004 sec. 6.3 has them in its code). Runs do not
// use these elements: their quadratic ones may be curved (quadratic_tetrahedron.hpp).

template <int Degree>
inline constexpr int lagrange_nodes = (Degree + 1) * (Degree + 2) * (Degree + 3) / 6;
template <int Degree>
inline constexpr int lagrange_entries = entries_of<lagrange_nodes<Degree>, false>;

/// The corners of each node of an element, ascending.
template <int Degree>
constexpr std::array<std::array<int, Degree>, lagrange_nodes<Degree>> lagrange_corners() {
  std::array<std::array<int, Degree>, lagrange_nodes<Degree>> corners{};
  std::array<int, Degree> now{};
  for (auto& node : corners) {
    node = now;
    int last = Degree - 1;
    while (last > 0 && now[last] == 3) --last;
    const int next = now[last] + 1;
    for (int k = last; k < Degree; ++k) now[k] = next;
  }
  return corners;
}

/// The node that is a corner of the element.
template <int Degree>
CARDIOWARP_HD constexpr int lagrange_corner(int corner) {
  // Nodes whose first corner is less than `corner`: those of degree p over the other 4 − c corners are what is left.
  const int others = 4 - corner;
  int left = 1;
  for (int k = 1; k <= Degree; ++k) left = left * (others - 1 + k) / k;
  return lagrange_nodes<Degree> - left;
}

/// The constants of the reference element, by the places of entries (entry_place.hpp). Written by lagrange_table(); a
/// value that a backend can keep in its memory, of 11.8 kB for degree 3.
template <int Degree>
struct LagrangeTable {
  Real diffusion[lagrange_entries<Degree>][6];  ///< A of the pairs kl = 11, 12, 13, 22, 23, 33, both orders together
  Real mass[lagrange_entries<Degree>];          ///< M, the mean of N_i N_j
};
template <int Degree>
LagrangeTable<Degree> lagrange_table();

/// N_i at a point.
template <int Degree>
std::array<Real, lagrange_nodes<Degree>> lagrange_shapes(const std::array<Real, 4>& at);

/// Elements of a mesh with nodes of a degree; without anything that the study does not need.
template <int Degree>
struct LagrangeMesh {
  using Nodes = std::array<Index, lagrange_nodes<Degree>>;
  std::vector<Vector3> position;     ///< [nodes] mm
  std::vector<Nodes> elements;       ///< [elements]
  std::vector<Tetrahedron> corners;  ///< [elements] the nodes at the four corners
};

/// The elements of a linear mesh with nodes of a degree, numbered by ascending corners.
template <int Degree>
LagrangeMesh<Degree> lagrange_mesh(const Mesh& linear);

/// The mesh with its nodes renumbered: node i of the result is node order[i] of `mesh`.
template <int Degree>
LagrangeMesh<Degree> renumbered(const LagrangeMesh<Degree>& mesh, const std::vector<Index>& order);

/// Elements in backend memory, whose numbers are those of −∇·D̃∇u + c u = f with f given at the nodes.
template <int Degree>
struct LagrangeElements {
  static constexpr int nodes_an_element = lagrange_nodes<Degree>;
  Index elements;
  const std::array<Index, nodes_an_element>* nodes;  ///< [elements]
  const Vector3* position;                           ///< [nodes] mm
  const Diffusivity* diffusivity;                    ///< [elements]
  const Real* source;                                ///< [nodes] f
  const LagrangeTable<Degree>* table;
  Real reaction;  ///< c

  /// matrix(k, i, j, number) for each entry of the upper half, k its place, and load(i, number) for each node.
  template <class Matrix, class Load>
  CARDIOWARP_HD void numbers(Index element, const Matrix& matrix, const Load& load) const {
    constexpr int N = nodes_an_element;
    const std::array<Index, N>& of = nodes[element];
    const TetrahedronGeometry geometry =
        tetrahedron_geometry(position[of[lagrange_corner<Degree>(0)]], position[of[lagrange_corner<Degree>(1)]],
                             position[of[lagrange_corner<Degree>(2)]], position[of[lagrange_corner<Degree>(3)]]);
    const Diffusivity tensor = diffusivity[element];
    Real g[6];
    int pair = 0;
    for (int k = 1; k < 4; ++k) {
      const Vector3 flux = geometry.volume * tensor.times(geometry.gradient[k]);
      for (int l = k; l < 4; ++l, ++pair) g[pair] = dot(flux, geometry.gradient[l]);
    }
    const Real mass = reaction * geometry.volume;
    Real f[N];
    for (int i = 0; i < N; ++i) f[i] = source[of[i]];
    int k = 0;
    for (int i = 0; i < N; ++i) {
      for (int j = i; j < N; ++j, ++k) {
        const Real* const A = table->diffusion[k];
        matrix(
            k, i, j,
            g[0] * A[0] + g[1] * A[1] + g[2] * A[2] + g[3] * A[3] + g[4] * A[4] + g[5] * A[5] + mass * table->mass[k]);
      }
      Real sum = 0;
      for (int j = 0; j < N; ++j) sum += table->mass[entry_place<N, false>(i, j)] * f[j];
      load(i, geometry.volume * sum);
    }
  }
};

}  // namespace cardiowarp
