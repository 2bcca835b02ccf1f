#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "app/anatomy/heart_fields.hpp"
#include "fem/anatomy/heart_coordinates.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

// Finds the places of a heart by their coordinates, so that values can be carried from one heart to another. In each
// ventricle a node is put at (ρ, r cos φ, r sin φ) with its transmural, apicobasal and rotational coordinates and
// r = (z + 0.05) / 1.05: a disc with the apex in its middle, without a cut. A place is looked for among the elements
// between these points, which are sorted into the cells of a grid; that takes about 200 bytes an element on the host.

/// A place in an element: its corners with their weights, which add up to 1 and are not negative.
struct PlaceInElement {
  std::size_t element = 0;
  std::array<Real, 4> weights{};
  Real distance = 0;  ///< between its point on the disc and the one that was looked for
};

/// The mean of the values of the corners by their weights.
template <class Value>
Value mean_at(const PlaceInElement& place, const Mesh& mesh, const std::vector<Value>& of_nodes) {
  Value sum{};
  for (std::size_t i = 0; i < place.weights.size(); ++i)
    sum = sum + place.weights[i] * of_nodes[static_cast<std::size_t>(mesh.tetrahedra[place.element][i])];
  return sum;
}

class HeartMap {
 public:
  /// `mesh` outlives the map; `fields` and `coordinates` are its own.
  HeartMap(const Mesh& mesh, const HeartFields& fields, const HeartCoordinates& coordinates);

  /// The place of these coordinates. Of a heart with one ventricle it is in that one whatever `wanted` says.
  PlaceInElement find(const HeartPlace& wanted) const;

 private:
  /// The elements of a ventricle on its disc.
  struct Disc {
    std::vector<Vector3> nodes;      ///< [nodes]
    std::vector<std::size_t> first;  ///< [cells + 1] where the elements of each cell begin
    std::vector<Index> elements;
  };

  Disc disc_of(HeartPart side, const std::vector<Real>& depth, const HeartCoordinates& coordinates) const;
  /// The best element of the cells that are `reach` or fewer from the one of a point.
  PlaceInElement search(const Disc& disc, Vector3 point, int reach) const;

  const Mesh& mesh_;
  std::vector<Disc> discs_;  ///< of the left and the right ventricle
};

}  // namespace cardiowarp
