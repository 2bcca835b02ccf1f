// What a simulation tells of itself: sources that add up, failures that name the node of the input mesh.

#include "app/simulation/backend_simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/random_mesh.hpp"
#include "tests/support/sent_potential.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 31;
constexpr Real any_error = std::numeric_limits<Real>::infinity();

class SimulationOnABox : public testing::Test {
 protected:
  SimulationOnABox() { problem.newton.max_iterations = 50; }

  Index nodes() const { return static_cast<Index>(mesh.nodes.size()); }
  Stimulus pulse(std::vector<Index> where, Real mv_per_ms, PulseTrain pulses = {0, 2}) const {
    return {std::move(where), pulses, AlievPanfilov::scaling.stimulus(mv_per_ms)};
  }
  std::vector<Real> potential_mv(Simulation& simulation) const {
    std::vector<Real> values(mesh.nodes.size());
    simulation.potential_mv(values);
    return values;
  }
  std::vector<Real> recovery(Simulation& simulation) const {
    std::vector<Real> values(mesh.tetrahedra.size());
    simulation.state(0, values);
    return values;
  }

  const Mesh mesh = renumbered(random_mesh({3, 2, 2}, 0.5, seed), seed).mesh;  // numbered at random
  Problem problem = resting_problem(mesh, 0.1, 0);
};

Real largest_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

TEST_F(SimulationOnABox, AddsUpStimuliThatOverlapInSpaceAndTime) {
  const std::vector<Index> left{0, 1, 2, 3, 4, 5, 6, 7}, right{4, 5, 6, 7, 8, 9, 10, 11}, both{4, 5, 6, 7};
  problem.stimuli = {pulse(left, 30), pulse(right, 10)};
  const auto overlapping = make_cpu_simulation(problem);
  problem.stimuli = {pulse({0, 1, 2, 3}, 30), pulse(both, 40), pulse({8, 9, 10, 11}, 10)};
  const auto apart = make_cpu_simulation(problem);
  problem.stimuli = {pulse(left, 30), pulse({8, 9, 10, 11}, 10)};
  const auto without = make_cpu_simulation(problem);
  for (const Real time_ms : {0.5, 1.0}) {
    for (Simulation* simulation : {overlapping.get(), apart.get(), without.get()})
      ASSERT_FALSE(simulation->step_to(time_ms).failure);
    EXPECT_LT(largest_difference(potential_mv(*overlapping), potential_mv(*apart)), 1e-9);
    EXPECT_GT(largest_difference(potential_mv(*overlapping), potential_mv(*without)), 0.1);
  }
}

TEST_F(SimulationOnABox, GivesEachNodeItsShareOfAStimulus) {
  const std::vector<Index> left{0, 1, 2, 3}, right{4, 5, 6, 7, 8};
  problem.stimuli = {pulse(left, 30), pulse(right, 7.5)};
  const auto apart = make_cpu_simulation(problem);
  problem.stimuli = {pulse({0, 1, 2, 3, 4, 5, 6, 7, 8}, 30)};
  problem.stimuli[0].share = {1, 1, 1, 1, 0.25, 0.25, 0.25, 0.25, 0.25};
  const auto shared = make_cpu_simulation(problem);
  for (Simulation* simulation : {apart.get(), shared.get()}) ASSERT_FALSE(simulation->step_to(0.5).failure);
  EXPECT_EQ(potential_mv(*apart), potential_mv(*shared));
}

TEST_F(SimulationOnABox, AppliesWhatIsLeftWhereOneOfTwoStimuliEndsAndNothingAfterBoth) {
  // Each later step of `two` is held against a step from the same state in a run that has only the stimulus that is on
  // then.
  const std::vector<Index> where{0, 1, 2, 3, 4, 5, 6, 7};
  problem.stimuli = {pulse(where, 30, {0, 0.5}), pulse(where, 10, {0, 1})};
  const auto two = make_cpu_simulation(problem);
  ASSERT_FALSE(two->step_to(0.5).failure);
  for (const Real mv_per_ms : {10, 0}) {
    for (std::size_t i = 0; const Real value : potential_mv(*two))
      problem.phi[i++] = AlievPanfilov::scaling.phi_from_mv(value);
    problem.states = recovery(*two);
    problem.stimuli = {pulse(where, mv_per_ms)};
    const auto from_there = make_cpu_simulation(problem);
    ASSERT_FALSE(from_there->step_to(0.5).failure);
    ASSERT_FALSE(two->step_to(two->time_ms() + 0.5).failure);
    EXPECT_LT(largest_difference(potential_mv(*two), potential_mv(*from_there)), 1e-8) << mv_per_ms << " mV/ms";
  }
}

TEST_F(SimulationOnABox, NamesTheNodeOfTheInputWhereItLeavesItsRangeAndKeepsTheStateBefore) {
  for (const Index node : {0, 1, nodes() / 2, nodes() - 1}) {
    problem.stimuli = {pulse({node}, -3000)};
    const auto simulation = make_cpu_simulation(problem);
    const StepReport report = simulation->step_to(0.5);
    ASSERT_TRUE(report.failure) << "node " << node;
    EXPECT_EQ(report.failure->node, node);
    EXPECT_LT(report.failure->potential_mv, -110);
    EXPECT_NE(report.failure->reason.find("left the range"), std::string::npos) << report.failure->reason;
    EXPECT_EQ(simulation->time_ms(), 0);
    for (const Real value : potential_mv(*simulation)) ASSERT_DOUBLE_EQ(value, -80);
  }
}

TEST_F(SimulationOnABox, NamesTheNodeThatIsFarthestOutsideItsOwnRange) {
  // Node 5 goes to −118.6 mV, 29 mV below the range around it; node 40, far away, to about −122 mV, 12 below its own.
  problem.cell_models = std::vector<AlievPanfilov>{{.mu2 = 0.3}, {.mu2 = 0.1}};
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
    if (const Tetrahedron& t = mesh.tetrahedra[e]; std::find(t.begin(), t.end(), 5) != t.end())
      problem.cell_model[e] = 1;
  for (const bool alone : {false, true}) {
    problem.stimuli = {pulse({40}, -750)};
    if (!alone) problem.stimuli.push_back(pulse({5}, -600));
    const auto simulation = make_cpu_simulation(problem);
    const StepReport report = simulation->step_to(0.2);
    ASSERT_TRUE(report.failure);
    EXPECT_EQ(report.failure->node, alone ? 40 : 5);
    EXPECT_NEAR(report.failure->potential_mv, alone ? -122 : -118.6, 1);
  }
}

TEST_F(SimulationOnABox, NamesTheNodeWithTheLargestChangeWhereNewtonDoesNotConverge) {
  problem.newton = {1e-13, 1, ForcingChoice::fixed};
  for (const Index node : {2, nodes() - 3}) {
    problem.stimuli = {pulse({node}, 400)};
    const auto simulation = make_cpu_simulation(problem);
    const StepReport report = simulation->step_to(0.1);
    ASSERT_TRUE(report.failure);
    EXPECT_EQ(report.failure->node, node);
    EXPECT_GT(report.failure->potential_mv, -79);
    EXPECT_NE(report.failure->reason.find("Newton did not converge"), std::string::npos) << report.failure->reason;
  }
}

TEST_F(SimulationOnABox, StartsWithTheValuesOfTheInputInItsOrder) {
  for (std::size_t i = 0; i < problem.phi.size(); ++i) problem.phi[i] = 0.9 * static_cast<Real>(i) / nodes();
  for (std::size_t e = 0; e < problem.states.size(); ++e) problem.states[e] = static_cast<Real>(e);
  problem.probes = {{mesh.tetrahedra[3], {0.125, 0.125, 0.25, 0.5}}};
  const auto simulation = make_cpu_simulation(problem);
  const std::vector<Real> potential = potential_mv(*simulation);
  for (std::size_t i = 0; i < potential.size(); ++i) EXPECT_DOUBLE_EQ(potential[i], 100 * problem.phi[i] - 80);
  EXPECT_EQ(recovery(*simulation), problem.states);

  std::vector<Real> probe(1), activation(mesh.nodes.size());
  simulation->probe_mv(probe);
  Real expected = 0;
  for (int k = 0; k < 4; ++k) expected += problem.probes[0].weights[k] * potential[mesh.tetrahedra[3][k]];
  EXPECT_NEAR(probe[0], expected, 1e-12);
  simulation->activation_time_ms(activation);
  for (std::size_t i = 0; i < activation.size(); ++i) EXPECT_EQ(activation[i], problem.phi[i] >= 0.8 ? 0 : -1);
}

TEST_F(SimulationOnABox, AdvancesTheRecoveryOfEachElementWithItsPotentialFromStepToStep) {
  problem.newton.forcing =
      ForcingChoice::fixed;  // the recovery is that of the iterate before the last update, of 1e-12
  const AlievPanfilov cell{.gamma = 0.01, .mu1 = 1};
  problem.cell_models = std::vector{cell};
  for (std::size_t e = 0; e < problem.states.size(); ++e) problem.states[e] = 0.01 * static_cast<Real>(e % 7);
  for (std::size_t i = 0; i < problem.phi.size(); ++i) problem.phi[i] = 0.3 * static_cast<Real>(i % 3);
  const auto simulation = make_cpu_simulation(problem);
  std::vector<Real> expected = problem.states;
  for (const Real time_ms : {0.25, 0.5, 1.0}) {
    const Real h = AlievPanfilov::scaling.tau_from_ms(time_ms - simulation->time_ms());
    ASSERT_FALSE(simulation->step_to(time_ms).failure);
    const std::vector<Real> potential = potential_mv(*simulation), found = recovery(*simulation);
    for (std::size_t e = 0; e < expected.size(); ++e) {
      Real phi = 0;
      for (const Index node : mesh.tetrahedra[e]) phi += AlievPanfilov::scaling.phi_from_mv(potential[node]) / 4;
      expected[e] = cell.step_states(phi, &expected[e], h).state[0];
      ASSERT_NEAR(found[e], expected[e], 1e-11) << "element " << e << " at " << time_ms << " ms";
    }
  }
  EXPECT_GT(largest_difference(expected, problem.states), 1e-3);
}

TEST_F(SimulationOnABox, KeepsTheStateOfARejectedStepAndRepeatsFromThere) {
  problem.stimuli = {pulse({0, 1, 2, 3}, 60, {0, 50})};
  const auto simulation = make_cpu_simulation(problem), straight = make_cpu_simulation(problem);
  for (Simulation* each : {simulation.get(), straight.get()}) ASSERT_FALSE(each->try_step_to(0.1, any_error).failure);
  const std::vector<Real> before = potential_mv(*simulation), recovery_before = recovery(*simulation);
  const StepReport rejected = simulation->try_step_to(0.9, 1e-12);
  ASSERT_TRUE(rejected.rejected);
  EXPECT_GT(rejected.error.value(), 1e-12);
  EXPECT_EQ(simulation->time_ms(), 0.1);
  EXPECT_EQ(potential_mv(*simulation), before);
  EXPECT_EQ(recovery(*simulation), recovery_before);
  for (Simulation* each : {simulation.get(), straight.get()}) ASSERT_FALSE(each->try_step_to(0.2, any_error).failure);
  EXPECT_EQ(potential_mv(*simulation), potential_mv(*straight));
}

TEST_F(SimulationOnABox, BeginsAStepOnTheStraightLineThroughTheLastTwoStates) {
  // Almost no reaction and the same source everywhere: the potential is linear in time, and the line is the solution.
  problem.cell_models = std::vector<AlievPanfilov>{{.gamma = 0, .c = 1e-14, .mu1 = 0}};
  problem.newton.forcing = ForcingChoice::fixed;
  std::vector<Index> all(mesh.nodes.size());
  for (Index i = 0; i < nodes(); ++i) all[i] = i;
  problem.stimuli = {pulse(all, 10, {0, 50})};
  const auto simulation = make_cpu_simulation(problem);
  EXPECT_EQ(simulation->step_to(0.5).newton_iterations, 2);  // from the state before: an update, and one of nothing
  for (const Real time_ms : {0.75, 1.75, 2.0}) EXPECT_EQ(simulation->step_to(time_ms).newton_iterations, 1) << time_ms;
  for (const Real value : potential_mv(*simulation)) EXPECT_NEAR(value, -80 + 10 * 2.0, 1e-6);
}

TEST_F(SimulationOnABox, EstimatesNoErrorWhereNothingBeforePredictsTheStep) {
  problem.stimuli = {pulse({0, 1, 2, 3}, 60, {0.3, 0.2})};
  const auto simulation = make_cpu_simulation(problem);
  for (int step = 1; step <= 8; ++step) {
    const bool has_estimate = simulation->try_step_to(0.1 * step, any_error).error.has_value();
    // The first has no step before it; the pulse begins with step 4 and is over with step 6.
    EXPECT_EQ(has_estimate, step != 1 && step != 4 && step != 6) << "step " << step;
  }
}

TEST_F(SimulationOnABox, SendsThePotentialThatItLooksAtInSinglePrecisionAndInTheOrderOfTheInput) {
  problem.stimuli = {pulse({0, 1, 2, 3, 4, 5, 6, 7}, 30)};
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) problem.phi[node] = 0.01 * static_cast<Real>(node % 7);
  for (const TimeScheme scheme : {TimeScheme::backward_euler, TimeScheme::sdirk2})
    for (const bool is_planned : {false, true}) {
      problem.time.scheme = scheme;
      problem.sends_potential = is_planned;
      test::expect_sent_potential_is_rounded(*make_cpu_simulation(problem), mesh.nodes.size(), 0.5);
    }
}

TEST_F(SimulationOnABox, TakesEightBytesOfDeviceMemoryANodeMoreWhereItSendsThePotential) {
  const Mesh large = random_mesh({12, 11, 10}, 0.5, seed);
  Problem larger = resting_problem(large, 0.1, 0);
  const auto bytes = [&] { return backend_bytes(plan_simulation(larger, cpu_device())); };
  const std::size_t without = bytes();
  larger.sends_potential = true;
  EXPECT_NEAR(static_cast<double>(bytes() - without), 8.0 * static_cast<double>(large.nodes.size()), 1024);
}

}  // namespace
}  // namespace cardiowarp
