#pragma once
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

// The connected components of a mesh. Two elements are in one component if a chain of elements leads from one to the
// other in which neighbors share a node; a wave cannot get from one component to another. They are found once, before
// a run begins, so that the user can be told where a mesh falls apart, and afterwards which components were not
// activated. The search is on the host and takes 8 bytes per node, 4 of which remain.

/// A connected component of a mesh: its elements share no node with the rest.
struct Component {
  Index nodes = 0;
  Vector3 centre;  ///< mean of its nodes, mm
};

struct Components {
  std::vector<Component> all;            ///< the one with the most nodes first; of equals, the one with the first node
  std::vector<Index> component_of_node;  ///< [nodes]
};

/// The components of a checked mesh.
Components connected_components(const Mesh& mesh);

}  // namespace cardiowarp
