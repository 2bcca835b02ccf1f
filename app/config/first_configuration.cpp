#include "app/config/first_configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
FirstConfiguration first_configuration(const Mesh& mesh, Real mean_edge_mm) {
  Vector3 least = mesh.nodes[0], most = least, lowest = least;
  for (const Vector3& node : mesh.nodes) {
    least = {std::min(least.x, node.x), std::min(least.y, node.y), std::min(least.z, node.z)};
    most = {std::max(most.x, node.x), std::max(most.y, node.y), std::max(most.z, node.z)};
    if (node.z < lowest.z) lowest = node;
  }
  constexpr Real thickness = 1.8, speed = 0.55, action_potential_ms = 450, as_a_heart_mm = 40;
  const Real diagonal_mm = norm(most - least);
  FirstConfiguration first;
  first.diffusivity_mm2_per_ms = diagonal_mm > as_a_heart_mm ? 1 : 0.1;
  first.center = lowest;
  const Real root = std::sqrt(first.diffusivity_mm2_per_ms);
  first.radius_mm = std::ceil(std::max(6 * thickness * root, 3 * mean_edge_mm));
  first.end_ms = 50 * std::ceil((1.5 * diagonal_mm / (speed * root) + action_potential_ms) / 50);
  return first;
}

void refuse_mesh(const std::filesystem::path& file, const FirstConfiguration& first) {
  const std::string name = file.filename().string(), yaml = file.stem().string() + ".yaml";
  throw InputError(
      fmt::format("{}: expected a configuration in YAML, got a mesh. Write these lines into a file {} beside it, with "
                  "the place of your stimulus, and give that instead:\n"
                  "mesh: {{file: {}}}\n"
                  "diffusivity: {{isotropic: {:g} mm^2/ms}}\n"
                  "stimuli:\n"
                  "  - where: {{sphere: {{center: [{:.6g}, {:.6g}, {:.6g}], radius: {:.6g} mm}}}}\n"
                  "    duration: 2 ms\n"
                  "    amplitude: 50 mV/ms\n"
                  "time: {{end: {:.6g} ms, step: 0.1 ms, adaptive: {{enabled: true}}}}",
                  file.string(), yaml, name, first.diffusivity_mm2_per_ms, first.center.x, first.center.y,
                  first.center.z, first.radius_mm, first.end_ms));
}

}  // namespace cardiowarp
