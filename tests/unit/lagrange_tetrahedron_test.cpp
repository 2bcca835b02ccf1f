#include "fem/lagrange_tetrahedron.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <vector>

#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

template <class Degree>
class LagrangeTetrahedron : public testing::Test {};
using Degrees =
    testing::Types<std::integral_constant<int, 1>, std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(LagrangeTetrahedron, Degrees);

constexpr Vector3 corners[4]{{0.1, 0, 0.2}, {1.3, 0.2, -0.1}, {0.2, 0.9, 0.1}, {-0.1, 0.3, 1.1}};

Mesh one_element() {
  Mesh mesh;
  mesh.nodes.assign(std::begin(corners), std::end(corners));
  mesh.tetrahedra = {{0, 1, 2, 3}};
  return mesh;
}

/// Points of Gauss and Legendre on a cube that is folded into a tetrahedron: exact for degree 7.
struct FoldedPoint {
  std::array<Real, 4> at;
  Real share;
};
std::vector<FoldedPoint> folded_points() {
  constexpr Real inner = 0.53846931010568309104, outer = 0.90617984593866399280;
  constexpr std::array<Real, 5> place{-outer, -inner, 0, inner, outer},
      weight{0.23692688505618908751, 0.47862867049936646804, 128.0 / 225, 0.47862867049936646804,
             0.23692688505618908751};
  std::vector<FoldedPoint> points;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      for (int k = 0; k < 5; ++k) {
        const Real u = (1 + place[i]) / 2, v = (1 + place[j]) / 2 * (1 - u), w = (1 + place[k]) / 2 * (1 - u - v);
        points.push_back({{1 - u - v - w, u, v, w}, 6 * weight[i] * weight[j] * weight[k] / 8 * (1 - u) * (1 - u - v)});
      }
  return points;
}

/// The numbers of the one element with the source `f` at its nodes.
template <int Degree>
struct Numbers {
  static constexpr int N = lagrange_nodes<Degree>;
  explicit Numbers(const std::vector<Real>& f, Real reaction = 0.7) {
    const std::vector<Diffusivity> diffusivity{{0.4, 0.9, {0.6, 0, 0.8}}};
    const LagrangeTable<Degree> table = lagrange_table<Degree>();
    const LagrangeElements<Degree> elements{
        1, mesh.elements.data(), mesh.position.data(), diffusivity.data(), f.data(), &table, reaction};
    elements.numbers(
        0, [&](int, int i, int j, Real number) { matrix[i][j] = matrix[j][i] = number; },
        [&](int i, Real number) { load[i] = number; });
  }
  /// Node i of the element is node mesh.elements[0][i] of the mesh.
  LagrangeMesh<Degree> mesh = lagrange_mesh<Degree>(one_element());
  Real matrix[N][N], load[N];
};

TYPED_TEST(LagrangeTetrahedron, HasShapesThatAreOneAtTheirNodeAndZeroAtTheOthers) {
  constexpr int p = TypeParam::value, N = lagrange_nodes<p>;
  constexpr auto of = lagrange_corners<p>();
  for (int node = 0; node < N; ++node) {
    std::array<Real, 4> at{};
    for (const int corner : of[node]) at[corner] += Real{1} / p;
    const auto shape = lagrange_shapes<p>(at);
    for (int i = 0; i < N; ++i) EXPECT_NEAR(shape[i], i == node ? 1 : 0, 1e-14);
  }
  for (int corner = 0; corner < 4; ++corner)
    for (const int c : of[lagrange_corner<p>(corner)]) EXPECT_EQ(c, corner);
}

TYPED_TEST(LagrangeTetrahedron, HasTheMassThatQuadratureFinds) {
  constexpr int p = TypeParam::value, N = lagrange_nodes<p>;
  const LagrangeTable<p> table = lagrange_table<p>();
  const std::vector<FoldedPoint> points = folded_points();
  for (int i = 0; i < N; ++i)
    for (int j = i; j < N; ++j) {
      Real sum = 0;
      for (const FoldedPoint& point : points) {
        const auto shape = lagrange_shapes<p>(point.at);
        sum += point.share * shape[i] * shape[j];
      }
      EXPECT_NEAR((table.mass[entry_place<N, false>(i, j)]), sum, 1e-14);
    }
}

// With u a polynomial of the degree, here (a·x)^p, ∫ ∇u·D∇u + c u² is what quadrature finds.
TYPED_TEST(LagrangeTetrahedron, HasTheEnergyOfAPolynomialOfItsDegree) {
  constexpr int p = TypeParam::value, N = lagrange_nodes<p>;
  const Vector3 a{0.7, -0.4, 0.9};
  const Diffusivity tensor{0.4, 0.9, {0.6, 0, 0.8}};
  const Real volume = tetrahedron_geometry(corners[0], corners[1], corners[2], corners[3]).volume;
  for (const Real reaction : {0.0, 0.7}) {
    const Numbers<p> of(std::vector<Real>(N, 0), reaction);
    const auto u = [&](int k) { return std::pow(dot(a, of.mesh.position[of.mesh.elements[0][k]]), p); };
    Real energy = 0, expected = 0;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) energy += u(i) * of.matrix[i][j] * u(j);
    for (const FoldedPoint& point : folded_points()) {
      Vector3 x;
      for (int c = 0; c < 4; ++c) x = x + point.at[c] * corners[c];
      const Vector3 gradient = (p * std::pow(dot(a, x), p - 1)) * a;
      expected +=
          volume * point.share * (dot(gradient, tensor.times(gradient)) + reaction * std::pow(dot(a, x), 2 * p));
    }
    EXPECT_NEAR(energy, expected, 1e-12 * expected);
  }
}

// A constant is in the null space of diffusion, the shapes add up to 1, and so do their masses to the volume.
TYPED_TEST(LagrangeTetrahedron, HasRowsThatAddUp) {
  constexpr int p = TypeParam::value, N = lagrange_nodes<p>;
  const Numbers<p> of(std::vector<Real>(N, 2), 0.7), without(std::vector<Real>(N, 0), 0);
  const Real volume = tetrahedron_geometry(corners[0], corners[1], corners[2], corners[3]).volume;
  Real whole = 0, load = 0;
  for (int i = 0; i < N; ++i) {
    Real row = 0;
    for (int j = 0; j < N; ++j) {
      row += without.matrix[i][j];
      whole += of.matrix[i][j];
    }
    EXPECT_NEAR(row, 0, 1e-13);
    load += of.load[i];
  }
  EXPECT_NEAR(whole, 0.7 * volume, 1e-13);
  EXPECT_NEAR(load, 2 * volume, 1e-14);
}

TEST(LagrangeMesh, SharesTheNodesOfEdgesAndFaces) {
  Mesh two = one_element();
  two.nodes.push_back({1, 1, 1});
  two.tetrahedra.push_back({3, 1, 2, 4});
  EXPECT_EQ(lagrange_mesh<1>(two).position.size(), 5U);
  EXPECT_EQ(lagrange_mesh<2>(two).position.size(), 5U + 9U);
  EXPECT_EQ(lagrange_mesh<3>(two).position.size(), 5U + 2 * 9U + 7U);
  const LagrangeMesh<3> mesh = lagrange_mesh<3>(two);
  std::vector<int> met(mesh.position.size(), 0);
  for (const auto& nodes : mesh.elements)
    for (const Index node : nodes) ++met[node];
  EXPECT_EQ(std::count(met.begin(), met.end(), 2), 10);  // the nodes of the common face
}

}  // namespace
}  // namespace cardiowarp
