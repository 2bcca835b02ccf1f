#pragma once
#include <array>
#include <string>
#include <vector>

#include "app/report/png.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

// Pictures of the surface of a mesh, colored by a field at its nodes. They are drawn by the program itself, triangle by
// triangle with a depth for each pixel, so that they need no graphics card, display or window system.

/// From where a picture is taken, at infinite distance: unit vectors at right angles.
struct View {
  Vector3 right, up, toward;  ///< `toward` points from the mesh to the eye
};

/// Two opposite views of a mesh across its shortest extent; z points up, or y where z is the shortest.
std::array<View, 2> two_views(const std::vector<Vector3>& nodes);

/// The colors for values: from dark violet to yellow (viridis of matplotlib), gray where there is none.
struct ColorScale {
  Real least = 0, most = 1;
  Real lines_every = 0;  ///< dark lines at the multiples of this; 0: none
};

/// The color of a value between 0, the least, and 1, the largest.
std::array<int, 3> color_of(Real share);

/// The surface of a mesh, which must outlive this.
class SurfacePictures {
 public:
  explicit SurfacePictures(const Mesh& mesh);

  /// A picture whose longer side has `pixels`. `values` are those of the nodes; a value that is no number, or below
  /// `none_below`, is none.
  RgbImage picture(const View& view, const std::vector<Real>& values, const ColorScale& scale, int pixels,
                   Real none_below) const;

 private:
  const std::vector<Vector3>& nodes_;
  std::vector<std::array<Index, 3>> triangles_;
};

}  // namespace cardiowarp
