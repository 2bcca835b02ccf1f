// The schemes of order 2 in time: their order on manufactured solutions, on one cell and on a front, and the limit they
// have in common with backward Euler. docs/verification/collect.py reads the RESULT lines.

#include "app/simulation/second_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "app/config/time_config.hpp"
#include "app/simulation/time_stepper.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "meshes/generate.hpp"
#include "tests/support/cable_wave.hpp"
#include "tests/support/second_order_schemes.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

using test::name_of_scheme;

class OrderTwo : public testing::TestWithParam<TimeScheme> {};
INSTANTIATE_TEST_SUITE_P(Schemes, OrderTwo, test::second_order_schemes(), test::name_of_scheme_in_test);
class OrderTwoWithASource : public testing::TestWithParam<TimeScheme> {};
INSTANTIATE_TEST_SUITE_P(Schemes, OrderTwoWithASource, test::implicit_schemes_of_order_two(),
                         test::name_of_scheme_in_test);

/// φ = 0.4 + 0.3 sin(2 τ) everywhere, without recovery; the largest error at the end.
Real error_of_steps(TimeScheme scheme, int steps) {
  constexpr Real last = 1.5;
  const AlievPanfilov cell{.gamma = 0, .mu1 = 0};
  const auto exact = [](Real tau) { return 0.4 + 0.3 * std::sin(2 * tau); };
  const auto f = [&](Real phi) {
    const Real no_recovery = 0;
    return cell.rates(phi, &no_recovery).f;
  };
  const auto source = [&](Real tau) { return 0.6 * std::cos(2 * tau) - f(exact(tau)); };
  const Mesh mesh = slab_mesh({1, 1, 1}, 0.5, true);
  Problem problem = resting_problem(mesh, 0.1, 0, cell);
  problem.time.scheme = scheme;
  std::fill(problem.phi.begin(), problem.phi.end(), exact(0));
  CpuBackend backend;
  const SimulationPlan plan = plan_as_numbered(problem);
  SecondOrder<CpuBackend> equation(backend, plan);
  const Real h = last / steps;
  for (int step = 0; step < steps; ++step) {
    const StepFormula formula = step > 0 && scheme == TimeScheme::trbdf2 ? step_formula::trbdf2 : step_formula::sdirk2;
    const std::vector<Real> begin(mesh.nodes.size(), source(h * step)),
        first(mesh.nodes.size(), source(h * (step + formula.first_at))), end(mesh.nodes.size(), source(h * (step + 1)));
    EXPECT_TRUE(equation.attempt(h, {begin.data(), first.data(), end.data()}).converged());
    equation.accept();
  }
  Real largest = 0;
  for (Index i = 0; i < equation.nodes(); ++i) largest = std::max(largest, std::fabs(equation.phi()[i] - exact(last)));
  return largest;
}

TEST_P(OrderTwoWithASource, IsTwoOnAManufacturedSolution) {
  std::vector<Real> errors;
  for (const int steps : {80, 160, 320}) {
    errors.push_back(error_of_steps(GetParam(), steps));
    std::printf("RESULT second_order_time scheme=%s step_ms=%.6f error=%.6e\n", name_of_scheme(GetParam()).c_str(),
                1.5 / steps * AlievPanfilov::scaling.ms_per_tau, errors.back());
  }
  EXPECT_GT(errors.back(), 1e-8);
  for (std::size_t k = 1; k < errors.size(); ++k) EXPECT_NEAR(std::log2(errors[k - 1] / errors[k]), 2, 0.1);
}

/// φ after a time τ in which φ' = c φ (φ − α)(1 − φ), from `first` in (α, 1): τ as a function of φ, by partial
/// fractions, is turned around by bisection.
Real cubic_reaction(const AlievPanfilov& cell, Real first, Real tau) {
  const auto time = [&](Real phi) {
    const Real alpha = cell.alpha;
    return (-std::log(phi) / alpha + std::log(phi - alpha) / (alpha * (1 - alpha)) - std::log(1 - phi) / (1 - alpha)) /
           cell.c;
  };
  Real below = first, above = 1;
  for (int halving = 0; halving < 60; ++halving) {
    const Real middle = (below + above) / 2;
    (time(middle) - time(first) < tau ? below : above) = middle;
  }
  return below;
}

/// Of an explicit scheme, which has no source inside its steps.
TEST(OrderTwoOfRkc2, IsTwoOnTheClosedFormOfACubicReaction) {
  const AlievPanfilov cell{.gamma = 0, .mu1 = 0};
  constexpr Real first = 0.2, last = 0.4;
  const Mesh mesh = slab_mesh({1, 1, 1}, 0.5, true);
  Problem problem = resting_problem(mesh, 0.1, 0, cell);
  problem.time.scheme = TimeScheme::rkc2;
  problem.quadrature = Quadrature::vertices;
  std::fill(problem.phi.begin(), problem.phi.end(), first);
  const Real exact_mv = AlievPanfilov::scaling.mv_from_phi(cubic_reaction(cell, first, last));
  std::vector<Real> errors, potential(mesh.nodes.size());
  for (const int steps : {40, 80, 160}) {
    const auto simulation = make_cpu_simulation(problem);
    const Real step_ms = last / steps * AlievPanfilov::scaling.ms_per_tau;
    for (int step = 1; step <= steps; ++step) EXPECT_FALSE(simulation->step_to(step * step_ms).failure);
    simulation->potential_mv(potential);
    errors.push_back(0);
    for (const Real mv : potential)
      errors.back() = std::max(errors.back(), std::fabs(mv - exact_mv) / AlievPanfilov::scaling.mv_per_phi);
    std::printf("RESULT second_order_time scheme=rkc2 step_ms=%.6f error=%.6e\n", step_ms, errors.back());
  }
  EXPECT_GT(errors.back(), 1e-8);
  for (std::size_t k = 1; k < errors.size(); ++k) EXPECT_NEAR(std::log2(errors[k - 1] / errors[k]), 2, 0.1);
}

/// Potential of a single cell from φ = 0.2, r = 0 by the classical Runge–Kutta method, every ms.
std::vector<Real> runge_kutta(int end_ms) {
  const AlievPanfilov cell;
  constexpr int steps_a_ms = 500;
  const Real h = AlievPanfilov::scaling.tau_from_ms(1.0 / steps_a_ms);
  Real phi = 0.2, r = 0;
  std::vector<Real> potential{AlievPanfilov::scaling.mv_from_phi(phi)};
  for (int ms = 0; ms < end_ms; ++ms) {
    for (int step = 0; step < steps_a_ms; ++step) {
      const auto rates = [&](Real change_of_phi, Real change_of_r) {
        const Real there = r + change_of_r;
        return cell.rates(phi + change_of_phi, &there);
      };
      const auto k1 = rates(0, 0), k2 = rates(h / 2 * k1.f, h / 2 * k1.g[0]), k3 = rates(h / 2 * k2.f, h / 2 * k2.g[0]),
                 k4 = rates(h * k3.f, h * k3.g[0]);
      phi += h / 6 * (k1.f + 2 * k2.f + 2 * k3.f + k4.f);
      r += h / 6 * (k1.g[0] + 2 * k2.g[0] + 2 * k3.g[0] + k4.g[0]);
    }
    potential.push_back(AlievPanfilov::scaling.mv_from_phi(phi));
  }
  return potential;
}

/// The largest distance from that at any ms, almost all of which are inside a step.
Real error_of_one_cell(TimeScheme scheme, Real tolerance, Real max_step_ms, const std::vector<Real>& exact) {
  const Mesh mesh = slab_mesh({1, 1, 1}, 1, true);
  Problem problem = resting_problem(mesh, 1, 0);
  problem.time = {scheme, tolerance, true, true};
  problem.quadrature = test::quadrature_for(scheme);
  std::fill(problem.phi.begin(), problem.phi.end(), 0.2);
  const auto simulation = make_cpu_simulation(problem);
  const Real end_ms = static_cast<Real>(exact.size() - 1);
  TimeStepper stepper({end_ms, 0.01, scheme, {true, tolerance, 0.001, max_step_ms}}, 5, {});
  std::vector<Real> potential(mesh.nodes.size());
  Real largest = 0;
  std::size_t ms = 1;
  while (!stepper.finished()) {
    if (stepper.advance(*simulation).failure) ADD_FAILURE() << simulation->time_ms();
    for (; static_cast<Real>(ms) <= simulation->time_ms(); ++ms) {
      simulation->look_at(static_cast<Real>(ms));
      simulation->potential_mv(potential);
      for (const Real value : potential) largest = std::max(largest, std::fabs(value - exact[ms]));
    }
  }
  EXPECT_EQ(ms, exact.size());
  std::printf("RESULT second_order_one_cell scheme=%s tolerance=%g steps=%lld error_mv=%.5f\n",
              name_of_scheme(scheme).c_str(), tolerance, static_cast<long long>(stepper.counts().accepted), largest);
  return largest;
}

TEST_P(OrderTwo, OneCellFollowsRungeKuttaWithTheToleranceInsideStepsToo) {
  const std::vector<Real> exact = runge_kutta(450);
  Real before = 0.4, ratio = 0;
  for (int halvings = 1; halvings < 6; ++halvings) {  // of all steps: errors of a quarter in the limit
    const Real error = error_of_one_cell(GetParam(), 1e-3 * std::pow(8, -halvings), 4 * std::pow(2, -halvings), exact);
    ratio = before / error;
    EXPECT_GT(ratio, 2);
    before = error;
  }
  EXPECT_GT(ratio, 3.5);
  EXPECT_LT(before, 0.0006);
}

using Wave = test::CableWave;

Wave wave(const TimeConfig& time, Quadrature quadrature) {
  return test::cable_wave(time, [&](Problem& problem) {
    problem.linear_solver = {1e-11, 1000};
    problem.time.scheme = time.scheme;
    problem.quadrature = quadrature;
    if (!time.adaptive.enabled) return;
    problem.time = {time.scheme, time.adaptive.tolerance, true, true};
    problem.linear_solver = {0, 1000};
  });
}

/// Relative, where the wave has left the stimulus.
Real activation_error(const Wave& wave, const Wave& exact) {
  Real largest = 0;
  for (std::size_t i = 0; i < wave.activation_ms.size(); ++i) {
    EXPECT_GT(exact.activation_ms[i], 0);
    if (exact.activation_ms[i] > 12)
      largest = std::max(largest, std::fabs(wave.activation_ms[i] / exact.activation_ms[i] - 1));
  }
  EXPECT_GT(largest, 0);
  return largest;
}

Real apd90_error(const Wave& wave, const Wave& exact) {
  Real largest = 0;
  for (std::size_t i = 0; i < wave.apd90_ms.size(); ++i) {
    EXPECT_GT(exact.apd90_ms[i], 0);
    largest = std::max(largest, std::fabs(wave.apd90_ms[i] - exact.apd90_ms[i]));
  }
  return largest;
}

TEST_P(OrderTwo, IsTwoOnAFrontAndItsLimitIsThatOfBackwardEuler) {
  constexpr Real end_ms = 60;
  const auto of_step = [](Real step_ms) {
    return wave({end_ms, step_ms, GetParam()}, test::quadrature_for(GetParam()));
  };
  const Wave exact = of_step(0.0078125);
  std::vector<Real> errors;
  for (const Real step_ms : {0.125, 0.0625, 0.03125}) {
    errors.push_back(activation_error(of_step(step_ms), exact));
    std::printf("RESULT second_order_front scheme=%s step_ms=%g activation_percent=%.6f\n",
                name_of_scheme(GetParam()).c_str(), step_ms, 100 * errors.back());
  }
  EXPECT_LT(errors[0], 1e-4);
  // The error of rkc2 depends on the number of its stages, too, which is the least possible in the last two.
  for (std::size_t k = 1; k < errors.size(); ++k)
    EXPECT_NEAR(std::log2(errors[k - 1] / errors[k]), 2, GetParam() == TimeScheme::rkc2 && k == 1 ? 0.6 : 0.3);
  // Backward Euler's limit, of order 1: 2 fine − coarse.
  const Quadrature quadrature = test::quadrature_for(GetParam());
  const Wave coarse = wave({end_ms, 0.05, TimeScheme::backward_euler}, quadrature),
             fine = wave({end_ms, 0.025, TimeScheme::backward_euler}, quadrature);
  Wave limit = fine;
  for (std::size_t i = 0; i < limit.activation_ms.size(); ++i)
    limit.activation_ms[i] += fine.activation_ms[i] - coarse.activation_ms[i];
  const Real apart = activation_error(limit, exact);
  std::printf("RESULT second_order_limit scheme=%s activation_percent_from_backward_euler=%.6f\n",
              name_of_scheme(GetParam()).c_str(), 100 * apart);
  EXPECT_LT(apart, 3e-5);
  EXPECT_GT(activation_error(fine, exact), 30 * apart);
}

/// What activation times tend to with equal steps, whose errors of orders 2 and 3 are taken away.
std::vector<Real> activation_limit(TimeScheme scheme, Quadrature quadrature) {
  constexpr Real end_ms = 60;
  std::vector<std::vector<Real>> times;
  for (const Real step_ms : {0.125, 0.0625, 0.03125})
    times.push_back(wave({end_ms, step_ms, scheme}, quadrature).activation_ms);
  for (std::size_t i = 0; i < times[0].size(); ++i) {
    const auto finer = [i](Real factor, const std::vector<Real>& coarse, const std::vector<Real>& fine) {
      return fine[i] + (fine[i] - coarse[i]) / (factor - 1);
    };
    times[0][i] = finer(4, times[0], times[1]);
    times[1][i] = finer(4, times[1], times[2]);
    times[0][i] = finer(8, times[0], times[1]);
  }
  return times[0];
}

// docs/verification/limits.py holds all schemes, edges and adaptive steps against each other.
TEST(OrderTwoInTheLimit, AllSchemesHaveTheSameActivationTimesWithinAMillionth) {
  for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices_and_centroid, Quadrature::vertices}) {
    const std::vector<Real> exact = activation_limit(TimeScheme::sdirk2, quadrature);
    for (const TimeScheme scheme : {TimeScheme::trbdf2, TimeScheme::bdf2, TimeScheme::rkc2}) {
      if (scheme == TimeScheme::rkc2 && quadrature != Quadrature::vertices) continue;
      const std::vector<Real> limit = activation_limit(scheme, quadrature);
      Real apart = 0;
      std::size_t late = 0;
      for (std::size_t i = 0; i < limit.size(); ++i) {
        if (exact[i] < 10) continue;
        ++late;
        apart = std::max(apart, std::fabs(limit[i] / exact[i] - 1));
      }
      std::printf("%s with %s: %.2e\n", name_of_scheme(scheme).c_str(), name_of(quadrature, quadrature_names).c_str(),
                  apart);
      EXPECT_GT(late, limit.size() / 2);
      EXPECT_LT(apart, 1e-6);
      EXPECT_GT(apart, 0);
    }
  }
}

TEST_P(OrderTwo, ActivationTimesApproachTheirLimitWithTheTolerance) {
  const auto of_tolerance = [](Real tolerance) {
    return wave({480, 0.1, GetParam(), {true, tolerance, 0.01, 5}}, test::quadrature_for(GetParam()));
  };
  const Wave exact = of_tolerance(1e-6);
  const bool is_bdf2 = GetParam() == TimeScheme::bdf2;
  const Real most = is_bdf2 ? 0.13 : 0.07;
  Real before = 1, law = 0;
  for (const Real tolerance : {1e-2, 2e-3, 2e-4}) {
    const Wave wave = of_tolerance(tolerance);
    const Real error = activation_error(wave, exact);
    std::printf("RESULT second_order_wave scheme=%s tolerance=%g steps=%lld activation_percent=%.4f apd90_ms=%.4f\n",
                name_of_scheme(GetParam()).c_str(), tolerance, static_cast<long long>(wave.steps.accepted), 100 * error,
                apd90_error(wave, exact));
    EXPECT_LT(error, before / 2);
    EXPECT_LT(error, most * std::pow(tolerance, 2.0 / 3));
    if (tolerance <= 2e-3) {
      EXPECT_LT(error, is_bdf2 ? 2e-3 : 1e-3);
      EXPECT_LT(apd90_error(wave, exact), is_bdf2 ? 1 : 0.5);
    }
    before = error;
    law = error / std::pow(tolerance, 2.0 / 3);
  }
  EXPECT_GT(law, 0.01);
}

}  // namespace
}  // namespace cardiowarp
