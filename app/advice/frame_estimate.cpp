#include "app/advice/frame_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/files/result_file.hpp"

namespace cardiowarp {
namespace {

constexpr Real gigabyte = 1e9;

}  // namespace

FrameEstimate estimate_frames(const Config& config, const Mesh& mesh) {
  // zlib takes little from 8-byte values and more from the mesh, measured on hearts of 12 thousand and 1.2 million
  // nodes; on a block of 21 thousand quadratic elements of Gmsh.
  constexpr Real mesh_bytes_a_node = 20, bytes_a_fiber = 11, value_bytes_a_second = 20e6;
  const Real mesh_bytes_an_element = mesh.is_quadratic() ? 24 : 11;
  const auto nodes = static_cast<Real>(mesh.nodes.size()), elements = static_cast<Real>(mesh.tetrahedra.size());
  const std::size_t states =
      config.output.states ? config.output.states->size() : states_of(config.cell_model.cell).size();
  const Real values = sizeof(Real) * ((config.output.potential ? nodes : 0) + static_cast<Real>(states) * elements);
  const Real fibers = config.fibers.source == FiberSource::mesh ? bytes_a_fiber * elements : 0;
  FrameEstimate estimate;
  estimate.frames = number_of_frames(config.time, config.output.interval_ms);
  estimate.bytes = estimate.frames * (mesh_bytes_a_node * nodes + mesh_bytes_an_element * elements + fibers + values);
  // The .pvd has a line for each frame and is renewed with each.
  constexpr Real pvd_bytes_a_frame = 100, pvd_bytes_a_second = 1e9;
  estimate.seconds = estimate.frames * values / value_bytes_a_second +
                     estimate.frames * estimate.frames / 2 * pvd_bytes_a_frame / pvd_bytes_a_second;
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
