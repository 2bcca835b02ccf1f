#include "meshes/cut_cells.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace cardiowarp {
namespace {

/// The corners of a face by their places in the cell, −1 behind the third of a triangle; seen from outside they go
/// round in the positive sense.
using Face = std::array<int, 4>;

constexpr std::array<Face, 6> faces_of_hexahedron{
    {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};
constexpr std::array<Face, 5> faces_of_prism{{{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}};
constexpr std::array<Face, 5> faces_of_pyramid{
    {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}}};
/// The corner of a hexahedron that shares no face with each.
constexpr std::array<std::size_t, 8> opposite_corner{6, 7, 4, 5, 2, 3, 0, 1};

std::span<const Face> faces_of(std::size_t corners) {
  if (corners == 8) return faces_of_hexahedron;
  if (corners == 6) return faces_of_prism;
  return faces_of_pyramid;
}

bool has_repetition(std::span<const Index> nodes) {
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (std::find(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(k), nodes[k]) !=
        nodes.begin() + static_cast<std::ptrdiff_t>(k))
      return true;
  return false;
}

std::string counted(std::size_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

}  // namespace

bool CellCutter::is_before(Index a, Index b) const {
  const Vector3 &p = nodes_[static_cast<std::size_t>(a)], &q = nodes_[static_cast<std::size_t>(b)];
  return std::tie(p.x, p.y, p.z, a) < std::tie(q.x, q.y, q.z, b);
}

Real CellCutter::orientation(const Tetrahedron& nodes) const {
  const auto at = [&](Index node) { return nodes_[static_cast<std::size_t>(node)]; };
  const Vector3 origin = at(nodes[0]);
  return dot(cross(at(nodes[1]) - origin, at(nodes[2]) - origin), at(nodes[3]) - origin);
}

/// Adds the pieces of a face, which may have three corners, along the diagonal from its first node.
void CellCutter::add_triangles(std::span<const Index> face, std::vector<Triangle>& triangles) const {
  const auto add = [&](Index a, Index b, Index c) {
    if (a != b && b != c && a != c) triangles.push_back({a, b, c});
  };
  if (face.size() == 3) return add(face[0], face[1], face[2]);
  const auto first = std::min_element(face.begin(), face.end(), [&](Index a, Index b) { return is_before(a, b); });
  const auto at = [&](std::ptrdiff_t k) { return face[static_cast<std::size_t>((first - face.begin() + k) % 4)]; };
  add(at(0), at(1), at(2));
  add(at(0), at(2), at(3));
}

/// Joins the first corner of the cell with the triangles of the faces that it is not in. Where no diagonal of these
/// ends at the opposite corner of a hexahedron, the three pieces at the line between the two are replaced by two.
void CellCutter::make_pieces(std::span<const Index> corners) {
  const auto place =
      std::min_element(corners.begin(), corners.end(), [&](Index a, Index b) { return is_before(a, b); });
  const Index first = *place;
  opposite_.clear();
  pieces_.clear();
  for (const Face& face : faces_of(corners.size())) {
    std::array<Index, 4> nodes{};
    const std::size_t size = face[3] < 0 ? 3 : 4;
    for (std::size_t k = 0; k < size; ++k) nodes[k] = corners[static_cast<std::size_t>(face[k])];
    const std::span<const Index> of_face(nodes.data(), size);
    if (std::ranges::find(of_face, first) == of_face.end()) add_triangles(of_face, opposite_);
  }
  if (corners.size() == 8 && !has_repetition(corners))
    cut_off(corners[opposite_corner[static_cast<std::size_t>(place - corners.begin())]]);
  for (const auto& [a, b, c] : opposite_) pieces_.push_back({first, a, b, c});
}

/// Makes a piece of its own of the corner that is opposite to the first, where that saves one.
void CellCutter::cut_off(Index last) {
  std::array<Index, 3> next{};  // of the three triangles at this corner: the node after it, and the one after that
  std::array<Index, 3> after{};
  std::size_t found = 0;
  const auto has_last = [&](const Triangle& triangle) { return std::ranges::find(triangle, last) != triangle.end(); };
  for (const Triangle& triangle : opposite_) {
    const auto at = static_cast<std::size_t>(std::ranges::find(triangle, last) - triangle.begin());
    if (at == 3) continue;
    if (found == 3) return;  // a diagonal ends here
    next[found] = triangle[(at + 1) % 3];
    after[found++] = triangle[(at + 2) % 3];
  }
  const Index third = after[0] == next[1] ? after[1] : after[2];
  std::erase_if(opposite_, has_last);
  opposite_.push_back({next[0], after[0], third});
  pieces_.push_back({last, next[0], third, after[0]});
}

/// How many pieces of the last cell are negative, as they are of a cell whose corners go round in the other sense.
std::size_t CellCutter::negative_pieces() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(pieces_, [&](const Tetrahedron& nodes) { return orientation(nodes) < 0; }));
}

bool CellCutter::is_folded(std::span<const Index> corners) {
  make_pieces(corners);
  const std::size_t negative = negative_pieces();
  return negative > 0 && negative < pieces_.size();
}

std::size_t CellCutter::cut(std::span<const Index> corners, std::vector<Tetrahedron>& tetrahedra) {
  make_pieces(corners);
  const std::size_t negative = negative_pieces();
  if (negative > 0 && negative < pieces_.size()) ++folded_;
  if (2 * negative > pieces_.size())
    for (Tetrahedron& nodes : pieces_) std::swap(nodes[2], nodes[3]);
  tetrahedra.insert(tetrahedra.end(), pieces_.begin(), pieces_.end());
  ++(corners.size() == 8 ? hexahedra_ : corners.size() == 6 ? prisms_ : pyramids_);
  tetrahedra_ += pieces_.size();
  return pieces_.size();
}

std::size_t CellCutter::cut(const std::array<Index, 4>& corners, std::vector<Triangle>& triangles) {
  const std::size_t before = triangles.size();
  add_triangles(corners, triangles);
  ++quadrangles_;
  triangles_ += triangles.size() - before;
  return triangles.size() - before;
}

std::vector<std::string> CellCutter::remarks() const {
  std::vector<std::string> lines, cells;
  if (hexahedra_ > 0) cells.push_back(counted(hexahedra_, "hexahedron", "hexahedra"));
  if (prisms_ > 0) cells.push_back(counted(prisms_, "prism", "prisms"));
  if (pyramids_ > 0) cells.push_back(counted(pyramids_, "pyramid", "pyramids"));
  if (!cells.empty()) lines.push_back(fmt::format("{} became {} tetrahedra", fmt::join(cells, ", "), tetrahedra_));
  if (quadrangles_ > 0)
    lines.push_back(
        fmt::format("{} became {} triangles", counted(quadrangles_, "quadrangle", "quadrangles"), triangles_));
  if (folded_ > 0)
    lines.push_back(fmt::format("{} of the cells that were cut {} folded, so that pieces overlap", folded_,
                                folded_ == 1 ? "is" : "are"));
  return lines;
}

}  // namespace cardiowarp
