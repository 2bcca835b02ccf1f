#include "app/simulation/pulse_watch.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "meshes/generate.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {

static void PrintTo(const PulseCaptures& captures, std::ostream* out) {
  *out << captures.pulses << " pulses, " << captures.captured << " captured, " << captures.missed << " missed";
}

namespace {

constexpr Real D = 0.2;  // mm²/ms: a front is 0.8 mm thick and travels 0.25 mm/ms

std::vector<Index> nodes_where(const Mesh& mesh, const std::function<bool(Vector3)>& inside) {
  std::vector<Index> nodes;
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
    if (inside(mesh.nodes[node])) nodes.push_back(static_cast<Index>(node));
  return nodes;
}

/// A bar of 8 × 1 × 1 mm with stimuli at its ends, 60 mV/ms for 2 ms unless they say otherwise.
struct Bar {
  Mesh mesh = slab_mesh({8, 1, 1}, 0.5, true);
  Problem problem = resting_problem(mesh, D, 0);

  enum class End { left, right };
  void stimulate(End end, PulseTrain pulses, Real mv_per_ms = 60) {
    problem.stimuli.push_back({nodes_where(mesh, [=](Vector3 p) { return end == End::left ? p.x < 1.1 : p.x > 6.9; }),
                               pulses, AlievPanfilov::scaling.stimulus(mv_per_ms)});
  }

  std::vector<PulseCaptures> captures_after(Real end_ms, Real step_ms = 0.25) const {
    const auto simulation = make_cpu_simulation(problem);
    for (int step = 1; step * step_ms <= end_ms; ++step)
      if (simulation->step_to(step * step_ms).failure) ADD_FAILURE() << "step " << step;
    return simulation->captures();
  }
};

TEST(NodesAround, AreTheFirstOnesFartherThanTheDistance) {
  const Mesh mesh = slab_mesh({8, 1, 1}, 0.5, true);
  const Sparsity sparsity = build_sparsity(mesh.tetrahedra, static_cast<Index>(mesh.nodes.size()));
  const auto plane = [&](Real x) { return nodes_where(mesh, [=](Vector3 p) { return std::abs(p.x - x) < 0.01; }); };
  const auto around = [&](const std::vector<Index>& nodes, Real distance_mm) {
    return nodes_around(sparsity, mesh.nodes, nodes, distance_mm);
  };
  EXPECT_EQ(around(plane(0), 0.1), plane(0.5));
  EXPECT_EQ(around(plane(0), 7.9), plane(8));
  EXPECT_EQ(around(plane(0), 100), nodes_where(mesh, [](Vector3 p) { return p.x > 0.1; }));
  const std::vector<Index> all = nodes_where(mesh, [](Vector3) { return true; });
  EXPECT_EQ(around(all, 0.8), all);
  std::vector<Index> both = plane(0.5), expected = plane(0);
  for (const Index node : plane(1)) expected.push_back(node);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(around(both, 0.1), expected);
}

TEST(PulseWatch, APulseThatStartsAWaveCaptures) {
  Bar bar;
  bar.stimulate(Bar::End::left, {0, 2});
  EXPECT_EQ(bar.captures_after(12), (std::vector<PulseCaptures>{{1, 1, 0}}));
}

TEST(PulseWatch, APulseThatStartsInsideAStepCounts) {
  Bar bar;
  bar.stimulate(Bar::End::left, {1.13, 2});
  EXPECT_EQ(bar.captures_after(12, 0.5), (std::vector<PulseCaptures>{{1, 1, 0}}));
}

TEST(PulseWatch, AWeakPulseHasMissedOnceItHasBeenOverForAWhile) {
  Bar bar;
  bar.stimulate(Bar::End::left, {0, 2}, 2);
  EXPECT_EQ(bar.captures_after(21.75), (std::vector<PulseCaptures>{{1, 0, 0}}));
  EXPECT_EQ(bar.captures_after(22), (std::vector<PulseCaptures>{{1, 0, 1}}));
}

TEST(PulseWatch, APulseThatHasNotBegunAndOneThatInhibitsAreNotJudged) {
  Bar bar;
  bar.stimulate(Bar::End::left, {40, 2});
  bar.stimulate(Bar::End::right, {0, 2}, -2);
  EXPECT_EQ(bar.captures_after(30), (std::vector<PulseCaptures>{{0, 0, 0}, {1, 0, 0}}));
}

TEST(PulseWatch, APulseOnTissueThatHasNotRecoveredMissesThoughAWaveHasPassedThere) {
  Bar bar;
  bar.stimulate(Bar::End::left, {0, 2});
  bar.stimulate(Bar::End::right, {50, 2});
  EXPECT_EQ(bar.captures_after(75), (std::vector<PulseCaptures>{{1, 1, 0}, {1, 0, 1}}));
}

TEST(PulseWatch, AWaveFromElsewhereThatPassesAWeakPulseIsNotItsOwn) {
  Bar bar;
  bar.stimulate(Bar::End::left, {0, 2});
  bar.stimulate(Bar::End::right, {5, 2}, 0.1);
  EXPECT_EQ(bar.captures_after(40), (std::vector<PulseCaptures>{{1, 1, 0}, {1, 0, 1}}));
}

TEST(PulseWatch, PulsesOfOneStimulusAreJudgedOneByOne) {
  Bar bar;
  bar.stimulate(Bar::End::left, {0, 2, 20, 4});
  EXPECT_EQ(bar.captures_after(65), (std::vector<PulseCaptures>{{4, 1, 2}}));  // the fourth began at 60
}

TEST(PulseWatch, EveryPulseOnTissueThatHasRecoveredCaptures) {
  Bar bar;
  bar.stimulate(Bar::End::left, {0, 2, 500, 2});
  EXPECT_EQ(bar.captures_after(512, 0.5), (std::vector<PulseCaptures>{{2, 2, 0}}));
}

TEST(PulseWatch, LaterPulsesOfOthersDoNotHideWhatAPulseDid) {
  Bar bar;
  bar.stimulate(Bar::End::left, {0, 2});
  bar.stimulate(Bar::End::right, {3, 2, 1, 3}, 0.1);  // begin before the front has left
  EXPECT_EQ(bar.captures_after(12)[0], (PulseCaptures{1, 1, 0}));
}

TEST(PulseWatch, TissueThatIsStimulatedAsAWholeHasToBeActivatedItself) {
  Bar bar;
  const std::vector<Index> all = nodes_where(bar.mesh, [](Vector3) { return true; });
  bar.problem.stimuli = {{all, {0, 2}, AlievPanfilov::scaling.stimulus(60)}};
  EXPECT_EQ(bar.captures_after(5), (std::vector<PulseCaptures>{{1, 1, 0}}));
  bar.problem.stimuli[0].amplitude = AlievPanfilov::scaling.stimulus(0.1);
  EXPECT_EQ(bar.captures_after(25), (std::vector<PulseCaptures>{{1, 0, 1}}));
}

TEST(PulseWatch, WhatDiffusesOutOfASmallRegionWithoutAWaveIsNoCapture) {
  const Mesh mesh = slab_mesh({6, 6, 6}, 0.5, true);
  Problem problem = resting_problem(mesh, 1, 0);
  const auto inside = [](Vector3 p) { return norm(p) < 1; };
  problem.stimuli = {{nodes_where(mesh, inside), {0, 2}, AlievPanfilov::scaling.stimulus(500)}};
  const auto simulation = make_cpu_simulation(problem);
  for (int step = 1; step <= 110; ++step) ASSERT_FALSE(simulation->step_to(0.2 * step).failure);
  std::vector<Real> activation(mesh.nodes.size());
  simulation->activation_time_ms(activation);
  Index outside = 0;
  for (std::size_t node = 0; node < activation.size(); ++node)
    outside += !inside(mesh.nodes[node]) && activation[node] >= 0;
  EXPECT_GT(outside, 0);
  EXPECT_LT(outside, 50);
  EXPECT_EQ(simulation->captures(), (std::vector<PulseCaptures>{{1, 0, 1}}));
}

}  // namespace
}  // namespace cardiowarp
