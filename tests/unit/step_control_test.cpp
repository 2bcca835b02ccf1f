#include "app/simulation/step_control.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "app/config/config.hpp"
#include "app/simulation/backward_euler.hpp"
#include "app/simulation/time_stepper.hpp"

namespace cardiowarp {
namespace {

TimeConfig adaptive(Real end_ms, Real step_ms, AdaptiveConfig config = {}) {
  config.enabled = true;
  return {end_ms, step_ms, TimeScheme::backward_euler, config};
}

/// The ends of all steps, each accepted with the error that `error_of(end, length)` gives.
template <class Error>
std::vector<Real> all_steps(StepControl control, const Error& error_of) {
  std::vector<Real> ends{0};
  while (!control.finished() && ends.size() < 100'000) {
    const Real end = control.next_ms(), error = error_of(end, end - ends.back());
    if (error > control.largest_error()) {
      control.reject(error);
    } else {
      control.accept(error);
      ends.push_back(end);
    }
  }
  return ends;
}

/// Errors of φ'' = `curvature` (per ms²).
auto constant_curvature(Real curvature) {
  return [curvature](Real, Real length) { return curvature * length * length / 2; };
}

bool contains(const std::vector<Real>& times, Real time) {
  return std::find(times.begin(), times.end(), time) != times.end();
}

Real longest(const std::vector<Real>& ends) {
  Real longest = 0;
  for (std::size_t k = 1; k < ends.size(); ++k) longest = std::max(longest, ends[k] - ends[k - 1]);
  return longest;
}

Real shortest(const std::vector<Real>& ends) {
  Real shortest = ends.back();
  for (std::size_t k = 1; k < ends.size(); ++k) shortest = std::min(shortest, ends[k] - ends[k - 1]);
  return shortest;
}

TEST(StepControl, BeginsWithTheStepOfTheConfiguration) {
  EXPECT_EQ(StepControl(adaptive(100, 0.1), 5, {}).next_ms(), 0.1);
}

TEST(StepControl, EndsExactlyOnOutputTimesOnEdgesOfPulsesAndAtTheEnd) {
  const Real interval = 0.7, end = 61.3;
  const PulseTrain once{3.3, 2.1}, periodic{10.01, 0.3, 7.7, 4};
  const auto ends = all_steps(StepControl(adaptive(end, 0.1), interval, {once, periodic}), constant_curvature(1e-3));
  EXPECT_EQ(ends.back(), end);
  for (int k = 1; k * interval < end; ++k) EXPECT_TRUE(contains(ends, k * interval)) << k;
  EXPECT_TRUE(contains(ends, 3.3));
  EXPECT_TRUE(contains(ends, 3.3 + 2.1));
  for (int pulse = 0; pulse < 4; ++pulse) {
    EXPECT_TRUE(contains(ends, 10.01 + pulse * 7.7)) << pulse;
    EXPECT_TRUE(contains(ends, 10.01 + pulse * 7.7 + 0.3)) << pulse;
  }
  EXPECT_FALSE(contains(ends, 10.01 + 4 * 7.7));
  EXPECT_TRUE(std::is_sorted(ends.begin(), ends.end()));
}

TEST(StepControl, NeverGoesBeyondTheLongestStep) {
  const auto ends = all_steps(StepControl(adaptive(200, 0.1), 33.3, {}), constant_curvature(0));
  EXPECT_LE(longest(ends), 2 * (1 + 1e-6));
  EXPECT_GT(longest(ends), 1.9);
  EXPECT_LT(ends.size(), 125u);
}

TEST(StepControl, SharesWhatRemainsToAStopSoThatNoStepGetsTiny) {
  // Stops every 1.03 ms, steps that want to be 0.5: 0.5 + 0.265 + 0.265, not 0.5 + 0.5 + 0.03.
  AdaptiveConfig config;
  config.max_step_ms = 0.5;
  const auto ends = all_steps(StepControl(adaptive(103, 0.5, config), 1.03, {}), constant_curvature(0));
  EXPECT_GT(shortest(ends), 0.26);
  EXPECT_EQ(ends.size(), 1 + 3 * 100u);
}

TEST(StepControl, TakesTimesThatDifferByRoundingForOne) {
  // 3 · 0.1 is not 0.3: an output time and the edge of a pulse 6e-17 ms apart.
  const auto ends = all_steps(StepControl(adaptive(3, 0.1), 0.1, {{0.3, 0.6}, {0.7, 1.0}}), constant_curvature(0));
  EXPECT_EQ(ends.size(), 31u);
  EXPECT_GT(shortest(ends), 0.0999);
}

TEST(StepControl, EndsTheRunAtAnEdgeThatIsAsNearToItsEndAsRounding) {
  // 0.1 + 0.2 is 6e-17 more than 0.3: the pulse ends that little before the run, and begins that little before it.
  const Real end = 0.1 + 0.2;
  ASSERT_GT(end, 0.3);
  for (const PulseTrain pulse : {PulseTrain{0, 0.3}, PulseTrain{0.3, 5}}) {
    const auto ends = all_steps(StepControl(adaptive(end, 0.1), 1000, {pulse}), constant_curvature(0));
    EXPECT_EQ(ends.back(), end);
    EXPECT_GT(shortest(ends), 0.09);
  }
}

TEST(StepControl, TakesEdgesThatDifferByRoundingForOne) {
  const auto ends = all_steps(StepControl(adaptive(1, 0.1), 1000, {{0.3, 50}, {0.1 + 0.2, 50}}), constant_curvature(0));
  EXPECT_TRUE(contains(ends, 0.3));
  EXPECT_GT(shortest(ends), 0.05);
}

TEST(StepControl, KeepsTheErrorBelowTheToleranceWithoutWastingSteps) {
  // 1e-3 = 0.02 h²/2 at h = 0.316.
  const auto ends = all_steps(StepControl(adaptive(300, 0.1), 1000, {}), constant_curvature(0.02));
  EXPECT_LE(longest(ends), std::sqrt(2 * 1e-3 / 0.02));
  EXPECT_LT(ends.size(), 1.4 * 300 / std::sqrt(2 * 1e-3 / 0.02));
}

TEST(StepControl, RepeatsAStepWithTooLargeAnErrorShorterFromTheSameTime) {
  StepControl control(adaptive(100, 0.4), 5, {});
  control.accept(std::nullopt);
  EXPECT_EQ(control.next_ms(), 0.8);
  EXPECT_EQ(control.largest_error(), 1e-3);
  control.reject(4e-3);  // the error falls with the square of the step: half of it, and 0.9 for safety
  EXPECT_DOUBLE_EQ(control.next_ms(), 0.4 + 0.9 * 0.4 / 2);
  control.reject(1e9);  // but not below a fifth at once
  EXPECT_DOUBLE_EQ(control.next_ms(), 0.4 + 0.2 * 0.9 * 0.4 / 2);
}

TEST(StepControl, DoublesAStepAtMost) {
  StepControl control(adaptive(100, 0.1), 50, {});
  control.accept(std::nullopt);
  control.accept(1e-12);
  EXPECT_DOUBLE_EQ(control.next_ms(), 0.4);
}

TEST(StepControl, RemembersTheStepBeforeAStopThatCutOneShort) {
  // A stop 0.1 ms after a step cuts the next one to a tenth; twice of that is not what comes after it.
  AdaptiveConfig config;
  config.max_step_ms = 1;
  StepControl control(adaptive(100, 1, config), 3.1, {{3, 50}});
  for (const Real end : {1.0, 2.0, 3.0, 3.1}) {  // the pulse begins at 3 ms, and there is output at 3.1
    EXPECT_DOUBLE_EQ(control.next_ms(), end);
    control.accept(1e-9);
  }
  EXPECT_DOUBLE_EQ(control.next_ms(), 3.1 + 1);
}

TEST(StepControl, ForgetsTheErrorBeforeAnEdge) {
  // 0.9 h (e / tolerance)^(−1/2) where there is none before it, else 0.9 h (e / tolerance)^(−3/10) (before)^(1/10)
  const Real tolerance = 1e-3, first = 2 * tolerance / 3, second = tolerance / 2;
  StepControl smooth(adaptive(100, 0.1), 1000, {}), at_edge(adaptive(100, 0.1), 1000, {{0.1, 50}});
  for (StepControl* control : {&smooth, &at_edge}) {
    control->accept(first);
    EXPECT_EQ(control->largest_error(), tolerance);
  }
  const Real at = smooth.next_ms(), step = 0.9 * 0.1 / std::sqrt(2.0 / 3);
  EXPECT_DOUBLE_EQ(at, 0.1 + step);
  EXPECT_DOUBLE_EQ(at_edge.next_ms(), 0.2);  // time.step again
  smooth.accept(second);
  at_edge.accept(second);
  EXPECT_DOUBLE_EQ(smooth.next_ms(), at + 0.9 * std::pow(2, 0.3) * std::pow(2.0 / 3, 0.1) * step);
  EXPECT_DOUBLE_EQ(at_edge.next_ms(), 0.2 + 0.9 * std::sqrt(2) * 0.1);
}

TEST(StepControl, KeepsAShorterStepThanTheFirstAtAnEdge) {
  StepControl control(adaptive(100, 0.1), 1000, {{0.1, 50}});
  control.accept(4e-3);  // calls for 0.045
  EXPECT_DOUBLE_EQ(control.next_ms(), 0.1 + 0.9 * 0.1 / 2);
}

TEST(StepControl, ForgetsTheErrorBeforeARejectionAndBeforeAStepWithoutASolution) {
  const Real tolerance = 1e-3;
  for (const bool has_solution : {true, false}) {
    StepControl control(adaptive(100, 0.4), 1000, {});
    control.accept(tolerance / 8);
    const Real start = 0.4, tried = control.next_ms() - start;
    EXPECT_DOUBLE_EQ(tried, 2 * 0.4);  // doubled at most
    if (has_solution)
      control.reject(4 * tolerance);
    else
      control.shorten();
    const Real at = control.next_ms(), step = at - start;
    EXPECT_DOUBLE_EQ(step, (has_solution ? 0.9 : 1) * tried / 2);
    control.accept(tolerance / 2);
    EXPECT_DOUBLE_EQ(control.next_ms(), at + 0.9 * std::sqrt(2) * step) << has_solution;
  }
}

TEST(StepControl, AcceptsAnyErrorOfAStepThatCannotBeShorter) {
  AdaptiveConfig config;
  config.min_step_ms = 0.05;
  StepControl control(adaptive(100, 0.1, config), 5, {});
  EXPECT_EQ(control.largest_error(), 1e-3);
  control.reject(1);
  EXPECT_EQ(control.next_ms(), 0.05);
  EXPECT_EQ(control.largest_error(), std::numeric_limits<Real>::infinity());
  control.accept(1);
  EXPECT_DOUBLE_EQ(control.next_ms(), 0.1);
}

TEST(StepControl, HalvesAStepWithoutASolutionUntilItIsTheShortest) {
  AdaptiveConfig config;
  config.min_step_ms = 0.03;
  StepControl control(adaptive(100, 0.1, config), 5, {});
  EXPECT_TRUE(control.shorten());
  EXPECT_EQ(control.next_ms(), 0.05);
  EXPECT_TRUE(control.shorten());
  EXPECT_EQ(control.next_ms(), 0.03);
  EXPECT_FALSE(control.shorten());
}

TEST(StepControl, BeginsAgainWithTheFirstStepWhereAPulseBeginsOrEnds) {
  const PulseTrain pulse{20, 10};
  const auto ends = all_steps(StepControl(adaptive(50, 0.1), 1000, {pulse}), constant_curvature(0));
  for (const Real edge : {20, 30}) {
    const auto at = std::find(ends.begin(), ends.end(), edge);
    ASSERT_NE(at, ends.end());
    EXPECT_GT(*at - *(at - 1), 0.9);
    EXPECT_DOUBLE_EQ(*(at + 1), edge + 0.1);
  }
}

TEST(StepControl, OfOrderTwoFindsTheStepWhoseErrorMeetsTheTolerance) {
  // Errors of h³, so that a step of 0.1 meets 1e-3; the controller stays below by its safety.
  TimeConfig time = adaptive(200, 0.1, {.tolerance = 1e-3, .max_step_ms = 5});
  time.scheme = TimeScheme::sdirk2;
  const std::vector<Real> ends =
      all_steps(StepControl(time, 3, {}), [](Real, Real length) { return length * length * length; });
  const Real last = ends[ends.size() / 2] - ends[ends.size() / 2 - 1];
  EXPECT_LT(last, 0.1);
  EXPECT_GT(last, 0.07);
  EXPECT_FALSE(contains(ends, 3));  // output ends no step
}

TEST(StepControl, OfOrderTwoRepeatsAStepByTheCubeRoot) {
  TimeConfig time = adaptive(200, 1, {.tolerance = 1e-3, .max_step_ms = 5});
  time.scheme = TimeScheme::sdirk2;
  StepControl control(time, 3, {});
  control.reject(8e-3);
  EXPECT_NEAR(control.next_ms(), 0.45, 1e-12);
}

TEST(LocalError, IsThatOfBackwardEulerOnAParabola) {
  // φ' = 2 t, of which backward Euler makes φ_n + h 2 (t + h) from φ_n = t²: h² too much. The step before was one, too.
  for (const Real step : {0.25, 0.5, 2.0})
    for (const Real previous_step : {0.125, 0.5, 1.0}) {
      const Real time = 3, now = time * time, before = now - previous_step * 2 * time;
      const Real phi = now + step * 2 * (time + step);
      EXPECT_NEAR((LocalError{&phi, &now, &before, step, previous_step}(0)), step * step, 1e-14);
    }
}

/// A simulation whose φ is t² / 2 and has no solution for steps above `longest_ms`.
class Parabola final : public Simulation {
 public:
  explicit Parabola(Real longest_ms = 1e9) : longest_ms_(longest_ms) {}
  Real time_ms() const override { return time_ms_; }
  bool interpolates() const override { return false; }
  void look_at(Real) override {}
  std::vector<PulseCaptures> captures() override { return {}; }
  void exchange(StateArchive&) override {}
  StepSeconds seconds() override { return {}; }
  SimulationMethods methods() const override { return methods_; }

 private:
  StepReport step(Real time_ms, std::optional<Real> largest_error) override {
    const Real step = time_ms - time_ms_;
    StepReport report{.newton_iterations = 2, .linear_iterations = 10, .error = step * step / 2};
    if (step > longest_ms_) report.failure = StepFailure{"too long", 0, 0};
    report.rejected = !report.failure && largest_error && *report.error > *largest_error;
    if (!report.failure && !report.rejected) time_ms_ = time_ms;
    return report;
  }
  void read(Answer, std::size_t, std::span<Real>) override {}

  Real longest_ms_, time_ms_ = 0;
  SimulationMethods methods_{};
};

TEST(TimeStepper, TakesTheStepsOfTheGridWhereNotAdaptive) {
  Parabola simulation;
  TimeStepper stepper({1, 0.1}, 5, {});
  for (int step = 1; step <= 10; ++step) {
    ASSERT_FALSE(stepper.finished());
    stepper.advance(simulation);
    EXPECT_EQ(simulation.time_ms(), step < 10 ? step * 0.1 : 1);
  }
  EXPECT_TRUE(stepper.finished());
  EXPECT_EQ(stepper.counts().accepted, 10);
  EXPECT_EQ(stepper.counts().rejected, 0);
  EXPECT_EQ(stepper.counts().shortest_ms, 0.1);
  EXPECT_EQ(stepper.counts().longest_ms, 0.1);
}

TEST(TimeStepper, CountsRejectedStepsAndAddsTheirIterations) {
  Parabola simulation;
  TimeStepper stepper(adaptive(3, 0.1), 5, {});  // 1e-3 = h²/2 at h = 0.0447
  const StepReport report = stepper.advance(simulation);
  EXPECT_EQ(stepper.counts().rejected, 1);
  EXPECT_EQ(stepper.counts().accepted, 1);
  EXPECT_EQ(report.newton_iterations, 4);
  EXPECT_EQ(report.linear_iterations, 20);
  while (!stepper.finished()) stepper.advance(simulation);
  EXPECT_EQ(simulation.time_ms(), 3);
  EXPECT_LE(stepper.counts().longest_ms, 0.0448);
  EXPECT_EQ(stepper.counts().above_tolerance, 0);
}

TEST(TimeStepper, KnowsTheShortestAndTheLongestOfItsSteps) {
  // Stops every 0.1 ms cut steps of up to 0.0447 ms to equal parts; the last stop, the end, is 0.01 ms after another.
  Parabola simulation;
  TimeStepper stepper(adaptive(1.01, 0.02), 0.1, {});
  Real shortest = 1, longest = 0, before = 0, last = 0;
  while (!stepper.finished()) {
    stepper.advance(simulation);
    last = simulation.time_ms() - before;
    before = simulation.time_ms();
    shortest = std::min(shortest, last);
    longest = std::max(longest, last);
    ASSERT_NEAR(stepper.counts().shortest_ms, shortest, 1e-9);
    ASSERT_NEAR(stepper.counts().longest_ms, longest, 1e-9);
  }
  EXPECT_NEAR(shortest, 0.01, 1e-9);
  EXPECT_GT(longest, 0.03);
}

TEST(TimeStepper, CountsStepsAboveTheToleranceAtTheShortestStep) {
  AdaptiveConfig config;
  config.min_step_ms = 0.1;
  Parabola simulation;
  TimeStepper stepper(adaptive(3, 0.1, config), 5, {});
  while (!stepper.finished()) stepper.advance(simulation);
  EXPECT_EQ(stepper.counts().above_tolerance, stepper.counts().accepted);
  EXPECT_EQ(stepper.counts().accepted, 30);
}

TEST(TimeStepper, ShortensAStepWithoutASolutionAndFailsAtTheShortest) {
  AdaptiveConfig config;
  config.tolerance = 0.9;
  Parabola simulation(0.03);
  TimeStepper stepper(adaptive(3, 0.1, config), 5, {});
  EXPECT_FALSE(stepper.advance(simulation).failure);
  EXPECT_EQ(simulation.time_ms(), 0.025);
  EXPECT_EQ(stepper.counts().rejected, 2);
  config.min_step_ms = 0.04;
  Parabola other(0.03);
  TimeStepper coarse(adaptive(3, 0.1, config), 5, {});
  EXPECT_TRUE(coarse.advance(other).failure);
  EXPECT_EQ(other.time_ms(), 0);
  EXPECT_EQ(coarse.counts().rejected, 2);
  EXPECT_EQ(coarse.attempts().back().end_ms, 0.04);
}

TEST(TimeStepper, RepeatsTheAttemptsOfAnotherOne) {
  Parabola one, other;
  TimeStepper stepper(adaptive(3, 0.1), 0.7, {});
  int newton_iterations = 0, repeated_iterations = 0;
  while (!stepper.finished()) newton_iterations += stepper.advance(one).newton_iterations;
  ASSERT_GT(stepper.counts().rejected, 0);
  TimeStepper repeat(stepper.attempts());
  while (!repeat.finished()) repeated_iterations += repeat.advance(other).newton_iterations;
  EXPECT_EQ(other.time_ms(), 3);
  EXPECT_EQ(repeated_iterations, newton_iterations);
  EXPECT_EQ(repeat.counts().accepted, stepper.counts().accepted);
  EXPECT_EQ(repeat.counts().rejected, stepper.counts().rejected);
}

TEST(TimeStepper, TakesTheSameStepsWhereItForgetsThoseBefore) {
  const auto ends = [](const TimeConfig& time, bool forgets) {
    Parabola simulation;
    TimeStepper stepper(time, 0.7, {});
    std::vector<Real> reached;
    while (!stepper.finished()) {
      stepper.advance(simulation);
      if (forgets) stepper.forget_earlier_attempts();
      reached.push_back(simulation.time_ms());
      EXPECT_TRUE(!forgets || stepper.attempts().size() == 1);
    }
    return reached;
  };
  TimeConfig equal;
  equal.end_ms = 3;
  equal.step_ms = 0.1;
  for (const TimeConfig& time : {equal, adaptive(3, 0.1)}) {
    EXPECT_GT(ends(time, true).size(), 5u);
    EXPECT_EQ(ends(time, true), ends(time, false));
  }
}

TEST(TimeStepper, FailsWhereAStepThatItRepeatsHasNoSolution) {
  Parabola one, other(0.03);
  TimeStepper stepper(adaptive(3, 0.02), 0.7, {});
  while (!stepper.finished()) stepper.advance(one);
  ASSERT_GT(stepper.counts().longest_ms, 0.03);
  TimeStepper repeat(stepper.attempts());
  StepReport report;
  while (!repeat.finished() && !report.failure) report = repeat.advance(other);
  ASSERT_TRUE(report.failure);
  EXPECT_LT(other.time_ms(), 3);
  EXPECT_FALSE(repeat.finished());
  EXPECT_EQ(repeat.counts().rejected, 0);
}

}  // namespace
}  // namespace cardiowarp
