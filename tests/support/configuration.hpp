#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "fem/input_error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {

/// The shortest configuration, two lines.
inline const std::string minimal = "mesh: {file: heart.msh}\ntime: {end: 10, step: 0.1}\n";

/// A configuration with every key, none of them at its default but those that have one value only.
inline const std::string every_key = R"(mesh: {file: meshes/../heart.vtu, length_unit: cm}
cell_model:
  name: aliev_panfilov
  parameters: {alpha: 0.02, gamma: 0.003, b: 0.16, c: 9, mu1: 0.21, mu2: 0.31}
diffusivity: {longitudinal: 2 cm^2/s, transverse: 0.05 mm^2/ms}
fibers: {source: constant, direction: [0, 1, -2]}
regions:
  - where: {tag: scar}
    diffusivity: {isotropic: 0.05}
    cell_model: {parameters: {alpha: 0.1, gamma: 1e-4, b: 0.2, c: 7, mu1: 0.3, mu2: 0.4}}
  - where: {sphere: {center: [1, 2, 3 cm], radius: 4}}
    diffusivity: {longitudinal: 0.3, transverse: 0.1}
initial:
  potential: -0.07 V
  recovery: 0.25
  regions:
    - where: {box: {min: [0, 0, 0], max: [1, 0, 2]}}
      potential: 20 mV
      recovery: 0.5
    - where: {nodes: here.vtx}
      potential: 10 mV
stimuli:
  - where: {tag: 12}
    duration: 1 ms
    amplitude: -10
  - name: apex
    where: {nodes: sub/apex.vtx}
    start: 0.01 s
    duration: 2 ms
    amplitude: 35.7 V/s
    period: 800 ms
    count: 3
    edge: nodes
  - name: paced
    where: {box: {min: [0, 0, 0], max: [1.5, 1.5, 1.5]}}
    start: 50
    duration: 2
    amplitude: 30
    period: 100
time: {end: 0.4 s, step: 50 us, scheme: backward_euler,
       adaptive: {enabled: true, tolerance: 3e-4, min_step: 5 us, max_step: 1.5 ms}}
newton: {tolerance: 1.0e-9, max_iterations: 7, forcing: fixed}
linear_solver: {method: cg, preconditioner: block_jacobi, tolerance: 1e-12, max_iterations: 300, spmv: k2rs,
                path: plain, operator: assembled, precision: mixed, block_size: 96, threshold: 7, sorting_window: 64}
quadrature: vertices
assembly: {strategy: spmv_k1r, order: csr, block_size: 1024, threshold: 5, sorting_window: 0}
backend: cpu
output:
  directory: ../results
  format: ensight
  interval: 2.5 ms
  fields: [recovery]
  maps: []
probes:
  - {name: tip, point: [0, 0, -6 cm]}
  - {name: base 2, point: [1e-7, 0.1, 1e9]}
checkpoint: {interval: 0.1 s, keep: 3}
)";

/// Loads configurations that are written as text.
class Configuration : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& yaml, const std::string& name = "heart.yaml") const {
    auto file = directory / name;
    std::ofstream(file, std::ios::binary) << yaml;
    return file;
  }

  Config load(const std::string& yaml, const std::vector<Override>& overrides = {}) const {
    return load_config(write(yaml), overrides);
  }

  /// The message without the name of the temporary directory.
  std::string error(const std::string& yaml, const std::vector<Override>& overrides = {}) const {
    try {
      load(yaml, overrides);
    } catch (const InputError& failure) {
      std::string message = failure.what();
      const std::string prefix = directory.path().string() + "/";
      for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix))
        message.erase(at, prefix.size());
      return message;
    }
    return "accepted";
  }

  TemporaryDirectory directory;
};

/// A section of a configuration that is refused, and the message.
struct WrongSection {
  std::string section, message;  ///< placed from line 3 on; the message follows `heart.yaml:`
};

/// Loads configurations with mistakes.
class ConfigurationMistake : public Configuration {
 protected:
  void expect_messages(const std::vector<WrongSection>& mistakes) const {
    for (const auto& [section, message] : mistakes)
      EXPECT_EQ(error(minimal + section), "heart.yaml:" + message) << section;
  }
};

}  // namespace cardiowarp::test
