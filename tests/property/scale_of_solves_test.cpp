// Linear solves of right-hand sides from the smallest to the largest numbers, whose squares vanish or overflow, on each
// path and with each preconditioner of a CPU: x is that of a right-hand side near 1, times its scale, to the last bit.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config_names.hpp"
#include "app/simulation/choose_solver.hpp"
#include "solver/cg/power_of_two.hpp"
#include "tests/support/cpu_system.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 71;

using NamedPlans = std::vector<std::pair<std::string, SolverPlan>>;

/// Every way of a CPU through a solve but its precision.
NamedPlans plans_in_double(const CpuSystem& system, const RandomSymmetric& given) {
  NamedPlans plans{{"jacobi", {}}, {"jacobi in_parts", {}}, {"block_jacobi", {}}, {"ssor", {}}, {"eisenstat", {}}};
  plans[1].second.parts = system.parts();
  plans[2].second.preconditioner = BlockJacobiPlan{};
  for (const auto& [k, kind] : {std::pair{3, SsorKind::sweeps}, std::pair{4, SsorKind::eisenstat}})
    plans[k].second.preconditioner = ssor_plan(kind, {given.row_begin, given.column}, system.slot_of_entry());
  for (const auto& [name, kind] : polynomial_kinds)
    for (const PolynomialPrecision inside : {PolynomialPrecision::double_precision, PolynomialPrecision::single})
      for (const bool in_parts : {false, true}) {
        SolverPlan plan;
        plan.preconditioner = PolynomialOptions{kind, 3, inside};
        if (in_parts) plan.parts = system.parts();
        plans.emplace_back(std::string(name) + (inside == PolynomialPrecision::single ? " in single" : "") +
                               (in_parts ? " in_parts" : ""),
                           plan);
      }
  return plans;
}

/// [plan] all of them in each precision that they have.
NamedPlans all_plans(const CpuSystem& system, const RandomSymmetric& given) {
  NamedPlans all;
  for (const auto& [name, plan] : plans_in_double(system, given))
    for (const SolverPrecision precision :
         {SolverPrecision::double_precision, SolverPrecision::mixed, SolverPrecision::single}) {
      if (precision == SolverPrecision::single && !plan.has_jacobi()) continue;
      all.emplace_back(name + " " + std::to_string(static_cast<int>(precision)), plan);
      all.back().second.precision = precision;
    }
  return all;
}

TEST(ScaleOfSolves, LeavesNoTraceInTheSolutionOverSixHundredDecades) {
  for (const Index rows : {1, 33, 97}) {
    const RandomSymmetric given(rows, 13, seed);
    CpuSystem system(given);
    for (const auto& [name, plan] : all_plans(system, given)) {
      SCOPED_TRACE(name + ", " + std::to_string(rows) + " rows");
      const CgReport first = system.solve(plan, {1e-6, 500});
      const std::vector<Real> x = system.x();
      ASSERT_EQ(first.status, CgStatus::converged);
      for (int exponent = -990; exponent <= 990; exponent += 55) {
        const Real scale = std::ldexp(1.0, exponent);
        const CgReport report = system.solve(plan, {1e-6, 500}, scale);
        ASSERT_EQ(report.status, CgStatus::converged) << "2^" << exponent;
        ASSERT_EQ(report.iterations, first.iterations) << "2^" << exponent;
        ASSERT_EQ(report.rhs_norm, scale * first.rhs_norm) << "2^" << exponent;
        ASSERT_EQ(report.residual_norm, scale * first.residual_norm) << "2^" << exponent;
        for (Index row = 0; row < rows; ++row) ASSERT_EQ(system.x()[row], scale * x[row]) << "2^" << exponent;
      }
    }
  }
}

TEST(ScaleOfSolves, LetsTheForcingTermBeThatOfTheGivenSystem) {
  const RandomSymmetric given(97, 13, seed);
  CpuSystem system(given);
  for (const auto& [name, plan] : all_plans(system, given))
    for (const int exponent : {-990, -531, 531, 990}) {
      SCOPED_TRACE(name + ", 2^" + std::to_string(exponent));
      const Real scale = std::ldexp(1.0, exponent), norm = system.solve(plan, {1e-6, 500}).rhs_norm;
      const Forcing near_one{.largest = 1e-1, .previous_norm = 20 * norm, .enough = 1e-4 * norm};
      const Forcing scaled = near_one.scaled(scale);
      const CgReport first = system.solve(plan, {1e-12, 500}, 1, &near_one);
      EXPECT_EQ(system.solve(plan, {1e-12, 500}, scale, &scaled).iterations, first.iterations);
      EXPECT_LT(first.iterations, system.solve(plan, {1e-6, 500}).iterations);
    }
}

TEST(ScaleOfSolves, FindsNothingToDoForZeroAndNoSolutionForWhatIsNoNumber) {
  const RandomSymmetric given(33, 13, seed);
  CpuSystem system(given);
  for (const auto& [name, plan] : all_plans(system, given)) {
    SCOPED_TRACE(name);
    const CgReport zero = system.solve(plan, {1e-6, 500}, 0);
    EXPECT_EQ(zero.status, CgStatus::converged);
    EXPECT_EQ(zero.iterations, 0);
    EXPECT_EQ(zero.rhs_norm, 0);
    EXPECT_EQ(system.x(), std::vector<Real>(33));
    for (const Real bad : {std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::quiet_NaN()})
      EXPECT_EQ(system.solve(plan, {1e-6, 500}, bad).status, CgStatus::not_finite);
    const CgReport subnormal = system.solve(plan, {1e-6, 500}, 0x1p-1035);  // some 38 bits a number
    EXPECT_EQ(subnormal.status, CgStatus::converged);
    EXPECT_GT(subnormal.iterations, 0);
  }
}

/// The last potential of tissue whose potential differs from rest by `amplitude` or less, after 20 steps of 0.5 ms.
template <class Cell>
std::vector<Real> after_a_pause(const Mesh& mesh, TimeScheme scheme, Quadrature quadrature, Real amplitude) {
  Problem problem = resting_problem<Cell>(mesh, 0.1, 0);
  problem.newton = {};
  problem.linear_solver = {1e-6, 500};
  problem.time.scheme = scheme;
  problem.quadrature = quadrature;
  for (std::size_t i = 0; i < problem.phi.size(); ++i)
    problem.phi[i] = amplitude * (static_cast<Real>(i * 7919 % 101) / 101 - 0.5);
  const auto simulation = make_cpu_simulation(problem);
  for (int step = 1; step <= 20; ++step) {
    const StepReport report = simulation->step_to(0.5 * step);
    EXPECT_FALSE(report.failure) << report.failure->reason;
  }
  std::vector<Real> potential(mesh.nodes.size());
  simulation->potential_mv(potential);
  return potential;
}

TEST(LongPause, OfTissueWhoseResidualHasDecayedToNothingEndsNoRun) {
  const Mesh mesh = random_mesh({5, 3, 2}, 0.5, 8);
  for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices, Quadrature::vertices_and_centroid})
    for (const TimeScheme scheme :
         {TimeScheme::backward_euler, TimeScheme::sdirk2, TimeScheme::trbdf2, TimeScheme::bdf2})
      for (const Real amplitude : {1e-100, 1e-150, 1e-158, 1e-162, 1e-200, 1e-300, 1e-315}) {
        SCOPED_TRACE(std::to_string(static_cast<int>(scheme)) + ", " + std::to_string(std::log10(amplitude)));
        for (const Real value : after_a_pause<MitchellSchaeffer>(mesh, scheme, quadrature, amplitude))
          ASSERT_NEAR(value, MitchellSchaeffer::scaling.mv_from_phi(0), 1e-12);
        for (const Real value : after_a_pause<AlievPanfilov>(mesh, scheme, quadrature, amplitude))
          ASSERT_NEAR(value, AlievPanfilov::scaling.mv_from_phi(0), 1e-12);
      }
}

TEST(ScaleForSquares, IsAPowerOfTwoThatBringsSquaresToWhereTheyHaveAllDigits) {
  for (int exponent = -1074; exponent <= 1023; ++exponent)
    for (const int entries : {0, 31}) {  // 2^entries of them, all as large
      const Real entry = std::ldexp(1.0, exponent), number = std::ldexp(1.0, entries);
      const Real scale = scale_for_squares(number * (entry * entry)), scaled = scale * entry;
      int of_scale = 0;
      EXPECT_EQ(std::frexp(scale, &of_scale), 0.5);
      EXPECT_GT(scaled * scaled, 1e-200) << exponent;
      EXPECT_LT(number * (scaled * scaled), 1e300) << exponent;
      if (exponent > -150 && exponent < 150) {
        EXPECT_EQ(scale, 1) << exponent;
      }
    }
  EXPECT_EQ(scale_for_squares(std::numeric_limits<Real>::quiet_NaN()), 1);
}

}  // namespace
}  // namespace cardiowarp
