// The tolerance that is found from an accuracy. That runs keep the accuracy is tested in
// tests/end_to_end/error_estimate_test.cpp.

#include "app/start/step_tolerance.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

Config asking_for(const AccuracyConfig& accuracy, TimeScheme scheme = TimeScheme::sdirk2) {
  Config config;
  config.time = {.end_ms = 600, .step_ms = 0.1, .scheme = scheme};
  config.time.adaptive =
      scheme == TimeScheme::backward_euler ? AdaptiveConfig{true, 1e-3, 0.01, 2} : AdaptiveConfig{true, 2e-3, 0.01, 5};
  config.newton_follows_step = config.linear_solver.follows_step = scheme != TimeScheme::backward_euler;
  config.accuracy = accuracy;
  return config;
}

const TissueCells usual = std::vector<AlievPanfilov>{{}};

TEST(StepTolerance, KeepsWhatIsAskedForWithEveryScheme) {
  for (const TimeScheme scheme : {TimeScheme::sdirk2, TimeScheme::trbdf2, TimeScheme::bdf2, TimeScheme::rkc2}) {
    SCOPED_TRACE(static_cast<int>(scheme));
    const StepTolerance found = find_step_tolerance(asking_for({0.5, 1.0}, scheme), usual);
    EXPECT_LE(found.errors.activation_percent, 0.4);
    EXPECT_LE(found.errors.apd90_ms.value(), 0.8);
    EXPECT_GT(std::max(found.errors.activation_percent / 0.5, *found.errors.apd90_ms), 0.2) << "needlessly small";
    EXPECT_LE(found.tolerance, 0.05);
    EXPECT_NEAR(found.max_step_ms, 5 * std::cbrt(found.tolerance / 2e-3), 0.1 * found.max_step_ms);
  }
  const StepTolerance first_order = find_step_tolerance(asking_for({2.0, {}}, TimeScheme::backward_euler), usual);
  EXPECT_LE(first_order.errors.activation_percent, 1.6);
  EXPECT_FALSE(first_order.errors.apd90_ms);
  EXPECT_NEAR(first_order.max_step_ms, 2 * std::sqrt(first_order.tolerance / 1e-3), 0.1 * first_order.max_step_ms);
}

TEST(StepTolerance, IsThatOfTheSchemeWhoseErrorGrowsWithItsPowerOfTwoThirds) {
  const StepTolerance coarse = find_step_tolerance(asking_for({0.3, {}}), usual),
                      fine = find_step_tolerance(asking_for({0.03, {}}), usual);
  // A tenth of the error: between 10 and 100 times the tolerance, where the law says 31.6 times.
  EXPECT_GT(coarse.tolerance, 10 * fine.tolerance);
  EXPECT_LT(coarse.tolerance, 100 * fine.tolerance);
}

TEST(StepTolerance, HasTwoDigitsSoThatRoundingErrorsDoNotChangeIt) {
  for (const Real percent : {0.9, 0.31, 0.047, 0.0052}) {
    const Real tolerance = find_step_tolerance(asking_for({percent, {}}), usual).tolerance;
    const std::string text = fmt::format("{}", tolerance);
    std::size_t digits = 0;
    for (const char c : text.substr(0, text.find('e'))) digits += c >= '1' && c <= '9' ? 1 : 0;
    EXPECT_LE(digits, 2) << text;
  }
}

TEST(StepTolerance, IsNotChangedByWhatIsOfTheMeshAlone) {
  Config config = asking_for({2.0, {}});
  config.quadrature = Quadrature::vertices;
  const Real tolerance = find_step_tolerance(config, usual).tolerance;
  config.boundary.push_back({{Surface{"epi"}, "heart.yaml:9:3: boundary.where"}, -80});
  EXPECT_EQ(find_step_tolerance(config, usual).tolerance, tolerance);
  config.quadrature = Quadrature::fourteen_points;  // of a quadratic mesh
  EXPECT_EQ(find_step_tolerance(config, usual).tolerance, tolerance);
}

TEST(StepTolerance, OfSeveralKindsOfCellsIsTheSmallest) {
  AlievPanfilov other;
  other.c = 20;
  const Config config = asking_for({0.1, 0.3});
  const Real of_usual = find_step_tolerance(config, usual).tolerance;
  const Real of_other = find_step_tolerance(config, std::vector<AlievPanfilov>{other}).tolerance;
  const Real of_both = find_step_tolerance(config, std::vector<AlievPanfilov>{{}, other}).tolerance;
  EXPECT_LE(of_both, std::min(of_usual, of_other));
  AlievPanfilov scar;
  scar.alpha = 0.6;  // no front travels
  EXPECT_EQ(find_step_tolerance(config, std::vector<AlievPanfilov>{scar, {}}).tolerance, of_usual);
}

TEST(StepTolerance, LeavesALongestStepThatWasGiven) {
  AccuracyConfig accuracy{1, {}};
  accuracy.finds_max_step = false;
  Config config = asking_for(accuracy);
  config.time.adaptive.max_step_ms = 1.5;
  EXPECT_EQ(find_step_tolerance(config, usual).max_step_ms, 1.5);
}

TEST(StepTolerance, DoesNotDependOnHowSystemsAreStoredAndSolved) {
  Config config = asking_for({0.5, {}});
  const StepTolerance plain = find_step_tolerance(config, usual);
  config.linear_solver.path = SolverPath::persistent;  // which needs a GPU
  config.linear_solver.matrix.format = MatrixFormat::ell_warp;
  config.linear_solver.preconditioner = PreconditionerChoice::block_jacobi;
  config.assembly.strategy = AssemblyStrategy::slice_gather;
  const StepTolerance other = find_step_tolerance(config, usual);
  EXPECT_EQ(other.tolerance, plain.tolerance);
  EXPECT_EQ(other.errors.activation_percent, plain.errors.activation_percent);
}

TEST(StepTolerance, HoldsForTheOtherCellModels) {
  const StepTolerance mitchell = find_step_tolerance(asking_for({0.5, 1.0}), std::vector<MitchellSchaeffer>{{}});
  EXPECT_LE(mitchell.errors.activation_percent, 0.4);
  const StepTolerance bueno = find_step_tolerance(asking_for({1, {}}), std::vector<BuenoOrovio>{{}});
  EXPECT_LE(bueno.errors.activation_percent, 0.8);
}

std::string refusal(const Config& config, const TissueCells& cells) {
  try {
    find_step_tolerance(config, cells);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(StepTolerance, IsRefusedWhereThereIsNone) {
  AlievPanfilov without_front;
  without_front.alpha = 0.6;
  EXPECT_EQ(refusal(asking_for({1, {}}), std::vector<AlievPanfilov>{without_front}),
            "accuracy: expected cells through which a front travels, whose errors a tolerance is chosen by; give "
            "time.adaptive.tolerance instead");
  AlievPanfilov without_recovery;
  without_recovery.gamma = 0;
  without_recovery.mu1 = 0;
  const std::string no_end = refusal(asking_for({{}, 1.0}), std::vector<AlievPanfilov>{without_recovery});
  EXPECT_EQ(no_end.find("accuracy.apd90: expected cells that repolarise, but "), 0U) << no_end;
  const std::string too_small = refusal(asking_for({1e-6, {}}), usual);
  EXPECT_EQ(too_small.find("accuracy: expected errors that adaptive steps can keep below, but with a tolerance of "),
            0U)
      << too_small;
}

}  // namespace
}  // namespace cardiowarp
