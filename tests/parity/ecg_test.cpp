// The ECG and the beats of nodes on a GPU are those of a CPU to rounding, and those of flights those of single steps
// bit for bit.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "app/config/time_config.hpp"
#include "app/march.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/time_stepper.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/paced_bar.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

class EcgParity : public GpuTest {
 protected:
  EcgParity() {
    problem.ecg = {{{2, 3, 1}, {12, 0.5, 0.5}, {1, -4, 2}, {3, 1, -5}, {5.2, 0.7, 0.4}}, {0.83}, 0.2, 12};
    problem.beats = {4, false, {true, true, true, true}, true};
  }

  struct Answer {
    EcgSamples ecg;
    BeatRecords beats;
  };
  /// Two beats with flights of up to `steps` steps.
  Answer answer(Simulation& simulation, int steps) const {
    const TimeConfig time{700, 0.1, TimeScheme::sdirk2, {true, 1e-3, 0.01, 5}};
    March march(TimeStepper(time, 1000, problem.stimuli));
    Answer result;
    march_in_time(march, time.end_ms, simulation,
                  {[&] {
                     return Outlook{steps, static_cast<Real>(result.ecg.size() + 200) * 0.83};
                   },
                   [&] {
                     if (simulation.flown_ms()) return;
                     const EcgSamples more = simulation.take_ecg();
                     result.ecg.electrodes = more.electrodes;
                     result.ecg.value_mv.insert(result.ecg.value_mv.end(), more.value_mv.begin(), more.value_mv.end());
                   },
                   [] { return false; }, Progress::hidden});
    EXPECT_TRUE(march.finished());
    result.beats = simulation.beats();
    return result;
  }

  const Mesh mesh = random_mesh({9, 1.5, 1}, 0.5, 3);
  Problem problem = test::paced_bar(mesh, TimeScheme::sdirk2, {1.3, 2, 460, 2});
};

Real largest_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  EXPECT_EQ(a.size(), b.size());
  Real largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

TEST_F(EcgParity, SamplesAndBeatsOfAGpuAreThoseOfACpu) {
  const auto gpu_simulation = make_gpu_simulation(problem), cpu_simulation = make_cpu_simulation(problem);
  const Answer gpu = answer(*gpu_simulation, 8), cpu = answer(*cpu_simulation, 1);
  ASSERT_EQ(cpu.ecg.size(), 844);
  const auto [least, most] = std::ranges::minmax(cpu.ecg.value_mv);
  EXPECT_GT(most - least, 0.1);
  EXPECT_LT(largest_difference(gpu.ecg.value_mv, cpu.ecg.value_mv), 1e-5 * (most - least));
  EXPECT_EQ(gpu.beats.beats, cpu.beats.beats);
  EXPECT_EQ(cpu.beats.kept, 2);
  EXPECT_LT(largest_difference(gpu.beats.activation_ms, cpu.beats.activation_ms), 1e-4);
  for (int level = 0; level < BeatLog::levels; ++level)
    EXPECT_LT(largest_difference(gpu.beats.repolarized_ms[level], cpu.beats.repolarized_ms[level]), 1e-2);
  EXPECT_LT(largest_difference(gpu.beats.peak_mv, cpu.beats.peak_mv), 1e-3);
  EXPECT_LT(largest_difference(gpu.beats.upstroke_mv_per_ms, cpu.beats.upstroke_mv_per_ms), 1e-2);
}

TEST_F(EcgParity, FlightsHaveTheSamplesAndBeatsOfSingleSteps) {
  const auto flying = make_gpu_simulation(problem), walking = make_gpu_simulation(problem);
  const Answer flown = answer(*flying, 8), walked = answer(*walking, 1);
  EXPECT_EQ(flown.ecg.value_mv, walked.ecg.value_mv);
  EXPECT_EQ(flown.beats.activation_ms, walked.beats.activation_ms);
  EXPECT_EQ(flown.beats.repolarized_ms[3], walked.beats.repolarized_ms[3]);
  EXPECT_EQ(flown.beats.upstroke_mv_per_ms, walked.beats.upstroke_mv_per_ms);
}

}  // namespace
}  // namespace cardiowarp
