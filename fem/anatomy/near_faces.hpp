#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "fem/cell_table.hpp"
#include "fem/element_nodes.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The faces of a surface near a place, and the point of the surface that is nearest to it. Who asks says once how near
// a face has to be; the faces are then sorted into cubes of space, and a question looks at the few of one cube. It is
// made of a surface of the heart on the host before a run: to grow a network on it, or to find a layer beneath it.

/// A point of a surface.
struct PointOnFace {
  std::size_t face = 0;
  Vector3 point;         ///< mm
  Real distance_mm = 0;  ///< from the place that was asked for
};

class NearFaces {
 public:
  /// The corners of `faces` are numbers of `nodes`; `reach_mm` is above 0. `nodes` outlive this.
  NearFaces(const std::vector<Vector3>& nodes, std::vector<Triangle> faces, Real reach_mm);

  /// The nearest point of the surface; absent where it is farther away than the reach.
  std::optional<PointOnFace> nearest(Vector3 place) const;
  /// The nearest point however far it is, by a pass over all faces. There is at least one.
  PointOnFace nearest_of_all(Vector3 place) const;

  const std::vector<Triangle>& faces() const { return faces_; }
  /// Of length 1; 0 of a face without an area.
  Vector3 normal(std::size_t face) const;

 private:
  void take(std::size_t face, Vector3 place, std::optional<PointOnFace>& nearest) const;

  const std::vector<Vector3>& nodes_;
  std::vector<Triangle> faces_;
  Real reach_mm_;
  CellTable table_;
};

/// The point of a triangle that is nearest to a place, by the region of the triangle's plane that the place is above
/// (Ericson, Real-Time Collision Detection, 2005, sec. 5.1.5).
Vector3 nearest_in_triangle(Vector3 place, Vector3 a, Vector3 b, Vector3 c);

}  // namespace cardiowarp
