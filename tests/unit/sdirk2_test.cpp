// Steps of SDIRK2 on the CPU: what they begin and end with, and what is known between their ends.

#include "app/simulation/sdirk2.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "app/simulation/time_stepper.hpp"
#include "meshes/generate.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

constexpr Real any_error = std::numeric_limits<Real>::infinity();

Problem paced_bar(const Mesh& mesh, PulseTrain pulses, Real mv_per_ms = 40) {
  Problem problem = resting_problem(mesh, 0.1, 0.1);
  problem.time = {TimeScheme::sdirk2, 1e-3, true, true};
  problem.newton = {};
  problem.linear_solver = {0, 1000};
  Stimulus stimulus{{}, pulses, AlievPanfilov::scaling.stimulus(mv_per_ms)};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].x < 1.6) stimulus.nodes.push_back(static_cast<Index>(i));
  problem.stimuli.push_back(stimulus);
  return problem;
}

TimeConfig adaptive(Real end_ms, Real tolerance = 1e-3, Real max_step_ms = 5) {
  return {end_ms, 0.1, TimeScheme::sdirk2, {true, tolerance, 0.01, max_step_ms}};
}

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

TEST(Sdirk2, IsOfOrderTwoByItsCoefficients) {
  // b·c = 1/2 with b = (1−γ, γ), c = (γ, 1)
  constexpr Real gamma = sdirk2::gamma;
  EXPECT_NEAR((1 - gamma) * gamma + gamma, 0.5, 1e-15);
  EXPECT_NEAR(sdirk2::beyond, std::sqrt(2.0) + 1, 1e-14);
}

TEST(Sdirk2, StatesInsideAStepAreThoseOfStepsThatEndThere) {
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
  EXPECT_GT(moved, 0.1);  // in the rest of a step, next to which the distances are small
  EXPECT_GT(farthest, 0);
  const std::vector<Real> before = potential(*whole, mesh);
  whole->look_at(begin - 1e-9);
  EXPECT_LT(largest_difference(potential(*whole, mesh), before), 1e-6);
}

TEST(Sdirk2, ProbesTellTheStateLookedAt) {
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

TEST(Sdirk2, ARejectedStepLeavesTheStateAsItWas) {
  const Mesh mesh = random_mesh({4, 1, 1}, 0.5, 2);
  const Problem problem = paced_bar(mesh, {0, 2});
  const auto simulation = make_cpu_simulation(problem), straight = make_cpu_simulation(problem);
  for (const Real end : {0.2, 0.5})
    for (Simulation* each : {simulation.get(), straight.get()}) ASSERT_FALSE(each->try_step_to(end, any_error).failure);
  const StepReport rejected = simulation->try_step_to(2, 1e-7);
  EXPECT_TRUE(rejected.rejected);
  EXPECT_GT(*rejected.error, 1e-7);
  EXPECT_EQ(simulation->time_ms(), 0.5);
  EXPECT_EQ(potential(*simulation, mesh), potential(*straight, mesh));
  for (Simulation* each : {simulation.get(), straight.get()}) ASSERT_FALSE(each->try_step_to(0.9, any_error).failure);
  EXPECT_EQ(potential(*simulation, mesh), potential(*straight, mesh));
  EXPECT_EQ(recovery(*simulation, mesh), recovery(*straight, mesh));
}

TEST(Sdirk2, AJumpOfTheSourceIsNoErrorOfAStep) {
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

TEST(Sdirk2, NoEdgeOfAStimulusIsInsideAStep) {
  const Mesh mesh = slab_mesh({3, 0.5, 0.5}, 0.5, true);
  for (const PulseTrain pulses : {PulseTrain{0.37, 0.1, 7.13, 6}, PulseTrain{3.3, 2, 13.7, 3}, PulseTrain{0, 0.013}}) {
    const Problem problem = paced_bar(mesh, pulses, 20);
    for (const Real max_step_ms : {1000.0, 5.0})
      expect_all_edges(
          steps_of(*make_cpu_simulation(problem), TimeStepper(adaptive(50, 1e-3, max_step_ms), 1, problem.stimuli)),
          pulses);
    for (const Real step_ms : {0.4, 7.0}) {
      const std::vector<Real> ends =
          steps_of(*make_cpu_simulation(problem), TimeStepper({50, step_ms, TimeScheme::sdirk2}, 1, problem.stimuli));
      expect_all_edges(ends, pulses);
      for (int k = 1; k * step_ms < 50; ++k) EXPECT_TRUE(std::count(ends.begin(), ends.end(), k * step_ms)) << k;
      EXPECT_EQ(ends.back(), 50);
    }
  }
}

TEST(Sdirk2, AShortBeatAfterALongPauseIsNotMissed) {
  const Mesh mesh = slab_mesh({6, 0.5, 0.5}, 0.5, true);
  const Problem problem = paced_bar(mesh, {900.03, 0.1}, 900);
  const auto simulation = make_cpu_simulation(problem);
  const std::vector<Real> ends = steps_of(*simulation, TimeStepper(adaptive(950, 1e-3, 1000), 100, problem.stimuli));
  EXPECT_LT(ends.size(), 200u);  // of which the pause takes few
  EXPECT_EQ(simulation->captures().at(0), (PulseCaptures{1, 1, 0}));
  std::vector<Real> activation(mesh.nodes.size());
  simulation->activation_time_ms(activation);
  EXPECT_GT(*std::min_element(activation.begin(), activation.end()), 900.03);
}

TEST(Sdirk2, OutputDoesNotEndStepsAndItsIntervalChangesNone) {
  const Mesh mesh = slab_mesh({4, 0.5, 0.5}, 0.5, true);
  const Problem problem = paced_bar(mesh, {0, 2});
  const auto ends = [&](Real interval_ms) {
    return steps_of(*make_cpu_simulation(problem), TimeStepper(adaptive(40), interval_ms, problem.stimuli));
  };
  EXPECT_EQ(ends(0.1), ends(40));
}

TEST(Sdirk2, ASolverThatFollowsTheStepIsAsGoodAsATightOne) {
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
      EXPECT_LT(newton_iterations, 2.2 * static_cast<Real>(stepper.attempts().size()));  // two a step
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

TEST(Sdirk2, ATighterNewtonThanItsStepNeedsHasAsTightSystems) {
  TimeMethod method{TimeScheme::sdirk2, 1e-3, false, true};
  EXPECT_DOUBLE_EQ(method.linear_error({.tolerance = 1e-9}), 1e-11);
  method.newton_follows = true;
  EXPECT_DOUBLE_EQ(method.linear_error({.tolerance = 1e-9}), 2e-5);
}

TEST(Sdirk2, NewtonEndsWhereTheNextChangeIsAFiftiethOfTheTolerance) {
  const AlievPanfilov cell;
  const TimeMethod method{TimeScheme::sdirk2, 1e-3, true, true};
  const Real stage_ms = 0.3;
  const Real change =
      method.newton({}, AlievPanfilov::scaling.tau_from_ms(stage_ms), cell.steepest_reaction()).tolerance;
  EXPECT_NEAR(0.62 * stage_ms * change * change, 2e-5, 0.02 * 2e-5);
  EXPECT_EQ(method.newton({}, 1, 1).forcing, ForcingChoice::fixed);
}

TEST(Sdirk2, StepsWithoutASolutionAreHalved) {
  const Mesh mesh = slab_mesh({3, 0.5, 0.5}, 0.5, true);
  Problem problem = paced_bar(mesh, {0, 2}, 60);
  problem.newton.max_iterations = 1;
  const auto simulation = make_cpu_simulation(problem);
  TimeStepper stepper({20, 5, TimeScheme::sdirk2, {true, 0.9, 1e-3, 20}}, 5, problem.stimuli);
  while (!stepper.finished()) ASSERT_FALSE(stepper.advance(*simulation).failure);
  EXPECT_GT(stepper.counts().rejected, 0);
}

TEST(Sdirk2, AStepThatIsTooLongForNewtonSaysSo) {
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

}  // namespace
}  // namespace cardiowarp
