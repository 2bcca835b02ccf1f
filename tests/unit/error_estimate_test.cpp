#include "app/simulation/error_estimate.hpp"
#include "app/simulation/methods.hpp"
#include "app/simulation/problem.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace cardiowarp {
namespace {

TEST(ErrorEstimate, IsTheDifferenceOfTwoRunsOverTheDivisorWhereBothHaveATime) {
  const BeatTimes first{{2, 11, 12, 22, -1, 30}, {200, 210, -1, 220, -1, 230}};
  const BeatTimes second{{2.3, 14, 12.6, 21.4, 40, -1}, {200.3, 210, 300, 219.1, -1, -1}};
  const ErrorEstimate estimate = estimate_error(first, second, 3);
  const std::vector<Real> activation{0.1, 1, 0.2, 0.2, -1, -1}, apd90{0.1, 0, -1, 0.3, -1, -1};
  for (std::size_t node = 0; node < 6; ++node) {
    EXPECT_NEAR(estimate.errors.activation_ms[node], activation[node], 1e-12) << node;
    EXPECT_NEAR(estimate.errors.apd90_ms[node], apd90[node], 1e-12) << node;
  }
  // Of the nodes activated at least 10 ms after the first, at 2 ms: 0.2 ms of 10 ms, and less of 20 ms.
  EXPECT_NEAR(estimate.activation_ms.value(), 0.2, 1e-12);
  EXPECT_NEAR(estimate.activation_percent.value(), 2, 1e-12);
  EXPECT_NEAR(estimate.apd90_ms.value(), 0.3, 1e-12);
  EXPECT_EQ(estimate.in_one_run, 2);
  EXPECT_NEAR(estimate.median_percent.value(), 2, 1e-12);  // the larger of two
  const std::vector<Vector3> nodes{{0, 0, 0}, {1, 0, 0}, {2, 0.5, -7}, {3, 0, 0}, {4, 0, 0}, {5, 0, 0}};
  EXPECT_EQ(in_words(estimate, nodes),
            "activation times 2 % (0.2 ms) around (2, 0.5, -7) mm, median 2 %, APD90 0.3 ms");
}

TEST(ErrorEstimate, LooksAtLateNodesAloneForTheDurations) {
  const ErrorEstimate estimate = estimate_error({{0, 5, 20}, {300, 310, 280}}, {{0, 5, 20}, {303, 340, 281.5}}, 3);
  EXPECT_NEAR(estimate.apd90_ms.value(), 0.5, 1e-12);
  EXPECT_EQ(estimate.activation_ms.value(), 0);
}

TEST(ErrorEstimate, SaysWhatItDoesNotKnow) {
  const std::string no_node = "not known, as no node was activated in both runs at least 10 ms after the first one";
  const ErrorEstimate nothing = estimate_error({{-1, -1}, {-1, -1}}, {{-1, 3}, {-1, -1}}, 3);
  EXPECT_FALSE(nothing.activation_ms || nothing.activation_percent || nothing.apd90_ms);
  EXPECT_EQ(nothing.in_one_run, 1);
  const std::vector<Vector3> nodes{{0, 0, 0}, {1, 2, 3}};
  EXPECT_EQ(in_words(nothing, nodes), no_node);

  const ErrorEstimate near = estimate_error({{0, 9.9}, {200, 200}}, {{0, 9}, {200, 200}}, 1);
  EXPECT_FALSE(near.activation_ms || near.activation_percent || near.apd90_ms);
  EXPECT_EQ(in_words(near, nodes), no_node);

  const ErrorEstimate activated = estimate_error({{0, 10}, {-1, -1}}, {{0, 9}, {-1, -1}}, 1);
  EXPECT_EQ(in_words(activated, nodes),
            "activation times 10 % (1 ms) around (1, 2, 3) mm, median 10 %, APD90 not known (no such node repolarized "
            "in both runs)");
}

TimeConfig adaptive_time(TimeScheme scheme) {
  TimeConfig time{.end_ms = 100, .step_ms = 0.1, .scheme = scheme};
  time.adaptive = {.enabled = true, .tolerance = 1e-3, .min_step_ms = 0.01, .max_step_ms = 5};
  return time;
}

constexpr std::array all_schemes{TimeScheme::sdirk2, TimeScheme::trbdf2, TimeScheme::bdf2, TimeScheme::rkc2,
                                 TimeScheme::backward_euler};

TEST(ErrorEstimate, DoublesAdaptiveStepsAndTheirBoundsAndFollowsWithTheToleranceOfTheOrder) {
  for (const TimeScheme scheme : all_schemes) {
    const SecondSteps second = second_steps(adaptive_time(scheme), 7);
    const bool order_one = scheme == TimeScheme::backward_euler;
    EXPECT_EQ(second.divisor, order_one ? 1 : 3);
    EXPECT_EQ(second.time.adaptive.tolerance, order_one ? 4e-3 : 8e-3);
    EXPECT_EQ(second.time.scheme, scheme);
    EXPECT_EQ(second.time.end_ms, 100);
    EXPECT_EQ(second.time.step_ms, 0.2);
    EXPECT_EQ(second.time.adaptive.min_step_ms, 0.02);
    EXPECT_EQ(second.time.adaptive.max_step_ms, 10);
    EXPECT_EQ(second.output_interval_ms, 14);
    Problem problem;
    problem.time.tolerance = 1e-3;
    EXPECT_EQ(with_tolerance_of(second, problem).time.tolerance, second.time.adaptive.tolerance);
  }
}

TEST(ErrorEstimate, HalvesEqualStepsOfOrderTwoWithTheTolerancesOfTheSolvers) {
  for (const TimeScheme scheme : all_schemes) {
    TimeConfig time = adaptive_time(scheme);
    time.adaptive.enabled = false;
    const SecondSteps second = second_steps(time, 7);
    const bool order_one = scheme == TimeScheme::backward_euler;
    EXPECT_EQ(second.divisor, order_one ? 1 : 0.75);
    EXPECT_EQ(second.time.step_ms, order_one ? 0.2 : 0.05);
    EXPECT_EQ(second.output_interval_ms, order_one ? 14 : 3.5);
    EXPECT_EQ(with_tolerance_of(second, Problem{}).time.tolerance, TimeMethod::equal_steps * (order_one ? 4 : 0.125));
  }
}

}  // namespace
}  // namespace cardiowarp
