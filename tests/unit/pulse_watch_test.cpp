#include "app/simulation/pulse_watch.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "assembly/build_sparsity.hpp"
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

/// A bar of 17 × 1 × 1 mm with stimuli at its ends, 60 mV/ms for 2 ms unless they say otherwise.
struct Bar {
  Mesh mesh = slab_mesh({17, 1, 1}, 0.5, true);
  Problem problem = resting_problem(mesh, D, 0);

  enum class End { left, right };
  void stimulate(End end, PulseTrain pulses, Real mv_per_ms = 60) {
    problem.stimuli.push_back({nodes_where(mesh, [=](Vector3 p) { return end == End::left ? p.x < 1.1 : p.x > 15.9; }),
                               pulses, AlievPanfilov::scaling.stimulus(mv_per_ms)});
  }

  /// When the front of the stimuli that there are passes the plane at x.
  Real activation_ms(Real x) const {
    const auto simulation = make_cpu_simulation(problem);
    for (int step = 1; step <= 160; ++step) EXPECT_FALSE(simulation->step_to(0.5 * step).failure);
    std::vector<Real> activation(mesh.nodes.size());
    simulation->activation_time_ms(activation);
    return activation[nodes_where(mesh, [=](Vector3 p) { return std::fabs(p.x - x) < 0.3; }).front()];
  }

  std::vector<PulseCaptures> captures_after(Real end_ms, Real step_ms = 0.25) const {
    const auto simulation = make_cpu_simulation(problem);
    for (int step = 1; step * step_ms <= end_ms; ++step)
      if (simulation->step_to(step * step_ms).failure) ADD_FAILURE() << "step " << step;
    return simulation->captures();
  }
};

TEST(PulseSurroundings, EndWithTheFirstNodesThatAreThreeFrontsAndFourEdgesAway) {
  const Mesh mesh = slab_mesh({8, 1, 1}, 0.5, true);
  const Sparsity sparsity = build_sparsity(mesh.tetrahedra, static_cast<Index>(mesh.nodes.size()));
  const auto plane = [&](Real x) { return nodes_where(mesh, [=](Vector3 p) { return std::abs(p.x - x) < 0.01; }); };
  std::vector<Real> widths_mm(mesh.nodes.size());
  const auto far_from = [&](const std::vector<Index>& stimulated) {
    const PulseSurroundings around = surroundings_of(sparsity, mesh.nodes, stimulated, widths_mm);
    EXPECT_EQ(std::vector<Index>(around.nodes.begin(), around.nodes.begin() + around.stimulated), stimulated);
    std::vector<Index> far(around.nodes.begin() + around.near, around.nodes.end());
    std::sort(far.begin(), far.end());
    EXPECT_EQ(around.has_far(), !far.empty());
    return far;
  };
  std::ranges::fill(widths_mm, 0.1);
  EXPECT_EQ(far_from(plane(0)), plane(2)) << "four edges";
  std::ranges::fill(widths_mm, 1.1);
  EXPECT_EQ(far_from(plane(0)), plane(3.5)) << "more than 3.3 mm";
  EXPECT_EQ(far_from(plane(8)), plane(4.5));
  std::ranges::fill(widths_mm, 0.1);
  for (const Index node : plane(1)) widths_mm[node] = 1.1;
  EXPECT_EQ(far_from(plane(0)), plane(3.5)) << "as wide as on the way";
  EXPECT_EQ(far_from(plane(8)), plane(6)) << "not as wide as behind";
  std::vector<Index> middle = plane(3.5), both = plane(1.5);
  for (const Index node : plane(5.5)) both.push_back(node);
  std::ranges::sort(both);
  EXPECT_EQ(far_from(middle), both);
  std::ranges::fill(widths_mm, 1.1);
  std::vector<Index> uneven = plane(4);
  const Index tip = nodes_where(mesh, [](Vector3 p) { return p.x == 5 && p.y == 0 && p.z == 0; }).front();
  uneven.push_back(tip);
  for (const Index node : far_from(uneven)) {
    EXPECT_GT(norm(mesh.nodes[node] - mesh.nodes[tip]), 3.3) << "the nearest of the stimulated nodes counts";
    EXPECT_GT(std::abs(mesh.nodes[node].x - 4), 3.3);
  }
  std::ranges::fill(widths_mm, 3);
  EXPECT_TRUE(far_from(plane(0)).empty());
  std::ranges::fill(widths_mm, 0.1);
  EXPECT_TRUE(far_from(nodes_where(mesh, [](Vector3) { return true; })).empty());
}

TEST(PulseSurroundings, AreOnceInAPlanForStimuliOfTheSameNodesThatFollowEachOther) {
  Bar bar;
  for (const Bar::End end : {Bar::End::left, Bar::End::left, Bar::End::right, Bar::End::left})
    bar.stimulate(end, {0, 2});
  const SimulationPlan plan = plan_simulation(bar.problem, cpu_device());
  ASSERT_EQ(plan.surroundings.size(), 4);
  EXPECT_EQ(plan.surroundings[0], plan.surroundings[1]);
  EXPECT_NE(plan.surroundings[0]->nodes, plan.surroundings[2]->nodes);
  EXPECT_EQ(plan.surroundings[3]->nodes, plan.surroundings[0]->nodes);
}

TEST(PulseSurroundings, HaveTheWidthOfTheWidestFrontAroundEachNode) {
  const Mesh mesh = slab_mesh({2, 1, 1}, 1, true);
  Problem problem = resting_problem(mesh, D, 0);
  const auto [thin, thick] = front_thickness_mm(problem);
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
    bool is_right = true;
    for (const Index node : mesh.tetrahedra[e]) is_right = is_right && mesh.nodes[node].x > 0.5;
    if (is_right) problem.diffusivity[e].isotropic *= 4;
  }
  const std::vector<Real> widths_mm = front_widths_mm(problem);
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
    EXPECT_NEAR(widths_mm[node], thick * 4.394449 * (mesh.nodes[node].x > 0.5 ? 2 : 1), 1e-6);
  EXPECT_NEAR(front_width_mm(1), 4.394449, 1e-6);
  std::ranges::reverse(problem.diffusivity);  // the wide ones come first
  const std::vector<Real> reversed_mm = front_widths_mm(problem);
  EXPECT_NEAR(*std::ranges::max_element(reversed_mm), 2 * thick * 4.394449, 1e-6);
  EXPECT_EQ(std::ranges::count(reversed_mm, *std::ranges::max_element(reversed_mm)), 8) << "those that both have, too";
  for (Diffusivity& diffusivity : problem.diffusivity)
    diffusivity = {problem.scaling().diffusivity(D), problem.scaling().diffusivity(8 * D), {0, 1, 0}};
  for (const Real width_mm : front_widths_mm(problem)) EXPECT_NEAR(width_mm, 3 * thick * 4.394449, 1e-6) << "along";
}

TEST(PulseSurroundings, HaveAWidthAtTheNodesInTheMiddleOfEdges) {
  const Mesh mesh = quadratic_mesh(slab_mesh({2, 1, 1}, 1, true));
  const Problem problem = resting_problem(mesh, D, 0);
  for (const Real width_mm : front_widths_mm(problem))
    EXPECT_NEAR(width_mm, front_width_mm(front_thickness_mm(problem).second), 1e-12);
}

/// Ten nodes in a row: two that are stimulated, six beside them and two that are far.
struct Row {
  PulseSurroundings around{{5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, 2, 8, {}, {}};
  PulseSpan pulse{100, 102, 122, 0.5};

  Row() {
    for (Index i = 0; i < 10; ++i) {
      around.row_begin.push_back(static_cast<Index>(around.neighbor.size()));
      for (const Index beside : {i - 1, i + 1})
        if (beside >= 0 && beside < 10) around.neighbor.push_back(beside);
    }
    around.row_begin.push_back(static_cast<Index>(around.neighbor.size()));
  }
  PulseTrace trace(const std::vector<Real>& activated_ms) const { return trace_of_pulse(around, activated_ms, pulse); }
};

TEST(PulseTrace, FollowsAFrontToAFarNode) {
  const Row row;
  EXPECT_TRUE(row.trace({101, 101, 103, 108, 116, 126, 130, 134, 138, -1}).is_far);
  EXPECT_TRUE(row.trace({101, 101, 151, 155, 159, 163, 167, 171, 175, 179}).is_far) << "late beside the stimulus";
  EXPECT_FALSE(row.trace({101, 101, 103, 108, 116, 126, 130, 134, -1, -1}).is_far);
}

TEST(PulseTrace, KnowsWhereAFrontEnds) {
  const PulseTrace ended = Row().trace({101, 101, 103, 108, -1, -1, -1, -1, -1, -1});
  EXPECT_TRUE(ended.activated);
  EXPECT_FALSE(ended.is_far);
  EXPECT_FALSE(ended.met);
  EXPECT_EQ(ended.last_ms, 108);
}

TEST(PulseTrace, OfANodeIsThatOfTheNeighborWhichWasActivatedLast) {
  const PulseTrace between = Row().trace({101, 101, 110, 112, 104, -1, -1, -1, -1, -1});
  EXPECT_EQ(between.last_ms, 112) << "by the front of the pulse, though another was there earlier";
  EXPECT_TRUE(between.met);
}

TEST(PulseTrace, EndsUnmetAtTissueThatWasActivatedBeforeThePulse) {
  const PulseTrace ended = Row().trace({101, 101, 103, 99, 98, 97, 96, 95, 94, 93});
  EXPECT_TRUE(ended.activated);
  EXPECT_FALSE(ended.is_far);
  EXPECT_FALSE(ended.met);
}

TEST(PulseTrace, GoesNoFurtherThanAPauseThatIsTooLong) {
  const Row row;
  const PulseTrace paused = row.trace({101, 101, 103, 154, 155, 156, 157, 158, 159, 160});
  EXPECT_FALSE(paused.is_far);
  EXPECT_EQ(paused.last_ms, 103);
}

TEST(PulseTrace, IsNotThatOfAFrontFromElsewhere) {
  const Row row;
  const PulseTrace from_outside = row.trace({101, 101, 103, 142, 138, 134, 130, 126, 122, 118});
  EXPECT_TRUE(from_outside.activated);
  EXPECT_FALSE(from_outside.is_far);
  EXPECT_TRUE(from_outside.met);
  const PulseTrace much_later = row.trace({101, 101, 103, 242, 238, 234, 230, 226, 222, 218});
  EXPECT_FALSE(much_later.is_far);
  EXPECT_FALSE(much_later.met) << "it had ended before";
  const PulseTrace swept = row.trace({116, 112, 108, 107, 106, 105, 104, 103, 102, 101});
  EXPECT_FALSE(swept.activated);
}

TEST(PulseTrace, IsNotThatOfAFrontThatWasThereBefore) {
  const Row row;
  EXPECT_FALSE(row.trace({99, 100.5, 103, 106, 109, 112, 115, 118, 121, 124}).activated) << "swept while it is on";
  EXPECT_FALSE(row.trace({99, 99, 99, 99, 101, 105, 109, 113, 117, 121}).activated);
  EXPECT_TRUE(row.trace({30, 101, 103, 106, 109, 112, 115, 118, 121, 124}).is_far) << "the beat before is over";
}

TEST(PulseTrace, HasMetAFrontThatWasThereWhenThePulseRaisedANodeBesideIt) {
  const Row row;
  EXPECT_TRUE(row.trace({99, 100.5, 103, 106, 109, 112, 115, 118, 121, 124}).met);
  EXPECT_FALSE(row.trace({99, 100.4, 103, 106, 109, 112, 115, 118, 121, 124}).met) << "too early to be raised";
  EXPECT_FALSE(row.trace({99, 102.1, 103, 106, 109, 112, 115, 118, 121, 124}).met) << "the pulse was over";
}

TEST(PulseTrace, OfAPulseBesideAnotherOfTheSameTimeIsItsOwn) {
  const Row row;
  EXPECT_TRUE(row.trace({101, 100.9, 100.8, -1, -1, -1, -1, -1, -1, -1}).activated) << "raised while it is on";
  EXPECT_FALSE(row.trace({100.45, 100.4, 100.3, -1, -1, -1, -1, -1, -1, -1}).activated) << "not as strong";
  EXPECT_FALSE(row.trace({103, 102.5, 102.3, -1, -1, -1, -1, -1, -1, -1}).activated) << "after it";
}

TEST(PulseTrace, OfANodeThatIsActivatedLongAfterThePulseIsNotItsOwn) {
  EXPECT_TRUE(Row().trace({122, -1, -1, -1, -1, -1, -1, -1, -1, -1}).activated);
  EXPECT_FALSE(Row().trace({122.1, -1, -1, -1, -1, -1, -1, -1, -1, -1}).activated);
}

TEST(PulseWatch, APulseThatStartsAWaveCaptures) {
  Bar bar;
  bar.stimulate(Bar::End::left, {0, 2});
  EXPECT_EQ(bar.captures_after(30), (std::vector<PulseCaptures>{{1, 0, 0}})) << "too early to tell";
  EXPECT_EQ(bar.captures_after(60), (std::vector<PulseCaptures>{{1, 1, 0}}));
}

TEST(PulseWatch, APulseThatStartsInsideAStepCounts) {
  Bar bar;
  bar.stimulate(Bar::End::left, {1.13, 2});
  EXPECT_EQ(bar.captures_after(60, 0.5), (std::vector<PulseCaptures>{{1, 1, 0}}));
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
  bar.stimulate(Bar::End::right, {90, 2});
  EXPECT_EQ(bar.captures_after(195), (std::vector<PulseCaptures>{{1, 1, 0}, {1, 0, 1}}));
}

TEST(PulseWatch, AWaveFromElsewhereThatPassesAWeakPulseIsNotItsOwn) {
  Bar bar;
  bar.stimulate(Bar::End::left, {0, 2});
  bar.stimulate(Bar::End::right, {5, 2}, 0.1);
  EXPECT_EQ(bar.captures_after(110), (std::vector<PulseCaptures>{{1, 1, 0}, {1, 0, 1}}));
}

TEST(PulseWatch, AWeakPulseWhoseUpstrokeComesLateCapturesIfItsWaveGetsFar) {
  Bar bar;
  bar.problem.stimuli = {
      {nodes_where(bar.mesh, [](Vector3 p) { return p.x < 5; }), {0, 1}, AlievPanfilov::scaling.stimulus(6)}};
  EXPECT_EQ(bar.captures_after(30, 0.5), (std::vector<PulseCaptures>{{1, 0, 1}})) << "nothing is activated yet";
  EXPECT_EQ(bar.captures_after(200, 0.5), (std::vector<PulseCaptures>{{1, 1, 0}}));
}

TEST(PulseWatch, APulseInTheWayOfAWaveThatIsThereIsNotJudged) {
  Bar bar;
  bar.stimulate(Bar::End::left, {0, 2});
  bar.problem.stimuli.push_back({nodes_where(bar.mesh, [](Vector3 p) { return p.x > 3.9 && p.x < 5.1; }),
                                 {bar.activation_ms(2.5), 2},
                                 AlievPanfilov::scaling.stimulus(60)});
  EXPECT_EQ(bar.captures_after(200, 0.5)[1], (PulseCaptures{1, 0, 0, 0, 1}));
}

TEST(PulseWatch, PulsesOfOneStimulusAreJudgedOneByOne) {
  Bar bar;
  bar.stimulate(Bar::End::left, {0, 2, 20, 4});
  EXPECT_EQ(bar.captures_after(65), (std::vector<PulseCaptures>{{4, 1, 2}}));  // the fourth began at 60
}

TEST(PulseWatch, EveryPulseOnTissueThatHasRecoveredCaptures) {
  Bar bar;
  bar.stimulate(Bar::End::left, {0, 2, 500, 2});
  EXPECT_EQ(bar.captures_after(560, 0.5), (std::vector<PulseCaptures>{{2, 2, 0}}));
}

TEST(PulseWatch, LaterPulsesOfOthersDoNotHideWhatAPulseDid) {
  Bar bar;
  bar.stimulate(Bar::End::left, {0, 2});
  bar.stimulate(Bar::End::right, {3, 2, 5, 9}, 0.1);  // begin before the front is far
  EXPECT_EQ(bar.captures_after(60)[0], (PulseCaptures{1, 1, 0}));
}

TEST(PulseWatch, TissueThatIsStimulatedAsAWholeIsNotJudgedIfItIsActivated) {
  Bar bar;
  const std::vector<Index> all = nodes_where(bar.mesh, [](Vector3) { return true; });
  bar.problem.stimuli = {{all, {0, 2}, AlievPanfilov::scaling.stimulus(60)}};
  EXPECT_EQ(bar.captures_after(5), (std::vector<PulseCaptures>{{1, 0, 0, 1, 0}}));
  bar.problem.stimuli[0].amplitude = AlievPanfilov::scaling.stimulus(0.1);
  EXPECT_EQ(bar.captures_after(105), (std::vector<PulseCaptures>{{1, 0, 1}}));
}

TEST(PulseWatch, WavesOfBothEndsThatMeetAreNotJudgedWhereTheyAreNotFar) {
  Bar bar;
  bar.stimulate(Bar::End::left, {0, 2});
  bar.stimulate(Bar::End::right, {0, 2});
  EXPECT_EQ(bar.captures_after(120), (std::vector<PulseCaptures>{{1, 0, 0, 0, 1}, {1, 0, 0, 0, 1}}));
}

TEST(PulseWatch, AFrontThatIsOnTheWayWhenTheNextPulseBeginsCapturesStill) {
  Bar bar;
  bar.stimulate(Bar::End::left, {0, 2, 20, 2});
  EXPECT_EQ(bar.captures_after(125), (std::vector<PulseCaptures>{{2, 1, 1}}));
}

TEST(PulseWatch, WhatDiffusesOutOfASmallRegionWithoutAWaveIsNoCapture) {
  const Mesh mesh = slab_mesh({16, 16, 16}, 1, true);
  Problem problem = resting_problem(mesh, 1, 0);
  const auto inside = [](Vector3 p) { return norm(p) < 1.1; };
  problem.stimuli = {{nodes_where(mesh, inside), {0, 2}, AlievPanfilov::scaling.stimulus(500)}};
  const auto simulation = make_cpu_simulation(problem);
  for (int step = 1; step <= 160; ++step) ASSERT_FALSE(simulation->step_to(0.5 * step).failure);
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
