#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "fem/anatomy/axes.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp::test {

// A left ventricle for which the fields of rules of fibers are known: the wall between two prolate spheroids with the
// same foci, without its tip, cut off above along a surface at right angles to both. In coordinates
//   x = a sinh μ sin ν cos θ,   y = a sinh μ sin ν sin θ,   z = −a cosh μ cos ν
// the field across the wall depends on μ alone, as ln tanh(μ/2), and the one from apex to base on ν alone.

struct Spheroid {
  Real focus_mm = 60;
  Real inside = std::asinh(23.0 / 60), outside = std::asinh(33.0 / 60);  ///< μ
  Real apex = 0.25, base = 1.7;                                          ///< ν

  Vector3 point(Real mu, Real nu, Real theta) const {
    const Real r = focus_mm * std::sinh(mu) * std::sin(nu);
    return {r * std::cos(theta), r * std::sin(theta), -focus_mm * std::cosh(mu) * std::cos(nu)};
  }

  /// Depth in the wall, 0 to 1, as the harmonic field has it, and the circumferential, longitudinal and transmural
  /// directions.
  struct Place {
    Real depth;
    Axes axes;
  };
  Place place(Vector3 p) const {
    const Real r = std::hypot(p.x, p.y), below = std::hypot(r, p.z + focus_mm), above = std::hypot(r, p.z - focus_mm);
    const Real mu = std::acosh((below + above) / (2 * focus_mm)), nu = std::acos((above - below) / (2 * focus_mm));
    const Real c = p.x / r, s = p.y / r;
    const auto field = [](Real at) { return std::log(std::tanh(at / 2)); };
    const Vector3 out{std::cosh(mu) * std::sin(nu) * c, std::cosh(mu) * std::sin(nu) * s,
                      -std::sinh(mu) * std::cos(nu)};
    const Vector3 up{std::sinh(mu) * std::cos(nu) * c, std::sinh(mu) * std::cos(nu) * s, std::cosh(mu) * std::sin(nu)};
    return {(field(mu) - field(inside)) / (field(outside) - field(inside)), *wall_axes(up, out, 0)};
  }

  /// With n elements across the wall; the surfaces endo, epi, base and apex have these names.
  Mesh mesh(Index n) const {
    const Index along = 5 * n, around = 9 * n;
    Mesh mesh;
    const auto node = [&](Index i, Index j, Index k) { return (i * (along + 1) + j) * around + k % around; };
    for (Index i = 0; i <= n; ++i)
      for (Index j = 0; j <= along; ++j)
        for (Index k = 0; k < around; ++k)
          mesh.nodes.push_back(point(inside + (outside - inside) * i / n, apex + (base - apex) * j / along,
                                     2 * std::numbers::pi * k / around));
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < along; ++j)
        for (Index k = 0; k < around; ++k) add_box(mesh, i, j, k, node);
    mesh.element_tags.assign(mesh.tetrahedra.size(), 1);
    mesh.surface_names = {{"endo", 11}, {"epi", 12}, {"base", 13}, {"apex", 14}};
    const auto add_square = [&](Index a, Index b, Index c, Index d, int tag) {
      mesh.triangles.push_back({a, b, d});
      mesh.triangles.push_back({a, d, c});
      mesh.triangle_tags.insert(mesh.triangle_tags.end(), 2, tag);
    };
    for (Index k = 0; k < around; ++k) {
      for (Index j = 0; j < along; ++j) {
        add_square(node(0, j, k), node(0, j + 1, k), node(0, j, k + 1), node(0, j + 1, k + 1), 11);
        add_square(node(n, j, k), node(n, j + 1, k), node(n, j, k + 1), node(n, j + 1, k + 1), 12);
      }
      for (Index i = 0; i < n; ++i) {
        add_square(node(i, along, k), node(i + 1, along, k), node(i, along, k + 1), node(i + 1, along, k + 1), 13);
        add_square(node(i, 0, k), node(i + 1, 0, k), node(i, 0, k + 1), node(i + 1, 0, k + 1), 14);
      }
    }
    return mesh;
  }

 private:
  /// Six tetrahedra around the diagonal from the lowest to the highest corner.
  template <class Node>
  static void add_box(Mesh& mesh, Index i, Index j, Index k, const Node& node) {
    std::array<int, 3> way{0, 1, 2};
    do {
      std::array<Index, 3> at{i, j, k};
      Tetrahedron corners{node(at[0], at[1], at[2])};
      for (int step = 0; step < 3; ++step) {
        ++at[way[step]];
        corners[step + 1] = node(at[0], at[1], at[2]);
      }
      const Vector3 a = mesh.nodes[corners[0]];
      const Real volume =
          dot(mesh.nodes[corners[1]] - a, cross(mesh.nodes[corners[2]] - a, mesh.nodes[corners[3]] - a));
      if (volume < 0) std::swap(corners[2], corners[3]);
      mesh.tetrahedra.push_back(corners);
    } while (std::next_permutation(way.begin(), way.end()));
  }
};

/// The middle of an element.
inline Vector3 centroid(const Mesh& mesh, std::size_t element) {
  Vector3 sum;
  for (const Index node : mesh.tetrahedra[element]) sum = sum + mesh.nodes[node];
  return Real(0.25) * sum;
}

/// The angle between two fibers, which have no sign, in degrees.
inline Real angle_between(Vector3 a, Vector3 b) {
  const Real cosine = std::min<Real>(1, std::fabs(dot(a, b)) / (norm(a) * norm(b)));
  return std::acos(cosine) * 180 / std::numbers::pi;
}

}  // namespace cardiowarp::test
