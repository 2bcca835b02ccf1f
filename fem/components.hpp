#pragma once
#include <vector>

#include "fem/mesh.hpp"

namespace cardiowarp {

/// A connected component of a mesh: its elements share no node with the rest, so nothing spreads from one to another.
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
