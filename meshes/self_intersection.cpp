#include "meshes/self_intersection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace cardiowarp {
namespace {

/// A bound of the relative rounding error of the determinants below (Shewchuk 1997, "Adaptive precision floating-point
/// arithmetic", gives 7 and 3 units of 2^-53).
constexpr Real rounding = 8 * std::numeric_limits<Real>::epsilon();

/// What is flatter than this counts as one plane: the coordinates were rounded before.
constexpr Real flatness = 1e-12;

int sign_beyond(Real bound, Real value) { return std::abs(value) <= bound ? 0 : value > 0 ? 1 : -1; }

Vector3 magnitudes(Vector3 a) { return {std::abs(a.x), std::abs(a.y), std::abs(a.z)}; }

/// Six times the volume of the tetrahedron (a, b, c, d), 0 where that is at most `share` of its terms.
Real six_volumes(Vector3 a, Vector3 b, Vector3 c, Vector3 d, Real share) {
  const Vector3 p = a - d, q = b - d, r = c - d;
  const Real volume = dot(p, cross(q, r));
  const Vector3 u = magnitudes(p), v = magnitudes(q), w = magnitudes(r);
  const Real magnitude = u.x * (v.y * w.z + v.z * w.y) + u.y * (v.z * w.x + v.x * w.z) + u.z * (v.x * w.y + v.y * w.x);
  return sign_beyond(share * magnitude, volume) == 0 ? 0 : volume;
}

int side(Vector3 a, Vector3 b, Vector3 c, Vector3 d) { return sign_beyond(0, six_volumes(a, b, c, d, rounding)); }

struct Point2 {
  Real x, y;
};

/// A point without the coordinate in which a plane is seen best.
Point2 flattened(Vector3 p, int dropped) {
  return dropped == 0 ? Point2{p.y, p.z} : dropped == 1 ? Point2{p.z, p.x} : Point2{p.x, p.y};
}

int turn(Point2 a, Point2 b, Point2 c) {
  const Real left = (a.x - c.x) * (b.y - c.y), right = (a.y - c.y) * (b.x - c.x);
  return sign_beyond(rounding * (std::abs(left) + std::abs(right)), left - right);
}

bool is_inside(Point2 p, const std::array<Point2, 3>& corners) {
  const int ab = turn(corners[0], corners[1], p), bc = turn(corners[1], corners[2], p),
            ca = turn(corners[2], corners[0], p);
  return std::min({ab, bc, ca}) >= 0 || std::max({ab, bc, ca}) <= 0;
}

/// Where the segments from a to b and from c to d cross, as the part of the way from a; nothing where they do not or
/// are parallel.
std::optional<Real> crossing(Point2 a, Point2 b, Point2 c, Point2 d) {
  if (turn(a, b, c) * turn(a, b, d) > 0 || turn(c, d, a) * turn(c, d, b) > 0) return {};
  const Real across = (b.x - a.x) * (d.y - c.y) - (b.y - a.y) * (d.x - c.x);
  if (across == 0) return {};
  return std::clamp(((c.x - a.x) * (d.y - c.y) - (c.y - a.y) * (d.x - c.x)) / across, 0.0, 1.0);
}

using Corners = std::array<Vector3, 3>;

/// A point of the segment from p to q that is in the triangle, where all are in one plane.
std::optional<Vector3> meeting_in_plane(Vector3 p, Vector3 q, const Corners& t) {
  const Vector3 normal = magnitudes(cross(t[1] - t[0], t[2] - t[0]));
  const int dropped = normal.x >= normal.y && normal.x >= normal.z ? 0 : normal.y >= normal.z ? 1 : 2;
  const Point2 from = flattened(p, dropped), to = flattened(q, dropped);
  const std::array<Point2, 3> flat{flattened(t[0], dropped), flattened(t[1], dropped), flattened(t[2], dropped)};
  if (is_inside(from, flat)) return p;
  if (is_inside(to, flat)) return q;
  for (int side = 0; side < 3; ++side)
    if (const auto part = crossing(from, to, flat[side], flat[(side + 1) % 3])) return p + *part * (q - p);
  return {};
}

/// A point of the segment from p to q that is in the triangle.
std::optional<Vector3> meeting(Vector3 p, Vector3 q, const Corners& t) {
  const Real of_p = six_volumes(t[0], t[1], t[2], p, flatness), of_q = six_volumes(t[0], t[1], t[2], q, flatness);
  if ((of_p > 0 && of_q > 0) || (of_p < 0 && of_q < 0)) return {};
  if (of_p == 0 && of_q == 0) return meeting_in_plane(p, q, t);
  const int ab = side(p, q, t[0], t[1]), bc = side(p, q, t[1], t[2]), ca = side(p, q, t[2], t[0]);
  if (std::min({ab, bc, ca}) < 0 && std::max({ab, bc, ca}) > 0) return {};
  if (ab == 0 && bc == 0 && ca == 0) return meeting_in_plane(p, q, t);
  return p + std::abs(of_p) / (std::abs(of_p) + std::abs(of_q)) * (q - p);
}

bool has_corner(const Triangle& triangle, Index node) {
  return std::find(triangle.begin(), triangle.end(), node) != triangle.end();
}

/// A surface whose triangles are compared two at a time.
struct Surface {
  const std::vector<Vector3>& nodes;
  const std::vector<Triangle>& triangles;

  Corners corners(std::size_t triangle) const {
    const auto& [a, b, c] = triangles[triangle];
    return {nodes[a], nodes[b], nodes[c]};
  }

  /// Where a side of one that has no corner of the other meets the other.
  std::optional<Vector3> side_in(std::size_t of, std::size_t in) const {
    const Triangle &t = triangles[of], &other = triangles[in];
    for (int k = 0; k < 3; ++k) {
      const Index from = t[k], to = t[(k + 1) % 3];
      if (has_corner(other, from) || has_corner(other, to)) continue;
      if (const auto place = meeting(nodes[from], nodes[to], corners(in))) return place;
    }
    return {};
  }

  /// The middle of the common side of two that are folded onto each other.
  std::optional<Vector3> fold(std::size_t first, std::size_t second) const {
    const Triangle &t = triangles[first], &other = triangles[second];
    for (int k = 0; k < 3; ++k) {
      const Index u = t[k], v = t[(k + 1) % 3], apex = t[(k + 2) % 3];
      if (!has_corner(other, u) || !has_corner(other, v) || has_corner(other, apex)) continue;
      const Index apex_of_other = *std::find_if(other.begin(), other.end(), [&](Index n) { return n != u && n != v; });
      const Vector3 a = nodes[u], b = nodes[v], c = nodes[apex], d = nodes[apex_of_other];
      if (six_volumes(a, b, c, d, flatness) == 0 && dot(cross(b - a, c - a), cross(b - a, d - a)) > 0)
        return 0.5 * (a + b);
    }
    return {};
  }

  std::optional<Vector3> meeting_of(std::size_t first, std::size_t second) const {
    if (const auto place = side_in(first, second)) return place;
    if (const auto place = side_in(second, first)) return place;
    return fold(first, second);
  }
};

struct Box {
  Vector3 low, high;

  bool overlaps(const Box& other) const {
    return low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y && other.low.y <= high.y &&
           low.z <= other.high.z && other.low.z <= high.z;
  }
  void include(const Box& other) {
    low = {std::min(low.x, other.low.x), std::min(low.y, other.low.y), std::min(low.z, other.low.z)};
    high = {std::max(high.x, other.high.x), std::max(high.y, other.high.y), std::max(high.z, other.high.z)};
  }
};

Box box_of(const Corners& t) {
  Box box{t[0], t[0]};
  box.include({t[1], t[1]});
  box.include({t[2], t[2]});
  return box;
}

/// Boxes in a binary tree: the place k has those of `order_` from begin to end, the places 2k + 1 and 2k + 2 its
/// halves.
class BoxTree {
 public:
  explicit BoxTree(std::vector<Box> boxes)
      : boxes_(std::move(boxes)), order_(boxes_.size()), around_(4 * boxes_.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (!order_.empty()) build(0, 0, order_.size());
  }

  /// Calls `each` with the boxes that overlap number `wanted`, until it returns false.
  template <class Each>
  void for_overlapping(std::size_t wanted, const Each& each) const {
    visit(boxes_[wanted], 0, 0, order_.size(), each);
  }

 private:
  void build(std::size_t place, std::size_t begin, std::size_t end) {
    Box& around = around_[place] = boxes_[order_[begin]];
    for (std::size_t k = begin; k < end; ++k) around.include(boxes_[order_[k]]);
    if (end - begin == 1) return;
    const Vector3 size = around.high - around.low;
    const auto middle = [&](std::size_t box) {
      const Vector3 sum = boxes_[box].low + boxes_[box].high;
      return size.x >= size.y && size.x >= size.z ? sum.x : size.y >= size.z ? sum.y : sum.z;
    };
    const std::size_t half = begin + (end - begin) / 2;
    const auto at = [&](std::size_t k) { return order_.begin() + static_cast<std::ptrdiff_t>(k); };
    std::nth_element(at(begin), at(half), at(end), [&](std::size_t a, std::size_t b) { return middle(a) < middle(b); });
    build(2 * place + 1, begin, half);
    build(2 * place + 2, half, end);
  }

  template <class Each>
  bool visit(const Box& wanted, std::size_t place, std::size_t begin, std::size_t end, const Each& each) const {
    if (!around_[place].overlaps(wanted)) return true;
    if (end - begin == 1) return each(order_[begin]);
    const std::size_t half = begin + (end - begin) / 2;
    return visit(wanted, 2 * place + 1, begin, half, each) && visit(wanted, 2 * place + 2, half, end, each);
  }

  std::vector<Box> boxes_;
  std::vector<std::size_t> order_;
  std::vector<Box> around_;
};

}  // namespace

bool has_no_area(Vector3 a, Vector3 b, Vector3 c) {
  for (int dropped = 0; dropped < 3; ++dropped)
    if (turn(flattened(a, dropped), flattened(b, dropped), flattened(c, dropped)) != 0) return false;
  return true;
}

std::optional<SelfIntersection> self_intersection(const std::vector<Vector3>& nodes,
                                                  const std::vector<Triangle>& triangles) {
  const Surface surface{nodes, triangles};
  std::vector<std::size_t> numbers;  // of the triangles with an area, which have the boxes
  std::vector<Box> boxes;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Corners corners = surface.corners(t);
    if (has_no_area(corners[0], corners[1], corners[2])) continue;
    numbers.push_back(t);
    boxes.push_back(box_of(corners));
  }
  const BoxTree tree(std::move(boxes));
  std::optional<SelfIntersection> found;
  for (std::size_t first = 0; first < numbers.size(); ++first)
    tree.for_overlapping(first, [&](std::size_t second) {
      if (second <= first) return true;
      const auto place = surface.meeting_of(numbers[first], numbers[second]);
      if (!place) return true;
      const MeetingTriangles pair{numbers[first], numbers[second], *place};
      if (!found) found = {pair, 0};
      if (pair.first == found->example.first && pair.second < found->example.second) found->example = pair;
      return ++found->pairs < most_pairs_counted;
    });
  if (found) found->pairs = std::min(found->pairs, most_pairs_counted);
  return found;
}

}  // namespace cardiowarp
