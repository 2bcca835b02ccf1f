#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "app/anatomy/heart_surfaces.hpp"
#include "fem/network.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct JunctionNodes;
struct Junctions;
struct Mesh;
struct NetworkConfig;
struct StimulusConfig;

// The Purkinje network of a stimulus, from its section of the configuration: read from a file or grown on the
// endocardium of a mesh, with the times at which a beat that begins at its root arrives everywhere, on the shortest way
// at a constant velocity. run_anatomy.hpp makes those of a run, `cardiowarp mesh purkinje` writes one to a file.

/// A network with its arrivals.
struct MadeNetwork {
  Network network;
  std::vector<Real> arrival_ms;  ///< [points] after the beginning of a beat
  std::vector<Index> junctions;  ///< the points where it stimulates tissue, ascending
};

/// Reads or grows a network. `surfaces` are those of the mesh, or empty until some network needs them; `wanted` says by
/// which names they are found. Throws InputError that begins with the place of the section where the file cannot be
/// read, the mesh lacks the endocardium, a root is far from the network, no way leads from the roots to a part of it,
/// or nothing of it is a junction.
MadeNetwork make_network(const NetworkConfig& config, const Mesh& mesh, const SurfacesWanted& wanted,
                         HeartSurfaces& surfaces);

/// The junctions for a run with steps of this length. Arrivals are rounded to multiples of the step of 0.2 ms or more,
/// so that steps that end where pulses begin are not cut into pieces. The radius is that of the configuration, or else
/// the mean edge of the mesh, at least 2 mm, as single nodes of a coarse mesh do not capture.
Junctions junctions_of(const MadeNetwork& made, const NetworkConfig& config, const Mesh& mesh, Real step_ms);

/// `network sinus: 210 junctions at 1141 points, from 12.4 to 58.1 ms after the start, each within 1.2 mm of a node,
/// ..`
std::string in_words(const MadeNetwork& made, const JunctionNodes& nodes, const StimulusConfig& stimulus);

}  // namespace cardiowarp
