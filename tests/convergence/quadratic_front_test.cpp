// The speed of a front in a cable of quadratic tetrahedra beside linear ones, against the exact one.
// docs/verification/collect.py reads the RESULT lines.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <stdexcept>
#include <utility>
#include <vector>

#include "app/advice/resolution.hpp"
#include "app/config/config_names.hpp"
#include "meshes/generate.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

/// The error of the speed of a front, of D = 0.5 mm²/ms and without recovery, in a cable of 36 mm that is one cell
/// thick. The front is 1.27 mm thick.
Real speed_error(int order, Real edge_mm, Quadrature quadrature) {
  constexpr Real D = 0.5, step_ms = 0.1;
  const AlievPanfilov cell{.gamma = 0, .mu1 = 0};
  Mesh mesh = slab_mesh({36, edge_mm, edge_mm}, edge_mm, true);
  if (order == 2) mesh = quadratic_mesh(std::move(mesh));
  Problem problem = resting_problem(mesh, D, 0, cell);
  problem.quadrature = quadrature;
  problem.time.scheme = TimeScheme::sdirk2;
  problem.newton.tolerance = 1e-8;
  problem.linear_solver.relative_tolerance = 1e-10;
  const Real ms_per_tau = AlievPanfilov::scaling.ms_per_tau;
  const Real thickness = std::sqrt(2 * ms_per_tau * D / cell.c);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    problem.phi[i] = 0.5 * (1 - std::tanh((mesh.nodes[i].x - 7) / (2 * thickness)));
  const Real exact = (1 - 2 * cell.alpha) * std::sqrt(cell.c * D / (2 * ms_per_tau));
  const auto simulation = make_cpu_simulation(problem);
  const std::clock_t start = std::clock();
  for (int step = 1; step * step_ms <= 25 / exact; ++step)
    if (simulation->step_to(step * step_ms).failure) ADD_FAILURE() << "step " << step;
  const Real seconds = static_cast<Real>(std::clock() - start) / CLOCKS_PER_SEC;
  std::vector<Real> activation(mesh.nodes.size());
  simulation->activation_time_ms(activation);
  const auto arrival = [&](Real x) {
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
      if (norm(mesh.nodes[i] - Vector3{x, 0, 0}) < 1e-9) return activation[i];
    throw std::logic_error("no node there");
  };
  const Real error = 12 / (arrival(27) - arrival(15)) / exact - 1;
  std::printf(
      "RESULT cable order=%d quadrature=%s edge_mm=%g nodes=%zu elements=%zu speed_error_percent=%.4f "
      "processor_seconds=%.3f\n",
      order, name_of(quadrature, quadrature_names).c_str(), edge_mm, mesh.nodes.size(), mesh.tetrahedra.size(),
      100 * error, seconds);
  return error;
}

TEST(QuadraticTetrahedra, MakeTheErrorOfAFrontsSpeedFallWithTheFourthPowerOfTheEdge) {
  std::vector<Real> errors;
  for (const Real edge_mm : {3.0, 1.5, 0.75}) errors.push_back(speed_error(2, edge_mm, Quadrature::fourteen_points));
  // What is left with short edges is of the steps and of the way in which the speed is measured.
  EXPECT_GT(std::log2(std::fabs((errors[0] - errors[1]) / (errors[1] - errors[2]))), 3);
  EXPECT_LT(std::fabs(errors[1]), 1e-3);
  const Front front = AlievPanfilov{.gamma = 0, .mu1 = 0}.front();
  const Real square = 10.0 / 6 * 9 / (front.thickness_square * AlievPanfilov::scaling.diffusivity(0.5));
  EXPECT_NEAR(errors[0] / speed_error_of_mesh(Quadrature::fourteen_points, nullptr, square), 1, 0.15);
}

TEST(QuadraticTetrahedra, MakeASmallerErrorOfAFrontsSpeedThanLinearOnesWithNodesAsNear) {
  const Real quadratic = std::fabs(speed_error(2, 1.5, Quadrature::fourteen_points));
  for (const Quadrature rule : {Quadrature::vertices, Quadrature::centroid})
    EXPECT_LT(5 * quadratic, std::fabs(speed_error(1, 0.75, rule))) << name_of(rule, quadrature_names);
}

}  // namespace
}  // namespace cardiowarp
