#pragma once
#include <string>
#include <vector>

#include "app/anatomy/heart_fields.hpp"
#include "app/anatomy/heart_surfaces.hpp"
#include "app/config/coordinates_config.hpp"
#include "fem/anatomy/heart_coordinates.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

// Coordinates of the ventricles at the nodes and in the middle of the elements of a mesh. The transmural one and the
// ventricle come from the harmonic fields of fibers by rule, the apicobasal one from the field between apex and base on
// a scale of lengths, the rotational one from the long axis of the left ventricle. Beside the fields it takes a pass
// over the mesh and 40 bytes for each node and each element.

/// Coordinates of a mesh, and lines for the user on them.
struct MeshCoordinates {
  HeartCoordinates coordinates;
  std::vector<std::string> in_words;
};

/// The coordinates between surfaces with their fields. `place` is where they are asked for. Throws InputError where the
/// long axis has no direction or the point of angle 0 lies on it.
MeshCoordinates mesh_coordinates(const Mesh& mesh, const HeartSurfaces& surfaces, const HeartFields& fields,
                                 const CoordinatesConfig& config, const std::string& place);

}  // namespace cardiowarp
