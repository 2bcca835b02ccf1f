#include "app/simulation/error_estimate.hpp"

#include <gtest/gtest.h>

namespace cardiowarp {
namespace {

TEST(ErrorEstimate, IsTheDifferenceOfTwoRunsOverTheDivisorWhereBothHaveATime) {
  const BeatTimes fine{{2, 11, 12, 22, -1, 30}, {200, 210, -1, 220, -1, 230}};
  const BeatTimes coarse{{2.3, 14, 12.6, 21.4, 40, -1}, {200.3, 210, 300, 219.1, -1, -1}};
  const ErrorEstimate estimate = estimate_error(fine, coarse, 3);
  const std::vector<Real> activation{0.1, 1, 0.2, 0.2, -1, -1}, apd90{0.1, 0, -1, 0.3, -1, -1};
  for (std::size_t node = 0; node < 6; ++node) {
    EXPECT_NEAR(estimate.errors.activation_ms[node], activation[node], 1e-12) << node;
    EXPECT_NEAR(estimate.errors.apd90_ms[node], apd90[node], 1e-12) << node;
  }
  EXPECT_NEAR(estimate.activation_ms.value(), 1, 1e-12);
  EXPECT_NEAR(estimate.apd90_ms.value(), 0.3, 1e-12);
  // Of the nodes activated at least 10 ms after the first, at 2 ms: 0.2 ms of 10 ms, and less of 20 ms.
  EXPECT_NEAR(estimate.activation_percent.value(), 2, 1e-12);
  EXPECT_EQ(estimate.in_one_run, 2);
  EXPECT_EQ(in_words(estimate), "activation times 2 % (1 ms), APD90 0.3 ms");
}

TEST(ErrorEstimate, SaysWhatItDoesNotKnow) {
  const ErrorEstimate nothing = estimate_error({{-1, -1}, {-1, -1}}, {{-1, 3}, {-1, -1}}, 3);
  EXPECT_FALSE(nothing.activation_ms || nothing.activation_percent || nothing.apd90_ms);
  EXPECT_EQ(nothing.in_one_run, 1);
  EXPECT_EQ(in_words(nothing), "no node was activated in both runs");

  const ErrorEstimate near = estimate_error({{0, 9.9}, {-1, -1}}, {{0, 9}, {-1, -1}}, 1);
  EXPECT_FALSE(near.activation_percent || near.apd90_ms);
  EXPECT_EQ(in_words(near), "activation times 0.9 ms, APD90 not known (no node repolarised in both runs)");
}

TEST(ErrorEstimate, DoublesStepsAndTheirBoundsAndFollowsWithTheToleranceOfTheOrder) {
  TimeConfig time{.end_ms = 100, .step_ms = 0.1};
  time.adaptive = {.enabled = true, .tolerance = 1e-3, .min_step_ms = 0.01, .max_step_ms = 5};
  for (const TimeScheme scheme :
       {TimeScheme::sdirk2, TimeScheme::trbdf2, TimeScheme::bdf2, TimeScheme::rkc2, TimeScheme::backward_euler}) {
    time.scheme = scheme;
    const DoubledSteps doubled = double_steps(time, 7);
    const bool order_one = scheme == TimeScheme::backward_euler;
    EXPECT_EQ(doubled.divisor, order_one ? 1 : 3);
    EXPECT_EQ(doubled.time.adaptive.tolerance, order_one ? 4e-3 : 8e-3);
    EXPECT_EQ(doubled.time.scheme, scheme);
    EXPECT_EQ(doubled.time.end_ms, 100);
    EXPECT_EQ(doubled.time.step_ms, 0.2);
    EXPECT_EQ(doubled.time.adaptive.min_step_ms, 0.02);
    EXPECT_EQ(doubled.time.adaptive.max_step_ms, 10);
    EXPECT_EQ(doubled.output_interval_ms, 14);
    Problem problem;
    problem.time.tolerance = 1e-3;
    EXPECT_EQ(with_tolerance_of(doubled, problem).time.tolerance, doubled.time.adaptive.tolerance);
  }
  time.adaptive.enabled = false;
  EXPECT_EQ(with_tolerance_of(double_steps(time, 7), Problem{}).time.tolerance, TimeMethod::equal_steps);
}

}  // namespace
}  // namespace cardiowarp
