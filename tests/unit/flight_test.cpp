// Flights on the CPU: steps that are made before the host looks are those that it looks at one by one, bit for bit, and
// so are all results.

#include "app/simulation/flight.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "app/checkpoint/state_archive.hpp"
#include "app/config/config.hpp"
#include "app/config/time_grid.hpp"
#include "app/march.hpp"
#include "meshes/generate.hpp"
#include "tests/support/paced_bar.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/second_order_schemes.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

TEST(InverseRoot, IsThatOfTheCLibraryWithinRounding) {
  for (const int n : {3, 15})
    for (Real x = 1e-30; x < 1e30; x *= 1.37) EXPECT_NEAR(inverse_root(x, n) * std::pow(x, 1.0 / n), 1, 2e-15) << x;
  for (const int n : {3, 15})
    for (int k = -4; k <= 4; ++k) EXPECT_DOUBLE_EQ(inverse_root(std::ldexp(1, k * n), n), std::ldexp(1, -k)) << n;
}

TEST(FlightLimit, IsAFifthOfASecondByTheStepsThatWereMadeLast) {
  FlightLimit limit;
  EXPECT_EQ(limit.most_steps(8), 8) << "nothing is known";
  limit.add(4, 0.1);
  EXPECT_EQ(limit.most_steps(8), 8) << "25 ms a step";
  limit.add(3, 0.12);
  EXPECT_EQ(limit.most_steps(8), 5) << "40 ms a step";
  EXPECT_EQ(limit.most_steps(4), 4);
  limit.add(0, 7);
  EXPECT_EQ(limit.most_steps(8), 5) << "no step says nothing";
  limit.add(1, 0.3);
  EXPECT_EQ(limit.most_steps(8), 0);
}

TEST(StepLaw, OfOrderTwoGrowsAStepByTheRootsOfItsErrors) {
  const StepLaw law{1e-3, 1e-6, 1e6, 3};
  StepPlan plan{.time_ms = 7, .next_ms = 8, .proposed_ms = 1e6};  // a stop cut the step short
  law.accept(plan, 3e-4);
  EXPECT_NEAR(plan.proposed_ms, 0.9 * std::pow(0.3, -1.0 / 3), 1e-14);
  EXPECT_NEAR(plan.previous_ratio, 0.3, 1e-15);
  law.accept(plan, 2e-4);
  EXPECT_NEAR(plan.proposed_ms, 0.9 * std::pow(0.2, -0.2) * std::pow(0.3, 0.2 / 3), 1e-14);
  law.accept(plan, 1e300);
  EXPECT_DOUBLE_EQ(plan.proposed_ms, 0.2);
}

TEST(StepLaw, AnInfiniteErrorShortensAStepByAsMuchAsALargeOne) {
  for (const int error_order : {2, 3, 4})
    for (const Real error : {1e9, 1e300, std::numeric_limits<Real>::infinity()}) {
      const StepLaw law{1e-3, 1e-6, 1e6, error_order};
      StepPlan plan{.time_ms = 7, .next_ms = 9, .proposed_ms = 2, .previous_ratio = 0.5};
      law.reject(plan, error);
      EXPECT_DOUBLE_EQ(plan.proposed_ms, 0.4) << error_order << " " << error;
      EXPECT_EQ(plan.previous_ratio, 0);
    }
}

/// All that a run can know of its steps.
struct Story {
  std::vector<Real> ends, probes, frames, maps, ecg, beats;
  std::vector<int> iterations;
  StepCounts counts;
  std::vector<PulseCaptures> captures;
  CheckpointSections checkpoint, end;
  int told_later = 0;  ///< steps after which the simulation was already at a later one
  bool failed = false;
};

bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0);
}

void expect_same(const Story& story, const Story& expected) {
  EXPECT_TRUE(same_bits(story.ends, expected.ends));
  EXPECT_TRUE(same_bits(story.probes, expected.probes));
  EXPECT_TRUE(same_bits(story.frames, expected.frames));
  EXPECT_TRUE(same_bits(story.maps, expected.maps));
  EXPECT_TRUE(same_bits(story.ecg, expected.ecg));
  EXPECT_TRUE(same_bits(story.beats, expected.beats));
  EXPECT_TRUE(story.iterations == expected.iterations);
  EXPECT_EQ(story.counts.accepted, expected.counts.accepted);
  EXPECT_EQ(story.counts.rejected, expected.counts.rejected);
  EXPECT_EQ(story.counts.above_tolerance, expected.counts.above_tolerance);
  EXPECT_EQ(story.counts.shortest_ms, expected.counts.shortest_ms);
  EXPECT_EQ(story.counts.longest_ms, expected.counts.longest_ms);
  EXPECT_EQ(story.captures, expected.captures);
  EXPECT_TRUE(story.checkpoint == expected.checkpoint);
  EXPECT_TRUE(story.end == expected.end);
  EXPECT_EQ(story.failed, expected.failed);
}

constexpr Real frame_ms = 3.7, checkpoint_ms = 33;

/// The run with flights of up to `steps`; from a checkpoint of another one, where there is one.
Story run(const Problem& problem, const TimeConfig& time, int steps,
          const std::optional<CheckpointSections>& from = {}) {
  Story story;
  const auto simulation = make_cpu_simulation(problem);
  March march(TimeStepper(time, frame_ms, problem.stimuli));
  const auto exchange = [&](StateArchive archive) {
    simulation->exchange(archive);
    march.exchange(archive);
    return archive.sections();
  };
  if (from) exchange(StateArchive(*from));
  FrameClock frames(frame_ms), checkpoints(checkpoint_ms);
  for (FrameClock* clock : {&frames, &checkpoints}) clock->due(simulation->time_ms());
  std::vector<Real> probes(problem.probes.size()), potential(problem.mesh->nodes.size()),
      states(problem.mesh->tetrahedra.size());
  const auto keep = [&](Real time_ms, std::vector<Real>& kept) {
    simulation->look_at(time_ms);
    simulation->potential_mv(potential);
    simulation->state(0, states);
    kept.insert(kept.end(), potential.begin(), potential.end());
    kept.insert(kept.end(), states.begin(), states.end());
  };
  int newton_iterations = 0;
  march_in_time(march, time.end_ms, *simulation,
                {[&] {
                   return Outlook{steps, std::min(frames.not_before_ms(), checkpoints.not_before_ms())};
                 },
                 [&] {
                   const Real now_ms = simulation->time_ms();
                   story.told_later += simulation->flown_ms().has_value();
                   story.ends.push_back(now_ms);
                   story.iterations.push_back(static_cast<int>(march.newton_iterations) - newton_iterations);
                   story.iterations.push_back(static_cast<int>(march.linear_iterations));
                   newton_iterations = static_cast<int>(march.newton_iterations);
                   while (const std::optional<Real> due = frames.due_before(now_ms)) keep(*due, story.frames);
                   simulation->look_at(now_ms);
                   if (frames.due(now_ms)) keep(now_ms, story.frames);
                   simulation->probe_mv(probes);
                   story.probes.insert(story.probes.end(), probes.begin(), probes.end());
                   if (checkpoints.due(now_ms)) story.checkpoint = exchange({});
                 },
                 [] { return false; }});
  story.ecg = simulation->take_ecg().value_mv;
  const BeatRecords beats = simulation->beats();
  story.beats = beats.activation_ms;
  for (const std::vector<Real>* more :
       {&beats.repolarized_ms[1], &beats.repolarized_ms[3], &beats.peak_mv, &beats.upstroke_mv_per_ms})
    story.beats.insert(story.beats.end(), more->begin(), more->end());
  story.failed = march.failure.has_value();
  story.counts = march.steps();
  story.captures = simulation->captures();
  keep(simulation->time_ms(), story.frames);
  for (const bool apd90 : {false, true}) {
    apd90 ? simulation->apd90_ms(potential) : simulation->activation_time_ms(potential);
    story.maps.insert(story.maps.end(), potential.begin(), potential.end());
  }
  story.end = exchange({});
  return story;
}

const std::vector<int> lengths{2, 3, 5, 7, longest_flight};

/// Flights of all lengths, one of which takes up the checkpoint of another.
void expect_same_at_any_length(const Problem& problem, const TimeConfig& time, bool flies = true) {
  const Story expected = run(problem, time, 1);
  EXPECT_EQ(expected.told_later, 0);
  EXPECT_GT(expected.counts.accepted, 20);
  for (const int length : lengths) {
    SCOPED_TRACE(length);
    const Story story = run(problem, time, length);
    expect_same(story, expected);
    EXPECT_EQ(story.told_later > 0, flies);
  }
  if (expected.checkpoint.empty()) return;
  const Story rest = run(problem, time, 5, expected.checkpoint);
  EXPECT_TRUE(rest.end == expected.end);
  EXPECT_TRUE(same_bits(rest.maps, expected.maps));
  EXPECT_TRUE(same_bits(rest.beats, expected.beats));
}

class FlightOf : public testing::TestWithParam<TimeScheme> {
 protected:
  static Problem paced_bar(const Mesh& mesh, PulseTrain pulses, Real mv_per_ms = 40) {
    Problem problem = test::paced_bar(mesh, GetParam(), pulses, mv_per_ms);
    problem.probes = {{mesh.tetrahedra[5], {0.1, 0.2, 0.3, 0.4}}, {mesh.tetrahedra[1], {0, 0.5, 0.5, 0}}};
    problem.ecg = {{{2, 3, 1}, {9, 0.5, 0.5}, {1, -4, 2}, {3, 1, -5}}, {0.83}, 0.2, 12};
    problem.beats = {4, false, {false, true, false, true}, true};
    return problem;
  }
  static TimeConfig adaptive(Real end_ms, AdaptiveConfig config = {}) {
    config.enabled = true;
    return {end_ms, 0.1, GetParam(), config};
  }
  static bool flies() { return GetParam() == TimeScheme::sdirk2 || GetParam() == TimeScheme::trbdf2; }
};
INSTANTIATE_TEST_SUITE_P(Schemes, FlightOf, test::second_order_schemes(), test::name_of_scheme_in_test);

TEST_P(FlightOf, AnyLengthHasTheStepsAndResultsOfSteps) {
  // A second wave, where steps become short again from one to the next and some are rejected.
  const Mesh mesh = random_mesh({7, 1, 1}, 0.5, 3);
  const Problem problem = paced_bar(mesh, {1.3, 2, 170, 2});
  expect_same_at_any_length(problem, adaptive(301.7, {.tolerance = 1e-3, .max_step_ms = 9}), flies());
}

TEST_P(FlightOf, AStepThatIsRejectedOrAtTheShortestEndsOrPassesAsWithoutFlight) {
  const Mesh mesh = random_mesh({5, 1, 1}, 0.5, 4);
  Problem problem = paced_bar(mesh, {0, 2, 12, 5}, 70);
  for (std::size_t i = 0; i < problem.phi.size(); ++i) problem.phi[i] = 0.2 * std::sin(3.0 * static_cast<Real>(i));
  const TimeConfig time = adaptive(60, {.tolerance = 2e-5, .min_step_ms = 0.07, .max_step_ms = 3});
  const Story story = run(problem, time, 5);
  EXPECT_GT(story.counts.rejected, 2);
  EXPECT_GT(story.counts.above_tolerance, 2);
  expect_same_at_any_length(problem, time, flies());
}

class ImplicitFlight : public FlightOf {};
INSTANTIATE_TEST_SUITE_P(Schemes, ImplicitFlight, test::implicit_schemes_of_order_two(), test::name_of_scheme_in_test);

TEST_P(ImplicitFlight, AStepWithoutASolutionIsTriedAgainAsWithoutFlight) {
  // A polynomial takes new bounds of the spectrum after a solve that has failed.
  const Mesh mesh = slab_mesh({6, 0.5, 0.5}, 0.5, true);
  for (const PreconditionerChoice preconditioner : {PreconditionerChoice::jacobi, PreconditionerChoice::polynomial})
    for (const int most : {2, 3, 4}) {
      SCOPED_TRACE(most);
      Problem problem = paced_bar(mesh, {0, 2, 80, 3}, 60);
      problem.preconditioner = preconditioner;
      problem.time.newton_follows = problem.time.linear_follows = false;
      problem.newton = {1e-9, most, ForcingChoice::fixed};
      problem.linear_solver = {1e-11, most == 3 && preconditioner == PreconditionerChoice::polynomial ? 20 : 1000};
      const TimeConfig time = {190, 1, GetParam(), {true, 0.9, 1e-3, 40}};
      EXPECT_GT(run(problem, time, 1).counts.rejected, 0);
      expect_same_at_any_length(problem, time, flies());
    }
}

TEST_P(ImplicitFlight, EveryPreconditionerAndQuadratureFlies) {
  const Mesh mesh = random_mesh({6, 1, 1}, 0.5, 5);
  for (const Quadrature quadrature : {Quadrature::vertices, Quadrature::vertices_and_centroid})
    for (const PreconditionerChoice preconditioner : {PreconditionerChoice::jacobi, PreconditionerChoice::block_jacobi,
                                                      PreconditionerChoice::polynomial, PreconditionerChoice::ssor}) {
      Problem problem = paced_bar(mesh, {0, 2});
      problem.quadrature = quadrature;
      problem.preconditioner = preconditioner;
      expect_same_at_any_length(problem, adaptive(60, {.tolerance = 5e-3, .max_step_ms = 5}), flies());
    }
}

TEST_P(FlightOf, TheSourceIsThatOfEachStepWhereEdgesOrStepsAreAsNearAsRounding) {
  // A pulse is on from 1e-7 ms after its beginning, which is later than the end of the first steps of 2e-8 ms.
  const Mesh mesh = slab_mesh({4, 0.5, 0.5}, 0.5, true);
  Problem problem = paced_bar(mesh, {2, 1.5, 20, 2});
  for (const Real first_ms : {0.1, 2e-8})
    for (const Real later_ms : {5e-8, 2e-7, 1e-3}) {
      problem.stimuli.resize(1);
      problem.stimuli.push_back(problem.stimuli[0]);
      problem.stimuli[1].pulses.start_ms += later_ms;
      expect_same_at_any_length(problem, {50, first_ms, GetParam(), {true, 2e-3, 1e-8, 5}}, flies());
    }
}

TEST_P(FlightOf, StepsThatFailEndTheRunAsWithoutFlight) {
  const Mesh mesh = slab_mesh({4, 0.5, 0.5}, 0.5, true);
  const Problem problem = paced_bar(mesh, {12, 2}, -900);
  const TimeConfig time = adaptive(20, {.tolerance = 0.9, .min_step_ms = 0.1, .max_step_ms = 1});
  const Story expected = run(problem, time, 1);
  ASSERT_TRUE(expected.failed);
  for (const int length : lengths) expect_same(run(problem, time, length), expected);
}

TEST(FlightLimit, LetsNoMoreStepsFlyThanAFifthOfASecondIsEnoughFor) {
  FlightLimit limit;
  EXPECT_EQ(limit.most_steps(8), 8);
  limit.add(1, 0.06);
  EXPECT_EQ(limit.most_steps(8), 3);
  EXPECT_EQ(limit.most_steps(2), 2);
  limit.add(3, 2.4);
  EXPECT_EQ(limit.most_steps(8), 0);
  limit.add(0, 1e9);  // nothing was made
  limit.add(4, 1e-4);
  EXPECT_EQ(limit.most_steps(8), 8);
  limit.add(1, 1e300);
  EXPECT_EQ(limit.most_steps(8), 0);
}

TEST_P(FlightOf, ARunCanBeStoppedBetweenAFlightThatEndsWithARejectionAndTheNext) {
  const Mesh mesh = random_mesh({5, 1, 1}, 0.5, 4);
  Problem problem = paced_bar(mesh, {0, 2, 12, 5}, 70);
  for (std::size_t i = 0; i < problem.phi.size(); ++i) problem.phi[i] = 0.2 * std::sin(3.0 * static_cast<Real>(i));
  const TimeConfig time = adaptive(60, {.tolerance = 2e-5, .min_step_ms = 0.07, .max_step_ms = 3});
  for (const int length : {2, 3, longest_flight}) {
    const auto simulation = make_cpu_simulation(problem);
    March march(TimeStepper(time, frame_ms, problem.stimuli));
    int steps = 0, most = 0;
    march_in_time(march, time.end_ms, *simulation,
                  {[&] { return Outlook{length}; }, [&] { most = std::max(most, ++steps); },
                   [&] {
                     steps = 0;
                     return false;
                   }});
    EXPECT_GT(march.steps().rejected, 2);
    EXPECT_LE(most, length);
  }
}

TEST_P(FlightOf, NobodyStopsARunInTheMidstOfAFlight) {
  const Mesh mesh = slab_mesh({4, 0.5, 0.5}, 0.5, true);
  const Problem problem = paced_bar(mesh, {0, 2});
  const TimeConfig time = adaptive(30, {.tolerance = 2e-3, .max_step_ms = 5});
  const auto simulation = make_cpu_simulation(problem);
  March march(TimeStepper(time, 1, problem.stimuli));
  std::vector<Real> asked_at;
  march_in_time(march, time.end_ms, *simulation,
                {[] { return Outlook{5}; }, [] {},
                 [&] {
                   EXPECT_FALSE(simulation->flown_ms());
                   asked_at.push_back(simulation->time_ms());
                   return asked_at.size() == 6;
                 }});
  EXPECT_FALSE(march.finished());
  EXPECT_EQ(march.steps().accepted > 5, flies());  // it was asked after 5 steps or flights
}

}  // namespace
}  // namespace cardiowarp
