// Beats one after the other: on potentials that a person can follow, and in simulations against the maps of first beats
// and against steps that are taken apart by hand.

#include "fem/beat_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "app/checkpoint/state_archive.hpp"
#include "app/simulation/simulation.hpp"
#include "meshes/generate.hpp"
#include "tests/support/paced_bar.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

/// A log of one point with memory of its own; 0 mV is at φ = 0.8.
class OnePoint {
 public:
  explicit OnePoint(int kept, bool last = false)
      : activation(size(kept)), peak(size(kept)), upstroke(size(kept)), kept_(kept), last_(last) {
    for (std::vector<Real>& level : repolarized) level.resize(size(kept));
  }

  BeatLog log() {
    return {1,
            kept_,
            last_,
            0.8,
            &beats,
            &is_armed,
            &steepest,
            activation.data(),
            peak.data(),
            {repolarized[0].data(), repolarized[1].data(), repolarized[2].data(), repolarized[3].data()},
            upstroke.data()};
  }
  /// φ at t = 0, 1, 2, .. ms, with straight lines between.
  void follow(const std::vector<Real>& phi) {
    log().start(0, phi[0]);
    for (std::size_t k = 1; k < phi.size(); ++k)
      log().record(0, LinearPath{static_cast<Real>(k - 1), static_cast<Real>(k), phi[k - 1], phi[k]});
  }

  Real beats = 7, is_armed = 7, steepest = 7;
  std::vector<Real> activation, peak, upstroke, repolarized[BeatLog::levels];

 private:
  static std::size_t size(int kept) { return static_cast<std::size_t>(kept); }
  int kept_;
  bool last_;
};

TEST(BeatLog, HasActivationLevelsPeakAndRiseOfTwoBeats) {
  OnePoint point(3);
  point.follow({0, 0.1, 0.5, 1, 0.9, 0.6, 0.4, 0.15, 0.05, 0, 0.75, 0.95, 0.5, 0});
  EXPECT_EQ(point.beats, 2);
  EXPECT_NEAR(point.activation[0], 2.6, 1e-15);
  EXPECT_NEAR(point.repolarized[0][0], 4 + 2.0 / 3, 1e-15) << "30 % of the way down from 1";
  EXPECT_NEAR(point.repolarized[1][0], 5.5, 1e-15);
  EXPECT_NEAR(point.repolarized[2][0], 6.8, 1e-15);
  EXPECT_NEAR(point.repolarized[3][0], 7.5, 1e-15);
  EXPECT_EQ(point.peak[0], 1);
  EXPECT_NEAR(point.upstroke[0], 0.5, 1e-15);
  EXPECT_NEAR(point.activation[1], 10.25, 1e-15);
  EXPECT_EQ(point.peak[1], 0.95);
  EXPECT_NEAR(point.upstroke[1], 0.75, 1e-15) << "the largest rise is before the crossing";
  EXPECT_NEAR(point.repolarized[3][1], 12 + 0.405 / 0.5, 1e-12);
  EXPECT_EQ(point.activation[2], -1);
}

TEST(BeatLog, APeakMoreThanTwiceAsHighAsActivationBeginsNoOtherBeatAsItFalls) {
  OnePoint point(3);
  point.follow({0, 2.5, 1.2, 0.9, 0.1, 1, 0});
  EXPECT_EQ(point.beats, 2);
  EXPECT_EQ(point.activation, (std::vector<Real>{0.8 / 2.5, 4 + 0.7 / 0.9, -1}));
}

TEST(BeatLog, ANotchBeginsNoBeatAndAnEarlyBeatLeavesTheOneBeforeUnfinished) {
  OnePoint notch(3);
  notch.follow({0, 1, 0.7, 0.9, 0.55, 1.1, 0});
  EXPECT_EQ(notch.beats, 1);
  EXPECT_EQ(notch.peak[0], 1.1);
  OnePoint early(3);
  early.follow({0, 1, 0.45, 0.9, 0});
  EXPECT_EQ(early.beats, 2);
  EXPECT_NEAR(early.repolarized[1][0], 1 + 0.5 / 0.55, 1e-15);
  EXPECT_EQ(early.repolarized[3][0], -1);
  EXPECT_GT(early.repolarized[3][1], 3);
}

TEST(BeatLog, KeepsTheFirstOrTheLastAsThereIsRoom) {
  const std::vector<Real> three{0, 1, 0, 0.9, 0, 0.85, 0, 0};
  OnePoint first(2), last(2, true);
  first.follow(three);
  last.follow(three);
  EXPECT_EQ(first.beats, 3);
  EXPECT_EQ(first.peak, (std::vector<Real>{1, 0.9}));
  EXPECT_EQ(last.beats, 3);
  EXPECT_EQ(last.peak, (std::vector<Real>{0.85, 0.9}));
  BeatRecords records{.points = 1, .kept = 2, .beats = {3}};
  EXPECT_EQ(records.kept_as(0, 1), 1);
  EXPECT_EQ(records.kept_as(0, 2), -1);
  records.last = true;
  EXPECT_EQ(records.kept_as(0, 2), 0);
  EXPECT_EQ(records.kept_as(0, 1), 1);
  EXPECT_EQ(records.kept_as(0, 0), -1);
}

TEST(BeatLog, OfAPointThatBeginsActivatedHasABeatFromTheStart) {
  OnePoint point(1);
  point.follow({0.9, 0.5, 0});
  EXPECT_EQ(point.beats, 1);
  EXPECT_EQ(point.activation[0], 0);
  EXPECT_NEAR(point.repolarized[3][0], 1.82, 1e-15);
}

TEST(CubicPath, HasItsLargestRiseWhereTheSlopeTurns) {
  const CubicPath path{2, 4, 0, 1, 0, 0};  // 3s² − 2s³, whose slope 6s(1 − s) is 1.5 a step in the middle
  EXPECT_NEAR(path.largest_rise_per_ms(), 0.75, 1e-15);
  EXPECT_NEAR((CubicPath{0, 0.5, 1, 0.2, -0.1, -1}.largest_rise_per_ms()), -0.2, 1e-15);
}

class BeatsOfABar : public testing::Test {
 protected:
  BeatsOfABar() { problem.beats = {5, false, {true, true, true, true}, true}; }

  void advance(Simulation& simulation, Real from_ms, Real to_ms) const {
    const int steps = static_cast<int>(std::round((to_ms - from_ms) / step_ms));
    for (int step = 1; step <= steps; ++step)
      ASSERT_FALSE(simulation.step_to(from_ms + step * step_ms).failure) << step;
  }

  static constexpr Real step_ms = 0.5, end_ms = 900;
  const Mesh mesh = renumbered(random_mesh({4, 1, 1}, 0.5, 3), 3).mesh;
  Problem problem = test::paced_bar(mesh, TimeScheme::sdirk2, {1, 2, 460, 2});
};

TEST_F(BeatsOfABar, BeginWithTheMapsOfFirstBeatsAndGoOn) {
  const std::unique_ptr<Simulation> simulation = make_cpu_simulation(problem);
  advance(*simulation, 0, end_ms);
  const BeatRecords records = simulation->beats();
  const std::size_t nodes = mesh.nodes.size();
  std::vector<Real> activation(nodes), apd90(nodes);
  simulation->activation_time_ms(activation);
  simulation->apd90_ms(apd90);
  ASSERT_EQ(records.points, nodes);
  ASSERT_EQ(records.kept, 2);
  for (std::size_t node = 0; node < nodes; ++node) {
    EXPECT_EQ(records.beats[node], 2);
    EXPECT_EQ(records.activation_ms[node], activation[node]);
    EXPECT_EQ(records.repolarized_ms[3][node] - records.activation_ms[node], apd90[node]);
    EXPECT_GT(records.activation_ms[nodes + node], 460);
    EXPECT_GT(records.upstroke_mv_per_ms[node], 3);
    EXPECT_GT(records.peak_mv[nodes + node], 5);
    for (int beat = 0; beat < 2; ++beat)
      for (int level = 1; level < BeatLog::levels; ++level)
        EXPECT_LT(records.repolarized_ms[level - 1][beat * nodes + node],
                  records.repolarized_ms[level][beat * nodes + node]);
  }
}

TEST_F(BeatsOfABar, ThatAreSavedGoOnWithRoomForMoreOrFewer) {
  const std::unique_ptr<Simulation> whole = make_cpu_simulation(problem), begun = make_cpu_simulation(problem);
  advance(*whole, 0, end_ms);
  advance(*begun, 0, 380);
  StateArchive archive;
  begun->exchange(archive);
  for (const int kept : {9, 2}) {
    problem.beats.beats = kept;
    const std::unique_ptr<Simulation> rest = make_cpu_simulation(problem);
    StateArchive loading(archive.sections());
    rest->exchange(loading);
    advance(*rest, 380, end_ms);
    const BeatRecords expected = whole->beats(), records = rest->beats();
    EXPECT_EQ(records.beats, expected.beats);
    EXPECT_EQ(records.activation_ms, expected.activation_ms);
    EXPECT_EQ(records.repolarized_ms[1], expected.repolarized_ms[1]);
    EXPECT_EQ(records.upstroke_mv_per_ms, expected.upstroke_mv_per_ms);
  }
}

}  // namespace
}  // namespace cardiowarp
