#pragma once
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace cardiowarp::test {

/// A wave along a bar of 8 mm. The campaigns of tests/faults take it from here as well (wave.py).
inline constexpr const char* wave_yaml = R"(mesh: {file: bar.msh}
diffusivity: {isotropic: 0.2, anisotropic: 0}
stimuli:
  - name: left
    where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}
    duration: 2 ms
    amplitude: 60 mV/ms
time: {end: 20 ms, step: 0.1 ms}
output: {directory: result, interval: 5 ms}
probes:
  - {name: middle, point: [4.1, 0.5, 0.5]}
)";

/// The same with other words in places: `{{"end: 20 ms", "end: 4 ms"}}`.
inline std::string wave_yaml_with(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::string text = wave_yaml;
  for (const auto& [from, to] : changes) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace cardiowarp::test
