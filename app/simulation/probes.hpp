#pragma once
#include <vector>

#include "app/simulation/probe_point.hpp"

namespace cardiowarp {

struct Mesh;
struct ProbeConfig;

// Points at which the potential is recorded after every step, whether or not a frame is due. build_problem() finds the
// tetrahedron around each point once, and the simulation then interpolates in it. The Recorder writes the values to
// `probes.csv` (app/output/series_file.hpp). A point takes 120 bytes.

/// Locates each probe in the mesh; a point outside the mesh by at most `1e-6` of the mesh's size is moved onto it.
/// Throws InputError naming the probe, its point and the nearest point of the mesh when it lies further outside.
std::vector<ProbePoint> locate_probes(const Mesh& mesh, const std::vector<ProbeConfig>& probes);

}  // namespace cardiowarp
