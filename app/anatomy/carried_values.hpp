#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "app/anatomy/heart_fields.hpp"
#include "app/anatomy/heart_surfaces.hpp"
#include "app/anatomy/mesh_coordinates.hpp"
#include "app/config/coordinates_config.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

// Values carried from one heart to another: each node of the target takes them from the place of the source that has
// its coordinates. How well the coordinates say where a place is shows when the places themselves are carried to the
// target and back (Bayer et al., Med Image Anal 45:83-93, 2018).

/// A mesh with its surfaces, their fields and its coordinates.
struct MeshOfHeart {
  Mesh mesh;
  HeartSurfaces surfaces;
  HeartFields fields;
  MeshCoordinates made;
};

/// Computes them for a checked mesh. Messages begin with `place` and name the key `key`, by which a user can tell the
/// surfaces. Throws InputError as surfaces_of_heart() and mesh_coordinates() do.
MeshOfHeart heart_of(Mesh mesh, const CoordinatesConfig& config, const std::string& place, const std::string& key);

/// Arrays of Mesh::values of the source at the nodes of the target, and how far they went wrong.
struct CarriedValues {
  std::vector<std::vector<Real>> arrays;  ///< [arrays][nodes of the target]
  std::size_t nearest = 0;                ///< nodes whose coordinates no place has; they take the nearest
  /// Distances between the nodes of the source and where they are after the way to the target and back, mm.
  Real mean_mm = 0, most_mm = 0;
  Real of_95_percent_mm = 0;  ///< below which 95 % of them are
};

/// Throws std::invalid_argument where the hearts have not the same ventricles.
CarriedValues carried(const MeshOfHeart& source, const MeshOfHeart& target);

}  // namespace cardiowarp
