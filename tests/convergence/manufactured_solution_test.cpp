// Manufactured solutions: a chosen φ(x, τ), the source that makes it solve the equation, and the error of what the
// program computes. Recovery is off (γ = μ1 = 0, r = 0), so f = c φ (φ − α)(1 − φ).
// docs/verification/collect.py reads the RESULT lines.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>
#include <vector>

#include "app/simulation/backward_euler.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

const AlievPanfilov no_recovery{.gamma = 0, .mu1 = 0};
constexpr Real isotropic = 0.05, anisotropic = 0.1;  // mm²/ms, fibers along x

struct Solution {
  std::function<Real(Vector3, Real)> phi, time_derivative, diffusion;  // of (x, τ); diffusion = div(D̃∇φ)
};

/// Root of the mean squared error at the end, by one-point quadrature at the centroids.
Real l2_error(const Mesh& mesh, const Solution& exact, Real end, int steps) {
  Problem problem = resting_problem(mesh, isotropic, anisotropic, no_recovery);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) problem.phi[i] = exact.phi(mesh.nodes[i], 0);
  CpuBackend backend;
  const SimulationPlan plan = plan_as_numbered(problem);
  BackwardEuler<CpuBackend> equation(backend, plan);
  std::vector<Real> source(mesh.nodes.size());
  for (int step = 1; step <= steps; ++step) {
    const Real tau = end * step / steps;
    for (std::size_t i = 0; i < source.size(); ++i) {
      const Real phi = exact.phi(mesh.nodes[i], tau), recovery = 0;
      source[i] = exact.time_derivative(mesh.nodes[i], tau) - exact.diffusion(mesh.nodes[i], tau) -
                  no_recovery.rates(phi, &recovery).f;
    }
    EXPECT_TRUE(equation.advance(end / steps, source.data()).converged());
  }
  Real sum = 0, volume = 0;
  for (const Tetrahedron& node : mesh.tetrahedra) {
    const Real element_volume =
        tetrahedron_geometry(mesh.nodes[node[0]], mesh.nodes[node[1]], mesh.nodes[node[2]], mesh.nodes[node[3]]).volume;
    Vector3 centroid;
    Real phi = 0;
    for (const Index i : node) {
      centroid = centroid + 0.25 * mesh.nodes[i];
      phi += equation.phi()[i] / 4;
    }
    sum += element_volume * std::pow(phi - exact.phi(centroid, end), 2);
    volume += element_volume;
  }
  return std::sqrt(sum / volume);
}

/// Cosines have no flux through the faces of the unit cube. Linear in τ, backward Euler has no error: what is left is
/// the error in space.
TEST(ManufacturedSolution, ConvergesWithOrderTwoInSpace) {
  using std::numbers::pi;
  const auto shape = [](Vector3 x) { return std::cos(pi * x.x) * std::cos(pi * x.y) * std::cos(pi * x.z); };
  const Solution exact{
      [&](Vector3 x, Real tau) { return 0.4 + (0.2 + tau) * shape(x); }, [&](Vector3 x, Real) { return shape(x); },
      [&](Vector3 x, Real tau) {
        return -pi * pi * AlievPanfilov::scaling.diffusivity(3 * isotropic + anisotropic) * (0.2 + tau) * shape(x);
      }};
  std::vector<Real> errors;
  for (const int cells : {8, 16, 32}) {
    Mesh mesh = slab_mesh({1, 1, 1}, 1.0 / cells, true);
    mesh.fibers.assign(mesh.tetrahedra.size(), {1, 0, 0});
    errors.push_back(l2_error(mesh, exact, 0.2, 4));
    std::printf("RESULT space_order edge_mm=%g l2_error=%.6e\n", 1.0 / cells, errors.back());
  }
  EXPECT_GT(errors.back(), 1e-6);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.15);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.05);
}

/// Uniform in space, P1 elements have no error: what is left is the error in time.
TEST(ManufacturedSolution, ConvergesWithOrderOneInTime) {
  const Solution exact{[](Vector3, Real tau) { return 0.4 + 0.3 * std::sin(2 * tau); },
                       [](Vector3, Real tau) { return 0.6 * std::cos(2 * tau); }, [](Vector3, Real) { return 0.0; }};
  const Mesh mesh = slab_mesh({1, 1, 1}, 0.5, true);
  std::vector<Real> errors;
  constexpr Real end = 1.5;
  for (const int steps : {160, 320, 640}) {
    errors.push_back(l2_error(mesh, exact, end, steps));
    std::printf("RESULT time_order step_ms=%.6f l2_error=%.6e\n", end / steps * AlievPanfilov::scaling.ms_per_tau,
                errors.back());
  }
  EXPECT_GT(errors.back(), 1e-6);
  for (std::size_t k = 1; k < errors.size(); ++k) EXPECT_NEAR(std::log2(errors[k - 1] / errors[k]), 1, 0.06);
}

/// |R| of successive Newton iterations: each at most a constant times the square of the one before.
TEST(Newton, ConvergesQuadraticallyInAFront) {
  const Mesh mesh = random_mesh({6, 2, 2}, 0.5, 3);
  Problem problem = resting_problem(mesh, 0.2, 0.2);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    problem.phi[i] = 0.5 * (1 - std::tanh(mesh.nodes[i].x - 3));
  }
  // of the last iteration of each attempt, which has one more than that before
  std::vector<Real> norms;
  bool converged = false;
  for (problem.newton.max_iterations = 1; !converged; ++problem.newton.max_iterations) {
    ASSERT_LE(problem.newton.max_iterations, 20);
    CpuBackend backend;
    const SimulationPlan plan = plan_as_numbered(problem);
    BackwardEuler<CpuBackend> equation(backend, plan);
    const std::vector<Real> source(mesh.nodes.size(), 0.0);
    const NewtonReport report =
        equation.attempt(AlievPanfilov::scaling.tau_from_ms(4), source.data());  // a long step: several iterations
    converged = report.converged();
    std::printf("RESULT newton iteration=%d residual_norm=%.3e max_update=%.3e cg_iterations=%d\n",
                report.iterations - 1, report.linear.rhs_norm, report.max_update, report.linear.iterations);
    if (report.linear.rhs_norm > 1e-11) norms.push_back(report.linear.rhs_norm);  // above rounding
  }
  ASSERT_GE(problem.newton.max_iterations, 5);  // one more than were needed
  // order from the last three
  ASSERT_GE(norms.size(), 3u);
  const std::size_t last = norms.size() - 1;
  const Real order = std::log(norms[last] / norms[last - 1]) / std::log(norms[last - 1] / norms[last - 2]);
  std::printf("RESULT newton_order order=%.3f\n", order);
  EXPECT_GT(order, 1.7);
}

}  // namespace
}  // namespace cardiowarp
