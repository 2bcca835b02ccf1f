// A simulation that is saved and loaded on a GPU goes on bit for bit, and one that goes on on the other machine gives
// the same answer to rounding.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/simulation/gpu.hpp"
#include "app/start_from.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

using CheckpointParity = GpuTest;
using Make = std::unique_ptr<Simulation> (*)(const Problem&);

constexpr int saved_at = 13, steps = 30;
constexpr Real step_ms = 0.1;

/// What a simulation says at the end, in the order of the mesh.
struct Answer {
  std::vector<Real> potential_mv, states, activation_ms;
};

void advance(Simulation& simulation, int first, int end) {
  for (int step = first; step < end; ++step)
    ASSERT_FALSE(simulation.step_to((step + 1) * step_ms).failure) << "step " << step;
}

Answer answer_of(Simulation& simulation, const Problem& problem) {
  const std::size_t nodes = problem.mesh->nodes.size();
  Answer answer{std::vector<Real>(nodes), std::vector<Real>(problem.mesh->tetrahedra.size()), std::vector<Real>(nodes)};
  simulation.potential_mv(answer.potential_mv);
  simulation.state(0, answer.states);
  simulation.activation_time_ms(answer.activation_ms);
  return answer;
}

CheckpointSections saved(Simulation& simulation) {
  StateArchive archive;
  simulation.exchange(archive);
  return archive.sections();
}

/// The answer of a run on one machine that goes on on another, and what it saves again right after loading.
Answer answer_by_way_of(const Problem& problem, Make first, Make second) {
  const std::unique_ptr<Simulation> begun = first(problem);
  advance(*begun, 0, saved_at);
  const CheckpointSections sections = saved(*begun);
  const std::unique_ptr<Simulation> other = second(problem);
  StateArchive archive(sections);
  other->exchange(archive);
  EXPECT_EQ(saved(*other), sections);
  advance(*other, saved_at, steps);
  return answer_of(*other, problem);
}

Answer uninterrupted(const Problem& problem, Make make) {
  const std::unique_ptr<Simulation> simulation = make(problem);
  advance(*simulation, 0, steps);
  return answer_of(*simulation, problem);
}

/// A wave through cells of three kinds, in a mesh whose numbers are in no order, under two pulses.
struct Wave {
  Wave(TimeScheme scheme, Quadrature quadrature) : problem(resting_problem(mesh, 0.2, 0)) {
    problem.cell_models = std::vector<AlievPanfilov>{{.b = 0.1}, {.b = 0.2}, {.b = 0.3}};
    for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) problem.cell_model[e] = static_cast<std::uint16_t>(e % 3);
    problem.time.scheme = scheme;
    problem.quadrature = quadrature;
    std::vector<Index> nodes;
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
      if (mesh.nodes[i].x < 0.6) nodes.push_back(static_cast<Index>(i));
    problem.stimuli = {{nodes, {0.25, 1, 1.5, 2}, AlievPanfilov::scaling.stimulus(80)}};
  }
  Mesh mesh = renumbered(random_mesh({3, 2.5, 2}, 0.5, 17), 17).mesh;
  Problem problem;
};

template <class Action>
void for_each_way(const Action& action) {
  const auto run = [&](TimeScheme scheme, Quadrature quadrature, std::optional<PolynomialOptions> polynomial = {}) {
    SCOPED_TRACE(std::to_string(static_cast<int>(scheme)) + " " + std::to_string(static_cast<int>(quadrature)));
    Wave wave(scheme, quadrature);
    if (polynomial) {
      wave.problem.preconditioner = PreconditionerChoice::polynomial;
      wave.problem.polynomial = *polynomial;
    }
    action(wave.problem);
  };
  for (const TimeScheme scheme : {TimeScheme::backward_euler, TimeScheme::sdirk2, TimeScheme::trbdf2, TimeScheme::bdf2})
    for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices, Quadrature::vertices_and_centroid})
      run(scheme, quadrature);
  run(TimeScheme::rkc2, Quadrature::vertices);
  run(TimeScheme::sdirk2, Quadrature::vertices, PolynomialOptions{PolynomialKind::chebyshev, 3});
  run(TimeScheme::backward_euler, Quadrature::centroid,
      PolynomialOptions{PolynomialKind::least_squares, 2, PolynomialPrecision::single});
}

void expect_same_bits(const Problem& problem, Make make) {
  const Answer expected = uninterrupted(problem, make), answer = answer_by_way_of(problem, make, make);
  EXPECT_GT(*std::max_element(expected.potential_mv.begin(), expected.potential_mv.end()), 0);
  EXPECT_EQ(answer.potential_mv, expected.potential_mv);
  EXPECT_EQ(answer.states, expected.states);
  EXPECT_EQ(answer.activation_ms, expected.activation_ms);
}

void expect_near(const Answer& answer, const Answer& expected) {
  for (std::size_t i = 0; i < expected.potential_mv.size(); ++i) {
    ASSERT_NEAR(answer.potential_mv[i], expected.potential_mv[i], 1e-6) << i;
    ASSERT_NEAR(answer.activation_ms[i], expected.activation_ms[i], 1e-6) << i;
  }
  for (std::size_t e = 0; e < expected.states.size(); ++e) ASSERT_NEAR(answer.states[e], expected.states[e], 1e-8) << e;
}

/// The problem that begins with the state of a run on a machine.
Problem beginning_with_state_of(const Problem& problem, Make make) {
  const std::unique_ptr<Simulation> begun = make(problem);
  advance(*begun, 0, saved_at);
  StateArchive archive(saved(*begun));
  StartState start;
  archive.values("integrator/phi", start.phi);
  archive.values("integrator/states", start.states);
  Problem next = problem;
  begin_with(start, next);
  return next;
}

/// A simulation that is made on `second` has the state of `first` with its bits.
void expect_begins_with_state(const Problem& problem, Make first, Make second) {
  const Problem next = beginning_with_state_of(problem, first);
  const std::unique_ptr<Simulation> simulation = second(next);
  StateArchive archive(saved(*simulation));
  std::vector<Real> phi, states;
  archive.values("integrator/phi", phi);
  archive.values("integrator/states", states);
  EXPECT_EQ(phi, next.phi);
  EXPECT_EQ(states, *next.point_states);
  EXPECT_GT(*std::max_element(phi.begin(), phi.end()), 0.5);
}

TEST(CheckpointOnACpu, AnotherRunBeginsWithItsStateBitForBit) {
  for_each_way(
      [](const Problem& problem) { expect_begins_with_state(problem, make_cpu_simulation, make_cpu_simulation); });
}

TEST_F(CheckpointParity, EachMachineBeginsWithAStateOfTheOther) {
  for_each_way([](const Problem& problem) {
    expect_begins_with_state(problem, make_cpu_simulation, make_gpu_simulation);
    expect_begins_with_state(problem, make_gpu_simulation, make_cpu_simulation);
    const Problem next = beginning_with_state_of(problem, make_gpu_simulation);
    expect_near(uninterrupted(next, make_gpu_simulation), uninterrupted(next, make_cpu_simulation));
  });
}

TEST(CheckpointOnACpu, GoesOnBitForBit) {
  for_each_way([](const Problem& problem) { expect_same_bits(problem, make_cpu_simulation); });
}

TEST_F(CheckpointParity, AGpuGoesOnBitForBit) {
  for_each_way([](const Problem& problem) { expect_same_bits(problem, make_gpu_simulation); });
}

TEST_F(CheckpointParity, EachMachineGoesOnFromTheOther) {
  for_each_way([](const Problem& problem) {
    const Answer expected = uninterrupted(problem, make_cpu_simulation);
    expect_near(answer_by_way_of(problem, make_cpu_simulation, make_gpu_simulation), expected);
    expect_near(answer_by_way_of(problem, make_gpu_simulation, make_cpu_simulation), expected);
  });
}

}  // namespace
}  // namespace cardiowarp
