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

/// All of these of a checked mesh. `place` is where they are asked for, and `key` what can say which surfaces they are.
/// Throws InputError as surfaces_of_heart() and mesh_coordinates() do.
MeshOfHeart heart_of(Mesh mesh, const CoordinatesConfig& config, const std::string& place, const std::string& key);

/// Arrays of Mesh::values of the source at the nodes of the target, and how far they went wrong.
struct CarriedValues {
  std::vector<std::vector<Real>> arrays;  ///< [arrays][nodes of the target]
  std::size_t nearest = 0;                ///< nodes without a place of their coordinates, which have the nearest one
  /// Between the nodes of the source and themselves after the way to the target and back, mm.
  Real mean_mm = 0, most_mm = 0;
  Real of_95_percent_mm = 0;  ///< below which 95 % of them are
};

/// Throws std::invalid_argument where the hearts have not the same ventricles.
CarriedValues carried(const MeshOfHeart& source, const MeshOfHeart& target);

}  // namespace cardiowarp
