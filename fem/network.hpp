#pragma once
#include <array>
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The fast conduction system of a heart, as points that straight segments join: the Purkinje fibers that lead a beat
// from a root to the tissue. It comes from a file (meshes/network_file.hpp) or is grown (fem/anatomy/grown_network.hpp)
// and is looked at once, before a run. Loops are allowed: a beat takes the shortest way. It takes 32 bytes a point.

/// Points and the segments between them.
struct Network {
  std::vector<Vector3> points;                 ///< mm
  std::vector<std::array<Index, 2>> segments;  ///< numbers of two different points
};

/// [points] the length of the shortest way along segments from the nearest of some roots, mm; infinity of points that
/// no way leads to. After Dijkstra 1959, in a time of s log s for s segments.
std::vector<Real> lengths_from(const Network& network, const std::vector<Index>& roots);

/// The points with one segment, ascending, without those among `roots`.
std::vector<Index> ends_of(const Network& network, const std::vector<Index>& roots);

/// The number of the point that is nearest to a place, the first of several. There is at least one point.
Index nearest_point(const Network& network, Vector3 place);

}  // namespace cardiowarp
