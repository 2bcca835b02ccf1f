#pragma once
#include "app/simulation/beat_times.hpp"

namespace cardiowarp {

class VtuGrid;
struct OutputConfig;

/// Writes `maps.vtu` with the point arrays `activation_time` and `apd90` [ms] that the configuration asks for, the
/// estimated errors that are known beside them, `activation_time_error` and `apd90_error` in time,
/// `activation_time_mesh_error` and `apd90_mesh_error` of the mesh, and `fiber` and `region`. Nothing where no map is
/// asked for. No frame is being written meanwhile. Throws InputError where the file cannot be written.
void write_maps(VtuGrid& grid, const OutputConfig& config, const BeatTimes& times, const MapErrors& errors);

}  // namespace cardiowarp
