#pragma once
#include <memory>
#include <string>
#include <vector>

#include "fem/anatomy/heart_coordinates.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

struct Config;
struct Junctions;

// The anatomy of the mesh of a run, which is computed before its problem is built: fibers by rule, the coordinates of
// the heart where a `where` of the configuration has some, or a parameter of cells goes by them, and Purkinje networks
// of stimuli. Fibers and coordinates go by the same fields, which are solved for once where they also go by the same
// surfaces.

/// The coordinates of the heart; fibers are not here, as they are put into the mesh.
struct RunAnatomy {
  std::shared_ptr<const HeartCoordinates> coordinates;     ///< null where nothing asks for them
  std::vector<Vector3> probes;                             ///< [probes] mm, where they are; empty without coordinates
  std::vector<std::shared_ptr<const Junctions>> networks;  ///< [stimuli] null of those without a network
  std::vector<std::string> in_words;                       ///< lines for the user; empty where nothing was made
};

/// Gives a checked mesh the fibers that a configuration wants by rule, and makes the coordinates. Arrays of parameters
/// through the wall become arrays of the mesh. Throws InputError as rule_fibers(), mesh_coordinates() and
/// make_network() do, and where no place has the coordinates of a probe.
RunAnatomy make_anatomy(const Config& config, Mesh& mesh);

/// Gives each `where` that has coordinates those of the mesh, each probe its point, and each network its junctions.
void give_coordinates(const RunAnatomy& anatomy, Config& config);

}  // namespace cardiowarp
