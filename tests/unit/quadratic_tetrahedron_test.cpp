#include "fem/quadratic_tetrahedron.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>

#include "fem/components.hpp"
#include "fem/diffusivity.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"
#include "fem/quadratic_check.hpp"
#include "fem/tetrahedron.hpp"
#include "tests/support/input_error_of.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;

constexpr std::array<Vector3, 4> corners{{{0.1, 0.2, -0.3}, {2.3, 0.1, 0.4}, {0.5, 1.9, 0.2}, {0.3, 0.4, 1.7}}};

/// The tetrahedron with these corners and the nodes of its edges in their middles, each moved by `bulge`.
QuadraticCorners element_of(Real bulge = 0) {
  QuadraticCorners position;
  for (int i = 0; i < 4; ++i) position[i] = corners[i];
  for (int k = 0; k < 6; ++k) {
    const auto [a, b] = edge_corners[k];
    position[4 + k] = 0.5 * (corners[a] + corners[b]) + bulge * Vector3{std::sin(k + 1.0), std::cos(3.0 * k), 0.5};
  }
  return position;
}

Vector3 point_of(const QuadraticCorners& position, const Barycentric& at) {
  const auto shapes = quadratic_shapes(at);
  Vector3 point;
  for (int i = 0; i < quadratic_nodes; ++i) point = point + shapes[i] * position[i];
  return point;
}

Mesh one_element(Real bulge = 0) {
  Mesh mesh;
  const QuadraticCorners position = element_of(bulge);
  mesh.nodes.assign(position.begin(), position.end());
  mesh.tetrahedra = {{0, 1, 2, 3}};
  mesh.edge_nodes = {{4, 5, 6, 7, 8, 9}};
  mesh.element_tags = {1};
  return mesh;
}

Real factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

// ∫ λ_1^a λ_2^b λ_3^c λ_0^d = 6 V a! b! c! d! / (a + b + c + d + 3)!
TEST(FourteenPoints, IntegratePolynomialsOfDegreeFiveExactlyAndNotThoseOfDegreeSix) {
  Real worst_of_six = 0;
  for (int a = 0; a <= 6; ++a)
    for (int b = 0; a + b <= 6; ++b)
      for (int c = 0; a + b + c <= 6; ++c)
        for (int d = 0; a + b + c + d <= 6; ++d) {
          Real sum = 0;
          for (const QuadraturePoint& point : fourteen_points())
            sum += point.share * std::pow(point.at[1], a) * std::pow(point.at[2], b) * std::pow(point.at[3], c) *
                   std::pow(point.at[0], d);
          const Real exact =
              6 * factorial(a) * factorial(b) * factorial(c) * factorial(d) / factorial(a + b + c + d + 3);
          if (a + b + c + d <= 5)
            EXPECT_NEAR(sum, exact, 1e-15) << a << b << c << d;
          else
            worst_of_six = std::max(worst_of_six, std::abs(sum / exact - 1));
        }
  EXPECT_GT(worst_of_six, 1e-3);
}

TEST(FourteenPoints, AreInsideAndHavePositiveShares) {
  for (const QuadraturePoint& point : fourteen_points()) {
    EXPECT_GT(point.share, 0);
    for (const Real coordinate : point.at) EXPECT_GT(coordinate, 0);
  }
}

TEST(QuadraticShapes, AreOneAtTheirNodeAndZeroAtTheOthers) {
  for (int node = 0; node < quadratic_nodes; ++node) {
    Barycentric at{};
    if (node < 4)
      at[node] = 1;
    else
      for (const int corner : edge_corners[node - 4]) at[corner] = 0.5;
    const auto shapes = quadratic_shapes(at);
    for (int i = 0; i < quadratic_nodes; ++i) EXPECT_EQ(shapes[i], i == node ? 1 : 0) << node << " " << i;
  }
}

TEST(QuadraticShapes, SumToOneAndTheirSlopesToZero) {
  for (const QuadraturePoint& point : fourteen_points()) {
    Real sum = 0;
    Vector3 slope;
    for (const Real shape : quadratic_shapes(point.at)) sum += shape;
    for (const Vector3& of_one : quadratic_slopes(point.at)) slope = slope + of_one;
    EXPECT_NEAR(sum, 1, 1e-15);
    EXPECT_NEAR(norm(slope), 0, 1e-14);
  }
}

// M_ij / V of a straight element, times 420: 6 and 32 on the diagonal, and so on (Zienkiewicz and Taylor).
TEST(QuadraticElement, HasTheExactMassMatrix) {
  const QuadraticTable table = quadratic_table();
  const auto volume = quadratic_volumes(element_of());
  Real whole = 0;
  for (const Real one : volume) whole += one;
  EXPECT_NEAR(whole, tetrahedron_geometry(corners[0], corners[1], corners[2], corners[3]).volume, 1e-14);
  const auto share_corner = [](int node, int corner) {
    return edge_corners[node - 4][0] == corner || edge_corners[node - 4][1] == corner;
  };
  for (int i = 0; i < quadratic_nodes; ++i)
    for (int j = 0; j < quadratic_nodes; ++j) {
      Real mass = 0;
      for (int q = 0; q < quadratic_points; ++q) mass += volume[q] * table.shape[q][i] * table.shape[q][j];
      Real expected = 0;
      if (i < 4 && j < 4) expected = i == j ? 6 : 1;
      if (i < 4 && j >= 4) expected = share_corner(j, i) ? -4 : -6;
      if (i >= 4 && j < 4) expected = share_corner(i, j) ? -4 : -6;
      if (i >= 4 && j >= 4)
        expected = i == j                                                                               ? 32
                   : share_corner(i, edge_corners[j - 4][0]) || share_corner(i, edge_corners[j - 4][1]) ? 16
                                                                                                        : 8;
      EXPECT_NEAR(420 * mass / whole, expected, 1e-12) << i << " " << j;
    }
}

TEST(QuadraticElement, HasTheExactGradientsOfQuadraticFields) {
  const auto field = [](Vector3 p) { return 1 + p.x - 2 * p.y + p.x * p.y + 3 * p.z * p.z - p.x * p.z; };
  const auto slope = [](Vector3 p) { return Vector3{1 + p.y - p.z, -2 + p.x, 6 * p.z - p.x}; };
  const QuadraticCorners position = element_of();
  for (const QuadraturePoint& point : fourteen_points()) {
    const QuadraticGeometry geometry = quadratic_geometry(position, point.at);
    Vector3 gradient;
    for (int i = 0; i < quadratic_nodes; ++i) gradient = gradient + field(position[i]) * geometry.gradient[i];
    EXPECT_NEAR(norm(gradient - slope(point_of(position, point.at))), 0, 1e-13);
  }
}

TEST(QuadraticElement, WithCurvedEdgesHasTheGradientsOfItsCoordinates) {
  const QuadraticCorners position = element_of(0.05);
  for (const QuadraturePoint& point : fourteen_points()) {
    const QuadraticGeometry geometry = quadratic_geometry(position, point.at);
    Vector3 of_x, of_z;
    for (int i = 0; i < quadratic_nodes; ++i) {
      of_x = of_x + position[i].x * geometry.gradient[i];
      of_z = of_z + position[i].z * geometry.gradient[i];
    }
    EXPECT_NEAR(norm(of_x - Vector3{1, 0, 0}), 0, 1e-13);
    EXPECT_NEAR(norm(of_z - Vector3{0, 0, 1}), 0, 1e-13);
  }
}

// ∫ ∇u · D ∇v of u, v linear is V ∇u · D ∇v; rows sum to zero.
TEST(QuadraticElement, HasTheDiffusionOfLinearFields) {
  const Diffusivity tensor{0.7, 1.3, {0.6, 0.8, 0}};
  const QuadraticCorners position = element_of();
  const auto matrix = quadratic_diffusion(position, tensor);
  const Vector3 u{1, -2, 0.5}, v{0.3, 1, 2};
  Real energy = 0;
  for (int i = 0; i < quadratic_nodes; ++i) {
    Real row = 0;
    for (int j = 0; j < quadratic_nodes; ++j) {
      row += matrix[quadratic_place(i, j)];
      energy += dot(u, position[i]) * matrix[quadratic_place(i, j)] * dot(v, position[j]);
    }
    EXPECT_NEAR(row, 0, 1e-13);
  }
  const Real volume = tetrahedron_geometry(corners[0], corners[1], corners[2], corners[3]).volume;
  EXPECT_NEAR(energy, volume * dot(u, tensor.times(v)), 1e-13);
}

TEST(QuadraticMesh, IsTurnedWithTheNodesOfItsEdges) {
  Mesh mesh = one_element(0.05), inverted = mesh;
  std::swap(inverted.tetrahedra[0][2], inverted.tetrahedra[0][3]);
  turn_edge_nodes(inverted.edge_nodes[0]);
  EXPECT_EQ(inverted.edge_nodes[0], (EdgeNodes{4, 8, 7, 6, 5, 9}));
  const MeshReport report = check_mesh(inverted), upright = check_mesh(mesh);
  EXPECT_EQ(report.inverted_elements, 1);
  EXPECT_EQ(inverted.tetrahedra, mesh.tetrahedra);
  EXPECT_EQ(inverted.edge_nodes, mesh.edge_nodes);
  EXPECT_EQ(report.curved_elements, 1);
  EXPECT_EQ(report.volume_mm3, upright.volume_mm3);
}

TEST(QuadraticMesh, HasTheVolumeBetweenItsCurvedEdges) {
  Mesh straight = one_element(), curved = one_element();
  const Real volume = check_mesh(straight).volume_mm3;
  EXPECT_EQ(check_mesh(straight).curved_elements, 0);
  // Along an edge ab the node moves the surface by 4 λ_a λ_b: two faces by a third of their area each on average.
  const Vector3 move{0.02, -0.01, 0.03};
  curved.nodes[4] = curved.nodes[4] + move;
  const auto area = [&](int a, int b, int c) {
    return 0.5 * cross(corners[b] - corners[a], corners[c] - corners[a]);  // outwards
  };
  const Real added = dot(move, area(0, 2, 1) + area(0, 1, 3)) / 3;
  EXPECT_NEAR(check_mesh(curved).volume_mm3, volume + added, 1e-3 * std::abs(added) + 1e-14);
}

TEST(QuadraticMesh, LosesNodesThatNoElementHas) {
  Mesh mesh = one_element();
  mesh.nodes.insert(mesh.nodes.begin(), Vector3{9, 9, 9});
  for (Index& node : mesh.tetrahedra[0]) ++node;
  for (Index& node : mesh.edge_nodes[0]) ++node;
  EXPECT_EQ(check_mesh(mesh).unreferenced_nodes, 1);
  EXPECT_EQ(mesh.edge_nodes[0], (EdgeNodes{4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(mesh.nodes.size(), 10U);
}

TEST(QuadraticMesh, HasTheNodesOfItsEdgesInTheComponentsOfTheirElements) {
  const Components components = connected_components(one_element());
  ASSERT_EQ(components.all.size(), 1U);
  EXPECT_EQ(components.all[0].nodes, 10);
}

std::string refusal(const std::function<void(Mesh&)>& break_it) {
  // Two elements over the face 123: the second has the corner 10 and the nodes 11, 12 and 13.
  Mesh mesh = one_element();
  mesh.nodes.push_back({3, 3, 3});
  for (const int corner : {1, 2, 3}) mesh.nodes.push_back(0.5 * (corners[corner] + mesh.nodes[10]));
  mesh.tetrahedra.push_back({1, 2, 3, 10});
  mesh.edge_nodes.push_back({5, 9, 8, 11, 12, 13});
  mesh.element_tags = {1, 1};
  Mesh whole = mesh;
  check_mesh(whole);
  break_it(mesh);
  return input_error_of([&] { check_mesh(mesh); });
}

TEST(QuadraticMesh, IsRefusedWhereElementsDoNotFitTogether) {
  EXPECT_EQ(refusal([](Mesh& mesh) {
              mesh.nodes.push_back(mesh.nodes[5]);
              mesh.edge_nodes[1][0] = 14;
            }),
            "the edge between nodes 1 and 2 has node 5 in one element and node 14 in another");
  EXPECT_EQ(refusal([](Mesh& mesh) { mesh.edge_nodes[0][0] = 11; }),
            "element 1 has node 11 on the edge between nodes 1 and 10, another element on that between 0 and 1");
  EXPECT_EQ(refusal([](Mesh& mesh) { mesh.edge_nodes[0][0] = 10; }),
            "element 0 has node 10 on the edge between nodes 0 and 1, but it is a corner of another element: expected "
            "elements that meet corner to corner");
  EXPECT_EQ(refusal([](Mesh& mesh) { mesh.edge_nodes[1][5] = 99; }), "element 1 refers to node 99: expected 0 to 13");
  EXPECT_EQ(refusal([](Mesh& mesh) { mesh.edge_nodes[1][5] = 10; }), "element 1 has node 10 twice");
  EXPECT_EQ(refusal([](Mesh& mesh) { mesh.edge_nodes.pop_back(); }),
            "the mesh has 1 sets of edge nodes for 2 tetrahedra");
  EXPECT_EQ(refusal([](Mesh& mesh) {
              mesh.triangles = {{0, 1, 2}};
              mesh.triangle_tags = {1};
              mesh.triangle_edge_nodes = {{4, 6, 5}};
            }),
            "triangle 0 has node 6 on the edge between nodes 1 and 2, the elements node 5");
}

TEST(QuadraticMesh, IsRefusedWhereAnElementIsFolded) {
  const std::string message = refusal([](Mesh& mesh) { mesh.nodes[4] = mesh.nodes[4] + Vector3{0, 3, 3}; });
  EXPECT_NE(message.find("element 0 (corners 0, 1, 2, 3) is folded by its curved edges: det ∂x/∂λ is -"),
            std::string::npos)
      << message;
}

}  // namespace
}  // namespace cardiowarp
