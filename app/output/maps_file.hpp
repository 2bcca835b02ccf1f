#pragma once
#include <span>
#include <vector>

#include "app/output/beat_tables.hpp"
#include "app/simulation/beat_times.hpp"

namespace cardiowarp {

class VtuGrid;
struct OutputConfig;

/// Writes `maps.vtu` with the maps: point arrays, and cell arrays of velocities. The estimated errors of the first
/// beats' `activation_time` and `apd90` that are known stand beside these: `activation_time_error` and `apd90_error` in
/// time, `activation_time_mesh_error` and `apd90_mesh_error` of the mesh. `fiber` and `region` are there, too, and
/// `front_velocity_error`, [elements] %, by which the mesh is expected to change the velocity of fronts, unless it is
/// empty. Nothing is written where there is no map. Throws InputError where the file cannot be written.
void write_maps(VtuGrid& grid, const OutputConfig& config, const std::vector<BeatMap>& maps, const MapErrors& errors,
                std::span<const float> front_velocity_errors);

}  // namespace cardiowarp
