// The tolerance that is found from an accuracy. That runs keep the accuracy is tested in
// tests/end_to_end/error_estimate_test.cpp.

#include "app/start/step_tolerance.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config.hpp"
#include "app/start/tolerance_cache.hpp"
#include "fem/cells/models.hpp"
#include "fem/input_error.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

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

/// Between the first and the last that is no zero.
std::size_t significant_digits(Real value) {
  std::string digits = fmt::format("{:e}", value);
  digits.resize(digits.find('e'));
  std::erase(digits, '.');
  return digits.find_last_not_of('0') + 1 - digits.find_first_not_of('0');
}

TEST(StepTolerance, HasTwoDigitsSoThatRoundingErrorsDoNotChangeIt) {
  EXPECT_EQ(significant_digits(0.0105), 3);
  EXPECT_EQ(significant_digits(1.2e-7), 2);
  for (const Real percent : {1.3, 0.9, 0.31, 0.12, 0.047, 0.0052}) {
    const Real tolerance = find_step_tolerance(asking_for({percent, {}}), usual).tolerance;
    EXPECT_LE(significant_digits(tolerance), 2) << tolerance;
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
  EXPECT_EQ(no_end.find("accuracy.apd90: expected cells that repolarize, but "), 0U) << no_end;
  const std::string too_small = refusal(asking_for({1e-6, {}}), usual);
  EXPECT_EQ(too_small.find("accuracy: expected errors that adaptive steps can keep below, but with a tolerance of "),
            0U)
      << too_small;
}

/// A folder of kept tolerances, and what is in its one file.
class KeptTolerance : public testing::Test {
 protected:
  std::filesystem::path file() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(cache_.folder)) files.push_back(entry.path());
    EXPECT_EQ(files.size(), 1u);
    return files.at(0);
  }
  StepTolerance find(const Config& config, const TissueCells& cells = usual) const {
    return find_step_tolerance(config, cells, cache_);
  }
  /// Keeps another tolerance for what the file is of, by which it shows that the file is read.
  void keep_another(Real tolerance) const {
    const std::string content = test::read_text(file());
    const std::size_t text = content.find('\n', content.find('\n') + 1) + 1;
    keep_tolerance(cache_, content.substr(text), {tolerance, 3.5, {0.25, 0.125}});
  }

  test::TemporaryDirectory folder_;
  ToleranceCache cache_{folder_ / "caches" / "accuracy", "0123456789ab"};
};

TEST_F(KeptTolerance, IsTheOneThatWasFoundBefore) {
  const Config config = asking_for({0.5, 1.0});
  const StepTolerance found = find(config);
  const StepTolerance again = find(config);
  EXPECT_EQ(again.tolerance, found.tolerance);
  EXPECT_EQ(again.max_step_ms, found.max_step_ms);
  EXPECT_EQ(again.errors.activation_percent, found.errors.activation_percent);
  EXPECT_EQ(again.errors.apd90_ms, found.errors.apd90_ms);
  keep_another(0.0123);
  const StepTolerance another = find(config);  // so it is read
  EXPECT_EQ(another.tolerance, 0.0123);
  EXPECT_EQ(another.max_step_ms, 3.5);
  EXPECT_EQ(another.errors.activation_percent, 0.25);
  EXPECT_EQ(another.errors.apd90_ms, 0.125);
}

TEST_F(KeptTolerance, IsForTheSameCellsMethodsAccuracyAndProgramAlone) {
  const Config config = asking_for({0.5, {}});
  const StepTolerance found = find(config);
  keep_another(0.0123);
  EXPECT_NE(find(asking_for({0.4, {}})).tolerance, 0.0123);
  EXPECT_NE(find(asking_for({0.5, {}}, TimeScheme::bdf2)).tolerance, 0.0123);
  EXPECT_NE(find(config, std::vector<AlievPanfilov>{{.mu1 = 0.25}}).tolerance, 0.0123);
  EXPECT_EQ(find_step_tolerance(config, usual, ToleranceCache{cache_.folder, "ba9876543210"}).tolerance,
            found.tolerance);
  EXPECT_EQ(find_step_tolerance(config, usual).tolerance, found.tolerance);
  Config elsewhere = config;  // what has no influence
  elsewhere.output.directory = "elsewhere";
  elsewhere.mesh.file = "another.msh";
  elsewhere.stimuli.emplace_back();
  EXPECT_EQ(find(elsewhere).tolerance, 0.0123);
}

/// Of find_step_tolerance(), with the messages.
std::pair<StepTolerance, std::string> found_with_words(const Config& config, const ToleranceCache& cache) {
  testing::internal::CaptureStdout();
  const StepTolerance found = find_step_tolerance(config, usual, cache);
  return {found, testing::internal::GetCapturedStdout()};
}

TEST_F(KeptTolerance, ThatIsDamagedIsFoundAnewWithAWord) {
  const Config config = asking_for({0.5, {}});
  const StepTolerance found = find(config);
  const std::string content = test::read_text(file());
  std::vector<std::string> damaged{std::string(),
                                   content.substr(0, 5),
                                   content.substr(0, content.size() - 1),
                                   content + "x",
                                   content + std::string(1'000'000, 'x'),
                                   "nan" + content.substr(content.find(' ')),
                                   content.substr(content.find('\n')),
                                   "0.01 -1" + content.substr(content.find('\n'))};
  for (std::size_t place = 0; place < content.size(); place += place < content.find('\n') + 3 ? 1 : 97) {
    damaged.push_back(content);
    damaged.back()[place] ^= 1;  // a digit is another one
  }
  for (const std::string& text : damaged) {
    test::write_text(file(), text);
    const auto [again, words] = found_with_words(config, cache_);
    EXPECT_EQ(again.tolerance, found.tolerance) << text;
    EXPECT_EQ(again.max_step_ms, found.max_step_ms) << text;
    EXPECT_NE(words.find("the tolerance that is kept in '" + file().string() + "' is found anew: "), std::string::npos)
        << words;
    EXPECT_EQ(test::read_text(file()), content);
  }
  for (const Real impossible : {-0.01, 0.0, 1.5}) {
    keep_another(impossible);
    EXPECT_EQ(find(config).tolerance, found.tolerance);
  }
  const std::string words = found_with_words(config, cache_).second;
  EXPECT_EQ(words.find("anew"), std::string::npos) << words;
}

TEST_F(KeptTolerance, ThatIsNoRegularFileIsFoundAnewAndNotWaitedFor) {
  const Config config = asking_for({0.5, {}});
  const StepTolerance found = find(config);
  const std::filesystem::path kept = file();
  const auto expect_anew = [&](const std::string& reason) {
    const auto [again, words] = found_with_words(config, cache_);
    EXPECT_EQ(again.tolerance, found.tolerance);
    EXPECT_NE(words.find("'" + kept.string() + "' is found anew: " + reason), std::string::npos) << words;
    std::filesystem::remove(kept);
  };
  std::filesystem::remove(kept);
  ASSERT_EQ(::mkfifo(kept.c_str(), 0600), 0);
  expect_anew("expected a regular file, got a FIFO");
  std::filesystem::create_symlink("/dev/zero", kept);
  expect_anew("expected a regular file, got a symbolic link");
  std::filesystem::create_symlink("nowhere", kept);
  expect_anew("expected a regular file, got a symbolic link");
  std::filesystem::create_directory(kept);
  expect_anew("expected a regular file, got a directory");
  test::write_text(kept, "");
  std::filesystem::resize_file(kept, std::uintmax_t{1} << 40);  // a hole
  expect_anew("expected at most ");
}

TEST_F(KeptTolerance, IsReadAndNotWrittenByWhatWritesNothing) {
  const Config config = asking_for({0.5, {}});
  ToleranceCache only_read = cache_;
  only_read.is_only_read = true;
  find_step_tolerance(config, usual, only_read);
  EXPECT_FALSE(std::filesystem::exists(cache_.folder));
  find(config);
  keep_another(0.0123);
  EXPECT_EQ(find_step_tolerance(config, usual, only_read).tolerance, 0.0123);
}

TEST_F(KeptTolerance, IsNoErrorWhereItCannotBeKept) {
  test::write_text(folder_ / "file", "");
  cache_.folder = folder_ / "file" / "folder";
  EXPECT_GT(find(asking_for({0.5, {}})).tolerance, 0);
}

TEST_F(KeptTolerance, IsInTheFolderOfCachesForAProgramThatItsCommitTells) {
  const test::EnvironmentVariable cache("XDG_CACHE_HOME", "/caches"), home("HOME", "/home/one");
  EXPECT_EQ(usual_tolerance_cache("0123456789ab")->folder, "/caches/cardiowarp/accuracy");
  EXPECT_FALSE(usual_tolerance_cache("0123456789ab with changes"));
  EXPECT_FALSE(usual_tolerance_cache("unknown (no git)"));
  EXPECT_FALSE(usual_tolerance_cache(""));
  const test::EnvironmentVariable relative("XDG_CACHE_HOME", "caches");
  EXPECT_EQ(usual_tolerance_cache("0123456789ab")->folder, "/home/one/.cache/cardiowarp/accuracy");
  const test::EnvironmentVariable nowhere("HOME", "");
  EXPECT_FALSE(usual_tolerance_cache("0123456789ab"));
}

}  // namespace
}  // namespace cardiowarp
