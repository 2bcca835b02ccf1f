#pragma once
#include <filesystem>
#include <string_view>
#include <vector>

#include "fem/network.hpp"
#include "kernels/backend/types.hpp"
#include "meshes/length_unit.hpp"

namespace cardiowarp {

// Purkinje networks in the formats of VTK: lines and polylines in `.vtk` (legacy, an unstructured grid or polygonal
// data), `.vtp` and `.vtu`. Other cells of the file are passed over. Points at one place are one point, and points of
// no line are dropped, so that trees whose branches were written one by one hang together. A process of its own reads
// the file, as it does meshes.

/// Whether a file has one of the suffixes, in small letters or capitals.
bool is_network_file(const std::filesystem::path& file);

/// Reads a network; coordinates are converted to mm. Points come in the order of the file. Throws InputError with the
/// file and the reason: missing, damaged, no lines, a line of one point or none, a point that is no number.
Network read_network(const std::filesystem::path& file, LengthUnit unit);

/// Writes a network as lines, `.vtp` or legacy binary `.vtk`, in mm, with one number of each point as the array `name`.
/// The file appears complete or not at all. Throws InputError for another suffix, and where it cannot be written.
void write_network(const Network& network, std::string_view name, const std::vector<Real>& of_points,
                   const std::filesystem::path& file);

}  // namespace cardiowarp
