// Quadratic tetrahedra: the order of their error in space, with straight and with curved edges.
// docs/verification/collect.py reads the RESULT lines.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "app/simulation/backward_euler.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "meshes/generate.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

using std::numbers::pi;

const AlievPanfilov no_recovery{.gamma = 0, .mu1 = 0};
constexpr Real isotropic = 0.05, anisotropic = 0.1;  // mm²/ms, fibers along x

/// The unit cube of so many cells an edge. With `bend` its nodes are moved inside the cube and along its faces, which
/// curves the edges.
Mesh cube(int cells, Real bend) {
  Mesh mesh = quadratic_mesh(slab_mesh({1, 1, 1}, 1.0 / cells, true));
  for (Vector3& p : mesh.nodes)
    p = p + bend * Vector3{std::sin(pi * p.x) * std::cos(pi * p.y), std::sin(pi * p.y) * std::cos(pi * p.z),
                           std::sin(pi * p.z) * std::cos(pi * p.x)};
  mesh.fibers.assign(mesh.tetrahedra.size(), {1, 0, 0});
  const MeshReport report = check_mesh(mesh);
  EXPECT_EQ(report.curved_elements > 0, bend > 0);
  EXPECT_NEAR(report.volume_mm3, 1, bend > 0 ? 0.01 : 1e-12);
  return mesh;
}

Real shape(Vector3 x) { return std::cos(pi * x.x) * std::cos(pi * x.y) * std::cos(pi * x.z); }

/// Root of the mean squared error of φ = 0.4 + (0.2 + τ) cos cos cos, in which backward Euler makes no error in time.
Real l2_error(const Mesh& mesh) {
  constexpr Real end = 0.2;
  constexpr int steps = 4;
  Problem problem = resting_problem(mesh, isotropic, anisotropic, no_recovery);
  problem.quadrature = Quadrature::fourteen_points;
  const auto exact = [](Vector3 x, Real tau) { return 0.4 + (0.2 + tau) * shape(x); };
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) problem.phi[i] = exact(mesh.nodes[i], 0);
  CpuBackend backend;
  const SimulationPlan plan = plan_as_numbered(problem);
  BackwardEuler<CpuBackend> equation(backend, plan);
  std::vector<Real> source(mesh.nodes.size());
  const Real decay = pi * pi * AlievPanfilov::scaling.diffusivity(3 * isotropic + anisotropic);
  for (int step = 1; step <= steps; ++step) {
    const Real tau = end * step / steps;
    for (std::size_t i = 0; i < source.size(); ++i) {
      const Real recovery = 0;
      source[i] =
          shape(mesh.nodes[i]) * (1 + decay * (0.2 + tau)) - no_recovery.rates(exact(mesh.nodes[i], tau), &recovery).f;
    }
    EXPECT_TRUE(equation.advance(end / steps, source.data()).converged());
  }
  Real sum = 0, volume = 0;
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    const QuadraticCorners position = positions_of(mesh, element);
    const QuadraticNodes nodes = nodes_of(mesh, element);
    for (const QuadraturePoint& point : fourteen_points()) {
      const auto shapes = quadratic_shapes(point.at);
      Real phi = 0;
      Vector3 x;
      for (int i = 0; i < quadratic_nodes; ++i) {
        phi += shapes[i] * equation.phi()[nodes[i]];
        x = x + shapes[i] * position[i];
      }
      const Real here = point.share * quadratic_geometry(position, point.at).determinant / 6;
      sum += here * std::pow(phi - exact(x, end), 2);
      volume += here;
    }
  }
  return std::sqrt(sum / volume);
}

void expect_order_three(Real bend) {
  std::vector<Real> errors;
  for (const int cells : {2, 4, 8}) {
    errors.push_back(l2_error(cube(cells, bend)));
    std::printf("RESULT quadratic_space_order bend=%g edge_mm=%g l2_error=%.6e\n", bend, 1.0 / cells, errors.back());
  }
  EXPECT_GT(errors.back(), 1e-7);
  EXPECT_LT(errors.back(), 1e-3);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 3, 0.25);
}

TEST(QuadraticTetrahedra, ConvergeWithOrderThreeInSpace) { expect_order_three(0); }

TEST(QuadraticTetrahedra, WithCurvedEdgesConvergeWithOrderThreeInSpace) { expect_order_three(0.08); }

}  // namespace
}  // namespace cardiowarp
