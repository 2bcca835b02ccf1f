#include "app/advice/frame_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/config/config.hpp"
#include "app/config/frame_count.hpp"
#include "app/files/result_file.hpp"
#include "fem/cells/any_cell.hpp"
#include "fem/cells/cell_model.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

constexpr Real gigabyte = 1e9;

/// What frames of a format take, apart from their list.
struct FrameCost {
  Real common_bytes;   ///< of what all frames have together
  Real bytes;          ///< of each
  Real value_seconds;  ///< to write the values of each
};

/// How many values a frame has.
Real number_of_values(const Config& config, const Mesh& mesh) {
  const std::size_t of_model = is_ionic(config.cell_model.cell) ? 0 : states_of(config.cell_model.cell).size(),
                    states = config.output.states ? config.output.states->size() : of_model;
  const int of_nodes = (config.output.potential ? 1 : 0) + (config.output.phi_e ? 1 : 0);
  return of_nodes * static_cast<Real>(mesh.nodes.size()) +
         static_cast<Real>(states) * static_cast<Real>(mesh.tetrahedra.size());
}

FrameCost cost_of_frames(const Config& config, const Mesh& mesh) {
  const FrameCosts& costs = traits_of(config.output.format).costs;
  const auto nodes = static_cast<Real>(mesh.nodes.size()), elements = static_cast<Real>(mesh.tetrahedra.size());
  const Real an_element =
      (mesh.is_quadratic() ? costs.quadratic_element_bytes : costs.element_bytes) +
      (config.fibers.source == FiberSource::mesh || config.fibers.source == FiberSource::rule ? costs.fiber_bytes : 0);
  const Real of_mesh = costs.node_bytes * nodes + an_element * elements;
  const Real value_bytes = config.output.in_single() ? sizeof(float) : sizeof(Real);
  const Real values = value_bytes * number_of_values(config, mesh);
  return {costs.mesh_in_each ? 0 : of_mesh, values + (costs.mesh_in_each ? of_mesh : 0),
          values / costs.value_bytes_a_second};
}

}  // namespace

FrameEstimate estimate_frames(const Config& config, const Mesh& mesh) {
  const FrameCost cost = cost_of_frames(config, mesh);
  FrameEstimate estimate;
  estimate.frames = number_of_frames(config.time, config.output.interval_ms);
  estimate.bytes = cost.common_bytes + estimate.frames * cost.bytes;
  // The list has a line for each frame and is renewed with each.
  constexpr Real line_bytes = 100, list_bytes_a_second = 1e9;
  estimate.seconds =
      estimate.frames * cost.value_seconds + estimate.frames * estimate.frames / 2 * line_bytes / list_bytes_a_second;
  return estimate;
}

std::string describe(const FrameEstimate& estimate) {
  return fmt::format("{:.0f} frames, about {:.2g} GB", estimate.frames, estimate.bytes / gigabyte);
}

std::string frame_warning(const FrameEstimate& estimate, Real free_bytes) {
  constexpr Real many = 20'000, many_bytes = 20 * gigabyte;
  if (estimate.frames <= many && estimate.bytes <= std::min(many_bytes, free_bytes)) return "";
  const std::string room =
      estimate.bytes > free_bytes ? fmt::format(", more than the {:.2g} GB free there", free_bytes / gigabyte) : "";
  return fmt::format(
      "output: {}{}, and about {:.2g} minutes of one thread to write them: a longer output.interval or fewer "
      "output.fields make less",
      describe(estimate), room, estimate.seconds / 60);
}

Real free_bytes(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(existing_folder(folder), error);
  return error ? std::numeric_limits<Real>::infinity() : static_cast<Real>(space.available);
}

}  // namespace cardiowarp
