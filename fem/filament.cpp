#include "fem/filament.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>

#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

using Face = std::array<Index, 3>;

/// Whether a field has both signs at the corners of an element.
bool changes_sign(const std::vector<Real>& field, const Tetrahedron& nodes) {
  const auto is_above = [&](int corner) { return field[static_cast<std::size_t>(nodes[corner])] > 0; };
  return is_above(0) != is_above(1) || is_above(0) != is_above(2) || is_above(0) != is_above(3);
}

/// The point of a face where both fields are zero. Its barycentric coordinates are as a × b, with the values a and b of
/// the fields at the corners.
std::optional<Vector3> zero_on(const Face& face, const Mesh& mesh, const std::vector<Real>& first,
                               const std::vector<Real>& second) {
  const auto at_corners = [&](const std::vector<Real>& field) {
    return Vector3{field[static_cast<std::size_t>(face[0])], field[static_cast<std::size_t>(face[1])],
                   field[static_cast<std::size_t>(face[2])]};
  };
  const Vector3 share = cross(at_corners(first), at_corners(second));
  const Real sum = share.x + share.y + share.z;
  if (sum == 0 || share.x / sum < 0 || share.y / sum < 0 || share.z / sum < 0) return std::nullopt;
  return (share.x / sum) * mesh.nodes[face[0]] + (share.y / sum) * mesh.nodes[face[1]] +
         (share.z / sum) * mesh.nodes[face[2]];
}

/// Parts of lines, joined where they share a face.
class Lines {
 public:
  void add(const std::array<Face, 2>& faces, const std::array<Vector3, 2>& ends) {
    const std::size_t part = joined_.size();
    joined_.push_back(part);
    parts_.push_back({0.5 * (ends[0] + ends[1]), norm(ends[1] - ends[0])});
    for (const Face& face : faces)
      if (const auto [other, is_new] = part_on_.emplace(face, part); !is_new) joined_[root(part)] = root(other->second);
  }

  std::vector<Filament> filaments() {
    std::map<std::size_t, Filament> of_root;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      Filament& filament = of_root[root(part)];
      filament.middle = filament.middle + parts_[part].length_mm * parts_[part].middle;
      filament.length_mm += parts_[part].length_mm;
    }
    std::vector<Filament> all;
    for (const auto& [ignored, filament] : of_root)
      if (filament.length_mm > 0) all.push_back({(1 / filament.length_mm) * filament.middle, filament.length_mm});
    std::ranges::stable_sort(all, [](const Filament& a, const Filament& b) { return a.length_mm > b.length_mm; });
    return all;
  }

 private:
  std::size_t root(std::size_t part) {
    while (joined_[part] != part) part = joined_[part] = joined_[joined_[part]];
    return part;
  }

  std::vector<std::size_t> joined_;  ///< another part of the same line, or itself
  std::vector<Filament> parts_;
  std::map<Face, std::size_t> part_on_;
};

}  // namespace

std::vector<Filament> filaments(const Mesh& mesh, const std::vector<Real>& first, const std::vector<Real>& second) {
  Lines lines;
  for (const Tetrahedron& nodes : mesh.tetrahedra) {
    if (!changes_sign(first, nodes) || !changes_sign(second, nodes)) continue;
    std::array<Face, 2> faces{};
    std::array<Vector3, 2> ends{};
    std::size_t found = 0;
    for (int left_out = 0; left_out < 4 && found < 2; ++left_out) {
      Face face{nodes[left_out == 0 ? 1 : 0], nodes[left_out <= 1 ? 2 : 1], nodes[left_out <= 2 ? 3 : 2]};
      std::ranges::sort(face);
      const std::optional<Vector3> zero = zero_on(face, mesh, first, second);
      if (!zero) continue;
      faces[found] = face;
      ends[found++] = *zero;
    }
    if (found == 2) lines.add(faces, ends);
  }
  return lines.filaments();
}

}  // namespace cardiowarp
