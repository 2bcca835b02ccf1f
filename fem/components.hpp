#pragma once
#include <vector>

#include "fem/mesh.hpp"

namespace cardiowarp {

/// A part of a mesh that shares no node with the rest: nothing spreads from one to another.
struct Component {
  Index nodes = 0;
  Vector3 centre;  ///< mean of its nodes, mm
};

struct Components {
  std::vector<Component> parts;     ///< the one with the most nodes first; of equals, the one with the first node
  std::vector<Index> part_of_node;  ///< [nodes]
};

/// Of a checked mesh.
Components connected_components(const Mesh& mesh);

}  // namespace cardiowarp
