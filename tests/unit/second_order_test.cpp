// Steps of the schemes of order 2 on the CPU: their coefficients, what they begin and end with, and what is known
// between their ends.

#include "app/simulation/second_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "app/config/time_config.hpp"
#include "app/simulation/chebyshev_formula.hpp"
#include "app/simulation/time_stepper.hpp"
#include "meshes/generate.hpp"
#include "tests/support/paced_bar.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/second_order_schemes.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

constexpr Real any_error = std::numeric_limits<Real>::infinity();

class SecondOrderStep : public testing::TestWithParam<TimeScheme> {
 protected:
  static Problem paced_bar(const Mesh& mesh, PulseTrain pulses, Real mv_per_ms = 40) {
    return test::paced_bar(mesh, GetParam(), pulses, mv_per_ms);
  }

  static TimeConfig adaptive(Real end_ms, Real tolerance = 1e-3, Real max_step_ms = 5) {
    return {end_ms, 0.1, GetParam(), {true, tolerance, 0.01, max_step_ms}};
  }

  /// Stages of a step that is not the first.
  static int stages() { return GetParam() == TimeScheme::bdf2 ? 1 : 2; }
};
INSTANTIATE_TEST_SUITE_P(Schemes, SecondOrderStep, test::second_order_schemes(), test::name_of_scheme_in_test);

class ImplicitStep : public SecondOrderStep {};
INSTANTIATE_TEST_SUITE_P(Schemes, ImplicitStep, test::implicit_schemes_of_order_two(), test::name_of_scheme_in_test);

std::vector<Real> potential(Simulation& simulation, const Mesh& mesh) {
  std::vector<Real> values(mesh.nodes.size());
  simulation.potential_mv(values);
  return values;
}
std::vector<Real> recovery(Simulation& simulation, const Mesh& mesh) {
  std::vector<Real> values(mesh.tetrahedra.size());
  simulation.state(0, values);
  return values;
}

Real largest_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  EXPECT_EQ(a.size(), b.size());
  Real largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

/// The ends of all steps to the end.
std::vector<Real> steps_of(Simulation& simulation, TimeStepper stepper) {
  std::vector<Real> ends;
  while (!stepper.finished()) {
    if (const StepReport report = stepper.advance(simulation); report.failure) {
      ADD_FAILURE() << report.failure->reason;
      break;
    }
    ends.push_back(simulation.time_ms());
  }
  return ends;
}

void expect_all_edges(const std::vector<Real>& ends, const PulseTrain& pulses) {
  for (Real edge = pulses.next_edge_ms(0); edge < ends.back(); edge = pulses.next_edge_ms(edge + 1e-6))
    EXPECT_TRUE(std::any_of(ends.begin(), ends.end(), [&](Real end) { return std::fabs(end - edge) < 1e-7; })) << edge;
}

/// φ after a step from φ(t_n), where φ'(t, φ) is known: `solve(φ̂, θ, t)` is φ at the end t of a stage of backward
/// Euler.
template <class Solve>
Real step_of(const StepFormula& formula, Real time, Real step, Real now, Real before, Real rate, const Solve& solve) {
  const Real length = formula.length * step;
  const Real first = solve(now + formula.by_rate * step * rate + formula.by_change * (now - before), length,
                           time + formula.first_at * step);
  return formula.stages == 1 ? first : solve(now + formula.beyond * (first - now), length, time + step);
}

const std::vector<std::pair<StepFormula, Real>> formulas_and_growths{{step_formula::sdirk2, 1},
                                                                     {step_formula::trbdf2, 1},
                                                                     {step_formula::bdf2(0.4), 0.4},
                                                                     {step_formula::bdf2(1), 1},
                                                                     {step_formula::bdf2(2.2), 2.2}};

TEST(StepFormula, IsExactOnParabolas) {
  const Real time = 0.7, step = 0.3;
  for (const auto& [formula, growth] : formulas_and_growths) {
    const auto phi = [](Real t) { return 2 + 3 * t - 5 * t * t; };
    const auto rate = [](Real t) { return 3 - 10 * t; };
    const Real result = step_of(formula, time, step, phi(time), phi(time - step / growth), rate(time),
                                [&](Real old, Real length, Real at) { return old + length * rate(at); });
    EXPECT_NEAR(result, phi(time + step), 1e-14);
  }
}

TEST(StepFormula, IsOfOrderTwoOnALinearEquation) {
  // φ' = −φ: the error of one step falls by 8 with the step.
  const auto error = [](const StepFormula& formula, Real growth, Real step) {
    return std::fabs(std::exp(-step) - step_of(formula, 0, step, 1, std::exp(step / growth), -1,
                                               [](Real old, Real length, Real) { return old / (1 + length); }));
  };
  for (const auto& [formula, growth] : formulas_and_growths)
    EXPECT_NEAR(std::log2(error(formula, growth, 0.02) / error(formula, growth, 0.01)), 3, 0.1);
}

TEST(StepFormula, ForgetsAStiffStart) {
  const Real lambda = -1e9;
  for (const auto& [formula, growth] : formulas_and_growths)
    EXPECT_LT(std::fabs(step_of(formula, 0, 1, 1, 2, lambda,
                                [&](Real old, Real length, Real) { return old / (1 - length * lambda); })),
              1e-8);
}

TEST(StepFormula, EstimatesTheErrorOnACubicExactly) {
  // But that of SDIRK2, whose estimate is seven times as large.
  const Real step = 0.3;
  for (const auto& [formula, growth] : formulas_and_growths) {
    const Real before = -std::pow(step / growth, 3);
    const Real result = step_of(formula, 0, step, 0, before, 0,
                                [](Real old, Real length, Real at) { return old + length * 3 * at * at; });
    const Real estimate = formula.error * (step / 2 * 3 * step * step - result), error = std::pow(step, 3) - result;
    if (formula.error == 1)
      EXPECT_NEAR(estimate / error, -7.24, 0.01);
    else
      EXPECT_NEAR(std::fabs(estimate / error), 1, 1e-12);
  }
}

TEST(StepFormula, OfSdirk2AndTrbdf2HasStagesOfOneLength) {
  EXPECT_NEAR(step_formula::sdirk2.beyond, std::sqrt(2.0) + 1, 1e-14);
  EXPECT_EQ(step_formula::sdirk2.length, step_formula::trbdf2.length);
  EXPECT_NEAR(step_formula::trbdf2.first_at, 2 - std::sqrt(2.0), 1e-15);
}

TEST_P(SecondOrderStep, InterpolatedStatesEndAStepAtTheRateOfTheCells) {
  // One cell in its upstroke and after, where the rate changes within a step.
  const Mesh mesh = slab_mesh({1, 1, 1}, 0.5, true);
  Problem problem = paced_bar(mesh, {900, 1});
  problem.time.newton_follows = problem.time.linear_follows = false;
  problem.newton = tight_newton;
  problem.linear_solver = tight_cg;
  std::fill(problem.phi.begin(), problem.phi.end(), 0.2);
  const auto simulation = make_cpu_simulation(problem);
  const AlievPanfilov cell;
  Real largest_change = 0;
  for (int step = 1; step <= 20; ++step) {
    const auto recovery_at = [&](Real time_ms) {
      simulation->look_at(time_ms);
      return recovery(*simulation, mesh)[0];
    };
    ASSERT_FALSE(simulation->step_to(step).failure);
    const Real end = recovery_at(step), begin = recovery_at(step - 1 + 1e-9), near_end = recovery_at(step - 1e-3);
    const Real phi =
        (potential(*simulation, mesh)[0] - AlievPanfilov::scaling.mv_from_phi(0)) / AlievPanfilov::scaling.mv_per_phi;
    const Real rate = cell.rates(phi, &end).g[0] / AlievPanfilov::scaling.ms_per_tau;
    EXPECT_NEAR((end - near_end) / 1e-3 / rate, 1, 1e-3) << step;
    largest_change = std::max(largest_change, std::fabs((end - begin) / rate - 1));
  }
  EXPECT_GT(largest_change, 0.05);  // of the rate in a step
}

TEST_P(ImplicitStep, TakesTwoStagesWhereTheStepsBeforeTellNothing) {
  const Mesh mesh = slab_mesh({1, 1, 1}, 0.5, true);
  Problem problem = paced_bar(mesh, {1, 1}, 1e-4);  // next to nothing: Newton's method takes one iteration a stage
  const auto simulation = make_cpu_simulation(problem);
  const int usual = stages();
  const std::vector<std::pair<Real, int>> expected{{0.2, 2},     {0.6, usual}, {1.0, usual}, {1.1, 2},
                                                   {1.3, usual}, {2.0, 2},     {2.1, 2}};
  for (const auto& [end, solves] : expected)
    EXPECT_EQ(simulation->try_step_to(end, any_error).newton_iterations, solves) << end;
  const auto equal = make_cpu_simulation(problem);
  for (const auto& [end, solves] : expected) EXPECT_EQ(equal->step_to(end).newton_iterations, solves) << end;
}

TEST_P(SecondOrderStep, StatesInsideAStepAreThoseOfStepsThatEndThere) {
  const Mesh mesh = slab_mesh({6, 1, 1}, 0.5, true);
  const Problem problem = paced_bar(mesh, {0.3, 2});
  const auto whole = make_cpu_simulation(problem), cut = make_cpu_simulation(problem);
  ASSERT_TRUE(whole->interpolates());
  TimeStepper stepper(adaptive(60), 5, problem.stimuli);
  Real begin = 0, farthest = 0, moved = 0;
  while (!stepper.finished()) {
    ASSERT_FALSE(stepper.advance(*whole).failure);
    const Real end = whole->time_ms(), inside = begin + 0.37 * (end - begin);
    ASSERT_FALSE(cut->try_step_to(inside, any_error).failure);
    const std::vector<Real> at_end = potential(*whole, mesh);
    whole->look_at(inside);
    const Real distance =
        largest_difference(potential(*whole, mesh), potential(*cut, mesh)) / AlievPanfilov::scaling.mv_per_phi;
    const Real of_states = largest_difference(recovery(*whole, mesh), recovery(*cut, mesh));
    EXPECT_LT(distance, 1e-2) << inside << " of " << begin << " to " << end;
    EXPECT_LT(of_states, 1e-2) << inside;
    farthest = std::max(farthest, distance);
    moved = std::max(moved, largest_difference(potential(*cut, mesh), at_end) / AlievPanfilov::scaling.mv_per_phi);
    whole->look_at(end);
    EXPECT_EQ(potential(*whole, mesh), at_end);
    ASSERT_FALSE(cut->try_step_to(end, any_error).failure);
    begin = end;
  }
  EXPECT_GT(moved, 0.05);  // in the rest of a step, next to which the distances are small
  EXPECT_GT(farthest, 0);
  const std::vector<Real> before = potential(*whole, mesh);
  whole->look_at(begin - 1e-9);
  EXPECT_LT(largest_difference(potential(*whole, mesh), before), 1e-6);
}

TEST_P(SecondOrderStep, ProbesTellTheStateLookedAt) {
  const Mesh mesh = slab_mesh({3, 1, 1}, 0.5, true);
  Problem problem = paced_bar(mesh, {0, 2});
  const Tetrahedron corner = mesh.tetrahedra[5];
  problem.probes = {{corner, {0.1, 0.2, 0.3, 0.4}}};
  const auto simulation = make_cpu_simulation(problem);
  for (const Real end : {0.5, 1.0, 1.7}) ASSERT_FALSE(simulation->step_to(end).failure);
  std::vector<Real> probe(1);
  for (const Real time : {1.7, 1.2, 1.69, 1.0001}) {
    simulation->look_at(time);
    const std::vector<Real> nodes = potential(*simulation, mesh);
    simulation->probe_mv(probe);
    EXPECT_NEAR(probe[0],
                0.1 * nodes[corner[0]] + 0.2 * nodes[corner[1]] + 0.3 * nodes[corner[2]] + 0.4 * nodes[corner[3]],
                1e-9);
    EXPECT_EQ(potential(*simulation, mesh), nodes);
  }
}

TEST_P(SecondOrderStep, ARejectedStepLeavesTheStateAsItWas) {
  const Mesh mesh = random_mesh({4, 1, 1}, 0.5, 2);
  const Problem problem = paced_bar(mesh, {0, 2});
  const auto simulation = make_cpu_simulation(problem), straight = make_cpu_simulation(problem);
  for (const Real end : {0.2, 0.5})
    for (Simulation* each : {simulation.get(), straight.get()}) ASSERT_FALSE(each->try_step_to(end, any_error).failure);
  for (const Real end : {2.0, 1.1}) {  // too long for bdf2 after 0.3 ms, and not
    const StepReport rejected = simulation->try_step_to(end, 1e-7);
    EXPECT_TRUE(rejected.rejected);
    EXPECT_GT(*rejected.error, 1e-7);
  }
  EXPECT_EQ(simulation->time_ms(), 0.5);
  EXPECT_EQ(potential(*simulation, mesh), potential(*straight, mesh));
  for (Simulation* each : {simulation.get(), straight.get()}) ASSERT_FALSE(each->try_step_to(0.9, any_error).failure);
  EXPECT_EQ(potential(*simulation, mesh), potential(*straight, mesh));
  EXPECT_EQ(recovery(*simulation, mesh), recovery(*straight, mesh));
}

TEST_P(SecondOrderStep, AJumpOfTheSourceIsNoErrorOfAStep) {
  // Uniform tissue at rest, where φ' = s but for the little that φ changes in a step of 0.1 ms.
  const Mesh mesh = slab_mesh({1, 1, 1}, 0.5, true);
  const auto simulation = make_cpu_simulation(paced_bar(mesh, {1, 1}));
  for (const Real end : {0.5, 1.0}) ASSERT_FALSE(simulation->try_step_to(end, any_error).failure);
  const StepReport begins = simulation->try_step_to(1.1, any_error);
  ASSERT_TRUE(begins.error);
  EXPECT_LT(*begins.error, 1e-4);  // the jump itself is 0.04 φ in the step
  ASSERT_FALSE(simulation->try_step_to(2, any_error).failure);
  const StepReport ends = simulation->try_step_to(2.1, any_error);
  ASSERT_TRUE(ends.error);
  EXPECT_LT(*ends.error, 1e-4);
}

TEST_P(SecondOrderStep, NoEdgeOfAStimulusIsInsideAStep) {
  const Mesh mesh = slab_mesh({3, 0.5, 0.5}, 0.5, true);
  for (const PulseTrain pulses : {PulseTrain{0.37, 0.1, 7.13, 6}, PulseTrain{3.3, 2, 13.7, 3}, PulseTrain{0, 0.013}}) {
    const Problem problem = paced_bar(mesh, pulses, 20);
    for (const Real max_step_ms : {1000.0, 5.0})
      expect_all_edges(
          steps_of(*make_cpu_simulation(problem), TimeStepper(adaptive(50, 1e-3, max_step_ms), 1, problem.stimuli)),
          pulses);
    for (const Real step_ms : {0.4, 7.0}) {
      const std::vector<Real> ends =
          steps_of(*make_cpu_simulation(problem), TimeStepper({50, step_ms, GetParam()}, 1, problem.stimuli));
      expect_all_edges(ends, pulses);
      for (int k = 1; k * step_ms < 50; ++k) EXPECT_TRUE(std::count(ends.begin(), ends.end(), k * step_ms)) << k;
      EXPECT_EQ(ends.back(), 50);
    }
  }
}

TEST_P(SecondOrderStep, AShortBeatAfterALongPauseIsNotMissed) {
  const Mesh mesh = slab_mesh({14, 0.5, 0.5}, 0.5, true);
  const Problem problem = paced_bar(mesh, {900.03, 0.1}, 900);
  const auto simulation = make_cpu_simulation(problem);
  const std::vector<Real> ends = steps_of(*simulation, TimeStepper(adaptive(1050, 1e-3, 1000), 100, problem.stimuli));
  EXPECT_LT(ends.size(), 200u);  // of which the pause takes few
  EXPECT_EQ(simulation->captures().at(0), (PulseCaptures{1, 1, 0}));
  std::vector<Real> activation(mesh.nodes.size());
  simulation->activation_time_ms(activation);
  EXPECT_GT(*std::min_element(activation.begin(), activation.end()), 900.03);
}

TEST_P(SecondOrderStep, OutputDoesNotEndStepsAndItsIntervalChangesNone) {
  const Mesh mesh = slab_mesh({4, 0.5, 0.5}, 0.5, true);
  const Problem problem = paced_bar(mesh, {0, 2});
  const auto ends = [&](Real interval_ms) {
    return steps_of(*make_cpu_simulation(problem), TimeStepper(adaptive(40), interval_ms, problem.stimuli));
  };
  EXPECT_EQ(ends(0.1), ends(40));
}

TEST_P(ImplicitStep, ASolverThatFollowsTheStepIsAsGoodAsATightOne) {
  const Mesh mesh = random_mesh({12, 1, 1}, 0.5, 8);
  std::vector<Real> activation[2];
  int linear_iterations[2] = {0, 0};
  for (const bool follows : {true, false}) {
    Problem problem = paced_bar(mesh, {0, 2});
    if (!follows) {
      problem.time.newton_follows = problem.time.linear_follows = false;
      problem.newton = tight_newton;
      problem.linear_solver = tight_cg;
    }
    const auto simulation = make_cpu_simulation(problem);
    TimeStepper stepper(adaptive(100), 5, problem.stimuli);
    int newton_iterations = 0;
    while (!stepper.finished()) {
      const StepReport report = stepper.advance(*simulation);
      ASSERT_FALSE(report.failure);
      newton_iterations += report.newton_iterations;
      linear_iterations[follows] += report.linear_iterations;
    }
    if (follows) {
      EXPECT_LT(newton_iterations, 1.1 * stages() * static_cast<Real>(stepper.attempts().size()) + 5);
    }
    activation[follows].resize(mesh.nodes.size());
    simulation->activation_time_ms(activation[follows]);
  }
  EXPECT_LT(3 * linear_iterations[true], linear_iterations[false]);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    EXPECT_GT(activation[true][i], 0);
    EXPECT_NEAR(activation[true][i], activation[false][i], 2e-4 * activation[false][i] + 1e-3) << i;
  }
}

TEST_P(ImplicitStep, ATighterNewtonThanItsStepNeedsHasAsTightSystems) {
  TimeMethod method{GetParam(), 1e-3, false, true};
  EXPECT_DOUBLE_EQ(method.linear_error({.tolerance = 1e-9}), 1e-11);
  method.newton_follows = true;
  EXPECT_DOUBLE_EQ(method.linear_error({.tolerance = 1e-9}), 2e-5);
}

TEST_P(ImplicitStep, NewtonEndsWhereTheNextChangeIsAFiftiethOfTheTolerance) {
  const AlievPanfilov cell;
  const TimeMethod method{GetParam(), 1e-3, true, true};
  const Real stage_ms = 0.3;
  const Real change =
      method.newton({}, AlievPanfilov::scaling.tau_from_ms(stage_ms), cell.steepest_reaction()).tolerance;
  EXPECT_NEAR(0.62 * stage_ms * change * change, 2e-5, 0.02 * 2e-5);
  EXPECT_EQ(method.newton({}, 1, 1).forcing, ForcingChoice::fixed);
}

TEST_P(ImplicitStep, StepsWithoutASolutionAreHalved) {
  const Mesh mesh = slab_mesh({3, 0.5, 0.5}, 0.5, true);
  Problem problem = paced_bar(mesh, {0, 2}, 60);
  problem.newton.max_iterations = 1;
  const auto simulation = make_cpu_simulation(problem);
  TimeStepper stepper({20, 5, GetParam(), {true, 0.9, 1e-3, 20}}, 5, problem.stimuli);
  while (!stepper.finished()) ASSERT_FALSE(stepper.advance(*simulation).failure);
  EXPECT_GT(stepper.counts().rejected, 0);
}

TEST_P(ImplicitStep, AStepThatIsTooLongForNewtonSaysSo) {
  const Mesh mesh = slab_mesh({3, 0.5, 0.5}, 0.5, true);
  Problem problem = paced_bar(mesh, {0, 2}, 60);
  std::fill(problem.phi.begin(), problem.phi.end(), 0.3);
  problem.newton.max_iterations = 2;
  const auto simulation = make_cpu_simulation(problem);
  const StepReport report = simulation->step_to(1000);
  ASSERT_TRUE(report.failure);
  EXPECT_FALSE(report.failure->reason.empty());
  EXPECT_EQ(simulation->time_ms(), 0);
  for (const Real value : potential(*simulation, mesh))
    EXPECT_NEAR(value, AlievPanfilov::scaling.mv_from_phi(0.3), 1e-12);
}

/// What a step of length 1 makes of φ = 1 where φ' = z φ.
Real stability_polynomial(int number, Real z) {
  const ChebyshevFormula formula(number);
  Real before = 1, now = 1 + formula.first * z;
  for (const auto& by : formula.stages) {
    const Real next =
        1 - by.now - by.before + by.now * now + by.before * before + z * (by.by_rate * now + by.by_first_rate);
    before = now;
    now = next;
  }
  return now;
}

TEST(ChebyshevFormula, IsOfOrderTwo) {
  for (const int number : {2, 3, 5, 12}) {
    const auto error = [&](Real z) { return std::fabs(stability_polynomial(number, z) - std::exp(z)); };
    EXPECT_NEAR(std::log2(error(-0.02) / error(-0.01)), 3, 0.1) << number;
    EXPECT_GT(error(-0.01), 1e-9);
  }
}

TEST(ChebyshevFormula, IsStableUpToItsLimitAndLittleBeyond) {
  for (const int number : {2, 3, 5, 12, 50}) {
    const Real limit = ChebyshevFormula::limit(number);
    for (int k = 1; k <= 1000; ++k) EXPECT_LE(std::fabs(stability_polynomial(number, -limit * k / 1000)), 1) << number;
    EXPECT_GT(std::fabs(stability_polynomial(number, -1.4 * limit)), 1);
  }
}

TEST(ChebyshevFormula, TakesTheFewestStagesThatAreStable) {
  EXPECT_EQ(ChebyshevFormula::stages_for(0), 2);
  for (const int number : {2, 3, 4, 17, 200}) {
    const Real limit = ChebyshevFormula::limit(number);
    EXPECT_EQ(ChebyshevFormula::stages_for(limit * (1 - 1e-12)), number);
    EXPECT_EQ(ChebyshevFormula::stages_for(limit * (1 + 1e-12)), number + 1);
  }
}

TEST(ChebyshevFormula, HasNoStepThatTakesMoreStagesThanItsMost) {
  constexpr int most = ChebyshevFormula::most_stages;
  const Real limit = ChebyshevFormula::limit(most);
  EXPECT_EQ(ChebyshevFormula::stages_for(limit), most);
  for (const Real stiffness : {limit * (1 + 1e-12), 1e20, 1e300, std::numeric_limits<Real>::infinity(),
                               std::numeric_limits<Real>::quiet_NaN()})
    EXPECT_FALSE(ChebyshevFormula::stages_for(stiffness)) << stiffness;
}

class ExplicitStep : public SecondOrderStep {};
INSTANTIATE_TEST_SUITE_P(Schemes, ExplicitStep, testing::Values(TimeScheme::rkc2), test::name_of_scheme_in_test);

TEST_P(ExplicitStep, StaysStableOnAFineMeshInLongSteps) {
  const Mesh mesh = random_mesh({1, 1, 1}, 0.1, 9);
  Problem problem = paced_bar(mesh, {900, 1});
  for (std::size_t i = 0; i < problem.phi.size(); ++i) problem.phi[i] = i % 2 == 0 ? 0.02 : -0.02;
  const auto simulation = make_cpu_simulation(problem);
  for (int step = 1; step <= 20; ++step) ASSERT_FALSE(simulation->step_to(5 * step).failure);
  for (const Real value : potential(*simulation, mesh)) EXPECT_NEAR(value, AlievPanfilov::scaling.mv_from_phi(0), 2);
}

TEST_P(ExplicitStep, AStepThatIsTooStiffSaysSoAndWhereThePotentialIsLargest) {
  const Mesh mesh = slab_mesh({3, 0.5, 0.5}, 0.5, true);
  Problem problem = paced_bar(mesh, {900, 1});
  const Index node = 5;
  problem.phi[node] = 3e4;  // f' grows with the square of it
  const auto simulation = make_cpu_simulation(problem);
  const StepReport report = simulation->step_to(2);
  ASSERT_TRUE(report.failure);
  EXPECT_NE(report.failure->reason.find("more than 10000 stages"), std::string::npos) << report.failure->reason;
  EXPECT_EQ(report.failure->node, node);
  EXPECT_NEAR(report.failure->potential_mv, AlievPanfilov::scaling.mv_from_phi(3e4), 1);
  EXPECT_EQ(simulation->time_ms(), 0);
}

TEST_P(ExplicitStep, AStepOutOfTheRangeOfTheCellsSaysSo) {
  const Mesh mesh = slab_mesh({3, 0.5, 0.5}, 0.5, true);
  const auto simulation = make_cpu_simulation(paced_bar(mesh, {0, 2}, -900));
  const StepReport report = simulation->step_to(2);
  ASSERT_TRUE(report.failure);
  EXPECT_NE(report.failure->reason.find("left the range"), std::string::npos) << report.failure->reason;
  EXPECT_EQ(simulation->time_ms(), 0);
  for (const Real value : potential(*simulation, mesh)) EXPECT_EQ(value, AlievPanfilov::scaling.mv_from_phi(0));
}

}  // namespace
}  // namespace cardiowarp
