#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/bar_runs.hpp"

namespace cardiowarp::test {

/// A bar with a region of other cells, and with stimuli that begin and end between steps, frames and checkpoints.
inline constexpr const char* checkpoint_yaml = R"(mesh: {file: bar.msh}
diffusivity: {isotropic: 0.2, anisotropic: 0}
regions:
  - where: {sphere: {center: [4, 0.5, 0.5], radius: 1}}
    diffusivity: {isotropic: 0.1}
    cell_model: {parameters: {PARAMETER}}
stimuli:
  - where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}
    duration: 2 ms
    amplitude: 60 mV/ms
    period: 3.3 ms
    count: 3
  - where: {box: {min: [7, 0, 0], max: [8, 1, 1]}}
    start: 2.15 ms
    duration: 2 ms
    amplitude: 60 mV/ms
time: {end: 8 ms, step: 0.1 ms}
output:
  directory: out
  interval: 0.75 ms
  ecg:
    interval: 0.31 ms
    electrodes: [{name: above, point: [4, 2.5, 0.5]}, {name: beyond, point: [10, 0.5, 0.5]}]
    bipolar: [{name: inside, point: [4.1, 0.5, 0.5], direction: [1, 0, 0], spacing: 1 mm}]
probes:
  - {name: middle, point: [4.1, 0.5, 0.5]}
  - {name: end, point: [7.9, 0.5, 0.5]}
)";

/// Runs of it that are ended and go on.
class Checkpoint : public BarRuns {
 protected:
  void SetUp() override {
    BarRuns::SetUp();
    write_bar("alpha: 0.02");
  }

  void write_bar(const std::string& parameter) const {
    std::string yaml = checkpoint_yaml;
    write_text(folder / "bar.yaml", yaml.replace(yaml.find("PARAMETER"), 9, parameter));
  }

  /// A copy of the results of a run that has only its first `number` checkpoints.
  void copy_with_checkpoints(const std::string& from, const std::string& to, std::size_t number) const {
    std::filesystem::remove_all(folder / to);
    std::filesystem::copy(folder / from, folder / to, std::filesystem::copy_options::recursive);
    const std::vector<std::filesystem::path> all = checkpoints(to);
    ASSERT_LT(number, all.size());
    for (std::size_t k = number; k < all.size(); ++k) std::filesystem::remove(all[k]);
  }
};

inline const Words every_checkpoint{"--set", "checkpoint={interval: 0.57 ms, keep: 1000}"};
inline const Words late_checkpoint{"--set", "checkpoint={interval: 3.5 ms, keep: 2}"};

}  // namespace cardiowarp::test
