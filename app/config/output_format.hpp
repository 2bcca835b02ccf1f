#pragma once
#include <array>
#include <cstddef>
#include <string_view>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The formats of the frames of a run (app/output/frame_layout.hpp), the values of `output.format`.
enum class OutputFormat {
  vtu,     ///< VTK's XML format: each frame with the mesh, in double precision
  ensight  ///< EnSight Gold: the mesh once, the fields in single precision
};

/// The numbers of the values in frames, the values of `output.precision`.
enum class OutputPrecision { double_precision, single_precision };

/// The costs of frames on the disk and in time, by which runs are judged before they begin
/// (app/advice/frame_estimate.hpp).
struct FrameCosts {
  Real node_bytes;               ///< of the mesh, a node
  Real element_bytes;            ///< of the mesh, an element
  Real quadratic_element_bytes;  ///< of a quadratic mesh, an element
  Real fiber_bytes;              ///< an element, more where the fibers are those of the mesh
  bool mesh_in_each;             ///< whether each frame has the mesh; else it is written once
  Real value_bytes_a_second;     ///< that one thread writes, of values of nodes and elements
};

/// The properties of a format beside its code.
struct OutputFormatTraits {
  std::string_view name;  ///< in YAML
  OutputFormat format;
  OutputPrecision precision;  ///< of values, where nothing else is asked for
  bool has_both;              ///< whether the other precision can be asked for
  FrameCosts costs;
};

/// Every format of the frames. The names that YAML takes, estimates of room and time and what is removed of earlier
/// runs are made from this list; frame_formats.cpp (app/output) has the code of each, and lacks none.
///
/// Costs of vtu: zlib takes little from values and more from the mesh, measured on hearts of 12 and 185 thousand nodes;
/// on a block of 21 thousand quadratic elements of Gmsh. The numbers of EnSight have 4 bytes, as they are: coordinates,
/// corners, fibers, regions, values.
inline constexpr std::array<OutputFormatTraits, 2> output_formats{{
    {"vtu", OutputFormat::vtu, OutputPrecision::double_precision, true, {22, 11, 24, 11, true, 3e8}},
    {"ensight",
     OutputFormat::ensight,
     OutputPrecision::single_precision,
     false,
     {12, 4 * (4 + 3 + 1), 4 * (10 + 3 + 1), 0, false, 1e9}},
}};

/// Whether the list has the formats in the order of their values, each with all that it needs.
consteval bool output_formats_are_complete() {
  for (std::size_t i = 0; i < output_formats.size(); ++i) {
    const OutputFormatTraits& traits = output_formats[i];
    if (static_cast<std::size_t>(traits.format) != i || traits.name.empty()) return false;
    if (!(traits.costs.value_bytes_a_second > 0)) return false;
  }
  return true;
}
static_assert(output_formats_are_complete());

constexpr const OutputFormatTraits& traits_of(OutputFormat format) {
  return output_formats[static_cast<std::size_t>(format)];
}

}  // namespace cardiowarp
