#pragma once
#include "app/anatomy/heart_surfaces.hpp"

namespace cardiowarp {

struct Mesh;

/// Makes the surfaces that geometry has found triangles of the mesh, with names and numbers that are free, so that
/// `cardiowarp mesh fibers` and `cardiowarp mesh coordinates` write them with what they have computed.
void add_found_surfaces(const HeartSurfaces& surfaces, Mesh& mesh);

}  // namespace cardiowarp
