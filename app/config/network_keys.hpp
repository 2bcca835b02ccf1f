#pragma once
#include "app/config/key_visitor.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct NetworkConfig;

/// NetworkConfig::radius_mm where none is given: it is the mean edge of the mesh then, at least 2 mm.
inline constexpr Real radius_by_mesh_mm = -1;

/// The keys of `network`, in a stimulus or alone.
void visit_network(KeyVisitor& keys, NetworkConfig& network);

}  // namespace cardiowarp
