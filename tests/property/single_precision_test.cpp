// Linear solves in single precision: against those in double, at the ends of its range, and in runs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/bench/matrix.hpp"
#include "tests/support/cpu_system.hpp"
#include "tests/support/precision_run.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 61;
constexpr Real single_epsilon = std::numeric_limits<float>::epsilon();
using Values = std::vector<Real>;

/// The ways of a CPU through a solve in single precision.
std::vector<SolverPlan> plans_in_single(const CpuSystem& system) {
  std::vector<SolverPlan> plans(2);
  plans[1].parts = system.parts();
  for (SolverPlan& plan : plans) plan.precision = SolverPrecision::single;
  return plans;
}

TEST(SinglePrecision, SolvesToWhatItHoldsWithTheIterationsOfDouble) {
  for (const Index rows : {1, 31, 32, 33, 97, 3000}) {
    const RandomSymmetric given(rows, 13, seed);
    CpuSystem system(given);
    for (SolverPlan plan : plans_in_single(system))
      for (const Real tolerance : {1e-2, 1e-4, 1e-6}) {
        SCOPED_TRACE(std::to_string(rows) + " rows, to " + std::to_string(tolerance));
        plan.precision = SolverPrecision::single;
        const CgReport single = system.solve(plan, {tolerance, 500});
        const Values x = system.x();
        EXPECT_EQ(single.status, CgStatus::converged);
        EXPECT_LE(single.residual_norm, tolerance * single.rhs_norm);
        EXPECT_LE(system.true_residual(1), tolerance + 5e-7);
        plan.precision = SolverPrecision::double_precision;
        const CgReport in_double = system.solve(plan, {tolerance, 500});
        EXPECT_NEAR(single.rhs_norm, in_double.rhs_norm, single_epsilon * in_double.rhs_norm);
        EXPECT_NEAR(single.iterations, in_double.iterations, 1);
        if (rows > 1) {
          EXPECT_NE(x, system.x());
        }
      }
  }
}

TEST(SinglePrecision, EndsAtWhatItHoldsWhereMoreIsAskedFor) {
  const RandomSymmetric given(3000, 13, seed);
  CpuSystem system(given);
  for (const SolverPlan& plan : plans_in_single(system)) {
    const CgReport held = system.solve(plan, {smallest_target_in_single, 500}),
                   asked = system.solve(plan, {1e-14, 500});
    EXPECT_EQ(asked.status, CgStatus::converged);
    EXPECT_EQ(asked.iterations, held.iterations);
    EXPECT_LE(system.true_residual(1), 1e-6);
  }
}

TEST(SinglePrecision, ScalesARightHandSideThatIsTooSmallOrTooLargeForIt) {
  const RandomSymmetric given(97, 13, seed);
  CpuSystem system(given);
  for (const SolverPlan& plan : plans_in_single(system)) {
    const CgReport first = system.solve(plan, {1e-6, 500});
    const Values x = system.x();
    for (const Real scale : {0x1p-1000, 0x1p-300, 0x1p300, 0x1p1000}) {  // single precision has 2^-149 to 2^128
      const CgReport scaled = system.solve(plan, {1e-6, 500}, scale);
      EXPECT_EQ(scaled.status, CgStatus::converged);
      EXPECT_EQ(scaled.iterations, first.iterations);
      EXPECT_EQ(scaled.rhs_norm, scale * first.rhs_norm);
      EXPECT_EQ(scaled.residual_norm, scale * first.residual_norm);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(system.x()[i], scale * x[i]);
    }
    EXPECT_LE(system.solve(plan, {1e-6, 500}, 3e-310).iterations, first.iterations + 1);  // not a normal number
    const CgReport zero = system.solve(plan, {1e-6, 500}, 0);
    EXPECT_EQ(zero.status, CgStatus::converged);
    EXPECT_EQ(zero.iterations, 0);
    EXPECT_EQ(system.x(), Values(97));
  }
}

TEST(SinglePrecision, StopsAtTheForcingTermOfTheGivenSystem) {
  const RandomSymmetric given(3000, 13, seed);
  CpuSystem system(given);
  constexpr Real scale = 0x1p-40;
  const Real norm = system.solve(plans_in_single(system)[0], {1e-6, 500}, scale).rhs_norm;
  for (SolverPlan plan : plans_in_single(system))
    for (const Forcing& forcing : {Forcing{.largest = 1e-2, .previous_norm = 0, .enough = 0},
                                   Forcing{.largest = 1e-2, .previous_norm = 20 * norm, .enough = 0},
                                   Forcing{.largest = 1e-2, .previous_norm = 1e3 * norm, .enough = 1e-5 * norm}}) {
      const CgReport single = system.solve(plan, {1e-10, 500}, scale, &forcing);
      plan.precision = SolverPrecision::double_precision;
      const CgReport in_double = system.solve(plan, {1e-10, 500}, scale, &forcing);
      plan.precision = SolverPrecision::single;
      EXPECT_EQ(single.status, CgStatus::converged);
      EXPECT_EQ(single.iterations, in_double.iterations);
      EXPECT_LE(single.residual_norm, forcing(norm) * norm * (1 + 1e-6));
    }
}

TEST(SinglePrecision, SaysWhyItFailed) {
  const RandomSymmetric given(97, 13, seed);
  CpuSystem system(given);
  const Values exact = system.value();
  for (const SolverPlan& plan : plans_in_single(system)) {
    for (const Real factor : {1e39, std::numeric_limits<Real>::quiet_NaN()}) {
      system.value() = exact;
      for (Real& number : system.value()) number *= factor;
      EXPECT_EQ(system.solve(plan, {1e-6, 500}).status, CgStatus::not_finite);
    }
    system.value() = exact;
    for (const Real scale : {std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::quiet_NaN()})
      EXPECT_EQ(system.solve(plan, {1e-6, 500}, scale).status, CgStatus::not_finite);
    EXPECT_EQ(system.solve(plan, {1e-6, 1}).status, CgStatus::iteration_limit);
    for (Real& number : system.value()) number *= -1;
    EXPECT_EQ(system.solve(plan, {1e-6, 500}).status, CgStatus::not_positive_definite);
  }
  SolverPlan plan = plans_in_single(system)[0];
  plan.preconditioner = PolynomialOptions{};
  EXPECT_THROW(system.solve(plan, {1e-6, 500}), std::logic_error);
}

TEST(SinglePrecision, TakesTheNewtonIterationsOfDoubleToTheSamePotentials) {
  const Mesh mesh = random_mesh({8, 4, 4}, 0.5, seed);
  const auto with = [&](Quadrature quadrature, SolverPath path, SolverPrecision precision) {
    return front(mesh, [&](Problem& problem) {
      problem.quadrature = quadrature;
      problem.path = path;
      problem.precision = precision;
    });
  };
  for (const Quadrature quadrature : {Quadrature::vertices, Quadrature::centroid})
    for (const SolverPath path : {SolverPath::plain, SolverPath::in_parts}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(quadrature)) + ", " + std::string(name_of(path)));
      const History in_double = with(quadrature, path, SolverPrecision::double_precision),
                    single = with(quadrature, path, SolverPrecision::single);
      EXPECT_EQ(single.newton_iterations, in_double.newton_iterations);
      const Real difference = largest_difference(single, in_double);
      EXPECT_GT(difference, 0);
      EXPECT_LE(difference, 1e-6);  // newton.tolerance 1e-8 in mV
    }
}

/// How far the entries of one matrix are from those of another of the same pattern: the mean distance by the mean size,
/// and the largest distance by the entry's own size.
struct EntryErrors {
  Real mean = 0, largest = 0;
};

EntryErrors entry_errors(const Values& approximate, const Values& exact) {
  Real distances = 0, sizes = 0;
  EntryErrors errors;
  for (std::size_t e = 0; e < exact.size(); ++e) {
    const Real distance = std::fabs(approximate[e] - exact[e]);
    distances += distance;
    sizes += std::fabs(exact[e]);
    errors.largest = std::max(errors.largest, distance / std::fabs(exact[e]));
  }
  errors.mean = distances / sizes;
  return errors;
}

/// Cecka, Lew, Darve (2011, Tables VI and VII) assemble in single precision: the error of their entries doubles with
/// each refinement, as that of the coordinates does against the edges. Here entries are computed in double precision
/// and stored in single.
TEST(SinglePrecision, StoresEntriesWithAnErrorThatDoesNotGrowOnFinerMeshesAsThatOfRoundedCoordinatesDoes) {
  std::vector<Real> of_coordinates;
  for (const Real edge_mm : {2.0, 1.0, 0.5}) {
    Mesh mesh = random_mesh({8, 8, 8}, edge_mm, seed);
    for (Vector3& node : mesh.nodes) node = node + Vector3{60.3, -40.7, 80.1};
    Mesh rounded = mesh;
    for (Vector3& node : rounded.nodes)
      node = {static_cast<float>(node.x), static_cast<float>(node.y), static_cast<float>(node.z)};
    const Values exact = mesh_matrix("box", mesh).value;
    const std::vector<float> single(exact.begin(), exact.end());
    const EntryErrors stored = entry_errors(Values(single.begin(), single.end()), exact);
    EXPECT_LE(stored.largest, 0x1p-24);  // 6.0e-8
    EXPECT_GT(stored.mean, 1.5e-8);
    EXPECT_LT(stored.mean, 3.5e-8);
    of_coordinates.push_back(entry_errors(mesh_matrix("box", rounded).value, exact).mean);
  }
  EXPECT_GT(of_coordinates[0], 1e-7);
  for (std::size_t k = 1; k < of_coordinates.size(); ++k) EXPECT_GT(of_coordinates[k], 1.6 * of_coordinates[k - 1]);
}

}  // namespace
}  // namespace cardiowarp
