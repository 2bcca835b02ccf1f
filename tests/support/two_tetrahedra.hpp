#pragma once
#include <string>

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {

// Two tetrahedra over one face in openCARP's format: short enough to break by hand.
inline constexpr const char* two_points = "5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n2 2 2\n";
inline constexpr const char* two_elements = "2\nTt 0 1 2 3 1\nTt 1 2 3 4 2\n";
inline constexpr const char* two_fibers = "1\n1 0 0\n0 1 0\n";

/// A run on them.
inline constexpr const char* two_yaml = R"(mesh: {file: two.pts, length_unit: mm}
diffusivity: {isotropic: 0.2, anisotropic: 0}
stimuli:
  - where: {tag: 1}
    duration: 2 ms
    amplitude: 60 mV/ms
time: {end: 1 ms, step: 0.1 ms}
output: {directory: result}
)";

/// Writes them and the configuration `two.yaml` into a folder.
inline void write_two_tetrahedra(const TemporaryDirectory& folder) {
  write_text(folder / "two.pts", two_points);
  write_text(folder / "two.elem", two_elements);
  write_text(folder / "two.lon", two_fibers);
  write_text(folder / "two.yaml", two_yaml);
}

}  // namespace cardiowarp::test
