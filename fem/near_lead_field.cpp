#include "fem/near_lead_field.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "fem/diffusivity.hpp"
#include "fem/inverse_distance.hpp"
#include "fem/mesh.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "fem/tetrahedron.hpp"

namespace cardiowarp {
namespace {

void add_linear(const Mesh& mesh, std::span<const Diffusivity> diffusivity, Vector3 electrode,
                std::vector<Real>& lead) {
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    const Tetrahedron& nodes = mesh.tetrahedra[element];
    std::array<Vector3, 4> corners;
    for (std::size_t i = 0; i < 4; ++i) corners[i] = mesh.nodes[nodes[i]];
    const TetrahedronGeometry geometry = tetrahedron_geometry(corners, {0, 1, 2, 3});
    const Vector3 flux = diffusivity[element].times(inverse_distance_gradient_over(corners, electrode));
    for (int i = 0; i < 4; ++i) lead[nodes[i]] += dot(geometry.gradient[i], flux);
  }
}

/// A quadratic element and what it adds to its nodes.
class QuadraticIntegral {
 public:
  QuadraticIntegral(const QuadraticCorners& position, const Diffusivity& diffusivity, Vector3 electrode)
      : position_(position), diffusivity_(diffusivity), electrode_(electrode) {}

  std::array<Real, quadratic_nodes> of_all() {
    add({{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}, 1, 0);
    return sums_;
  }

 private:
  using Piece = std::array<Barycentric, 4>;  ///< by its corners
  static constexpr int most_cuts = 6;
  static constexpr Real far = 2.5;  ///< times its size: the rule then has 1/r to about 1e-5

  /// `share` of the volume of the element in its own coordinates.
  void add(const Piece& piece, Real share, int cuts) {
    std::array<Vector3, 4> corners;
    Vector3 middle;
    for (std::size_t i = 0; i < 4; ++i) {
      corners[i] = position_at(piece[i]);
      middle = middle + Real(0.25) * corners[i];
    }
    Real size = 0;
    for (const Vector3& corner : corners) size = std::max(size, norm(corner - middle));
    if (norm(middle - electrode_) > far * size) return add_points(piece, share);
    if (cuts == most_cuts) return add_closed_form(piece, corners);
    for (const Piece& eighth : eighths_of(piece)) add(eighth, share / 8, cuts + 1);
  }

  void add_points(const Piece& piece, Real share) {
    for (const QuadraturePoint& point : fourteen_points()) {
      const Barycentric at = place_in(piece, point.at);
      const QuadraticGeometry geometry = quadratic_geometry(position_, at);
      const Vector3 away = position_at(at) - electrode_;
      const Real distance = norm(away), volume = share * point.share * geometry.determinant / 6;
      add_flux(geometry, (-volume / (distance * distance * distance)) * away);
    }
  }

  void add_closed_form(const Piece& piece, const std::array<Vector3, 4>& corners) {
    const Barycentric middle = place_in(piece, {0.25, 0.25, 0.25, 0.25});
    add_flux(quadratic_geometry(position_, middle), inverse_distance_gradient_over(corners, electrode_));
  }

  /// With the integral of ∇(1/r).
  void add_flux(const QuadraticGeometry& geometry, Vector3 integral) {
    const Vector3 flux = diffusivity_.times(integral);
    for (int i = 0; i < quadratic_nodes; ++i) sums_[i] += dot(geometry.gradient[i], flux);
  }

  Vector3 position_at(const Barycentric& at) const {
    const std::array<Real, quadratic_nodes> shape = quadratic_shapes(at);
    Vector3 sum;
    for (int i = 0; i < quadratic_nodes; ++i) sum = sum + shape[i] * position_[i];
    return sum;
  }

  static Barycentric place_in(const Piece& piece, const Barycentric& at) {
    Barycentric place{};
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t k = 0; k < 4; ++k) place[k] += at[i] * piece[i][k];
    return place;
  }

  /// Four at the corners, and the four of the octahedron between them.
  static std::array<Piece, 8> eighths_of(const Piece& p) {
    const auto half = [&](std::size_t a, std::size_t b) {
      Barycentric middle{};
      for (std::size_t k = 0; k < 4; ++k) middle[k] = (p[a][k] + p[b][k]) / 2;
      return middle;
    };
    const Barycentric m01 = half(0, 1), m02 = half(0, 2), m03 = half(0, 3), m12 = half(1, 2), m13 = half(1, 3),
                      m23 = half(2, 3);
    return {{{p[0], m01, m02, m03},
             {p[1], m01, m12, m13},
             {p[2], m02, m12, m23},
             {p[3], m03, m13, m23},
             {m01, m23, m02, m03},
             {m01, m23, m03, m13},
             {m01, m23, m13, m12},
             {m01, m23, m12, m02}}};
  }

  const QuadraticCorners& position_;
  const Diffusivity& diffusivity_;
  Vector3 electrode_;
  std::array<Real, quadratic_nodes> sums_{};
};

void add_quadratic(const Mesh& mesh, std::span<const Diffusivity> diffusivity, Vector3 electrode,
                   std::vector<Real>& lead) {
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    const QuadraticNodes nodes = nodes_of(mesh, element);
    const QuadraticCorners position = positions_of(mesh, element);
    const auto sums = QuadraticIntegral(position, diffusivity[element], electrode).of_all();
    for (int i = 0; i < quadratic_nodes; ++i) lead[nodes[i]] += sums[i];
  }
}

}  // namespace

void add_near_lead(const Mesh& mesh, std::span<const Diffusivity> diffusivity, Vector3 electrode,
                   std::vector<Real>& lead) {
  (mesh.is_quadratic() ? add_quadratic : add_linear)(mesh, diffusivity, electrode, lead);
}

}  // namespace cardiowarp
