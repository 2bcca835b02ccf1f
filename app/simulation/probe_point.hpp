#pragma once
#include <array>

#include "fem/element_nodes.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Where a probe reads the potential: Σ weight · φ over the nodes of the tetrahedron around its point.
struct ProbePoint {
  Tetrahedron nodes{};
  std::array<Real, 4> weights{};
  EdgeNodes edge_nodes{};  ///< of a quadratic tetrahedron, whose nodes are all different
  std::array<Real, 6> edge_weights{};

  CARDIOWARP_HD bool is_quadratic() const { return edge_nodes[0] != edge_nodes[1]; }
};

}  // namespace cardiowarp
