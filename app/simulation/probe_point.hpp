#pragma once
#include <array>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Where a probe reads the potential: Σ weight · φ over the nodes of the tetrahedron around its point.
struct ProbePoint {
  std::array<Index, 4> nodes{};
  std::array<Real, 4> weights{};
  std::array<Index, 6> edge_nodes{};  ///< of a quadratic tetrahedron, whose nodes are all different
  std::array<Real, 6> edge_weights{};

  CARDIOWARP_HD bool is_quadratic() const { return edge_nodes[0] != edge_nodes[1]; }
};

}  // namespace cardiowarp
