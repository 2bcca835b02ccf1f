#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "fem/entry_place.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Diffusivity;
struct Mesh;

// The quadratic (P2) tetrahedron: ten shape functions, a rule of fourteen integration points, and the geometry of an
// element whose edges may be curved. Node i < 4 is corner i, node 4 + k lies on the edge between the corners
// edge_corners[k]. With λ_i the barycentric coordinates of a point,
//   N_i = λ_i (2 λ_i − 1) at a corner,   N_ab = 4 λ_a λ_b on the edge ab
// and the element is the image x(λ) = Σ N_i x_i: with the nodes of edges in their middles it is the straight
// tetrahedron. Shape functions are evaluated at the fourteen points only, once in a run, and not stored for the mesh.

inline constexpr int quadratic_nodes = 10;
inline constexpr int quadratic_points = 14;

/// The corners of each edge that has a node, in the order of EdgeNodes.
inline constexpr std::array<std::array<int, 2>, 6> edge_corners{{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};

/// A point of a tetrahedron by its barycentric coordinates.
using Barycentric = std::array<Real, 4>;

/// N_i at a point.
constexpr std::array<Real, quadratic_nodes> quadratic_shapes(const Barycentric& at) {
  std::array<Real, quadratic_nodes> shape{};
  for (int i = 0; i < 4; ++i) shape[i] = at[i] * (2 * at[i] - 1);
  for (int k = 0; k < 6; ++k) shape[4 + k] = 4 * at[edge_corners[k][0]] * at[edge_corners[k][1]];
  return shape;
}

/// The derivatives of N_i at a point by λ_1, λ_2 and λ_3, with λ_0 = 1 − λ_1 − λ_2 − λ_3.
constexpr std::array<Vector3, quadratic_nodes> quadratic_slopes(const Barycentric& at) {
  constexpr Real of_coordinate[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const auto combined = [&](Real a, int i, Real b, int j) {
    return Vector3{a * of_coordinate[i][0] + b * of_coordinate[j][0], a * of_coordinate[i][1] + b * of_coordinate[j][1],
                   a * of_coordinate[i][2] + b * of_coordinate[j][2]};
  };
  std::array<Vector3, quadratic_nodes> slope{};
  for (int i = 0; i < 4; ++i) slope[i] = combined(4 * at[i] - 1, i, 0, i);
  for (int k = 0; k < 6; ++k) {
    const auto [a, b] = edge_corners[k];
    slope[4 + k] = combined(4 * at[b], a, 4 * at[a], b);
  }
  return slope;
}

/// An integration point: where it is, and its share of the volume of a straight tetrahedron.
struct QuadraturePoint {
  Barycentric at;
  Real share;
};

/// The rule of 14 points that is exact for polynomials of degree 5, with all points inside and all shares positive
/// (N. J. Walkington, Quadrature on simplices of arbitrary dimension, Carnegie Mellon, 00-CNA-023, 2000). The mass of
/// a straight element has degree 4, so the rule makes it exactly; with positive shares, and more points than nodes,
/// what it makes of a positive tangent is positive definite. The rules of degree 4 with 11 points have a negative
/// share.
constexpr std::array<QuadraturePoint, quadratic_points> fourteen_points() {
  constexpr Real of_corners[2][2] = {{0.31088591926330060980, 0.11268792571801585080},
                                     {0.09273525031089122640, 0.07349304311636194955}};
  constexpr Real of_edges = 0.04550370412564964949, share_of_edges = 0.04254602077708146644;
  std::array<QuadraturePoint, quadratic_points> points{};
  int q = 0;
  for (const auto& [near, share] : of_corners)
    for (int corner = 0; corner < 4; ++corner, ++q) {
      points[q] = {{near, near, near, near}, share};
      points[q].at[corner] = 1 - 3 * near;
    }
  for (const auto& [a, b] : edge_corners) {
    constexpr Real other = Real(0.5) - of_edges;
    points[q] = {{other, other, other, other}, share_of_edges};
    points[q].at[a] = points[q].at[b] = of_edges;
    ++q;
  }
  return points;
}

/// The shape functions at the integration points, their derivatives by λ_1, λ_2 and λ_3 and the shares of the points,
/// as a value that a backend can keep in its memory.
struct QuadraticTable {
  Real shape[quadratic_points][quadratic_nodes];
  Vector3 slope[quadratic_points][quadratic_nodes];
  Real share[quadratic_points];
};

constexpr QuadraticTable quadratic_table() {
  QuadraticTable table{};
  const auto points = fourteen_points();
  for (int q = 0; q < quadratic_points; ++q) {
    const auto shapes = quadratic_shapes(points[q].at);
    const auto slopes = quadratic_slopes(points[q].at);
    for (int i = 0; i < quadratic_nodes; ++i) {
      table.shape[q][i] = shapes[i];
      table.slope[q][i] = slopes[i];
    }
    table.share[q] = points[q].share;
  }
  return table;
}

/// The ten nodes of an element: its corners, then the nodes of its edges.
using QuadraticNodes = std::array<Index, quadratic_nodes>;

/// The ten nodes of an element of a quadratic mesh, and those of all its elements.
QuadraticNodes nodes_of(const Mesh& mesh, std::size_t element);
std::vector<QuadraticNodes> quadratic_nodes_of(const Mesh& mesh);

/// Where the nodes of an element are.
using QuadraticCorners = std::array<Vector3, quadratic_nodes>;
QuadraticCorners positions_of(const Mesh& mesh, std::size_t element);

/// The map from λ to space at a point of an element: six times the volume that a unit of reference volume becomes
/// there, det ∂x/∂λ, and the gradients of λ_1, λ_2 and λ_3.
struct QuadraticFrame {
  Real determinant;          ///< mm³, positive for right-handed node order
  Vector3 of_coordinate[3];  ///< ∇λ_k, 1/mm

  /// The gradient of a function whose derivatives by λ_1, λ_2 and λ_3 are `slope`.
  CARDIOWARP_HD Vector3 gradient(Vector3 slope) const {
    return slope.x * of_coordinate[0] + slope.y * of_coordinate[1] + slope.z * of_coordinate[2];
  }
  /// v·∇λ_k: what a flux v is to the derivatives of a function.
  CARDIOWARP_HD Vector3 pulled_back(Vector3 v) const {
    return {dot(of_coordinate[0], v), dot(of_coordinate[1], v), dot(of_coordinate[2], v)};
  }
};

/// The frame at a point, from the ten positions of the nodes and the derivatives of their shape functions there.
/// ∂x/∂λ_k = Σ_i x_i ∂N_i/∂λ_k are the columns a, b, c of the Jacobian; the rows of its inverse are b × c, c × a and
/// a × b over its determinant.
CARDIOWARP_HD inline QuadraticFrame quadratic_frame(const Vector3* position, const Vector3* slope) {
  Vector3 a, b, c;
  for (int i = 0; i < quadratic_nodes; ++i) {
    a = a + slope[i].x * position[i];
    b = b + slope[i].y * position[i];
    c = c + slope[i].z * position[i];
  }
  QuadraticFrame frame;
  frame.determinant = dot(a, cross(b, c));
  const Real inverse = 1 / frame.determinant;
  frame.of_coordinate[0] = inverse * cross(b, c);
  frame.of_coordinate[1] = inverse * cross(c, a);
  frame.of_coordinate[2] = inverse * cross(a, b);
  return frame;
}

/// The determinant of a frame, and the gradients of the shape functions at its point.
struct QuadraticGeometry {
  Real determinant;                               ///< mm³
  std::array<Vector3, quadratic_nodes> gradient;  ///< 1/mm
};
QuadraticGeometry quadratic_geometry(const QuadraticCorners& position, const Barycentric& at);

/// Where the matrix entry (i, j), in either order, is among the 55 numbers of a symmetric matrix of an element.
CARDIOWARP_HD constexpr int quadratic_place(int i, int j) { return entry_place<quadratic_nodes, false>(i, j); }
inline constexpr int quadratic_entries = entries_of<quadratic_nodes, false>;

/// The matrix of diffusion of an element, ∫ ∇N_i · D̃ ∇N_j, by its 55 numbers: exact for straight elements.
std::array<Real, quadratic_entries> quadratic_diffusion(const QuadraticCorners& position,
                                                        const Diffusivity& diffusivity);

/// The volume that each integration point of an element stands for, mm³.
std::array<Real, quadratic_points> quadratic_volumes(const QuadraticCorners& position);

}  // namespace cardiowarp
