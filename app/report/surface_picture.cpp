#include "app/report/surface_picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "fem/anatomy/boundary_faces.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

constexpr std::array<int, 3> gray{150, 150, 150}, background{255, 255, 255};

struct Box3 {
  std::array<Real, 3> least, most;
};

Box3 box_of(const std::vector<Vector3>& nodes) {
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  Box3 box{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  for (const Vector3& node : nodes) {
    const std::array<Real, 3> x{node.x, node.y, node.z};
    for (std::size_t k = 0; k < 3; ++k) {
      box.least[k] = std::min(box.least[k], x[k]);
      box.most[k] = std::max(box.most[k], x[k]);
    }
  }
  return box;
}

/// A corner on the picture.
struct Corner {
  Real x, y, depth, value;
};

/// The picture while it is drawn.
class Canvas {
 public:
  Canvas(int width, int height)
      : image_{width, height, {}},
        depth_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), -INFINITY) {
    for (std::size_t pixel = 0; pixel < depth_.size(); ++pixel)
      for (const int part : background) image_.bytes.push_back(static_cast<std::uint8_t>(part));
  }

  RgbImage take() { return std::move(image_); }
  int width() const { return image_.width; }
  int height() const { return image_.height; }

  void put(int column, int row, Real depth, const std::array<int, 3>& color, Real light) {
    const std::size_t pixel =
        static_cast<std::size_t>(row) * static_cast<std::size_t>(image_.width) + static_cast<std::size_t>(column);
    if (depth <= depth_[pixel]) return;
    depth_[pixel] = depth;
    for (std::size_t part = 0; part < 3; ++part)
      image_.bytes[3 * pixel + part] =
          static_cast<std::uint8_t>(std::clamp(std::lround(light * color[part]), 0L, 255L));
  }

 private:
  RgbImage image_;
  std::vector<Real> depth_;
};

/// The color of a point, darker beside a line of equal values; `per_pixel` is how much the value changes there.
std::array<int, 3> color_at(Real value, const ColorScale& scale, Real per_pixel) {
  std::array<int, 3> color = color_of((value - scale.least) / std::max(scale.most - scale.least, Real(1e-12)));
  if (scale.lines_every <= 0) return color;
  const Real lines = value / scale.lines_every, distance = std::fabs(lines - std::round(lines)) * scale.lines_every;
  if (distance < per_pixel && per_pixel < 0.25 * scale.lines_every)
    for (int& part : color) part = part * 55 / 100;
  return color;
}

/// Fills the pixels whose middles are inside; `has_value` is false where a corner has none.
void draw(Canvas& canvas, const std::array<Corner, 3>& corners, const ColorScale& scale, bool has_value, Real light) {
  const auto& [a, b, c] = corners;
  const Real area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
  if (area == 0) return;
  const auto [left, right] = std::minmax({a.x, b.x, c.x});
  const auto [upper, lower] = std::minmax({a.y, b.y, c.y});
  const int first_column = std::max(0, static_cast<int>(std::floor(left))),
            last_column = std::min(canvas.width() - 1, static_cast<int>(std::ceil(right)));
  const int first_row = std::max(0, static_cast<int>(std::floor(upper))),
            last_row = std::min(canvas.height() - 1, static_cast<int>(std::ceil(lower)));
  const Real slope_x = ((b.value - a.value) * (c.y - a.y) - (c.value - a.value) * (b.y - a.y)) / area;
  const Real slope_y = ((c.value - a.value) * (b.x - a.x) - (b.value - a.value) * (c.x - a.x)) / area;
  const Real per_pixel = std::hypot(slope_x, slope_y);
  for (int row = first_row; row <= last_row; ++row)
    for (int column = first_column; column <= last_column; ++column) {
      const Real x = column + Real(0.5), y = row + Real(0.5);
      const Real of_b = ((x - a.x) * (c.y - a.y) - (c.x - a.x) * (y - a.y)) / area;
      const Real of_c = ((b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y)) / area;
      constexpr Real edge = -1e-9;
      if (of_b < edge || of_c < edge || of_b + of_c > 1 - edge) continue;
      const Real of_a = 1 - of_b - of_c;
      const Real depth = of_a * a.depth + of_b * b.depth + of_c * c.depth;
      const Real value = of_a * a.value + of_b * b.value + of_c * c.value;
      canvas.put(column, row, depth, has_value ? color_at(value, scale, per_pixel) : gray, light);
    }
}

}  // namespace

std::array<View, 2> two_views(const std::vector<Vector3>& nodes) {
  const Box3 box = box_of(nodes);
  const auto extent = [&](std::size_t k) { return box.most[k] - box.least[k]; };
  const Vector3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1}, minus_x{-1, 0, 0}, minus_y{0, -1, 0}, minus_z{0, 0, -1};
  if (extent(2) <= std::min(extent(0), extent(1))) return {View{x, y, z}, View{minus_x, y, minus_z}};
  if (extent(1) <= extent(0)) return {View{x, z, minus_y}, View{minus_x, z, y}};
  return {View{y, z, x}, View{minus_y, z, minus_x}};
}

std::array<int, 3> color_of(Real share) {
  static constexpr std::array<std::array<int, 3>, 9> viridis{{{68, 1, 84},
                                                              {71, 44, 122},
                                                              {59, 81, 139},
                                                              {44, 113, 142},
                                                              {33, 144, 141},
                                                              {39, 173, 129},
                                                              {92, 200, 99},
                                                              {170, 220, 50},
                                                              {253, 231, 37}}};
  const Real place = 8 * std::clamp(share, Real(0), Real(1));
  const std::size_t below = std::min<std::size_t>(static_cast<std::size_t>(place), 7);
  const Real part = place - static_cast<Real>(below);
  std::array<int, 3> color{};
  for (std::size_t k = 0; k < 3; ++k)
    color[k] = static_cast<int>(std::lround((1 - part) * viridis[below][k] + part * viridis[below + 1][k]));
  return color;
}

SurfacePictures::SurfacePictures(const Mesh& mesh) : nodes_(mesh.nodes) {
  for (const Triangle& face : boundary_faces(mesh)) triangles_.push_back({face[0], face[1], face[2]});
}

RgbImage SurfacePictures::picture(const View& view, const std::vector<Real>& values, const ColorScale& scale,
                                  int pixels, Real none_below) const {
  std::vector<Vector3> seen;
  seen.reserve(nodes_.size());
  for (const Vector3& node : nodes_)
    seen.push_back({dot(node, view.right), -dot(node, view.up), dot(node, view.toward)});
  const Box3 box = box_of(seen);
  constexpr int margin = 2;
  const Real wide = box.most[0] - box.least[0], high = box.most[1] - box.least[1];
  const Real per_mm = (pixels - 2 * margin) / std::max({wide, high, Real(1e-9)});
  const auto size = [&](Real mm) { return std::max(1, static_cast<int>(std::ceil(mm * per_mm))) + 2 * margin; };
  Canvas canvas(size(wide), size(high));
  for (const auto& triangle : triangles_) {
    std::array<Corner, 3> corners{};
    bool has_value = true;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto node = static_cast<std::size_t>(triangle[k]);
      has_value = has_value && values[node] >= none_below;  // not where it is no number
      corners[k] = {margin + (seen[node].x - box.least[0]) * per_mm, margin + (seen[node].y - box.least[1]) * per_mm,
                    seen[node].z, values[node]};
    }
    const Vector3 edge = seen[static_cast<std::size_t>(triangle[1])] - seen[static_cast<std::size_t>(triangle[0])];
    const Vector3 other = seen[static_cast<std::size_t>(triangle[2])] - seen[static_cast<std::size_t>(triangle[0])];
    const Vector3 normal = cross(edge, other);
    const Real length = norm(normal);
    constexpr Real ambient = 0.55;
    draw(canvas, corners, scale, has_value, ambient + (1 - ambient) * (length > 0 ? std::fabs(normal.z) / length : 0));
  }
  return canvas.take();
}

}  // namespace cardiowarp
