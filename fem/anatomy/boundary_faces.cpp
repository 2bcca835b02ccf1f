#include "fem/anatomy/boundary_faces.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "fem/mesh.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// The faces of a tetrahedron, opposite to its corners 3, 2, 0 and 1; outwards where its volume is positive.
constexpr std::array<Triangle, 4> faces_of_tetrahedron{{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};

/// A face by its nodes without the smallest one, and where it comes from.
struct HalfFace {
  Index middle, largest;
  std::int64_t place;  ///< 4 · element + number of the face

  bool is_same(const HalfFace& other) const { return middle == other.middle && largest == other.largest; }
};

Triangle corners_of(const Mesh& mesh, std::int64_t place) {
  const Tetrahedron& nodes = mesh.tetrahedra[place / 4];
  Triangle corners = faces_of_tetrahedron[place % 4];
  for (Index& corner : corners) corner = nodes[corner];
  return corners;
}

/// The first of each node's own in a list that has those of node 0 first, and its end.
std::vector<std::int64_t> beginnings(std::vector<std::int64_t> counts) {
  std::int64_t sum = 0;
  for (std::int64_t& count : counts) {
    const std::int64_t own = count;
    count = sum;
    sum += own;
  }
  counts.push_back(sum);
  return counts;
}

}  // namespace

std::vector<Triangle> boundary_faces(const Mesh& mesh) {
  const auto places = 4 * static_cast<std::int64_t>(mesh.tetrahedra.size());
  std::vector<std::int64_t> counts(mesh.nodes.size(), 0);
  for (std::int64_t place = 0; place < places; ++place) ++counts[std::ranges::min(corners_of(mesh, place))];
  const std::vector<std::int64_t> begin = beginnings(std::move(counts));
  std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
  std::vector<HalfFace> all;
  resize_by_team(all, static_cast<std::size_t>(places));
  for (std::int64_t place = 0; place < places; ++place) {
    Triangle sorted = corners_of(mesh, place);
    std::ranges::sort(sorted);
    all[next[sorted[0]]++] = {sorted[1], sorted[2], place};
  }
  std::vector<std::vector<std::int64_t>> of_node(mesh.nodes.size());
  parallel_for(mesh.nodes.size(), [&](std::size_t node) {
    const auto first = all.begin() + begin[node], last = all.begin() + begin[node + 1];
    std::sort(first, last, [](const HalfFace& a, const HalfFace& b) {
      if (a.middle != b.middle) return a.middle < b.middle;
      return a.largest != b.largest ? a.largest < b.largest : a.place < b.place;
    });
    for (auto face = first; face != last;) {
      const auto end = std::find_if_not(face, last, [&](const HalfFace& other) { return other.is_same(*face); });
      if (end - face == 1) of_node[node].push_back(face->place);
      face = end;
    }
  });
  std::vector<Triangle> faces;
  for (const std::vector<std::int64_t>& own : of_node)
    for (const std::int64_t place : own) faces.push_back(corners_of(mesh, place));
  return faces;
}

std::vector<Triangle> neighbors_of_faces(const std::vector<Triangle>& faces) {
  struct Side {
    Index low, high, face;
    int number;
  };
  std::vector<Side> sides;
  sides.reserve(3 * faces.size());
  for (std::size_t face = 0; face < faces.size(); ++face)
    for (int k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax({faces[face][k], faces[face][(k + 1) % 3]});
      sides.push_back({low, high, static_cast<Index>(face), k});
    }
  std::ranges::sort(sides, [](const Side& a, const Side& b) {
    if (a.low != b.low) return a.low < b.low;
    return a.high != b.high ? a.high < b.high : a.face < b.face;
  });
  std::vector<Triangle> neighbors(faces.size(), {-1, -1, -1});
  for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
    const Side &a = sides[i], &b = sides[i + 1];
    if (a.low != b.low || a.high != b.high) continue;
    neighbors[a.face][a.number] = b.face;
    neighbors[b.face][b.number] = a.face;
    ++i;
  }
  return neighbors;
}

FaceGeometry face_geometry(const Mesh& mesh, const Triangle& face) {
  const Vector3 a = mesh.nodes[face[0]], b = mesh.nodes[face[1]], c = mesh.nodes[face[2]];
  const Vector3 twice = cross(b - a, c - a);
  const Real length = norm(twice);
  return {(Real(1) / 3) * (a + b + c), length > 0 ? (1 / length) * twice : Vector3{}, length / 2};
}

}  // namespace cardiowarp
