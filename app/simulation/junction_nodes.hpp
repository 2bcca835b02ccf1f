#pragma once
#include <string>
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Junctions;
struct Mesh;

// From the junctions of a Purkinje network to the nodes of a mesh that they stimulate. It is asked once for each
// network before a run; the nodes and their delays then are a stimulus like others (Stimulus, tissue.hpp).

/// The nodes that junctions stimulate, and when.
struct JunctionNodes {
  std::vector<Index> nodes;    ///< ascending
  std::vector<Real> delay_ms;  ///< [nodes] the earliest arrival at a junction that stimulates it
  Real farthest_mm = 0;        ///< the largest distance of a junction from the node that is nearest to it
  Vector3 farthest;            ///< where that junction is
};

/// Each junction stimulates the nodes within its radius and the one that is nearest to it. Throws InputError that
/// begins with `place` where a junction is farther from all nodes than that radius and than `edges` times the longest
/// edge of the mesh: it is not in the tissue. Takes a pass over the mesh.
JunctionNodes nodes_at(const Mesh& mesh, const Junctions& junctions, const std::string& place, Real edges = 1);

}  // namespace cardiowarp
