#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "fem/beat_maps.hpp"
#include "fem/cells/aliev_panfilov.hpp"
#include "fem/cells/mitchell_schaeffer.hpp"
#include "fem/cells/state_step.hpp"
#include "fem/diffusivity.hpp"
#include "fem/scaling.hpp"
#include "fem/stimulus.hpp"
#include "fem/tetrahedron.hpp"

namespace cardiowarp {
namespace {

CellRates<1> rates_at(Real phi, Real r) { return AlievPanfilov{}.rates(phi, &r); }

struct RecoveryStep {
  Real recovery, slope;
};

template <CellModel Cell>
RecoveryStep step_recovery(const Cell& cell, Real phi, Real old, Real h) {
  const StateStep<1> step = step_states(cell, phi, &old, h);
  return {step.state[0], step.slope[0]};
}

template <CellModel Cell>
RecoveryStep advance_recovery(const Cell& cell, Real phi, Real old, Real h) {
  const StateStep<1> step = newton_states(cell, phi, &old, h);
  return {step.state[0], step.slope[0]};
}

void expect_equal(Vector3 actual, Vector3 expected) {
  EXPECT_DOUBLE_EQ(actual.x, expected.x);
  EXPECT_DOUBLE_EQ(actual.y, expected.y);
  EXPECT_DOUBLE_EQ(actual.z, expected.z);
}

TEST(Tetrahedron, UnitCornerHasUnitGradientsAndASixthOfTheCube) {
  const TetrahedronGeometry geometry = tetrahedron_geometry({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1});
  EXPECT_DOUBLE_EQ(geometry.volume, 1.0 / 6);
  expect_equal(geometry.gradient[0], {-1, -1, -1});
  expect_equal(geometry.gradient[1], {1, 0, 0});
  expect_equal(geometry.gradient[2], {0, 1, 0});
  expect_equal(geometry.gradient[3], {0, 0, 1});
}

TEST(Tetrahedron, InterpolatesLinearFunctionsExactly) {
  const Vector3 p[4]{{1, 2, 3}, {4, 2.5, 3}, {1, 5, 4}, {0, 2, 7}};
  const Vector3 slope{0.3, -2, 5};
  const TetrahedronGeometry geometry = tetrahedron_geometry(p[0], p[1], p[2], p[3]);
  Vector3 gradient;
  for (int i = 0; i < 4; ++i) gradient = gradient + (1.5 + dot(slope, p[i])) * geometry.gradient[i];
  EXPECT_NEAR(norm(gradient - slope), 0, 1e-14);
}

TEST(Diffusivity, ActsAlongTheFibreWithBothPartsAndAcrossWithTheIsotropicOne) {
  const Diffusivity D{2, 3, {0, 1, 0}};
  expect_equal(D.times({1, 0, 0}), {2, 0, 0});
  expect_equal(D.times({0, 1, 0}), {0, 5, 0});
}

TEST(Scaling, RestIsZeroAndTheTimeUnitIs12_9Milliseconds) {
  EXPECT_DOUBLE_EQ(AlievPanfilov::scaling.phi_from_mv(-80), 0);
  EXPECT_DOUBLE_EQ(AlievPanfilov::scaling.phi_from_mv(20), 1);
  EXPECT_DOUBLE_EQ(AlievPanfilov::scaling.mv_from_phi(0.5), -30);
  EXPECT_DOUBLE_EQ(AlievPanfilov::scaling.tau_from_ms(12.9), 1);
  EXPECT_DOUBLE_EQ(AlievPanfilov::scaling.diffusivity(0.1), 1.29);
  EXPECT_DOUBLE_EQ(AlievPanfilov::scaling.stimulus(100), 12.9);
}

TEST(AlievPanfilov, RestIsAFixedPoint) {
  const auto rates = rates_at(0, 0);
  EXPECT_EQ(rates.f, 0);
  EXPECT_EQ(rates.g[0], 0);
}

TEST(AlievPanfilov, RatesAtOnePointByHand) {
  // φ = 0.5, r = 1: f = 8·0.5·0.49·0.5 − 0.5; g = (0.002 + 0.2/0.8)(−1 + 8·0.5·0.65)
  const auto rates = rates_at(0.5, 1);
  EXPECT_DOUBLE_EQ(rates.f, 0.48);
  EXPECT_DOUBLE_EQ(rates.g[0], 0.252 * 1.6);
}

struct WithoutClosedForm : AlievPanfilov {
  static std::array<CellParameter<WithoutClosedForm>, 0> parameter_table() { return {}; }
  StateStep<1> step_states(Real phi, const Real* old, Real h) const = delete;
};

TEST(Recovery, BackwardEulerStepSolvesItsEquation) {
  const AlievPanfilov cell;
  for (const Real phi : {-0.2, 0.0, 0.3, 1.0})
    for (const Real h : {1e-4, 0.01, 0.4})
      for (const RecoveryStep& step : {advance_recovery(cell, phi, 0.7, h), step_recovery(cell, phi, 0.7, h)}) {
        EXPECT_NEAR(step.recovery - 0.7 - h * cell.rates(phi, &step.recovery).g[0], 0, 1e-15) << phi << " " << h;
        EXPECT_NE(step.recovery, 0.7);
      }
}

TEST(Recovery, ClosedFormByHand) {
  // h = 1, φ = 1/2: m = μ1 / (μ2 + φ) = 1, k = c φ (φ − b − 1) = −c/4. B = 7/4: r² + 7/4 r − 11/4 = 0.
  const AlievPanfilov slow{.gamma = 1, .b = 0, .c = 1, .mu1 = 1, .mu2 = 0.5};
  const RecoveryStep gentle = step_recovery(slow, 0.5, 2.5, 1);
  EXPECT_DOUBLE_EQ(gentle.recovery, 1);
  EXPECT_DOUBLE_EQ(gentle.slope, 0.75 / 3.75);
  // B = −2: r² − 2 r − 15 = 0
  const AlievPanfilov fast{.gamma = 1, .b = 0, .c = 16, .mu1 = 1, .mu2 = 0.5};
  const RecoveryStep steep = step_recovery(fast, 0.5, 11, 1);
  EXPECT_DOUBLE_EQ(steep.recovery, 5);
  EXPECT_DOUBLE_EQ(steep.slope, 5.0 / 8);
  // B = −3: r² − 3 r − 1e-12 = 0, where B + s cancels
  const AlievPanfilov from_rest{.gamma = 0, .b = 0, .c = 16, .mu1 = 1, .mu2 = 0.5};
  EXPECT_NEAR(step_recovery(from_rest, 0.5, 1e-12, 1).recovery, 3, 1e-12);
}

TEST(Recovery, WithoutMu1TheStepIsLinear) {
  const AlievPanfilov cell{.gamma = 0.5, .b = 0.25, .c = 4, .mu1 = 0};
  // φ = 1/2: k = −3/2, dk/dφ = −1
  const RecoveryStep step = step_recovery(cell, 0.5, 2, 1);
  EXPECT_DOUBLE_EQ(step.recovery, 2.75 / 1.5);
  EXPECT_DOUBLE_EQ(step.slope, 0.5 / 1.5);
}

TEST(Recovery, ClosedFormStaysOnTheBranchThatNewtonsMethodMayLeave) {
  // A falling start at r_old = 0, from where Newton goes to the negative root, on which r would jump away from r_old as
  // the step shrinks.
  const AlievPanfilov cell{.mu1 = 2};
  const Real phi = 0.4, h = 2 / 12.9;
  const Real k = h * cell.mu1 / (cell.mu2 + phi), target = cell.c * phi * (phi - cell.b - 1);
  ASSERT_LT(1 + h * cell.gamma + k * target, 0);
  EXPECT_TRUE(std::isnan(advance_recovery(cell, phi, 0.0, h).recovery));

  constexpr int steps = 1000;
  Real shorter = 0;
  for (int i = 1; i <= steps; ++i) {
    const Real r = step_recovery(cell, phi, 0.0, h * i / steps).recovery;
    ASSERT_GT(r, shorter);
    ASSERT_LT(r, shorter + 0.01);
    shorter = r;
  }
  EXPECT_GT(shorter, 0.1);
}

TEST(Recovery, ClosedFormIsNotANumberWhereThereIsNoRealRoot) {
  // φ = 0, so k = 0: B² − 4AC = (1 + hγ)² + 4 h r_old μ1/μ2 with μ1/μ2 = 2/3
  const AlievPanfilov cell;
  const Real h = 1, last = -(1 + cell.gamma) * (1 + cell.gamma) * 3 / 8;
  EXPECT_FALSE(std::isnan(step_recovery(cell, 0, last + 1e-6, h).recovery));
  const RecoveryStep none = step_recovery(cell, 0, last - 1e-6, h);
  EXPECT_TRUE(std::isnan(none.recovery));
  EXPECT_TRUE(std::isnan(none.slope));
}

TEST(Recovery, ACellModelWithoutAClosedFormIsIterated) {
  const RecoveryStep step = step_recovery(WithoutClosedForm{}, 0.3, 0.7, 0.4);
  const RecoveryStep iterated = advance_recovery(AlievPanfilov{}, 0.3, 0.7, 0.4);
  EXPECT_EQ(step.recovery, iterated.recovery);
  EXPECT_EQ(step.slope, iterated.slope);
}

TEST(PulseTrain, CoversTheStepsThatEndAfterItsStartAndNotAfterItsEnd) {
  const PulseTrain pulse{1.0, 0.3};
  int steps_on = 0;
  for (int step = 1; step <= 40; ++step) steps_on += pulse.on(step * 0.1);
  EXPECT_EQ(steps_on, 3);
  EXPECT_FALSE(pulse.on(10 * 0.1));
  EXPECT_TRUE(pulse.on(11 * 0.1));
  EXPECT_TRUE(pulse.on(13 * 0.1));
  EXPECT_FALSE(pulse.on(14 * 0.1));
}

TEST(PulseTrain, RepeatsCountTimes) {
  const PulseTrain train{5, 2, 100, 3};
  for (const Real beat : {0, 100, 200}) {
    EXPECT_FALSE(train.on(beat + 5));
    EXPECT_TRUE(train.on(beat + 5.5));
    EXPECT_TRUE(train.on(beat + 7));
    EXPECT_FALSE(train.on(beat + 7.5));
  }
  EXPECT_FALSE(train.on(306));
}

TEST(PulseTrain, DoesNotLoseAStepToRoundingInLateBeats) {
  const PulseTrain train{0, 1, 800, 1000};
  for (const int beat : {1, 99, 999}) {
    int steps_on = 0;
    for (int step = 1; step <= 20; ++step) steps_on += train.on((beat * 8000 + step) * 0.1);
    EXPECT_EQ(steps_on, 10) << "beat " << beat;
  }
}

TEST(PulseTrain, KnowsTheNextStartOrEndOfAPulse) {
  const PulseTrain train{5, 2, 100, 3};
  EXPECT_EQ(train.next_edge_ms(0), 5);
  EXPECT_EQ(train.next_edge_ms(5), 7);
  EXPECT_EQ(train.next_edge_ms(7), 105);
  EXPECT_EQ(train.next_edge_ms(106), 107);
  EXPECT_EQ(train.next_edge_ms(206), 207);
  EXPECT_EQ(train.next_edge_ms(207), std::numeric_limits<Real>::infinity());
  EXPECT_EQ(train.next_edge_ms(1000), std::numeric_limits<Real>::infinity());
  const PulseTrain once{5, 2};
  EXPECT_EQ(once.next_edge_ms(5), 7);
  EXPECT_EQ(once.next_edge_ms(7), std::numeric_limits<Real>::infinity());
}

TEST(PulseTrain, CountsThePulsesThatHaveBegun) {
  const PulseTrain train{5, 2, 100, 3};
  EXPECT_EQ(train.begun(5), 0);
  EXPECT_EQ(train.begun(5.1), 1);
  EXPECT_EQ(train.begun(105), 1);
  EXPECT_EQ(train.begun(105.1), 2);
  EXPECT_EQ(train.begun(205.1), 3);
  EXPECT_EQ(train.begun(1e9), 3);
  EXPECT_EQ((PulseTrain{0, 2}.begun(1e9)), 1);
}

struct OneNode {
  Real activation = 0, apd90 = 0, peak = 0;
  BeatMaps maps{&activation, &apd90, &peak, AlievPanfilov::scaling.phi_from_mv(0)};
};

TEST(BeatMaps, InterpolatesActivationAndRepolarization) {
  OneNode node;
  node.maps.start(0, 0);
  node.maps.record(0, {0, 1, 0, 0.4});
  EXPECT_EQ(node.activation, -1);
  node.maps.record(0, {1, 2, 0.4, 1.2});  // 0 mV is φ = 0.8, halfway
  EXPECT_DOUBLE_EQ(node.activation, 1.5);
  node.maps.record(0, {2, 3, 1.2, 1.0});
  EXPECT_EQ(node.apd90, -1);
  node.maps.record(0, {3, 4, 1.0, 0.04});  // down through 0.12, 10 % of the peak 1.2
  EXPECT_DOUBLE_EQ(node.apd90, 3 + (1.0 - 0.12) / 0.96 - 1.5);
}

TEST(SteepestReaction, OfModelsOfTwoVariablesIsTheSteepestOfAFullyExcitableCell) {
  const auto steepest = [](const auto& cell, Real state) {
    Real largest = -1e300;
    for (int k = 0; k <= 10'000; ++k) largest = std::fmax(largest, cell.rates(k / 10'000., &state).df_dphi);
    return largest;
  };
  const AlievPanfilov smooth{.alpha = 0.12, .c = 7};
  EXPECT_NEAR(smooth.steepest_reaction(), steepest(smooth, 0), 1e-6);
  const MitchellSchaeffer gated{.tau_in = 0.4, .tau_out = 3};
  EXPECT_NEAR(gated.steepest_reaction(), steepest(gated, 1), 1e-6);
}

TEST(BeatMaps, KeepTheFirstBeat) {
  OneNode node;
  node.maps.start(0, 0);
  const std::vector<Real> phi{0, 1, 0, 1, 0};
  for (int step = 1; step < 5; ++step) node.maps.record(0, {step - 1.0, 1.0 * step, phi[step - 1], phi[step]});
  EXPECT_DOUBLE_EQ(node.activation, 0.8);
  EXPECT_DOUBLE_EQ(node.apd90, 1 + 0.9 - 0.8);
}

TEST(ActivationSince, IsTheFirstOneAfterTheTimeThatMovesOn) {
  Real activation = 0;
  ActivationSince since{&activation, 0, AlievPanfilov::scaling.phi_from_mv(0)};
  since.record(0, {0, 1, 0.9, 1});  // was above 0 mV before
  EXPECT_EQ(activation, 0);
  since.record(0, {1, 2, 0.4, 1.2});
  EXPECT_DOUBLE_EQ(activation, 1.5);
  since.record(0, {2, 3, 1.2, 0.1});
  since.record(0, {3, 4, 0.1, 1.5});
  EXPECT_DOUBLE_EQ(activation, 1.5);
  since.since_ms = 4;
  since.record(0, {4, 5, 1.5, 0});
  EXPECT_DOUBLE_EQ(activation, 1.5);
  since.record(0, {5, 6, 0, 0.8});  // just reaches it
  EXPECT_DOUBLE_EQ(activation, 6);
  since.since_ms = 6;
  since.record(0, {6, 7, 0.4, 1.2});
  EXPECT_DOUBLE_EQ(activation, 6.5);
}

TEST(BeatMaps, ANodeThatStartsAboveTheThresholdIsActivatedAtZero) {
  OneNode node;
  node.maps.start(0, 0.9);
  EXPECT_EQ(node.activation, 0);
  node.maps.record(0, {0, 10, 0.9, 0});
  EXPECT_DOUBLE_EQ(node.apd90, 9);
}

/// φ(s) = a + b s + c s² + d s³ over a step of 3 to 5 ms.
CubicPath cubic_path(Real a, Real b, Real c, Real d) { return {3, 5, a, a + b + c + d, b, b + 2 * c + 3 * d}; }

TEST(CubicPath, IsTheCubicItsEndsAndSlopesBelongTo) {
  const CubicPath path = cubic_path(0.2, -1, 4, -2.5);
  for (const Real part : {0.0, 0.3, 0.5, 0.99, 1.0})
    EXPECT_NEAR(path.at(part), 0.2 - part + 4 * part * part - 2.5 * std::pow(part, 3), 1e-14);
}

TEST(CubicPath, CrossesALevelWhereTheCubicHasIt) {
  for (const CubicPath& path : {cubic_path(0, 1, 0, 0), cubic_path(0, 0, 3, -2), cubic_path(0, 0, 0, 1),
                                cubic_path(1, 0, 0, -1), cubic_path(1, -1e-9, 0, -1), cubic_path(0, 4, -6, 3),
                                cubic_path(1, -1e-3, 0, -0.998), cubic_path(0.1, 10, -20, 11)})
    for (const Real level : {0.3, 0.5, 0.101, 0.8999, 0.999999}) {
      const Real time = path.crossing_ms(level);
      EXPECT_GE(time, 3);
      EXPECT_LE(time, 5);
      EXPECT_NEAR(path.at((time - 3) / 2), level, 1e-12) << level;
    }
  EXPECT_EQ(cubic_path(0, 1, 0, 0).crossing_ms(1), 5);
  EXPECT_EQ(cubic_path(0, 2, -1, 0).crossing_ms(0), 3);
}

TEST(CubicPath, IsPastALevelItBeginsBehindFromItsStart) {
  EXPECT_EQ(cubic_path(0.1, -0.05, 0, 0).crossing_ms(0.12), 3);
}

TEST(CubicPath, HasItsPeakInside) {
  EXPECT_NEAR(cubic_path(0.5, 1, -1, 0).largest_phi(), 0.75, 1e-15);
  EXPECT_NEAR(cubic_path(0.5, 1, -1, -1).largest_phi(), 0.5 + 5.0 / 27, 1e-15);
  EXPECT_EQ(cubic_path(0.5, 1, 0, 0).largest_phi(), 1.5);
  EXPECT_EQ(cubic_path(0.5, -1, 0, 0).largest_phi(), 0.5);
}

TEST(BeatMaps, OfACubicHaveItsCrossingsAndItsPeak) {
  OneNode node;
  node.maps.start(0, 0);
  node.maps.record(0, CubicPath{0, 2, 0, 1, 0, 0});  // 3 s² − 2 s³
  const Real part = node.activation / 2;
  EXPECT_NEAR(3 * part * part - 2 * part * part * part, 0.8, 1e-12);
  node.maps.record(0, CubicPath{2, 3, 1, 1, 4, -4});  // 1 + 4 s − 4 s²
  EXPECT_EQ(node.peak, 2);
  node.maps.record(0, CubicPath{3, 4, 1, 0, -1, -1});
  EXPECT_NEAR(node.apd90, 3.8 - node.activation, 1e-12);
}

}  // namespace
}  // namespace cardiowarp
