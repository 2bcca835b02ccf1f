// Stimuli whose nodes get their pulses at different times: volleys, steps, the same bits as stimuli one by one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "app/config/time_config.hpp"
#include "app/simulation/boundary.hpp"
#include "app/simulation/select_tissue.hpp"
#include "app/simulation/time_stepper.hpp"
#include "app/simulation/volleys.hpp"
#include "meshes/generate.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

std::vector<Index> nodes_where(const Mesh& mesh, const std::function<bool(Vector3)>& inside) {
  std::vector<Index> nodes;
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
    if (inside(mesh.nodes[node])) nodes.push_back(static_cast<Index>(node));
  return nodes;
}

TEST(Volleys, AreTheNodesOfEachDelayTheEarliestFirst) {
  const Stimulus stimulus{{3, 5, 8, 9}, {10, 2, 100, 3}, 7, {0.5, 1, 0.25, 0.75}, {4, 9.2, 6, 4}};
  const StimulusInVolleys made = in_volleys(stimulus);
  EXPECT_EQ(made.nodes, (std::vector<Index>{3, 9, 8, 5}));
  EXPECT_EQ(made.share, (std::vector<Real>{0.5, 0.75, 0.25, 1}));
  ASSERT_EQ(made.volleys.size(), 3u);
  EXPECT_EQ(made.volleys[0].pulses.start_ms, 14);
  EXPECT_EQ(made.volleys[0].nodes, 2);
  EXPECT_EQ(made.volleys[1].pulses.start_ms, 16);
  EXPECT_EQ(made.volleys[1].first, 2);
  EXPECT_EQ(made.volleys[2].pulses.start_ms, 19.2);
  for (const Volley& volley : made.volleys) {
    EXPECT_EQ(volley.pulses.duration_ms, 2);
    EXPECT_EQ(volley.pulses.period_ms, 100);
    EXPECT_EQ(volley.pulses.count, 3);
  }
  EXPECT_EQ(longest_delay_ms(stimulus), 9.2);
}

TEST(Volleys, OfAStimulusWithoutDelaysAreOne) {
  const StimulusInVolleys made = in_volleys({{4, 7}, {1, 2}, 5});
  ASSERT_EQ(made.volleys.size(), 1u);
  EXPECT_EQ(made.volleys[0].nodes, 2);
  EXPECT_EQ(made.share, (std::vector<Real>{1, 1}));
  EXPECT_EQ(longest_delay_ms({{4, 7}, {1, 2}, 5}), 0);
}

/// A bar of 17 × 1 × 1 mm that is stimulated at both ends, at the right one 7.4 ms later, and again 60 ms after that.
struct Bar {
  Mesh mesh = slab_mesh({17, 1, 1}, 0.5, true);
  std::vector<Index> left = nodes_where(mesh, [](Vector3 p) { return p.x < 1.1; }),
                     right = nodes_where(mesh, [](Vector3 p) { return p.x > 15.9; });
  Real amplitude = AlievPanfilov::scaling.stimulus(60);
  PulseTrain pulses{1.2, 2, 60, 2};

  Problem one_by_one() const {
    Problem problem = resting_problem(mesh, 0.2, 0);
    PulseTrain later = pulses;
    later.start_ms += 7.4;
    problem.stimuli = {{left, pulses, amplitude}, {right, later, amplitude}};
    return problem;
  }
  Problem delayed() const {
    Problem problem = resting_problem(mesh, 0.2, 0);
    Stimulus both{{}, pulses, amplitude};
    for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
      const Real x = mesh.nodes[node].x;
      if (x > 1.1 && x < 15.9) continue;
      both.nodes.push_back(static_cast<Index>(node));
      both.delay_ms.push_back(x < 8 ? 0 : 7.4);
    }
    problem.stimuli = {both};
    return problem;
  }
};

struct Outcome {
  std::vector<Real> potential_mv;
  std::vector<Real> ends_ms;
  std::vector<PulseCaptures> captures;
};

Outcome run(const Problem& problem, const TimeConfig& time) {
  const auto simulation = make_cpu_simulation(problem);
  TimeStepper stepper(time, 20, problem.stimuli);
  Outcome outcome;
  while (!stepper.finished()) {
    EXPECT_FALSE(stepper.advance(*simulation).failure);
    outcome.ends_ms.push_back(simulation->time_ms());
  }
  outcome.potential_mv.resize(problem.mesh->nodes.size());
  simulation->potential_mv(outcome.potential_mv);
  outcome.captures = simulation->captures();
  return outcome;
}

TimeConfig steps(TimeScheme scheme, bool adaptive) {
  TimeConfig time;
  time.end_ms = 71;
  time.step_ms = 0.3;
  time.scheme = scheme;
  time.adaptive.enabled = adaptive;
  time.adaptive.tolerance = 2e-3;
  time.adaptive.min_step_ms = 0.01;
  time.adaptive.max_step_ms = 5;
  return time;
}

TEST(DelayedStimulus, IsBitForBitAsStimuliOneByOneWithEqualAndWithAdaptiveSteps) {
  const Bar bar;
  for (const TimeScheme scheme : {TimeScheme::backward_euler, TimeScheme::sdirk2})
    for (const bool adaptive : {false, true}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(scheme) << ' ' << adaptive);
      Problem one_by_one = bar.one_by_one(), delayed = bar.delayed();
      for (Problem* problem : {&one_by_one, &delayed}) problem->time.scheme = scheme;
      for (Problem* problem : {&one_by_one, &delayed})
        problem->time.tolerance = adaptive ? 2e-3 : TimeMethod::equal_steps;
      const Outcome expected = run(one_by_one, steps(scheme, adaptive)), got = run(delayed, steps(scheme, adaptive));
      EXPECT_EQ(got.ends_ms, expected.ends_ms);
      EXPECT_EQ(got.potential_mv, expected.potential_mv);
      EXPECT_GT(*std::ranges::max_element(got.potential_mv), 0) << "a front is on its way";
    }
}

TEST(DelayedStimulus, EndsStepsWhereThePulsesOfEachDelayBeginAndEnd) {
  const Bar bar;
  const Outcome got = run(bar.delayed(), steps(TimeScheme::sdirk2, false));
  for (const Real edge_ms : {1.2, 3.2, 8.6, 10.6, 61.2, 63.2, 68.6, 70.6})
    EXPECT_TRUE(std::ranges::any_of(got.ends_ms, [&](Real end) { return std::fabs(end - edge_ms) < 1e-9; })) << edge_ms;
}

TEST(DelayedStimulus, IsOnePulseForAllItsDelays) {
  const Bar bar;
  const Outcome got = run(bar.delayed(), steps(TimeScheme::sdirk2, true));
  ASSERT_EQ(got.captures.size(), 1u);
  const PulseCaptures& first = got.captures[0];
  EXPECT_EQ(first.pulses, 2);
  EXPECT_GE(first.captured + first.cramped + first.met, 1) << "two fronts, which meet in the middle of the bar";
}

TEST(DelayedStimulus, KeepsTheDelayOfEachNodeInAnotherOrderAndWithoutPrescribedNodes) {
  const Bar bar;
  Problem problem = bar.delayed();
  problem.stimuli[0].delay_ms.clear();
  for (const Index node : problem.stimuli[0].nodes) problem.stimuli[0].delay_ms.push_back(0.1 * node);
  std::vector<Index> nodes(bar.mesh.nodes.size()), elements(bar.mesh.tetrahedra.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = static_cast<Index>(nodes.size() - 1 - i);
  for (std::size_t e = 0; e < elements.size(); ++e) elements[e] = static_cast<Index>(e);
  const Tissue turned = select_tissue(problem, nodes, elements);
  ASSERT_EQ(turned.stimuli[0].delay_ms.size(), problem.stimuli[0].nodes.size());
  for (std::size_t i = 0; i < turned.stimuli[0].nodes.size(); ++i)
    EXPECT_EQ(turned.stimuli[0].delay_ms[i], 0.1 * nodes[turned.stimuli[0].nodes[i]]);

  const std::vector<Index> prescribed{problem.stimuli[0].nodes[1], problem.stimuli[0].nodes[4]};
  keep_potential(prescribed, problem);
  const Stimulus& left = problem.stimuli[0];
  ASSERT_EQ(left.delay_ms.size(), left.nodes.size());
  for (std::size_t i = 0; i < left.nodes.size(); ++i) EXPECT_EQ(left.delay_ms[i], 0.1 * left.nodes[i]);
}

}  // namespace
}  // namespace cardiowarp
